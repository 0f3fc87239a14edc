"""
How is a command answered that changes nothing?

A refusal names the field at fault; what already was as asked is `unchanged`. Both are events like
any other.
"""

from __future__ import annotations

from schemas.commands import Asked
from schemas.events import CommandRefused, CommandUnchanged
from streams.calendar.occurrences import NEVER
from streams.decider.state import Schedule


def refuse(
    asked: Asked, command: str, field: str, message: str, state: Schedule | None = None
) -> tuple[CommandRefused]:
    """Nothing changed, and here is why."""
    version = state.plan.version if state else None
    return (CommandRefused(asked.schedule, command, field, message, version),)


def as_it_was(asked: Asked, command: str) -> tuple[CommandUnchanged]:
    """The subject as a whole already was as asked; it has no version and no next instant."""
    return (CommandUnchanged(asked.schedule, command, 0, 0, NEVER),)


def unchanged(state: Schedule, command: str) -> tuple[CommandUnchanged]:
    """It already was as asked."""
    plan, cursor = state
    return (CommandUnchanged(plan.id, command, plan.version, plan.incarnation, cursor.nominal),)
