"""What is excluded, by whom, dropped or moved, and what happens when nothing is left."""

from itertools import pairwise

import pytest

from schemas.definition import Cron, Dst, Exclude, Interval, Once, OnExcluded, Timing, Weekly
from schemas.globals import Calendar, YearlyRange
from schemas.instants import format_instant, parse_instant
from streams.calendar.exclusions import closed_by, excluding
from streams.calendar.occurrences import NEVER, NO_TICK, rule_for
from tests.calendar.closings import CALENDARS, day

HOUR = 3600 * 1_000_000
DAY = 24 * HOUR
WEEKENDS = Calendar(weekdays=32 + 64)
NEXT, PREVIOUS, DROP = (
    OnExcluded.NEXT_BUSINESS_DAY,
    OnExcluded.PREVIOUS_BUSINESS_DAY,
    OnExcluded.DROP,
)
BERLIN = "Europe/Berlin"


def wall(text: str) -> int:
    return parse_instant(text + "Z")


def texts(
    timings: tuple[Timing, ...],
    exclude: Exclude,
    calendars: dict[str, Calendar],
    after: str,
    count: int,
    zone: str = "UTC",
) -> list[str]:
    rule = excluding(rule_for(timings, zone, Dst.SHIFT), exclude, calendars)
    stretch = rule.between(parse_instant(after), NEVER, count)
    return [format_instant(tick.instant) for tick in stretch.ticks]


NIGHTLY = (Cron("30 2 * * *"),)
THE_15TH = (Cron("0 9 15 * *"),)
MONTHLY = (Interval(months=1, anchor=parse_instant("2026-01-15T09:00:00Z")),)
ROWS: dict[str, tuple[tuple[Timing, ...], OnExcluded, str, list[str]]] = {
    "dropped": (NIGHTLY, DROP, "2026-01-16T00:00:00Z", ["16T02:30", "19T02:30", "20T02:30"]),
    "moved on, where it meets Monday's": (
        NIGHTLY,
        NEXT,
        "2026-01-16T00:00:00Z",
        ["16T02:30", "19T02:30", "20T02:30"],
    ),
    "the 15th of February moved on": (
        THE_15TH,
        NEXT,
        "2026-02-01T00:00:00Z",
        ["02-16T09:00", "03-16T09:00", "04-15T09:00"],
    ),
    "the 15th of February moved back": (
        THE_15TH,
        PREVIOUS,
        "2026-02-01T00:00:00Z",
        ["02-13T09:00", "03-13T09:00", "04-15T09:00"],
    ),
    "a step of a month moved on": (
        MONTHLY,
        NEXT,
        "2026-02-01T00:00:00Z",
        ["02-16T09:00", "03-16T09:00", "04-15T09:00"],
    ),
    "a step of a month moved back": (
        MONTHLY,
        PREVIOUS,
        "2026-02-01T00:00:00Z",
        ["02-13T09:00", "03-13T09:00", "04-15T09:00"],
    ),
    "a single instant moved on": (
        (Once(parse_instant("2026-02-15T09:00:00Z")),),
        NEXT,
        "2026-02-01T00:00:00Z",
        ["02-16T09:00"],
    ),
    "a single instant dropped": (
        (Once(parse_instant("2026-02-15T09:00:00Z")),),
        DROP,
        "2026-02-01T00:00:00Z",
        [],
    ),
    "weekly": (
        (Weekly(days=32 + 64 + 1, at=9 * 3600),),
        PREVIOUS,
        "2026-02-03T00:00:00Z",
        ["02-06T09:00", "02-09T09:00", "02-13T09:00"],
    ),
    "a short interval": (
        (Interval(micros=8 * HOUR, anchor=0),),
        NEXT,
        "2026-01-16T10:00:00Z",
        ["16T16:00", "19T00:00", "19T08:00"],
    ),
    "a union": (
        (*THE_15TH, Once(parse_instant("2026-02-14T09:00:00Z"))),
        NEXT,
        "2026-02-01T00:00:00Z",
        ["02-16T09:00", "03-16T09:00"],
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_without_weekends(name: str) -> None:
    timings, moved, after, ends = ROWS[name]
    found = texts(timings, Exclude(("weekends",), (), moved), {"weekends": WEEKENDS}, after, 3)

    assert len(found) == len(ends) or (len(found) == 3 and len(ends) == 2)
    for instant, end in zip(found, ends, strict=False):
        assert instant.removesuffix(":00Z").endswith(end)


def test_the_next_day_has_an_offset_of_its_own() -> None:
    """Saturday's comes on Monday at the same time by the clock on the wall."""
    saturday = (Cron("30 2 * * 6"),)
    found = texts(
        saturday, Exclude(("w",), (), NEXT), {"w": WEEKENDS}, "2026-03-24T00:00:00Z", 1, BERLIN
    )
    assert found == ["2026-03-30T00:30:00Z"]
    sunday_open = {"w": Calendar(weekdays=32)}
    found = texts(
        saturday, Exclude(("w",), (), NEXT), sunday_open, "2026-03-24T00:00:00Z", 1, BERLIN
    )
    assert found == ["2026-03-29T01:30:00Z"]


def test_equal_questions_share_one_rule() -> None:
    rule = rule_for(NIGHTLY, BERLIN, Dst.SHIFT)
    exclude = Exclude(("holidays",))
    first = excluding(rule, exclude, CALENDARS)
    same = {
        name: Calendar(each.dates, each.weekdays, base=each.base)
        for name, each in CALENDARS.items()
    }
    others = CALENDARS | {"empty": Calendar(weekdays=1)}

    assert excluding(rule, exclude, CALENDARS) is first
    assert excluding(rule, Exclude(("holidays",)), dict(CALENDARS)) is first
    assert excluding(rule, exclude, others) is first
    assert excluding(rule, exclude, same | {"lunch": CALENDARS["lunch"]}) is first
    assert excluding(rule, Exclude(("holidays",), (), NEXT), CALENDARS) is not first
    assert closed_by(exclude, CALENDARS) is closed_by(Exclude(("holidays",)), others)
    assert excluding(rule, Exclude(("nobody",)), CALENDARS) is rule


def test_a_changed_calendar_gives_another_rule() -> None:
    rule = rule_for(NIGHTLY, "UTC", Dst.SHIFT)
    exclude = Exclude(("c",))
    before = excluding(rule, exclude, {"c": WEEKENDS})
    after = excluding(rule, exclude, {"c": Calendar(weekdays=127 - 96)})
    saturday = parse_instant("2026-01-17T00:00:00Z")

    assert format_instant(before.next_after(saturday).instant) == "2026-01-19T02:30:00Z"
    assert format_instant(after.next_after(saturday).instant) == "2026-01-17T02:30:00Z"


EVERYTHING = {"all": Calendar(weekdays=127)}
COVERED: dict[str, tuple[Timing, ...]] = {
    "every minute": (Cron("* * * * *"),),
    "every second": (Cron("* * * * * *"),),
    "weekly": (Weekly(31, 3600),),
    "a short interval": (Interval(micros=7_000_000),),
    "a long one": (Interval(micros=25 * HOUR, anchor=0),),
    "a day": (Interval(days=1),),
    "a month": (Interval(months=1, anchor=0),),
    "once": (Once(parse_instant("2030-01-01T00:00:00Z")),),
    "a union": (Cron("0 9 * * *"), Interval(micros=HOUR), Interval(days=2), Once(5)),
}


@pytest.mark.parametrize("moved", list(OnExcluded))
@pytest.mark.parametrize("name", COVERED)
def test_where_everything_is_excluded_nothing_is_next(name: str, moved: OnExcluded) -> None:
    """POL-066: the search ends at its bound; how much it looks at is test_nothing_hangs.py."""
    rule = excluding(
        rule_for(COVERED[name], BERLIN, Dst.SHIFT), Exclude(("all",), (), moved), EVERYTHING
    )
    now = parse_instant("2026-06-01T00:00:00Z")

    assert rule.next_after(now, now - DAY) is NO_TICK
    assert rule.previous(now, now - 400 * DAY) is NO_TICK
    assert rule.span(now - 400 * DAY, now, now - 400 * DAY).count == 0


def test_an_expression_that_its_exclusions_cover_exactly_is_never_next() -> None:
    """POL-066."""
    covered = {"c": Calendar(crons=("0-30 9 * * *",))}
    rule = excluding(
        rule_for((Cron("15,20 9 * * *"),), BERLIN, Dst.SHIFT), Exclude(("c",)), covered
    )
    assert rule.next_after(0) is NO_TICK
    hourly = excluding(
        rule_for((Interval(micros=HOUR),), "UTC", Dst.SHIFT), Exclude(("c",)), covered
    )
    assert hourly.between(8 * HOUR, 11 * HOUR, 9, 0).ticks == tuple(
        (at * HOUR, at * HOUR, 0) for at in (10, 11)
    )


def test_a_single_open_day_in_years_is_found() -> None:
    closed = {"c": Calendar(yearly=(YearlyRange(102, 1231),))}
    after = "2026-06-01T00:00:00Z"
    for timings in (NIGHTLY, (Interval(days=1, anchor=wall("2026-01-01T02:30:00")),)):
        for moved, first in ((DROP, "2027"), (NEXT, "2027"), (PREVIOUS, "2027")):
            found = texts(timings, Exclude(("c",), (), moved), closed, after, 2)
            assert found == [f"{first}-01-01T02:30:00Z", "2028-01-01T02:30:00Z"]


def test_a_sparse_expression_far_ahead_is_found() -> None:
    closed = Exclude((), (day("2026-01-01"),))
    assert texts((Cron("0 0 12 1 1 ? 2099"),), closed, {}, "2026-01-01T00:00:00Z", 2) == [
        "2099-01-01T12:00:00Z"
    ]
    once = (Once(parse_instant("2300-01-01T00:00:00Z")),)
    assert len(texts(once, closed, {}, "2026-01-01T00:00:00Z", 2)) == 1


@pytest.mark.parametrize("moved", list(OnExcluded))
def test_years_of_minutes_are_counted_without_a_visit_to_each(moved: OnExcluded) -> None:
    """By laying out some years; the same number as that of its months."""
    rule = excluding(
        rule_for((Cron("* * * * *"),), BERLIN, Dst.SHIFT),
        Exclude(("holidays",), (), moved),
        CALENDARS,
    )
    edges = [
        parse_instant(f"{year}-{month:02d}-01T00:00:00Z")
        for year in range(2020, 2041)
        for month in (1, 5, 11)
    ]
    total = rule.span(edges[0], edges[-1]).count

    assert total == sum(rule.span(*pair).count for pair in pairwise(edges))
    weekdays = 5435
    assert weekdays * 1440 > total > weekdays * 1370
