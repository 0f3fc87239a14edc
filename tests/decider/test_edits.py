"""An edit is not retroactive; each row is a promise about what was and what will be due."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define, Pause, Resume
from schemas.definition import CatchUp, CatchUpMode, Emit
from schemas.events import Reason
from tests.decider.expected import changed, completed, fired, fires, refused, skipped
from tests.decider.stage import (
    HOUR,
    MINUTE,
    RING,
    SECOND,
    Breaks,
    Case,
    Holds,
    Stage,
    at,
    every,
    once,
    played,
    rule,
)

HOURLY = rule("0 * * * *")
DAILY = rule("0 0 * * *")
FAST = rule(every(20 * SECOND, anchor=0))
DEFINED = ("00:30", Define(HOURLY))
GONE = ("00:40", Breaks("gone"))
SETTLED = "the instant lies in the past, further than catch_up looks back"

EDITS = {
    "a new rule has no past (POL-050)": Case(
        [DEFINED, ("01:00", RING)],
        ("01:07:10", Define(FAST)),
        [changed(FAST, "01:07:10", "01:07:20")],
    ),
    "another zone moves the next instant at once (POL-053)": Case(
        [("01:00", Define(rule("0 11 * * *", zone="Etc/UTC")))],
        ("02:00", Define(rule("0 11 * * *", zone="Asia/Saigon"))),
        [changed(rule("0 11 * * *", zone="Asia/Saigon"), "02:00", "04:00")],
    ),
    "another zone of a nightly one (IT-065)": Case(
        [("2026-01-15T10:00", Define(rule("0 2 * * *")))],
        ("2026-01-15T10:30", Define(rule("0 2 * * *", zone="America/Los_Angeles"))),
        [
            changed(
                rule("0 2 * * *", zone="America/Los_Angeles"),
                "2026-01-15T10:30",
                "2026-01-16T10:00",
            )
        ],
    ),
    "a shortened interval does not run at once (POL-058)": Case(
        [("2026-05-31T12:00", Define(rule(every(12 * HOUR)))), ("00:00", RING)],
        ("05:00:10", Define(rule(every(MINUTE)))),
        [changed(rule(every(MINUTE)), "05:00:10", "05:01")],
    ),
    "a denser cron counts from the edit (AJ-049)": Case(
        [("10:10", Define(HOURLY))],
        ("10:20", Define(rule("*/5 * * * *"))),
        [changed(rule("*/5 * * * *"), "10:20", "10:25")],
    ),
    "what was due within the grace fires under the old rule": Case(
        [DEFINED],
        ("01:00:30", Define(DAILY)),
        [fired("01:00", "02:00"), changed(DAILY, "01:00:30", "06-02T00:00")],
    ),
    "what was older is withdrawn in one record": Case(
        [DEFINED],
        ("04:30", Define(DAILY)),
        [
            skipped("01:00", "04:00", 4, "05:00", Reason.WITHDRAWN),
            changed(DAILY, "04:30", "06-02T00:00"),
        ],
    ),
    "under a hold as well": Case(
        [DEFINED, ("00:40", Holds(held=True))],
        ("04:00:30", Define(DAILY)),
        [
            skipped("01:00", "04:00", 4, "05:00", Reason.WITHDRAWN, evidence="held"),
            changed(DAILY, "04:00:30", "06-02T00:00"),
        ],
    ),
    "what waits is withdrawn when the timing changes": Case(
        [DEFINED, GONE, ("01:00", RING)],
        ("01:00:00.5", Define(DAILY)),
        [
            skipped(
                *("01:00", "01:00", 1, "02:00", Reason.WITHDRAWN),
                evidence="the schedule changed while it waited",
                deferred=("01:00", 1),
            ),
            changed(DAILY, "01:00:00.5", "06-02T00:00"),
        ],
    ),
    "and what fell due behind it fires if the target is back": Case(
        [
            DEFINED,
            GONE,
            ("01:00", RING),
            ("01:59:59", RING),
            ("02:00:01", Breaks(None)),
        ],
        ("02:00:01", Define(DAILY)),
        [
            skipped(
                *("01:00", "01:00", 1, "02:00", Reason.WITHDRAWN),
                evidence="the schedule changed while it waited",
                deferred=("01:00", 2),
            ),
            fired("02:00", "03:00"),
            changed(DAILY, "02:00:01", "06-02T00:00"),
        ],
    ),
    "what was due stays with its timer when only the payload changes": Case(
        [DEFINED],
        ("02:30", Define(replace(HOURLY, action=Emit("jobs")))),
        [changed(replace(HOURLY, action=Emit("jobs")), "00:30", "01:00")],
    ),
    "an edit in the very instant of the last fire counts from there": Case(
        [DEFINED, ("01:00", RING)],
        ("01:00", Define(DAILY)),
        [changed(DAILY, "01:00", "06-02T00:00")],
    ),
    "a clock that was put back does not bring an instant back": Case(
        [DEFINED, ("01:00", RING)],
        ("00:50", Define(rule("*/30 * * * *"))),
        [changed(rule("*/30 * * * *"), "01:00", "01:30")],
    ),
    "a one-time that takes a settled instant is refused": Case(
        [DEFINED, ("01:00", RING)],
        ("01:10", Define(rule(once("01:00")))),
        [refused("define", "once", SETTLED)],
    ),
    "one that an instant after the last settled one remains to runs": Case(
        [DEFINED, ("01:00", RING)],
        ("01:10", Define(rule(once("01:05")))),
        [changed(rule(once("01:05")), "01:00", "01:05")],
    ),
    "of two instants the one that fired is not repeated": Case(
        [("00:30", Define(rule(once("01:00"), once("03:00")))), ("01:00", RING)],
        ("02:00", Define(rule(once("01:00"), once("04:00")))),
        [changed(rule(once("01:00"), once("04:00")), "01:00", "04:00")],
    ),
    "an ended schedule goes on with a later end": Case(
        [("00:30", Define(rule("0 * * * *", end_at=at("01:00")))), ("01:00", RING)],
        ("05:30", Define(rule("0 * * * *", end_at=at("07:00")))),
        [changed(rule("0 * * * *", end_at=at("07:00")), "05:30", "06:00")],
    ),
    "an end that leaves nothing is refused": Case(
        [DEFINED],
        ("05:30", Define(rule("0 * * * *", end_at=at("05:45")))),
        [refused("define", "end_at", "no instant is left up to 2026-06-01T05:45:00Z")],
    ),
}


@pytest.mark.parametrize("case", EDITS.values(), ids=EDITS.keys())
def test_edit(case: Case) -> None:
    assert case.outcome() == case.then


def test_the_new_instants_are_those_that_fire() -> None:
    """POL-050 and POL-053: the timer follows the edit, whatever the old rule had next."""
    stage = played(DEFINED, ("01:00", RING), ("01:07:10", Define(FAST)))

    assert fires(stage.wait(at("01:08"))) == [at("01:07:20"), at("01:07:40"), at("01:08")]


def test_an_edit_in_the_instant_of_the_last_fire_moves_the_timer() -> None:
    stage = played(DEFINED, ("01:00", RING), ("01:00", Define(DAILY)))

    assert stage.cursor_next == at("06-02T00:00")
    assert stage.ring(at("02:00")) == []


def test_a_catch_up_under_way_is_split_by_an_edit() -> None:
    """POL-052: 200 hourly runs are caught up, 50 have started when the schedule turns daily."""
    stage = Stage()
    everything = CatchUp(CatchUpMode.ALL, lookback=None)
    stage.ask(Define(rule("0 * * * *", catch_up=everything)), at("00:00"))
    now = at("00:30") + 200 * HOUR
    started = [event for _ in range(50) for event in stage.look(now)]
    edit = stage.ask(Define(rule("0 0 * * *", catch_up=everything)), now)

    assert len(fires(started)) == 50
    assert edit == [
        skipped("06-03T03:00", "06-09T08:00", 150, "06-09T09:00", Reason.WITHDRAWN),
        changed(rule("0 0 * * *", catch_up=everything), "06-09T08:30", "06-10T00:00"),
    ]


def test_a_schedule_that_ended_is_completed_once() -> None:
    """POL-063: the end is inclusive."""
    stage = played(("10:30", Define(rule("0 * * * *", end_at=at("12:00")))))

    assert stage.wait(at("15:00")) == [
        fired("11:00", "12:00"),
        fired("12:00", None),
        completed(),
    ]


def test_another_zone_at_the_very_instant_of_a_fire_leaves_no_wall_time_behind() -> None:
    """In Kiritimati it is tomorrow already; what comes next today in Honolulu is not over."""
    minutely = rule("* * * * *", zone="Pacific/Kiritimati")
    stage = played(("09:59:30", Define(minutely)), ("10:00", RING))
    stage.play(Define(replace(minutely, zone="Pacific/Honolulu")), at("10:00"))
    stage.play(Pause("why"), at("10:00:20"))
    stage.play(Resume(), at("10:00:30"))

    assert stage.cursor_next == at("10:01")
