"""
What does a test that asks for reasons let the ledger be?

A past that stands in memory, in one partition, and what is said about one instant of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from horae.explaining import Explained, explain
from horae.past import Past, Place
from horae.reasons_told import sentences
from schemas.codec import Recorded
from schemas.events import Event, Stamp
from streams.account.worlds import GlobalNote
from streams.decider.state import Plan
from tests.decider.stage import NIGHTLY, at


@dataclass
class Remembered:
    """A past that a test made up, in one partition."""

    history: Sequence[tuple[Event, Stamp]]
    notes: Sequence[GlobalNote] = ()
    rows: dict[str, Plan] = field(default_factory=dict)
    places: tuple[Place, ...] = (Place(0, 0, 1),)

    def of(self, _subjects: object) -> tuple[Place, ...]:
        return self.places

    def events(self, _place: Place) -> Iterator[Recorded]:
        yield from (Recorded(event, stamp) for event, stamp in self.history)

    def globals(self) -> list[GlobalNote]:
        return list(self.notes)

    def plans(self, _wanted: Callable[[str], bool]) -> dict[str, Plan]:
        return self.rows


def explained(past: Remembered, when: str, now: str) -> Explained:
    return explain(cast("Past", past), NIGHTLY, at(when), at(now))


def said(past: Remembered, when: str, now: str = "15:00") -> str:
    return "\n".join(sentences(explained(past, when, now)))
