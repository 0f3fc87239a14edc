"""
What is a task, and what is asked for by whoever wants one?

Instants are microseconds of UTC, lengths of time microseconds. A task never changes: a later state
of it is another value with the same id.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from examples.task_manager.rules import Doing, Operation
from schemas.instants import format_instant
from schemas.units import HOUR


class Status(StrEnum):
    """Where a task stands."""

    WAITING = "waiting"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    TERMINATED = "terminated"
    """It waited too long and never began."""


OPEN = (Status.WAITING, Status.RUNNING)


class OnConflict(StrEnum):
    """What becomes of a task that may not begin at once."""

    QUEUE = "queue"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody asks for."""

    operation: Operation
    rack: str
    types: tuple[str, ...] | None = None
    """Only components of these types; None: of all."""
    ids: tuple[str, ...] | None = None
    description: str = ""
    on_conflict: OnConflict = OnConflict.QUEUE
    waits: int = HOUR
    """How long it may wait for its turn."""
    takes: int | None = None
    """How long it goes on; None: as long as the service says."""
    fails: str = ""
    """Why it fails in the end; empty: it does not."""
    key: str | None = None
    """The same work asked for again has the same key."""


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of work that was taken on."""

    id: str
    wanted: Wanted
    doing: Doing
    components: tuple[str, ...]
    created_at: int
    status: Status
    started_at: int | None = None
    ended_at: int | None = None
    message: str = ""

    @property
    def expires_at(self) -> int:
        """When it is given up if it has not begun by then."""
        return self.created_at + self.wanted.waits

    def as_data(self) -> dict[str, object]:
        """What the service says about it."""
        return {
            "id": self.id,
            "rack": self.wanted.rack,
            "operation": self.doing.operation.value,
            "components": list(self.components),
            "description": self.wanted.description,
            "status": self.status.value,
            "message": self.message,
            "created_at": format_instant(self.created_at),
            "started_at": _shown(self.started_at),
            "ended_at": _shown(self.ended_at),
        }


class Refused(Exception):
    """No task was made; `code` is a word for programs, the text a sentence for people."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def _shown(instant: int | None) -> str | None:
    return None if instant is None else format_instant(instant)
