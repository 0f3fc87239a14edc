"""
What happened to the work that a fire gave out?

Events about single runs, for actions that somebody reports about. That an occurrence fired is
events.py; none of these ever takes it back. A run that waits has begun when `RunStarted` says so,
and is over with `RunEnded`, after which nothing about it changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from schemas.policies import OverlapMode
from schemas.reasons import Reason


class RunStatus(StrEnum):
    """How a run, or one attempt of it, ended; `other` keeps old readers alive."""

    OTHER = "other"
    SUCCESS = "success"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    REPLACED = "replaced"
    INTERRUPTED = "interrupted"
    """Nobody said anything about it for too long; it is never run again."""
    DROPPED = "dropped"
    """It waited and never began."""
    UNAVAILABLE = "unavailable"
    """Its target did not take it, or its subject's actions were held when it was to begin."""


@dataclass(frozen=True, slots=True)
class OfRun:
    """What every event about a run says; never written by itself."""

    schedule: str
    version: int
    incarnation: int
    run: str
    scope: str
    nominal: int
    origin: str | None
    attempt: int


@dataclass(frozen=True, slots=True)
class RunStarted(OfRun):
    """A run that waited begins, or a further attempt does."""


@dataclass(frozen=True, slots=True)
class RunQueued(OfRun):
    """A run waits for its turn: its fire said `waiting` for this scope."""

    due: int
    until: int
    """If it has not begun by then it is dropped, `queue_timeout`."""
    overlap: OverlapMode | None = None
    """By which rule it waits, if not by its schedule's."""
    behind: str | None = None
    """The run whose end it waits for, if that is a certain one."""


@dataclass(frozen=True, slots=True)
class RunRetries(OfRun):
    """An attempt ended badly, and another one follows at `again_at`.

    `unavailable`: the attempt after this one could not begin and is tried again then.
    """

    status: RunStatus
    again_at: int
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RunCancelling(OfRun):
    """A run was asked to stop; it is active until its end is reported."""

    reason: str
    by: str | None = None
    """The run that takes its place."""


@dataclass(frozen=True, slots=True)
class RunNoted(OfRun):
    """A report that keeps a run alive, or one that changes nothing (`ignored` says why)."""

    status: str
    lease_until: int | None = None
    ignored: str | None = None


@dataclass(frozen=True, slots=True)
class RunEnded(OfRun):
    """A run is over."""

    status: RunStatus
    started_at: int | None
    """When its first attempt began; None: it never did."""
    detail: str = ""
    reason: Reason | None = None
    """Why it never began."""
