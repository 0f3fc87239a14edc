"""
Does a preview say of each instant what becomes of it, and of those that do not come why?

How it is asked for and shown is test_preview_cli.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from horae.preview_rules import Asked
from horae.previewing import Preview, preview
from schemas.globals import Calendar
from schemas.instants import format_instant, parse_instant
from schemas.reading import read_definition
from streams.calendar.refusals import TimingRefused
from streams.calendar.ticks import LAST_INSTANT

SECOND = 1_000_000
WEEKENDS = {"weekends": Calendar(weekdays=96)}


def look(fields: dict[str, Any], after: str, **asked: Any) -> Preview:
    definition = read_definition({"zone": "Europe/Berlin", "emit": {"topic": "t"}, **fields})
    return preview(Asked(definition, "a/b", parse_instant(after), calendars=WEEKENDS, **asked))


def marked(found: Preview) -> list[tuple[str, ...]]:
    return [(format_instant(each.instant), *each.marks) for each in found.coming]


def absent(found: Preview) -> list[tuple[str, str, int, str]]:
    return [
        (format_instant(each.first)[:-1], format_instant(each.last)[:-1], each.count, each.why)
        for each in found.left_out
    ]


NIGHTLY = {"cron": "30 2 * * *"}


def test_an_instant_that_the_clocks_moved_says_so() -> None:
    found = look(NIGHTLY, "2026-03-28T12:00:00Z", limit=2)

    assert marked(found) == [
        ("2026-03-29T01:30:00Z", "moved: clocks leap over 02:30"),
        ("2026-03-30T00:30:00Z",),
    ]
    assert found.left_out == ()


def test_one_that_comes_twice_says_so_the_second_time() -> None:
    found = look({**NIGHTLY, "dst": "literal"}, "2026-10-24T12:00:00Z", limit=3)

    assert marked(found) == [
        ("2026-10-25T00:30:00Z",),
        ("2026-10-25T01:30:00Z", "again: clocks go back, 02:30 comes twice"),
        ("2026-10-26T01:30:00Z",),
    ]


@pytest.mark.parametrize("dst", ["literal", "skip"])
def test_one_that_is_dropped_stands_among_those_that_do_not_come(dst: str) -> None:
    found = look({**NIGHTLY, "dst": dst}, "2026-03-28T12:00:00Z", limit=1)

    assert marked(found) == [("2026-03-30T00:30:00Z",)]
    assert absent(found) == [
        (*["2026-03-29T02:30:00"] * 2, 1, "dropped: clocks leap from 02:00 to 03:00"),
    ]


def test_many_that_are_dropped_are_one_record() -> None:
    found = look(
        {"cron": "*/5 * * * *", "dst": "literal"},
        "2026-03-29T00:50:00Z",
        up_to=parse_instant("2026-03-29T01:00:00Z"),
    )

    assert [len(found.coming), absent(found)[0][:3]] == [
        2,
        ("2026-03-29T02:00:00", "2026-03-29T02:55:00", 12),
    ]


def test_a_star_follows_real_time_and_drops_nothing() -> None:
    found = look({"cron": "*/5 * * * *"}, "2026-03-29T00:50:00Z", limit=4)

    assert (found.left_out, {each.marks for each in found.coming}) == ((), {()})


def test_in_london_a_moved_instant_is_seen_though_its_numbers_agree() -> None:
    found = look({"cron": "30 1 * * *", "zone": "Europe/London"}, "2026-03-28T12:00:00Z", limit=1)

    assert marked(found) == [("2026-03-29T01:30:00Z", "moved: clocks leap over 01:30")]


def test_elapsed_time_is_never_moved_by_clocks() -> None:
    every = {"interval": {"every": "1h", "anchor": "epoch"}, "zone": "Europe/Berlin"}
    found = look(every, "2026-03-28T22:00:00Z", limit=10)

    assert {each.marks for each in found.coming} == {()}


def test_what_calendars_exclude_is_one_record_for_each_run() -> None:
    noon = {"cron": "0 12 * * *", "exclude": ["weekends", "2026-12-25"]}
    found = look(noon, "2026-12-24T00:00:00Z", limit=4)

    assert [each[0][:10] for each in marked(found)] == [
        *("2026-12-24", "2026-12-28", "2026-12-29", "2026-12-30"),
    ]
    assert absent(found) == [
        (
            *("2026-12-25T12:00:00", "2026-12-27T12:00:00", 3),
            "excluded by its own dates and weekends",
        ),
    ]


def test_a_whole_stretch_that_is_excluded_is_told() -> None:
    noon = {"cron": "0 12 * * *", "exclude": ["weekends"]}
    found = look(noon, "2026-12-26T00:00:00Z", up_to=parse_instant("2026-12-27T23:00:00Z"))

    assert found.coming == ()
    assert [each[2] for each in absent(found)] == [2]


def test_an_excluded_one_that_moves_says_from_where_and_why() -> None:
    def saturday(on_excluded: str) -> dict[str, Any]:
        exclude = {"calendars": ["weekends"], "on_excluded": on_excluded}
        return {"cron": "0 12 * * 6", "exclude": exclude}

    for way, day in (("next", "2026-12-28"), ("previous", "2026-12-25")):
        moved = look(saturday(f"{way}_business_day"), "2026-12-24T00:00:00Z", limit=1)
        [(instant, mark)] = marked(moved)
        assert instant == f"{day}T11:00:00Z"
        assert mark == "moved from 2026-12-26, excluded by weekends"


def test_a_shut_window_defers_to_its_opening() -> None:
    noon = {"cron": "0 12 * * *", "window": "mon-fri 11:00-13:00"}
    [friday, saturday] = look(noon, "2026-12-25T00:00:00Z", limit=2).coming

    assert (friday.starts, friday.marks) == (None, ())
    assert saturday.marks == ("deferred to the opening of the window",)
    opens = parse_instant("2026-12-28T10:00:00Z")
    assert opens <= (saturday.starts or 0) < opens + 60 * SECOND
    assert not saturday.skipped


def test_it_starts_spread_over_the_span_of_the_window_as_the_processor_spreads_it() -> None:
    """The instant is one that a processor gave to the same id: it is a hash of id and nominal."""
    every = {"interval": {"every": "20s", "anchor": "2026-11-30T02:48:01Z"}, "zone": "UTC"}
    definition = read_definition({**every, "window": "02:49-02:51", "emit": {"topic": "t"}})
    after = parse_instant("2026-11-30T02:51:00Z")
    [found] = preview(Asked(definition, "live/win", after, limit=1)).coming

    assert format_instant(found.instant) == "2026-11-30T02:51:01Z"
    assert format_instant(found.starts or 0) == "2026-12-01T02:49:31.758933Z"


def test_while_one_waits_for_the_window_later_ones_are_skipped() -> None:
    """POL-097: one start when the window opens."""
    hourly = {"cron": "0 * * * *", "zone": "UTC", "window": "11:00-13:00"}
    found = look(hourly, "2026-12-25T08:00:00Z", limit=5).coming

    assert [each.skipped for each in found] == [False, True, True, False, False]
    assert [each.starts is None for each in found] == [False, True, True, True, False]
    assert found[1].marks == ("skipped: an earlier one waits for the window",)


def test_what_waits_too_long_keeps_no_other_from_waiting() -> None:
    window = {"hours": "11:00-13:00", "max_wait": "90m"}
    hourly = {"cron": "0 * * * *", "zone": "UTC", "window": window}
    found = look(hourly, "2026-12-25T08:00:00Z", limit=3).coming

    assert [each.skipped for each in found] == [True, False, True]


def test_a_window_that_opens_too_late_skips() -> None:
    window = {"hours": "mon 11:00-13:00", "max_wait": "1h"}
    [found] = look({"cron": "0 9 * * 1", "window": window}, "2026-12-25T00:00:00Z", limit=1).coming

    assert found.skipped
    assert found.marks == ("skipped: it would wait for the window longer than PT1H",)


def test_jitter_moves_what_is_due_by_less_than_itself_and_always_the_same() -> None:
    noon = {"cron": "0 12 * * *", "jitter": "10m"}
    first, again = (look(noon, "2026-12-25T00:00:00Z", limit=5).coming for _ in range(2))

    assert first == again
    assert all(0 <= each.due - each.instant < 600 * SECOND for each in first)
    assert len({each.due - each.instant for each in first}) > 1


def test_bounds_are_inclusive_and_end_it() -> None:
    noon = {
        "cron": "0 12 * * *",
        "zone": "UTC",
        "start_at": "2026-12-25T12:00:00Z",
        "end_at": "2026-12-26T12:00:00Z",
    }
    found = look(noon, "2026-01-01T00:00:00Z")

    assert [each[0][:10] for each in marked(found)] == ["2026-12-25", "2026-12-26"]
    assert not found.truncated


def test_between_is_open_at_its_beginning_and_closed_at_its_end() -> None:
    noon = {"cron": "0 12 * * *", "zone": "UTC"}
    end = parse_instant("2026-01-03T12:00:00Z")
    whole = look(noon, "2026-01-01T12:00:00Z", up_to=end)
    part = look(noon, "2026-01-01T12:00:00Z", up_to=end, limit=1)

    assert [each[0][:10] for each in marked(whole)] == ["2026-01-02", "2026-01-03"]
    assert (whole.truncated, len(part.coming), part.truncated) == (False, 1, True)


def test_the_last_ones_come_newest_first() -> None:
    fields = {**NIGHTLY, "dst": "skip"}
    found = look(
        fields,
        "2026-03-01T00:00:00Z",
        up_to=parse_instant("2026-03-30T12:00:00Z"),
        limit=2,
        backwards=True,
    )

    assert [each[0] for each in marked(found)] == ["2026-03-30T00:30:00Z", "2026-03-28T01:30:00Z"]
    assert [each[0] for each in absent(found)] == ["2026-03-29T02:30:00"]
    assert found.truncated


def test_what_went_before_and_what_comes_meet() -> None:
    now = "2026-06-01T00:00:00Z"
    forward = look(NIGHTLY, now, limit=5)
    back = look(NIGHTLY, now, up_to=forward.coming[-1].instant, limit=9, backwards=True)

    assert back.coming == forward.coming[::-1]
    assert not back.truncated


def test_only_so_many_fires() -> None:
    found = look({**NIGHTLY, "max_fires": 2}, "2026-06-01T00:00:00Z")

    assert (len(found.coming), found.truncated) == (2, False)
    assert found.remarks == ("after 2 fires it is completed",)


def test_after_each_fire_only_the_next_is_known() -> None:
    found = look(
        {"interval": {"every": "1h", "basis": "after_fire"}},
        "2026-06-01T00:00:00Z",
        origin=parse_instant("2026-06-01T00:00:00Z"),
    )

    assert [each[0] for each in marked(found)] == ["2026-06-01T01:00:00Z"]
    assert (found.truncated, found.remarks) == (
        False,
        ("each one after the first counts from the fire before it",),
    )


def test_what_no_schedule_can_have_is_refused() -> None:
    definition = read_definition({"cron": "0 0 30 2 *", "emit": {"topic": "t"}})
    with pytest.raises(TimingRefused, match="never comes"):
        preview(Asked(definition, "a/b", 0))

    known = read_definition({**NIGHTLY, "emit": {"topic": "t"}})
    with pytest.raises(TimingRefused, match="zone"):
        preview(Asked(replace(known, zone="Mars"), "a/b", 0))


def test_without_an_end_nothing_is_said_of_what_lies_behind_the_last_one() -> None:
    found = look({"cron": "0 12 * * *", "exclude": ["weekends"]}, "2026-12-24T12:00:00Z", limit=1)

    assert [each[0][:10] for each in marked(found)] == ["2026-12-25"]
    assert found.left_out == ()
    assert Asked(read_definition({**NIGHTLY, "emit": {"topic": "t"}}), "", 0).up_to == LAST_INSTANT
