"""
What does the public table horae.schedules say of a schedule?

The current definition, version, status and pause, keyed `subject/name`; a null value after removal.
Written by commands, never by a fire. Feeding the table to an empty cluster recreates every
schedule.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from schemas.definition import Definition


class Status(StrEnum):
    """Whether the schedule's instants are occurrences."""

    OTHER = "other"
    ENABLED = "enabled"
    PAUSED = "paused"
    COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class PauseNote:
    """Who paused it, when and why."""

    reason: str
    actor: str
    since: int
    until: int | None = None


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """One row of the table."""

    version: int
    incarnation: int
    created_at: int
    changed_at: int
    actor: str
    status: Status
    definition: Definition
    pause: PauseNote | None = None
    skips: tuple[int, ...] = ()
    """Nominal instants that were asked to be skipped, in order."""
