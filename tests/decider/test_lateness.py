"""What was looked at too late runs or is recorded as missed; each row is a promise."""

from __future__ import annotations

import pytest

from schemas.commands import Define, Trigger
from schemas.definition import CatchUp, CatchUpMode
from schemas.events import Fired, ScheduleEvent, Skipped
from tests.decider.expected import completed, fired, fires, instants, skipped
from tests.decider.stage import (
    DAY,
    HOUR,
    MINUTE,
    RING,
    SECOND,
    Case,
    Holds,
    Stage,
    at,
    every,
    once,
    played,
    rule,
)

ALL, LATEST, NONE = CatchUpMode.ALL, CatchUpMode.LATEST, CatchUpMode.NONE


def hourly(mode: CatchUpMode = LATEST, **more: int | None) -> Define:
    return Define(rule("0 * * * *", catch_up=CatchUp(mode, **more)))  # type: ignore[arg-type]


LATE = {
    "up to the grace an occurrence is on time": Case(
        [("10:30", hourly())], ("11:01", RING), [fired("11:00", "12:00")]
    ),
    "a microsecond later it is late": Case(
        [("10:30", hourly())],
        ("11:01:00.000001", RING),
        [fired("11:00", "12:00", late=True)],
    ),
    "a longer grace keeps it on time (AJ-042)": Case(
        [("10:30", hourly(NONE, grace=10 * MINUTE))],
        ("11:05", RING),
        [fired("11:00", "12:00")],
    ),
    "latest: the newest runs, the rest is one record (POL-008)": Case(
        [("10:30", hourly())],
        ("14:30", RING),
        [skipped("11:00", "13:00", 3, "14:00"), fired("14:00", "15:00", late=True)],
    ),
    "latest is exactly one run however many were missed (IT-010)": Case(
        [("10:30", hourly(lookback=None))],
        ("06-04T14:30", RING),
        [
            skipped("11:00", "06-04T13:00", 75, "06-04T14:00"),
            fired("06-04T14:00", "06-04T15:00", late=True),
        ],
    ),
    "run once, with a lookback (AJ-037)": Case(
        [("09:30", hourly(lookback=6 * HOUR))],
        ("12:30", RING),
        [skipped("10:00", "11:00", 2, "12:00"), fired("12:00", "13:00", late=True)],
    ),
    "the newest is looked at at once, not with the next one (POL-012)": Case(
        [("05:50", Define(rule("0 6 * * *")))],
        ("06:10", RING),
        [fired("06:00", "06-02T06:00", late=True)],
    ),
    "the end of the lookback is inclusive (POL-011)": Case(
        [("22:30", hourly(lookback=HOUR))],
        ("06-02T00:00", RING),
        [
            skipped("23:00", "23:00", 1, "06-02T00:00"),
            fired("06-02T00:00", "06-02T01:00", late=True),
        ],
    ),
    "an age equal to the lookback runs (POL-011)": Case(
        [("22:30", Define(rule("0 23 * * *", catch_up=CatchUp(lookback=HOUR))))],
        ("06-02T00:00", RING),
        [fired("23:00", "06-02T23:00", late=True)],
    ),
    "an age of a millisecond more is missed (POL-011)": Case(
        [("22:30", Define(rule("0 23 * * *", catch_up=CatchUp(lookback=HOUR))))],
        ("06-02T00:00:00.001", RING),
        [skipped("23:00", "23:00", 1, "06-02T23:00")],
    ),
    "older than the lookback: missed, no run (AJ-039)": Case(
        [("02:00", Define(rule("0 3 * * *", catch_up=CatchUp(lookback=6 * HOUR))))],
        ("10:00", RING),
        [skipped("03:00", "03:00", 1, "06-02T03:00")],
    ),
    "its own lookback of an hour: missed after three (AJ-040)": Case(
        [("02:00", Define(rule("0 3 * * *", catch_up=CatchUp(lookback=HOUR))))],
        ("06:00", RING),
        [skipped("03:00", "03:00", 1, "06-02T03:00")],
    ),
    "the default of a day: one run after three hours (AJ-040)": Case(
        [("02:00", Define(rule("0 3 * * *")))],
        ("06:00", RING),
        [fired("03:00", "06-02T03:00", late=True)],
    ),
    "a lookback of nothing runs nothing that is late": Case(
        [("10:30", hourly(lookback=0))],
        ("11:02", RING),
        [skipped("11:00", "11:00", 1, "12:00")],
    ),
    "and is not no lookback": Case(
        [("10:30", hourly(lookback=None))],
        ("11:02", RING),
        [fired("11:00", "12:00", late=True)],
    ),
    "none: all that is due is missed": Case(
        [("10:30", hourly(NONE))], ("14:00:10", RING), [skipped("11:00", "14:00", 4, "15:00")]
    ),
    "all: the oldest first, each marked": Case(
        [("10:30", hourly(ALL))],
        ("13:30", RING),
        [
            fired("11:00", "12:00", late=True),
            fired("12:00", "13:00", late=True),
            fired("13:00", "14:00", late=True),
        ],
    ),
    "all, but no more than the limit: the newest": Case(
        [("10:30", hourly(ALL, limit=2))],
        ("14:30", RING),
        [
            skipped("11:00", "12:00", 2, "13:00"),
            fired("13:00", "14:00", late=True),
            fired("14:00", "15:00", late=True),
        ],
    ),
    "all, within the lookback (POL-001)": Case(
        [
            (
                "2022-05-31T17:30",
                Define(rule("17 * * * *", catch_up=CatchUp(ALL, lookback=HOUR))),
            ),
            ("2022-05-31T18:00", RING),
        ],
        ("2022-06-01T00:00", RING),
        [
            skipped("2022-05-31T18:17", "2022-05-31T22:17", 5, "2022-05-31T23:17"),
            fired("2022-05-31T23:17", "2022-06-01T00:17", late=True),
        ],
    ),
    "an interval stays on its grid (KPR-24)": Case(
        [
            ("00:40", Define(rule(every(5 * MINUTE), catch_up=CatchUp(lookback=None)))),
            ("01:12:30", RING),
        ],
        ("01:45:30", RING),
        [skipped("01:15", "01:40", 6, "01:45"), fired("01:45", "01:50", late=True)],
    ),
    "a schedule that ended while nobody looked is completed": Case(
        [("10:30", Define(rule("0 * * * *", end_at=at("12:00"), catch_up=CatchUp(NONE))))],
        ("15:00", RING),
        [skipped("11:00", "12:00", 2, None), completed()],
    ),
    "two instants of a one-time: the newest runs": Case(
        [("10:30", Define(rule(once("11:00"), once("12:00"))))],
        ("12:30", RING),
        [skipped("11:00", "11:00", 1, "12:00"), fired("12:00", None, late=True), completed()],
    ),
    "after a hold lateness rules apply": Case(
        [
            ("10:30", hourly()),
            ("10:45", Holds(held=True)),
            ("12:45", RING),
            ("13:45", Holds(held=False)),
        ],
        ("13:45", RING),
        [skipped("11:00", "12:00", 2, "13:00"), fired("13:00", "14:00", late=True)],
    ),
    "while everything is held nothing is evaluated (DP-005)": Case(
        [("06:30", Define(rule("0 7 * * *"))), ("06:50", Holds(held=True))], ("07:00", RING), []
    ),
}


@pytest.mark.parametrize("case", LATE.values(), ids=LATE.keys())
def test_late(case: Case) -> None:
    assert case.outcome() == case.then


@pytest.mark.parametrize("missed", [99, 100, 101])
def test_a_hundred_missed_ones_are_nothing_special(missed: int) -> None:
    """POL-006: every minute, down for so many occurrences; no limit."""
    down, up = at("2026-01-01T00:00:30"), at("2026-01-01T00:00:30") + missed * MINUTE
    newest = up - 30 * SECOND

    def after(mode: CatchUpMode) -> tuple[list[ScheduleEvent], int]:
        stage = Stage()
        stage.ask(Define(rule("* * * * *", catch_up=CatchUp(mode, lookback=None))), down)
        return stage.ring(up), stage.cursor_next

    events, following = after(NONE)
    assert (fires(events), following) == ([], newest + MINUTE)
    events, following = after(LATEST)
    assert (fires(events), following) == ([newest], newest + MINUTE)
    events, following = after(ALL)
    assert fires(events) == [at("2026-01-01T00:01") + n * MINUTE for n in range(missed)]
    assert following == newest + MINUTE


@pytest.mark.parametrize(
    ("mode", "ran", "missed"), [(NONE, 0, 720), (LATEST, 1, 719), (ALL, 300, 420)]
)
def test_a_clock_put_forward_is_a_downtime(mode: CatchUpMode, ran: int, missed: int) -> None:
    """POL-022: every five seconds, an hour forward; a cap of 300."""
    stage = Stage()
    catch_up = CatchUp(mode, limit=300)
    stage.ask(Define(rule("*/5 * * * * *", catch_up=catch_up)), at("10:00"))
    events = stage.ring(at("11:00"))

    assert len(fires(events)) == ran
    assert sum(event.count for event in events if isinstance(event, Skipped)) == missed


def test_a_machine_that_slept_is_treated_like_one_that_was_down() -> None:
    """POL-013: 11:00 to 13:00 pass while the machine is suspended and no process ends."""
    stage = played(("09:30", hourly()), ("10:00", RING), ("10:10", RING))

    assert stage.ring(at("13:40")) == [
        skipped("11:00", "12:00", 2, "13:00"),
        fired("13:00", "14:00", late=True),
    ]


def test_a_gap_is_decided_once() -> None:
    """KPR-25: overdue by two and a half intervals, looked at twice."""
    stage = Stage()
    stage.ask(Define(rule(every(10 * MINUTE))), at("10:00"))

    assert stage.ring(at("10:35")) == [
        skipped("10:10", "10:20", 2, "10:30"),
        fired("10:30", "10:40", late=True),
    ]
    assert stage.ring(at("10:35:01")) == []


@pytest.mark.parametrize("edited", [False, True])
def test_catch_up_begins_at_the_creation_or_the_last_edit(edited: bool) -> None:
    """ANC-03: never fired, an hour of downtime, policy all; never from the epoch."""
    stage = Stage()
    everything = CatchUp(ALL, lookback=None)
    stage.ask(Define(rule("*/20 * * * *", catch_up=everything)), at("10:00"))
    if edited:
        stage.ask(Define(rule("*/30 * * * *", catch_up=everything)), at("10:10"))

    wanted = ["10:30", "11:00"] if edited else ["10:20", "10:40", "11:00"]
    assert fires(stage.ring(at("11:10"))) == instants(*wanted)


def test_a_restart_after_the_creation_catches_nothing_up() -> None:
    """AJ-047: created at 10:00, looked at again at 10:05; 03:00 lies before the mark."""
    assert played(("10:00", Define(rule("0 3 * * *")))).ring(at("10:05")) == []


def test_an_instant_fires_once_however_often_one_looks() -> None:
    """AJ-002."""
    stage = played(("01:00", Define(rule("0 3 * * *"))))

    assert stage.ring(at("02:59")) == []
    assert fires(stage.ring(at("03:00"))) == instants("03:00")
    assert stage.ring(at("03:00")) == []


def test_a_day_of_everything_adds_up_to_the_calendar() -> None:
    """ANC-06: missed, withdrawn, late and on time; each instant of the day ends once."""
    stage = Stage()
    stage.ask(Define(rule("0 * * * *")), at("00:00") - 1)
    stage.wait(at("03:30"))
    stage.ring(at("08:30"))
    stage.wait(at("12:30"))
    stage.ask(Define(rule("0 * * * *", zone="Asia/Tokyo")), at("15:30"))
    stage.ask(Trigger(), at("15:40"))
    stage.wait(at("23:59"))

    ended: list[int] = []
    for event, _ in stage.history:
        if isinstance(event, Fired) and event.origin is None:
            ended.append(event.nominal)
        if isinstance(event, Skipped):
            ended += range(event.first, event.last + 1, HOUR)
    assert ended == list(range(at("00:00"), at("00:00") + DAY, HOUR))
