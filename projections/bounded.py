"""
How is a log read to a given place and no further?

A rebuilt version can be compared with the serving one only when both have read exactly the same
records. What was fetched from behind the bound is put aside and handed out when the bound moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from typing_extensions import override

from projections.log import Log, Place, Position, Record


class BoundedLog(Log):
    """A log that ends where it is told to."""

    def __init__(self, bootstrap: str, topics: Iterable[str]) -> None:
        super().__init__(bootstrap, topics)
        self._bounds: dict[Place, int] = {}
        self._aside: dict[Place, list[Record]] = {}

    def bound(self, bounds: Mapping[Place, int]) -> None:
        """Read up to these offsets, exclusive; bounds only move on."""
        self._bounds = dict(bounds)

    def left(self) -> int:
        """How many offsets are left to the bounds."""
        positions = self.positions()
        return sum(
            max(0, self._bounds[place] - positions[place].next_offset) for place in positions
        )

    @override
    def read(self, most: int, seconds: float) -> list[Record]:
        return self._released() or self._within(super().read(most, seconds))

    @override
    def positions(self) -> dict[Place, Position]:
        found = super().positions()
        for place in self._aside:
            # all before the bound was handed out, or the first put aside would be before it
            found[place] = Position(self._bounds[place], found[place].leader_epoch)
        return found

    def _within(self, records: Iterable[Record]) -> list[Record]:
        kept: list[Record] = []
        put_aside: dict[Place, list[Record]] = {}
        for record in records:
            place = Place(record.topic(), record.partition())
            if record.offset() < self._bounds[place]:
                kept.append(record)
            else:
                put_aside.setdefault(place, []).append(record)
        self.pause(put_aside)
        for place, more in put_aside.items():
            self._aside.setdefault(place, []).extend(more)
        return kept

    def _released(self) -> list[Record]:
        """What was put aside and is now within the bounds."""
        released: list[Record] = []
        for place, waiting in list(self._aside.items()):
            bound = self._bounds[place]
            within = [record for record in waiting if record.offset() < bound]
            released += within
            if len(within) == len(waiting):
                del self._aside[place]
                self.resume([place])
            else:
                self._aside[place] = waiting[len(within) :]
        return released
