"""
What is answered to this command?

One exhaustive match: each command to the function that knows it. The answer is events, and they are
all that will ever be known of the command; a refusal is one of them. Timers ask firing.due instead.
"""

from __future__ import annotations

from typing import assert_never

from schemas.commands import Asked, Define, Pause, Remove, Resume, Trigger, Unacceptable
from streams.decider import by_hand, lifecycle
from streams.decider.firing import Events
from streams.decider.state import Schedule, World


def decide(  # noqa: PLR0911 - one exhaustive match
    state: Schedule | None, asked: Asked, world: World, now: int
) -> Events:
    """Answer one command about one schedule; `now` is the batch's wall clock."""
    command = asked.command
    match command:
        case Unacceptable(kind, field, message):
            return lifecycle.refused(state, asked, kind, field, message)
        case Define():
            return lifecycle.define(state, asked, command, world, now)
        case Remove() if state is not None:
            return lifecycle.remove(state, asked, world, now)
        case Pause() if state is not None:
            return lifecycle.pause(state, asked, command, world, now)
        case Resume(reason) if state is not None:
            return lifecycle.resume(state, asked, reason, world, now)
        case Trigger() if state is not None:
            return _trigger(state, asked, world, now)
        case Remove() | Pause() | Resume() | Trigger():
            kind = type(command).__name__.lower()
            message = f"there is no schedule {asked.schedule}"
            return lifecycle.refused(state, asked, kind, "schedule", message)
        case _:
            assert_never(command)


def _trigger(state: Schedule, asked: Asked, world: World, now: int) -> Events:
    """By hand: also while paused, but not under a hold, in a freeze or without a target."""
    refusal = by_hand.refusal(state, world, now)
    if refusal is not None:
        return lifecycle.refused(state, asked, "trigger", *refusal)
    return by_hand.triggered(state, asked, world, now)
