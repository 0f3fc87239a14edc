"""
What was asked for beside the calendar: instants to skip, and instants to run once more?

Events of skips and backfills; what becomes of the single instants is Fired and Skipped like that of
all others (events.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.policies import OverlapMode


@dataclass(frozen=True, slots=True)
class SkipsChanged:
    """These nominal instants, and no others, are to be skipped when they are due."""

    schedule: str
    version: int
    incarnation: int
    skips: tuple[int, ...]
    """In order."""
    reason: str


@dataclass(frozen=True, slots=True)
class BackfillStarted:
    """These instants run once more, each as a new occurrence, `<instant>+<id>`."""

    schedule: str
    version: int
    incarnation: int
    id: str
    """`<command id>.<offset>`."""
    instants: tuple[int, ...]
    """In the order in which they run."""
    overlap: OverlapMode | None
    """None: the schedule's own."""
    reason: str


@dataclass(frozen=True, slots=True)
class BackfillProgressed:
    """So many of its instants had their turn, or the next one cannot have it now."""

    schedule: str
    version: int
    incarnation: int
    id: str
    done: int
    total: int
    again_at: int | None = None
    """When it goes on; None: at once, NEVER: when a run of the subject ends or a hold is lifted."""
    waits: str | None = None
    """Why it does not go on at once."""


@dataclass(frozen=True, slots=True)
class BackfillEnded:
    """All of its instants had their turn, or it was cancelled before."""

    schedule: str
    version: int
    incarnation: int
    id: str
    done: int
    total: int
    cancelled: bool
    reason: str
