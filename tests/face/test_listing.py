"""Is what the lists say of a schedule what will happen to it?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from typer.testing import CliRunner
from typing_extensions import override

from horae.cli.describing import became_words
from horae.cli.listing import next_words, schedule_json
from horae.cli.main import app
from horae.upcoming import coming, known_calendars
from projections.queries import Reads, RunFilter
from projections.shown import CalendarShown, HoldShown, OccurrenceShown, Page, ScheduleShown
from projections.shown_runs import RunShown
from schemas import codec
from schemas.definition import SECOND, Basis, Cron, Definition, Emit, Exclude, Interval
from schemas.instants import format_instant
from schemas.policies import Gate
from schemas.reading import read_definition
from schemas.schedule import ScheduleRow, Status
from streams.calendar.occurrences import rule_for
from streams.decider.state import grid_origin
from tests.face.test_runs_are_looked_at import RUN

CREATED = 1_798_804_800_000_000 + 730_000


def shown(definition: Definition, next_: int | None, skips: tuple[int, ...] = ()) -> ScheduleShown:
    record = codec.encode(
        ScheduleRow(*(0, 0, CREATED, CREATED, "user:ann", Status.ENABLED, definition), skips=skips)
    )
    return ScheduleShown(
        "a/b", "a", 0, 0, "enabled", CREATED, CREATED, "user:ann", definition.zone, "", {},
        None, None, None, None, record, None, None, None, None, next_, next_,
    )  # fmt: skip


def test_what_comes_next_begins_with_the_next_instant_and_keeps_its_pace() -> None:
    definition = Definition((Interval(micros=5 * SECOND),), Emit("t", value=b"x"))
    rule = rule_for(definition.timings, "UTC", definition.dst, "a/b")
    first = rule.next_after(CREATED, grid_origin(CREATED)).instant

    upcoming = coming(shown(definition, first), {})

    assert upcoming == [first + number * 5 * SECOND for number in range(10)]


@pytest.mark.parametrize(
    ("state", "reason", "origin", "words"),
    [
        ("fired", None, "", "fired"),
        ("skipped", "overlap", "", "skipped (overlap)"),
        ("fired", None, "trigger:a+b.7", "fired, by hand"),
        ("skipped", "freeze", "2026-06-01T12:00:00Z+b.7", "skipped (freeze), by a backfill"),
    ],
)
def test_what_did_not_come_by_the_calendar_is_told_from_what_did(
    state: str, reason: str | None, origin: str, words: str
) -> None:
    assert became_words(state, reason, origin) == words


def test_what_comes_next_leaves_out_what_was_asked_to_be_skipped() -> None:
    definition = Definition((Cron("* * * * *"),), Emit("t"))
    first = rule_for(definition.timings, "UTC", definition.dst, "a/b").next_after(CREATED).instant
    skips = (first - 60 * SECOND, first, first + 120 * SECOND)
    row = shown(definition, first, skips)

    assert row.skips == skips[1:]
    assert coming(row, {})[:3] == [first + minutes * 60 * SECOND for minutes in (1, 3, 4)]
    assert len(coming(row, {})) == 10


def test_what_comes_next_leaves_out_what_calendars_exclude() -> None:
    definition = Definition((Cron("0 12 * * *"),), Emit("t"), exclude=Exclude(("weekends",)))
    weekends = CalendarShown(
        "weekends",
        False,
        {"weekdays": "sat,sun"},
        "",
        "user:ann",
        0,
        None,
        7,
    )
    friday_noon = 1_798_804_800_000_000

    found = coming(shown(definition, friday_noon), known_calendars([weekends]))

    assert [format_instant(each)[:10] for each in found[:3]] == [
        *("2027-01-01", "2027-01-04", "2027-01-05"),
    ]


def test_a_calendar_that_is_gone_or_cannot_be_read_excludes_nothing() -> None:
    gone = CalendarShown("a", True, {}, "", "", 0, None, 7)
    odd = CalendarShown("b", False, {"dates": ["soon"]}, "", "", 0, None, 8)

    assert known_calendars([gone, odd]) == {}


def test_of_an_interval_that_counts_from_fires_only_the_next_is_known() -> None:
    interval = Interval(micros=SECOND, basis=Basis.AFTER_FIRE)

    assert coming(shown(Definition((interval,), Emit("t")), CREATED + 5), {}) == [CREATED + 5]
    assert coming(shown(Definition((interval,), Emit("t")), None), {}) == []


class Known(Reads):
    """Views of one schedule."""

    def __init__(self) -> None:
        """Without a database."""

    @override
    def schedule(self, schedule: str) -> ScheduleShown | None:
        definition = Definition(
            (Cron("0 12 * * *"),), Emit("t"), exclude=Exclude(("weekends",)), gate=Gate()
        )
        return shown(definition, 1_798_804_800_000_000) if schedule == "a/b" else None

    @override
    def occurrences(self, *_: Any, **__: Any) -> Page[OccurrenceShown]:
        return Page((), None)

    @override
    def calendars(self) -> list[CalendarShown]:
        return [CalendarShown("weekends", False, {"weekdays": "sat,sun"}, "", "", 0, None, 7)]


def test_a_description_says_what_it_means_and_what_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def known() -> Iterator[Reads]:
        yield Known()

    monkeypatch.setattr("horae.cli.describing.views", known)

    text = CliRunner().invoke(app, ["schedule", "describe", "a/b"]).stdout
    as_json = json.loads(
        CliRunner().invoke(app, ["schedule", "describe", "a/b", "-o", "json"]).stdout
    )

    assert "At 12:00 every day, UTC; except" in text
    assert "only after 10 minutes without a request" in text
    assert "2027-01-04T12:00:00Z" in text
    assert "2027-01-02T12:00:00Z" not in text
    assert as_json["explain"].startswith("At 12:00 every day, UTC")
    assert as_json["upcoming"][:2] == ["2027-01-01T12:00:00Z", "2027-01-04T12:00:00Z"]


class AtWork(Known):
    """Views of one schedule of work, whose last run failed."""

    @override
    def schedule(self, schedule: str) -> ScheduleShown | None:
        return shown(read_definition({"cron": "@daily", "command": ["df"]}), CREATED)

    @override
    def runs(self, which: RunFilter | None = None, **_: Any) -> Page[RunShown]:
        assert which == RunFilter(schedule="a/b")
        return Page((RUN,), None)


def test_a_description_of_work_says_how_the_last_runs_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """That it fired says nothing of what became of it."""

    @contextmanager
    def known() -> Iterator[Reads]:
        yield AtWork()

    monkeypatch.setattr("horae.cli.describing.views", known)
    text = CliRunner().invoke(app, ["schedule", "describe", "a/b"]).stdout
    told = CliRunner().invoke(app, ["schedule", "describe", "a/b", "-o", "json"]).stdout

    [line] = [each for each in text.splitlines() if RUN.run in each]
    assert line.split()[-4:] == ["8.000", "s", "no", "disk"]
    assert [each["status"] for each in json.loads(told)["runs"]] == ["failed"]


class Shut(Known):
    """Views of one schedule to which its calendars leave nothing."""

    @override
    def schedule(self, schedule: str) -> ScheduleShown | None:
        row = super().schedule(schedule)
        return row and replace(row, next=None, next_due=None)


def test_of_what_calendars_leave_nothing_to_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def shut() -> Iterator[Reads]:
        yield Shut()

    monkeypatch.setattr("horae.cli.describing.views", shut)

    text = CliRunner().invoke(app, ["schedule", "describe", "a/b"]).stdout

    assert "nothing comes as its calendars are now" in text


class Held(Reads):
    """Views in which everything is held."""

    def __init__(self) -> None:
        """Without a database."""

    @override
    def schedules(self, *_: Any, **__: Any) -> Page[ScheduleShown]:
        return Page((), None)

    @override
    def holds(self) -> list[HoldShown]:
        return [
            HoldShown("everything", True, "moving", "user:ann", CREATED, None),
            HoldShown("something", False, "over", "user:ann", CREATED, None),
        ]


def test_a_hold_stands_above_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def held() -> Iterator[Reads]:
        yield Held()

    monkeypatch.setattr("horae.cli.listing.views", held)
    table = CliRunner().invoke(app, ["schedule", "list"])
    as_json = CliRunner().invoke(app, ["schedule", "list", "-o", "json"])

    said = f"everything is held since {format_instant(CREATED)} by user:ann: moving\n"
    assert table.stdout.startswith(said)
    assert json.loads(as_json.stdout) == []
    assert as_json.stderr == said


def test_of_a_few_fires_only_those_that_are_left_come() -> None:
    definition = Definition((Cron("0 12 * * *"),), Emit("t"), max_fires=5)
    noon = 1_798_804_800_000_000

    assert len(coming(shown(definition, noon), {}, fired=3)) == 2
    assert coming(shown(definition, noon), {}, fired=6) == []


def test_what_is_due_later_than_its_instant_says_when() -> None:
    definition = Definition((Cron("0 12 * * *"),), Emit("t"))
    row = shown(definition, 1_798_804_800_000_000)
    waiting = replace(row, next_due=1_798_804_800_000_000 + 90 * SECOND)

    assert next_words(row) == "2027-01-01T12:00:00Z"
    assert next_words(waiting) == "2027-01-01T12:00:00Z, due 2027-01-01T12:01:30Z"
    assert schedule_json(waiting)["next_due"] == "2027-01-01T12:01:30Z"
