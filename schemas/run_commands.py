"""
What is said of a run, and by the runners that carry runs out?

Commands about runs, whoever reports about them, and what a runner asks for and says of itself. They
are asked of the subject of the run (commands.py); only a beat lies under its runner's own key. What
a runner is told is orders.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from schemas.actions import App
from schemas.deployments import Deployment, DeploymentState
from schemas.made_often import made_often
from schemas.run_events import Result


class ReportStatus(StrEnum):
    """What is said of an attempt."""

    RUNNING = "running"
    """It goes on: the lease is renewed."""
    SUCCESS = "success"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    """It was stopped and cleaned up."""
    INTERRUPTED = "interrupted"
    """Its runner ended while it went on; what was left of it is removed."""
    UNAVAILABLE = "unavailable"
    """What it needs was not to be had: an image, the container engine, an address."""
    CONTAINER_NOT_RUNNING = "container_not_running"
    DOES_NOT_FIT = "does_not_fit"
    ALREADY_THERE = "already_there"
    BUSY = "busy"
    NOT_STOPPED_BY_SCHEDULE = "not_stopped_by_schedule"
    """It is stopped, and what is stopped by somebody else is not started."""


@made_often
@dataclass(frozen=True, slots=True)
class ReportRun:
    """What became of a run, or of one attempt of it."""

    run: str
    status: ReportStatus
    attempt: int | None = None
    """None: the current one."""
    detail: str = ""
    runner: str | None = None
    """Who says so, if it is a runner: then only the one that has the attempt is heard."""
    boot: int | None = None
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class CancelRun:
    """Ask a run to stop; one that waits never begins."""

    run: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ClaimRun:
    """A runner with a free slot wants an attempt that was offered to it."""

    run: str
    attempt: int
    issue: int
    runner: str
    boot: int


@dataclass(frozen=True, slots=True)
class DeclineRun:
    """A runner gives back what it was granted and has not begun."""

    run: str
    attempt: int
    issue: int
    runner: str
    boot: int
    why: str


@dataclass(frozen=True, slots=True)
class DefineApp:
    """Let the containers of the subject be made of this."""

    app: App


@dataclass(frozen=True, slots=True)
class DefineDeployment:
    """Let the subject be this deployment."""

    deployment: Deployment


@dataclass(frozen=True, slots=True)
class ReportState:
    """A deployment is in this state from now on."""

    state: DeploymentState
    actor: str | None = None
    """Who brought it there, if not who says so: `user:…`, `service:…`, `schedule:<id>`."""
    detail: str = ""


class Beating(NamedTuple):
    """A run that a runner has."""

    subject: str
    run: str


@dataclass(frozen=True, slots=True)
class Beat:
    """A runner is alive, and has these runs of the partition in which this lies.

    Its key is `#runner:<id>`. The first of each boot goes to every partition.
    """

    boot: int
    runs: tuple[Beating, ...] = ()
    leaving: bool = False
    """It claims nothing more, and whatever claim of its follows is denied."""
    slots: int = 0
    pools: tuple[str, ...] = ()
