"""A schedule with a limit fires so often and is then completed; only fires count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define, Pause, Resume, Trigger
from schemas.definition import CatchUp, CatchUpMode, Emit
from schemas.events import (
    CommandRefused,
    Fired,
    Reason,
    ScheduleCompleted,
    SchedulePaused,
    ScheduleResumed,
    Skipped,
)
from schemas.globals import Freeze
from schemas.schedule import PauseNote, Status
from streams.decider.state import Schedule
from tests.decider.expected import (
    changed,
    completed,
    fired,
    fires,
    instants,
    refused,
    skipped,
    triggered,
)
from tests.decider.stage import HOUR, RING, Breaks, Case, Stage, Step, Tells, at, once, played, rule

TWICE = rule("0 * * * *", max_fires=2)
THRICE = rule("0 * * * *", max_fires=3)
OTHER_PAYLOAD = replace(TWICE, action=Emit("jobs"))
OTHER_TIMES = rule("30 * * * *", max_fires=2)
DEFINED = ("10:30", Define(TWICE))
OVER: list[Step] = [DEFINED, ("11:00", RING), ("12:00", RING)]
NOON_FROZEN = Freeze(("shop",), at("11:30"), at("12:30"), "works")

LIMITS = {
    "the last fire says that there is no next": Case(
        [DEFINED, ("11:00", RING)], ("12:00", RING), [fired("12:00", None), completed()]
    ),
    "nothing fires after it": Case(OVER, ("13:00", RING), []),
    "a fire by hand counts": Case(
        [DEFINED, ("11:00", RING)],
        ("11:20", Trigger()),
        [triggered("11:20", None, 1), completed()],
    ),
    "what is due just then is withdrawn by it": Case(
        [DEFINED, ("11:00", RING)],
        ("12:00:01", Trigger()),
        [
            skipped(
                *("12:00", "12:00", 1, "13:00", Reason.WITHDRAWN), evidence="it was fired by hand"
            ),
            triggered("12:00:01", None, 1),
            completed(),
        ],
    ),
    "a completed one fires by hand and stays completed": Case(
        OVER, ("12:20", Trigger()), [triggered("12:20", None, 1)]
    ),
    "a higher limit goes on from now": Case(
        OVER, ("15:20", Define(THRICE)), [changed(THRICE, "15:20", "16:00")]
    ),
    "no limit goes on from now": Case(
        OVER,
        ("15:20", Define(replace(TWICE, max_fires=None))),
        [changed(replace(TWICE, max_fires=None), "15:20", "16:00")],
    ),
    "a limit that is reached already is refused": Case(
        [("10:30", Define(THRICE)), ("11:00", RING), ("12:00", RING)],
        ("12:10", Define(TWICE)),
        [refused("define", "max_fires", "shop/nightly has fired 2 times already")],
    ),
    "another payload does not bring a completed one back": Case(
        OVER, ("12:10", Define(OTHER_PAYLOAD)), [changed(OTHER_PAYLOAD, "12:00", None)]
    ),
    "nor do other times": Case(
        OVER, ("12:10", Define(OTHER_TIMES)), [changed(OTHER_TIMES, "12:10", None)]
    ),
    "what an edit has to settle may be the last": Case(
        [DEFINED, ("11:00", RING)],
        ("12:00:10", Define(OTHER_TIMES)),
        [fired("12:00", None), changed(OTHER_TIMES, "12:00:10", None), completed(version=1)],
    ),
}


@pytest.mark.parametrize("case", LIMITS.values(), ids=LIMITS.keys())
def test_limit(case: Case) -> None:
    assert case.outcome() == case.then


def test_skips_do_not_count() -> None:
    """POL-061."""
    stage = played(DEFINED, ("11:10", Tells("freeze/works", NOON_FROZEN)))

    events = stage.wait(at("20:00"))

    assert fires(events) == instants("11:00", "13:00")
    assert [type(one) for one in events] == [Fired, Skipped, Fired, ScheduleCompleted]
    assert stage.state is not None
    assert stage.state.plan.status is Status.COMPLETED


def test_a_catch_up_stops_at_the_limit() -> None:
    everything = CatchUp(CatchUpMode.ALL, lookback=None)
    stage = played(("10:30", Define(replace(TWICE, catch_up=everything))))

    assert fires(stage.ring(at("20:10"))) == instants("11:00", "12:00")
    assert stage.ring(at("23:10")) == []


def test_fires_before_a_pause_count_after_it() -> None:
    stage = played(DEFINED, ("11:00", RING), ("11:10", Pause()), ("14:10", Resume()))

    assert fires(stage.wait(at("23:00"))) == instants("15:00")


def test_the_limit_of_a_one_time_changes_nothing() -> None:
    stage = played(("10:30", Define(rule(once("11:00"), max_fires=5))), ("11:00", RING))
    edit = stage.ask(Define(rule(once("12:00"), max_fires=6)), at("11:30"))

    assert [type(one).__name__ for one in edit] == ["ScheduleChanged"]
    assert stage.ring(at("12:00")) == []


def test_a_limit_set_later_counts_what_has_fired() -> None:
    stage = Stage()
    free = rule("0 * * * *")
    stage.ask(Define(free), at("10:30"))
    stage.wait(at("10:30") + 3 * HOUR)
    stage.ask(Define(replace(free, max_fires=4)), at("13:40"))

    assert fires(stage.wait(at("23:00"))) == instants("14:00")


def test_a_pause_after_the_last_fire_does_not_bring_another() -> None:
    """What was due before the pause was sent still fires, and was the last one."""
    stage = played(("09:30", Define(rule("0 * * * *", max_fires=1))))

    events = stage.ask(Pause("why"), at("10:00:05"), at("10:00:04"))
    stage.ask(Resume(), at("10:30"))

    assert [type(one) for one in events] == [Fired, SchedulePaused, ScheduleCompleted]
    assert stage.wait(at("15:00")) == []


def test_a_schedule_that_was_paused_after_its_last_fire_ends_when_it_is_resumed() -> None:
    """As former releases recorded it."""
    stage = played(("09:30", Define(rule("0 * * * *", max_fires=1))))
    stage.ask(Pause("why"), at("10:00:05"), at("10:00:04"))
    assert stage.state is not None
    plan = replace(stage.state.plan, completed=False, pause=PauseNote("why", "user:ann", 0, None))
    stage.state = Schedule(plan, stage.state.cursor)

    events = stage.ask(Resume(), at("10:30"))

    assert [type(one) for one in events] == [ScheduleResumed, ScheduleCompleted]


@pytest.mark.parametrize("fault", [None, "no leader"])
def test_an_edit_that_never_comes_is_refused_whatever_would_have_fired_before_it(
    fault: str | None,
) -> None:
    """A refusal says nothing of the target, so it must not depend on that."""
    stage = played(("10:30", Define(rule("0 * * * *"))), ("10:59", Breaks(fault)))
    over = rule("30 10 * * *", end_at=at("10:45"), max_fires=1)

    (event,) = stage.ask(Define(over), at("11:00:10"), at("11:00:05"))

    assert isinstance(event, CommandRefused)
    assert event.field == "end_at"
