"""
What does a sender put into the log: which command, for whom, under which id?

The methods that make orders are schedules.py and subjects.py; who sends them is client.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from uuid import uuid4

from schemas.commands import ScheduleCommand, SubjectCommand
from schemas.globals import Calendar, ClockAccepted, Freeze, Hold
from schemas.identity import schedule_id, subject_id
from schemas.replies import Reply

ForAll = Hold | ClockAccepted | Calendar | Freeze
"""What may be said to everyone; each says itself who says it, and under which id."""
Wish = ScheduleCommand | SubjectCommand
"""What may be asked of a schedule, or of a subject as a whole."""


def new_id() -> str:
    """An id for a command that nobody used before."""
    return uuid4().hex


@dataclass(frozen=True, slots=True)
class Order:
    """A command for one schedule or subject; the same id asked twice is answered once."""

    schedule: str
    """Its id; for a command about a subject `subject` or `subject/`."""
    command: Wish
    id: str = field(default_factory=new_id)
    trace: str | None = None
    """A W3C traceparent that goes on to the event and to the target."""
    actor: str | None = None
    """In whose name; None: in that of the client."""

    @property
    def about(self) -> str:
        """The canonical id; raises IdFault."""
        if isinstance(self.command, SubjectCommand):
            return subject_id(self.schedule)
        return schedule_id(self.schedule)


class Asks(ABC):
    """Somebody who sends an order and waits for its reply."""

    @abstractmethod
    def ask(self, order: Order) -> Reply:
        """Send one order and wait for its reply."""
