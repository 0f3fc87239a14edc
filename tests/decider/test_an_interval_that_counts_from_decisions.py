"""With the basis `after_fire` there is one instant at a time, so long after the last decision."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define, Pause, Remove, Resume, Trigger
from schemas.definition import Basis, CatchUp, CatchUpMode, Interval
from schemas.events import Fired, Reason
from schemas.schedule import Status
from tests.decider.expected import (
    changed,
    completed,
    defined,
    fired,
    fires,
    instants,
    refused,
    resumed,
    skipped,
    triggered,
)
from tests.decider.stage import DAY, HOUR, RING, Breaks, Case, at, played, rule


def after_fire(micros: int = 0, days: int = 0) -> Interval:
    return Interval(micros=micros, days=days, basis=Basis.AFTER_FIRE)


HOURLY = rule(after_fire(HOUR))
SIX_HOURS = rule(after_fire(6 * HOUR))
DEFINED = ("09:00", Define(HOURLY))

PHASES = {
    "the first one counts from its creation": Case(
        [], ("09:00:00.5", Define(HOURLY)), [defined(HOURLY, "09:00:00.5", "10:00:00.5")]
    ),
    "the next one counts from the decision (IT-006)": Case(
        [DEFINED], ("10:00:07", RING), [fired("10:00", "11:00:07")]
    ),
    "a missed period is made up for once (IT-009)": Case(
        [DEFINED, ("10:00", RING)],
        ("15:20", RING),
        [fired("11:00", "16:20", late=True)],
    ),
    "a skipped one goes on from the decision": Case(
        [("09:00", Define(replace(HOURLY, catch_up=CatchUp(CatchUpMode.NONE))))],
        ("12:34", RING),
        [skipped("10:00", "10:00", 1, "13:34")],
    ),
    "what waited goes on from its fire": Case(
        [DEFINED, ("09:30", Breaks("gone")), ("10:00", RING), ("10:00:00.5", Breaks(None))],
        ("10:00:02", RING),
        [fired("10:00", "11:00:02", deferred=("10:00", 1))],
    ),
    "days are steps on the calendar of its zone": Case(
        [
            (
                "2026-10-24T10:00",
                Define(rule(after_fire(days=1), zone="Europe/Berlin")),
            )
        ],
        ("2026-10-25T11:00:30", RING),
        [fired("2026-10-25T11:00", "2026-10-26T11:00:30")._replace(wall=at("2026-10-25T12:00"))],
    ),
    "a trigger restarts the phase (IT-075)": Case(
        [("06:00", Define(SIX_HOURS))], ("10:00", Trigger()), [triggered("10:00", "16:00", 1)]
    ),
    "of a paused one too, and it stays paused (IT-008)": Case(
        [("08:00", Define(rule(after_fire(DAY)))), ("09:00", Pause())],
        ("10:00", Trigger()),
        [triggered("10:00", "06-02T10:00", 2)._replace(next_due=2**63 - 1)],
    ),
    "a paused one keeps the end of its pause": Case(
        [("08:00", Define(rule(after_fire(DAY)))), ("09:00", Pause("", at("12:00")))],
        ("10:00", Trigger()),
        [triggered("10:00", "06-02T10:00", 2, due_at="12:00")],
    ),
    "what is due already is left to its timer": Case(
        [DEFINED], ("10:00:01", Trigger()), [triggered("10:00:01", "10:00", 1)]
    ),
    "by a clock that was put back a fire by hand counts from what has its end": Case(
        [DEFINED, ("10:00", RING)], ("09:40", Trigger()), [triggered("09:40", "11:00", 1)]
    ),
    "and so is what waits": Case(
        [DEFINED, ("09:30", Breaks("gone")), ("10:00", RING), ("10:00:00.2", Breaks(None))],
        ("10:00:00.5", Trigger()),
        [triggered("10:00:00.5", "10:00", 1, due_at="10:00:01")],
    ),
    "a resume restarts the phase (IT-071)": Case(
        [("09:30", Define(HOURLY)), ("10:10", Pause())],
        ("13:00", Resume()),
        [resumed("13:00", "14:00")],
    ),
    "and so does the end of a pause": Case(
        [DEFINED, ("09:10", Pause("", at("13:00")))],
        ("13:00", RING),
        [resumed("13:00", "14:00", "the pause ended")],
    ),
    "an edit of its length counts from the edit": Case(
        [DEFINED], ("09:10", Define(SIX_HOURS)), [changed(SIX_HOURS, "09:10", "15:10")]
    ),
    "an edit of anything else leaves its phase alone": Case(
        [DEFINED, ("10:00:07", RING)],
        ("10:10", Define(replace(HOURLY, description="x"))),
        [changed(replace(HOURLY, description="x"), "10:00:07", "11:00:07")],
    ),
    "it begins not before its start": Case(
        [],
        ("09:20", Define(replace(HOURLY, start_at=at("12:00")))),
        [defined(replace(HOURLY, start_at=at("12:00")), "09:20", "12:20")],
    ),
    "it ends with its end": Case(
        [("09:00", Define(replace(HOURLY, end_at=at("10:30"))))],
        ("10:00:07", RING),
        [fired("10:00", None), completed()],
    ),
    "a completed one that is fired by hand stays so": Case(
        [("09:00", Define(replace(HOURLY, end_at=at("10:30")))), ("10:00", RING)],
        ("10:10", Trigger()),
        [triggered("10:10", None, 1)],
    ),
    "what is due before an edit fires once under the old rule": Case(
        [DEFINED],
        ("10:00:30", Define(SIX_HOURS)),
        [fired("10:00", "11:00:30"), changed(SIX_HOURS, "10:00:30", "16:00:30")],
    ),
    "what was due long ago is withdrawn, once": Case(
        [DEFINED],
        ("14:00", Define(SIX_HOURS)),
        [
            skipped("10:00", "10:00", 1, "15:00", Reason.WITHDRAWN),
            changed(SIX_HOURS, "14:00", "20:00"),
        ],
    ),
}

REFUSED = {
    "beside another timing": (
        rule(after_fire(HOUR), "0 * * * *"),
        *("interval.basis", "an interval after_fire has no other timing beside it"),
    ),
    "with an anchor": (
        rule(Interval(micros=HOUR, anchor=0, basis=Basis.AFTER_FIRE)),
        *("interval.anchor", "an interval after_fire counts from its last fire"),
    ),
    "after the end of a run": (
        rule(Interval(micros=HOUR, basis=Basis.AFTER_END)),
        *("interval.basis", "after_end needs emit.tracked: nobody reports an end"),
    ),
}


@pytest.mark.parametrize("case", PHASES.values(), ids=PHASES.keys())
def test_phase(case: Case) -> None:
    assert case.outcome() == case.then


@pytest.mark.parametrize("refusal", REFUSED.values(), ids=REFUSED.keys())
def test_refused(refusal: tuple[object, str, str]) -> None:
    definition, field, message = refusal
    case = Case([], ("09:00", Define(definition)), [refused("define", field, message, None)])  # type: ignore[arg-type]

    assert case.outcome() == case.then


def test_a_paused_one_goes_on_from_its_resumption_whatever_was_fired_by_hand() -> None:
    """IT-008 and IT-071."""
    stage = played(
        ("08:00", Define(rule(after_fire(DAY)))), ("09:00", Pause()), ("10:00", Trigger())
    )
    assert stage.state is not None
    assert (stage.state.plan.status, stage.cursor_next) == (Status.PAUSED, at("06-02T10:00"))
    assert stage.ring(at("06-02T10:00")) == []

    stage.ask(Resume(), at("06-02T12:00"))

    assert fires(stage.wait(at("06-03T12:00"))) == instants("06-03T12:00")


def test_no_period_is_lost_or_doubled_while_the_timer_is_late() -> None:
    """KPR-25: the gap is decided once."""
    stage = played(DEFINED)
    events = stage.ring(at("12:30")) + stage.ring(at("12:30:01"))

    assert events == [fired("10:00", "13:30", late=True)]


def test_a_clock_that_was_put_back_does_not_bring_the_past_back() -> None:
    stage = played(DEFINED, ("10:00", RING), ("10:30", Trigger()))

    assert fires(stage.ask(Trigger(), at("10:10"))) == instants("10:10")
    assert stage.cursor_next > at("10:30")


def test_its_removal_settles_what_is_due() -> None:
    stage = played(DEFINED)

    assert isinstance(stage.ask(Remove(), at("10:00:01"))[0], Fired)


def test_the_last_of_several_triggers_counts() -> None:
    stage = played(DEFINED, ("09:10", Trigger()), ("09:20", Trigger()))

    assert fires(stage.wait(at("11:30"))) == instants("10:20", "11:20")


def test_an_edit_to_it_counts_from_the_edit_whatever_was_pending() -> None:
    """10:00 was due after the edit was sent, and before it was decided."""
    stage = played(("09:30", Define(rule("0 * * * *"))))

    events = stage.ask(Define(rule(after_fire(HOUR // 2))), at("10:00:05"), at("09:59:59"))

    assert [type(one).__name__ for one in events] == ["ScheduleChanged"]
    assert fires(stage.wait(at("10:31"))) == instants("10:30:05")
