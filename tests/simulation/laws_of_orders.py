"""
Is what was asked for beside the calendar obeyed?

Walks the ledger: what is to be skipped does not fire, and nothing happens by itself to a subject
that is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from schemas.events import (
    Fired,
    GlobalChanged,
    RunStarted,
    ScheduleDefined,
    ScheduleEvent,
    ScheduleRemoved,
    Skipped,
    SkipsChanged,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)
from schemas.identity import subject_of
from tests.acceptance.history import History


@dataclass(slots=True)
class Orders:
    """What is asked for, as of the last event of a partition."""

    held: set[str] = field(default_factory=set)
    skips: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def take(self, event: ScheduleEvent) -> None:
        """Go on by one event."""
        match event:
            case SubjectHeld(actions_only=False):
                self.held.add(subject_of(event.schedule))
            case SubjectReleased(actions_only=False) | SubjectRemoved():
                self.held.discard(subject_of(event.schedule))
            case SkipsChanged():
                self.skips[event.schedule] = event.skips
            case ScheduleDefined() | ScheduleRemoved():
                self.skips.pop(event.schedule, None)
            case _:
                pass

    def disobeyed(self, event: ScheduleEvent, *, by_itself: bool) -> str | None:
        """Why this event should not be."""
        nominal = event.nominal if isinstance(event, Fired) and event.origin is None else None
        if nominal is not None and nominal in self.skips.get(event.schedule, ()):
            return f"it was to be skipped: {event}"
        goes_on = by_itself and isinstance(event, Fired | Skipped | RunStarted)
        if goes_on and subject_of(event.schedule) in self.held:
            return f"its subject is held: {event}"
        return None


def orders_are_obeyed(history: History) -> Iterator[str]:
    """All that was done against an order."""
    for records in history.ledger.values():
        orders = Orders()
        for _, _, event, stamp in records:
            if not isinstance(event, GlobalChanged):
                why = orders.disobeyed(event, by_itself=stamp.offset is None)
                orders.take(event)
                if why is not None:
                    yield why
