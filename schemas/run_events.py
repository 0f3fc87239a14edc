"""
What happened to the work that a fire gave out?

Events about single runs, for actions that somebody reports about. That an occurrence fired is
events.py; none of these ever takes it back. A run that waits has begun when `RunStarted` says so,
and is over with `RunEnded`, after which nothing about it changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from schemas.made_often import made_often
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
    """Its target did not take it, its subject's actions were held when it was to begin, or what it
    needs (image, engine, address) was not to be had."""
    CONTAINER_NOT_RUNNING = "container_not_running"
    DOES_NOT_FIT = "does_not_fit"
    ALREADY_THERE = "already_there"
    """What it was to bring about was so already."""
    BUSY = "busy"
    EXPIRED = "expired"
    """No runner had begun it by its start deadline."""
    NOT_STOPPED_BY_SCHEDULE = "not_stopped_by_schedule"
    """A deployment was found stopped, and not by a schedule: it stays so."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a runner found when an attempt ended."""

    exit_code: int | None = None
    """Of a process; the status of an answer to a request."""
    output: str = ""
    """The last of what it wrote, secrets masked."""
    cut: bool = False
    """Something before that was left out."""
    reference: str | None = None
    """What the other side calls it, such as the id of a task or a container."""
    started_at: int | None = None
    """By the runner's clock, microseconds of UTC; None: it never started."""
    ended_at: int | None = None


@made_often
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


@made_often
@dataclass(frozen=True, slots=True)
class RunStarted(OfRun):
    """A run that waited begins, or a further attempt does."""


@made_often
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


@made_often
@dataclass(frozen=True, slots=True)
class RunOffered(OfRun):
    """An attempt is offered once more: nobody took it in time, or who had it gave it back."""

    issue: int
    until: int
    """When it is offered again unless somebody has it by then."""
    why: str


@made_often
@dataclass(frozen=True, slots=True)
class RunGranted(OfRun):
    """A runner has the attempt; it is written before anything runs."""

    issue: int
    runner: str
    boot: int
    """The runner's own number for its life, larger in each later one."""


@made_often
@dataclass(frozen=True, slots=True)
class RunRetries(OfRun):
    """An attempt ended badly, and another one follows at `again_at`.

    `unavailable`: the attempt after this one could not begin and is tried again then.
    """

    status: RunStatus
    again_at: int
    detail: str = ""
    result: Result | None = None
    """None: no runner said anything."""


@made_often
@dataclass(frozen=True, slots=True)
class RunCancelling(OfRun):
    """A run was asked to stop; it is active until its end is reported."""

    reason: str
    by: str | None = None
    """The run that takes its place."""


@made_often
@dataclass(frozen=True, slots=True)
class RunNoted(OfRun):
    """A report that keeps a run alive, or one that changes nothing (`ignored` says why)."""

    status: str
    lease_until: int | None = None
    ignored: str | None = None


@made_often
@dataclass(frozen=True, slots=True)
class RunEnded(OfRun):
    """A run is over."""

    status: RunStatus
    started_at: int | None
    """When its first attempt began; None: it never did."""
    detail: str = ""
    reason: Reason | None = None
    """Why it never began."""
    result: Result | None = None
    """None: no runner said anything."""
