"""A fire by hand is one more fire, beside the calendar; each row is a promise."""

from __future__ import annotations

import pytest

from schemas.commands import Define, Pause, Trigger
from schemas.events import Fired, Reason
from schemas.schedule import Status
from tests.decider.expected import completed, fired, refused, skipped, triggered
from tests.decider.stage import (
    RING,
    Breaks,
    Case,
    Holds,
    at,
    once,
    played,
    rule,
)

HOURLY = rule("0 * * * *")
DEFINED = ("10:30", Define(HOURLY))
ONE_TIME = ("09:00", Define(rule(once("11:00"))))
TWO_TIMES = ("09:00", Define(rule(once("11:00"), once("12:00"))))

TRIGGERS = {
    "the calendar goes on as if nothing had happened": Case(
        [DEFINED], ("10:40", Trigger()), [triggered("10:40", "11:00", 1)]
    ),
    "a paused schedule fires by hand and stays paused": Case(
        [DEFINED, ("10:35", Pause())], ("10:40", Trigger()), [triggered("10:40", None, 2)]
    ),
    "a paused schedule keeps the end of its pause": Case(
        [DEFINED, ("10:35", Pause("", at("12:00")))],
        ("10:40", Trigger()),
        [triggered("10:40", None, 2, due_at="12:00")],
    ),
    "nothing fires under a hold": Case(
        [DEFINED, ("10:35", Holds(held=True))],
        ("10:40", Trigger()),
        [refused("trigger", "hold", "everything is held by user:eve: works")],
    ),
    "it does once the hold is lifted": Case(
        [DEFINED, ("10:35", Holds(held=True)), ("10:36", Holds(held=False))],
        ("10:40", Trigger()),
        [triggered("10:40", "11:00", 1)],
    ),
    "a missing target is told at once": Case(
        [DEFINED, ("10:35", Breaks("there is no topic 'jobs'"))],
        ("10:40", Trigger()),
        [refused("trigger", "emit.topic", "there is no topic 'jobs'")],
    ),
    "what is due is left to its timer": Case(
        [DEFINED], ("11:00:01", Trigger()), [triggered("11:00:01", "11:00", 1)]
    ),
    "what waits goes on waiting": Case(
        [DEFINED, ("10:45", Breaks("gone")), ("11:00", RING), ("11:00:00.2", Breaks(None))],
        ("11:00:00.5", Trigger()),
        [triggered("11:00:00.5", "11:00", 1, due_at="11:00:01")],
    ),
    "a one-time is consumed": Case(
        [ONE_TIME], ("10:40", Trigger()), [triggered("10:40", None, 1), completed()]
    ),
    "a paused one-time too": Case(
        [ONE_TIME, ("10:35", Pause())],
        ("10:40", Trigger()),
        [triggered("10:40", None, 2), completed()],
    ),
    "a one-time that is due just then ends as withdrawn": Case(
        [ONE_TIME],
        ("11:00:00.2", Trigger()),
        [
            skipped(
                *("11:00", "11:00", 1, None, Reason.WITHDRAWN), evidence="it was fired by hand"
            ),
            triggered("11:00:00.2", None, 1),
            completed(),
        ],
    ),
    "and so does one that waits": Case(
        [ONE_TIME, ("10:45", Breaks("gone")), ("11:00", RING), ("11:00:00.2", Breaks(None))],
        ("11:00:00.5", Trigger()),
        [
            skipped(
                *("11:00", "11:00", 1, None, Reason.WITHDRAWN),
                evidence="it was fired by hand",
                deferred=("11:00", 1),
            ),
            triggered("11:00:00.5", None, 1),
            completed(),
        ],
    ),
    "of several instants none is taken": Case(
        [TWO_TIMES], ("10:40", Trigger()), [triggered("10:40", "11:00", 1)]
    ),
    "but the last one is": Case(
        [TWO_TIMES, ("11:00", RING)],
        ("11:40", Trigger()),
        [triggered("11:40", None, 1), completed()],
    ),
    "a completed one-time fires by hand again, and stays completed": Case(
        [ONE_TIME, ("11:00", RING)], ("11:40", Trigger()), [triggered("11:40", None, 1)]
    ),
}


@pytest.mark.parametrize("case", TRIGGERS.values(), ids=TRIGGERS.keys())
def test_trigger(case: Case) -> None:
    assert case.outcome() == case.then


def test_a_consumed_one_time_does_not_fire_at_its_instant() -> None:
    stage = played(ONE_TIME, ("10:40", Trigger()))

    assert stage.ring(at("11:00")) == []


def test_two_triggers_and_a_due_instant_are_three_fires() -> None:
    """IT-079: one after the other, each in the state that the one before left."""
    stage = played(DEFINED, ("11:00", Trigger()), ("11:00", Trigger()), ("11:00", RING))
    fires = [event for event, _ in stage.history if isinstance(event, Fired)]

    assert fires == [
        triggered("11:00", "11:00", 1),
        triggered("11:00", "11:00", 2),
        fired("11:00", "12:00"),
    ]
    assert len({event.scopes[0].run for event in fires}) == 3
    assert stage.state is not None
    assert stage.state.cursor.fires == 3


def test_a_trigger_while_it_waits_leaves_the_deferral_alone() -> None:
    stage = played(
        DEFINED,
        ("10:45", Breaks("gone")),
        ("11:00", RING),
        ("11:00:00.2", Breaks(None)),
        ("11:00:00.5", Trigger()),
    )

    assert stage.ring(at("11:00:01")) == [fired("11:00", "12:00", deferred=("11:00", 1))]


def test_a_paused_one_time_that_was_consumed_is_over_whatever_comes() -> None:
    """The end of its pause would have given the instants of a later edit a life of their own."""
    stage = played(
        ONE_TIME,
        ("10:35", Pause("", at("12:00"))),
        ("10:40", Trigger()),
        ("10:45", Define(rule("*/10 * * * *"))),
    )

    assert stage.ring(at("15:00")) == []
    assert stage.state is not None
    assert (stage.state.plan.status, stage.state.plan.pause) == (Status.COMPLETED, None)
