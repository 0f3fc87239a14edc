"""What users of the three replaced schedulers rely on, as far as a plain emit can show it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define
from schemas.definition import DAY, HOUR, MINUTE, CatchUp, CatchUpMode, Definition, Dst
from schemas.events import CommandRefused, ScheduleDefined, Skipped
from schemas.instants import format_instant, parse_instant
from schemas.reading import read_definition
from tests.decider.expected import fires
from tests.decider.stage import Holds, Stage, every, rule

SLOT = CatchUp(CatchUpMode.NONE, lookback=15 * MINUTE, grace=15 * MINUTE)
"""The preset of deployments: up to 15 minutes late, inclusive."""


def following(definition: Definition, after: str, count: int = 1) -> list[str]:
    """The first fires of a schedule that is defined at that time, when every timer rings."""
    stage, found = Stage(), list[int]()
    stage.ask(Define(definition), parse_instant(after))
    while len(found) < count:
        found += fires(stage.wait(stage.cursor_next))
    return [format_instant(instant) for instant in found]


@pytest.mark.parametrize(
    ("definition", "after", "expected"),
    {
        "IT-001": (rule("0 * * * *"), "2026-01-15T10:30:00Z", ["2026-01-15T11:00:00Z"]),
        "IT-002": (rule("0 2 * * *"), "2026-01-15T10:30:00Z", ["2026-01-16T02:00:00Z"]),
        "IT-007": (
            rule(every(24 * HOUR)),
            "2026-01-14T10:00:00Z",
            ["2026-01-15T10:00:00Z", "2026-01-16T10:00:00Z"],
        ),
        "IT-020, the skipped hour": (
            rule("30 2 * * *", zone="America/New_York", dst=Dst.LITERAL),
            "2026-03-07T12:00:00Z",
            ["2026-03-09T06:30:00Z"],
        ),
        "IT-020, the repeated hour": (
            rule("30 1 * * *", zone="America/New_York", dst=Dst.LITERAL),
            "2025-11-02T00:00:00Z",
            ["2025-11-02T05:30:00Z", "2025-11-02T06:30:00Z"],
        ),
        "IT-020, real hours": (
            rule("0 * * * *", zone="America/New_York", dst=Dst.LITERAL),
            "2026-03-08T06:30:00Z",
            ["2026-03-08T07:00:00Z", "2026-03-08T08:00:00Z"],
        ),
        "AJ-009, weekday 7": (
            rule("0 0 * * 7"),
            "2026-01-16T10:00:00Z",
            ["2026-01-18T00:00:00Z"],
        ),
        "AJ-009, a quarter": (
            rule("*/15 * * * *"),
            "2026-01-15T10:15:00Z",
            ["2026-01-15T10:30:00Z"],
        ),
        "AJ-009, the first": (rule("0 0 1 * *"), "2026-12-10T00:00:00Z", ["2027-01-01T00:00:00Z"]),
        "AJ-009, weekdays": (
            rule("0 9 * * 1-5"),
            "2026-01-16T10:00:00Z",
            ["2026-01-19T09:00:00Z"],
        ),
        "AJ-010": (rule("0 0 1 * 5"), "2026-01-03T00:00:00Z", ["2026-01-09T00:00:00Z"]),
        "AJ-051, skipped": (
            rule("15 2 * * *", zone="Europe/Paris"),
            "2026-03-28T12:00:00Z",
            ["2026-03-29T01:15:00Z", "2026-03-30T00:15:00Z"],
        ),
        "AJ-051, repeated": (
            rule("15 2 * * *", zone="Europe/Paris"),
            "2026-10-24T12:00:00Z",
            ["2026-10-25T00:15:00Z", "2026-10-26T01:15:00Z"],
        ),
        "AJ-052": (
            rule("15 2 * * *", zone="Europe/Paris"),
            "2026-03-28T12:00:00Z",
            ["2026-03-29T01:15:00Z", "2026-03-30T00:15:00Z", "2026-03-31T00:15:00Z"],
        ),
        "AJ-064, Tokyo": (
            rule("0 9 * * *", zone="Asia/Tokyo"),
            "2026-01-10T12:00:00Z",
            ["2026-01-11T00:00:00Z"],
        ),
        "AJ-064, New York": (
            rule("0 9 * * *", zone="America/New_York"),
            "2026-01-10T12:00:00Z",
            ["2026-01-10T14:00:00Z"],
        ),
        "DP-010, Tokyo": (
            rule("0 7 * * *", zone="Asia/Tokyo"),
            "2026-01-14T12:00:00Z",
            ["2026-01-14T22:00:00Z"],
        ),
        "DP-010, New York": (
            rule("0 7 * * *", zone="America/New_York"),
            "2026-01-14T22:00:00Z",
            ["2026-01-15T12:00:00Z"],
        ),
        "DP-013, skipped": (
            rule("30 2 * * *", zone="Europe/Berlin"),
            "2026-03-28T12:00:00Z",
            ["2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"],
        ),
        "DP-013, repeated": (
            rule("30 2 * * *", zone="Europe/Berlin"),
            "2026-10-24T12:00:00Z",
            ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
        ),
    }.values(),
)
def test_it_fires_then(definition: Definition, after: str, expected: list[str]) -> None:
    assert following(definition, after, len(expected)) == expected


@pytest.mark.parametrize(
    "expression",
    [
        *("", "0 3", "0 3 * *"),  # six fields are allowed here and begin with seconds
        *("60 * * * *", "0 24 * * *", "0 0 0 * *", "0 0 1 13 *", "0 0 * * 8"),
        *("a 0 * * *", "*/0 * * * *"),
    ],
)
def test_a_broken_expression_is_refused_at_creation(expression: str) -> None:
    """AJ-007."""
    stage = Stage()
    (event,) = stage.ask(Define(rule(expression)), parse_instant("2026-01-15T10:30:00Z"))

    assert isinstance(event, CommandRefused)
    assert event.field == "cron"
    assert stage.state is None


def test_an_offset_is_turned_into_utc() -> None:
    """IT-013: stored and shown as 07:00 in UTC."""
    found = read_definition({"once": "2026-03-01T09:00:00+02:00", "emit": {"topic": "jobs"}})
    stage = Stage()
    (event,) = stage.ask(Define(found), parse_instant("2026-02-01T00:00:00Z"))

    assert isinstance(event, ScheduleDefined)
    assert format_instant(event.next) == "2026-03-01T07:00:00Z"


def slot(clock: str, day: str = "2026-01-14") -> Stage:
    """A deployment's slot, defined the day before."""
    hour, minute = clock.split(":")
    stage = Stage()
    definition = rule(f"{int(minute)} {int(hour)} * * *", catch_up=SLOT)
    stage.ask(Define(definition), parse_instant(f"{day}T12:00:00Z"))
    return stage


@pytest.mark.parametrize(
    ("seen", "runs"), [("22:14:59", True), ("22:15:00", True), ("22:15:01", False)]
)
def test_a_slot_may_be_fifteen_minutes_late(seen: str, runs: bool) -> None:
    """DP-007."""
    events = slot("22:00").ring(parse_instant(f"2026-01-14T{seen}Z"))

    assert (len(fires(events)) == 1) is runs


@pytest.mark.parametrize(("lifted", "runs"), [("07:10", True), ("07:20", False)])
def test_a_slot_under_a_hold_runs_if_it_is_lifted_in_time(lifted: str, runs: bool) -> None:
    """DP-006."""
    stage = slot("07:00")
    stage.play(Holds(held=True), parse_instant("2026-01-15T06:50:00Z"))
    assert stage.ring(parse_instant("2026-01-15T07:00:00Z")) == []
    now = parse_instant(f"2026-01-15T{lifted}:00Z")
    stage.play(Holds(held=False), now)

    assert (len(fires(stage.ring(now))) == 1) is runs


def test_a_slot_runs_once_however_often_one_looks() -> None:
    """DP-008."""
    stage = slot("22:00")
    looks = [stage.ring(parse_instant(f"2026-01-14T22:0{minute}:10Z")) for minute in (0, 1)]

    assert [len(fires(events)) for events in looks] == [1, 0]


def test_a_slot_nobody_saw_is_recorded_as_missed() -> None:
    """DP-009: down from 21:50 to 22:30."""
    (event,) = slot("22:00").ring(parse_instant("2026-01-14T22:30:00Z"))

    assert isinstance(event, Skipped)
    assert format_instant(event.first) == "2026-01-14T22:00:00Z"


def test_a_day_is_that_of_the_zone() -> None:
    """DP-011: Friday 20:00 in UTC is Saturday 09:00 in Auckland."""
    weekend = replace(rule("0 9 * * sat,sun", zone="Pacific/Auckland"), catch_up=SLOT)

    assert following(weekend, "2026-01-16T12:00:00Z", 3) == [
        "2026-01-16T20:00:00Z",
        "2026-01-17T20:00:00Z",
        "2026-01-23T20:00:00Z",
    ]


def test_a_daily_interval_stays_enabled_and_on_its_grid() -> None:
    """IT-007."""
    stage = Stage()
    begin = parse_instant("2026-01-14T10:00:00Z")
    stage.ask(Define(rule(every(DAY))), begin)
    assert fires(stage.ring(begin + DAY + 7)) == [begin + DAY]

    assert stage.cursor_next == begin + 2 * DAY
    assert stage.state is not None
    assert not stage.state.plan.completed
