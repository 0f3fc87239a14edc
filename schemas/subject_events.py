"""
What happened to a subject as a whole?

Events whose `schedule` is the subject and a slash, with no name behind it. What happened to its
schedules is events.py, to their runs run_events.py.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SubjectHeld:
    """Nothing of it is evaluated from here on."""

    schedule: str
    reason: str
    since: int
    until: int | None
    """When the hold ends by itself."""
    actions_only: bool
    """Only its sleep and wake are held."""


@dataclass(frozen=True, slots=True)
class SubjectReleased:
    """The hold over it is lifted; what was due meanwhile is late."""

    schedule: str
    reason: str
    actions_only: bool


@dataclass(frozen=True, slots=True)
class SubjectRemoved:
    """The subject is gone, after each of its schedules was removed."""

    schedule: str
    reason: str


@dataclass(frozen=True, slots=True)
class ActivityNoted:
    """What a sampler saw of it last."""

    schedule: str
    last_request: int | None
    """When the last request came; None: none was ever seen."""
    in_flight: int
    waiting: int
    sampled_at: int
