"""
What does every kind of action have in common, so that one loop can carry out all of them?

An executor makes an attempt out of a job; the attempt runs in a thread of its own, may be stopped
from another, and answers with its outcome. Which executor does which action is executors.py, when
an attempt may begin claims.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from schemas.actions import Work
from schemas.commands import ReportStatus
from schemas.orders import Order
from streams.runner.output import Output
from streams.runner.secrets import Secrets


class Runner(NamedTuple):
    """Who carries out the work."""

    name: str
    boot: int
    """Larger in each later life of the same name."""


@dataclass(frozen=True, slots=True)
class Job:
    """What an attempt needs to know."""

    order: Order
    output: Output
    """Where to write what the work says, as it says it."""
    secrets: Secrets
    """The values of all references in the order."""
    timeout: float | None
    """Seconds that the attempt may take; it watches that itself. None: without limit."""
    grace: float
    """Seconds between asking it to end and ending it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended."""

    status: ReportStatus
    detail: str = ""
    """One sentence for a person; no secrets."""
    exit_code: int | None = None
    """Of a process; the status of an answer to a request."""
    reference: str | None = None
    """What the other side calls it: the id of a task, of a container."""


class Attempt(Protocol):
    """One attempt of one run."""

    def run(self) -> Outcome:
        """Do it to its end and leave nothing of it behind; called once."""
        ...

    def stop(self, why: str, *, kill: bool) -> None:
        """Have `run` return soon, `CANCELLED` unless it has ended in another way meanwhile.

        Called from another thread, at any time, more than once. Without `kill` what runs is asked
        first and has the job's grace; with it, it ends at once.
        """
        ...


class Executor(Protocol):
    """What carries out one kind of action; one for the life of a runner."""

    def attempt(self, job: Job) -> Attempt:
        """An attempt that has not begun; quick, without input or output."""
        ...

    def sweep(self) -> None:
        """Remove what an earlier life of this runner left, as far as that can be reached.

        Called once, in a thread of its own: what does not answer holds up nobody.
        """
        ...

    def close(self) -> None:
        """Let go of what is held open; no attempt is under way any more."""
        ...


Executors = Mapping[type[Work], Executor]
"""Who does what; an action that is missing here is answered `unavailable`."""
