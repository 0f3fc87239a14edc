"""
How far is a backfill?

Followed in the ledger until it has ended: how many of its instants had their turn, and what it
waits for. How that is shown is the command line's part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from horae.past import Past
from horae.tail import Tail
from schemas.events import BackfillEnded, BackfillProgressed, BackfillStarted, Event
from schemas.identity import subject_of

_PAUSE = 0.5


@dataclass(slots=True)
class Followed:
    """One backfill that is followed."""

    id: str
    done: int = 0
    total: int | None = None
    ended: bool = False
    cancelled: bool = False
    reason: str = ""
    waits: str | None = None
    """Why it does not go on at the moment."""

    def take(self, event: Event) -> None:
        """Enter an event, if it is about this one."""
        match event:
            case BackfillStarted(id=self.id):
                self.total = len(event.instants)
            case BackfillProgressed(id=self.id):
                self.done, self.total, self.waits = event.done, event.total, event.waits
            case BackfillEnded(id=self.id):
                self.done, self.total, self.waits = event.done, event.total, None
                self.ended, self.cancelled, self.reason = True, event.cancelled, event.reason
            case _:
                pass

    def as_line(self) -> str:
        """One line for a person."""
        said = f"backfill {self.id}: {self.done} of {self.total or 0} instants had their turn"
        if self.cancelled:
            return f"{said}, then it was cancelled" + (f": {self.reason}" if self.reason else "")
        return said

    def as_json(self) -> dict[str, Any]:
        """The same for a program."""
        return {
            "id": self.id,
            "done": self.done,
            "total": self.total,
            "cancelled": self.cancelled,
            "reason": self.reason or None,
        }


def look_back(past: Past, schedule: str, backfills: Sequence[Followed]) -> None:
    """Enter what the ledger has of these already: one that is asked for again may be over."""
    for place in past.of([subject_of(schedule)]):
        for event, _ in past.events(place):
            for one in backfills:
                one.take(event)


def begun_before(past: Past, schedule: str, name: str) -> list[Followed]:
    """The backfills that were begun under this id, or under this id and a number."""
    begun = re.compile(rf"{re.escape(name)}(-[0-9]+)?\.[0-9]+")
    found: dict[str, Followed] = {}
    for place in past.of([subject_of(schedule)]):
        for event, _ in past.events(place):
            if not isinstance(event, BackfillStarted | BackfillProgressed | BackfillEnded):
                continue
            if event.schedule == schedule and begun.fullmatch(event.id):
                found.setdefault(event.id, Followed(event.id))
            if event.id in found:
                found[event.id].take(event)
    return list(found.values())


def follow(tail: Tail, backfills: Sequence[Followed], told: Callable[[int, int], None]) -> None:
    """Read the ledger until all of these have ended; `told` how many instants had their turn."""
    while not all(one.ended for one in backfills):
        for event, _ in tail.read(_PAUSE).events:
            for one in backfills:
                one.take(event)
        told(sum(one.done for one in backfills), sum(one.total or 0 for one in backfills))
