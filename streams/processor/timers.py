"""
Which schedule is to be looked at next?

One heap a partition, of (due, schedule id, resident); an entry is void once its resident is due at
another time, and is dropped when it comes up. What comes up late waits in a lane of its own, so
that a backlog never starves fresh timers. What becomes of a schedule that is due is the decider's.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import Generic, Protocol, TypeVar

from schemas.definition import MINUTE
from streams.calendar.occurrences import NEVER

FRESH = MINUTE
"""An entry that comes up later than this after its due instant belongs to the backlog."""


class Due(Protocol):
    """Something that is due at some time, or at another time by now."""

    due: int


Whose = TypeVar("Whose", bound=Due)


class Timers(Generic[Whose]):
    """The timers of one partition."""

    __slots__ = ("_backlog", "_heap")

    def __init__(self) -> None:
        self._heap: list[tuple[int, str, Whose]] = []
        self._backlog: list[tuple[int, str, Whose]] = []

    def load(self, entries: Iterable[tuple[int, str, Whose]]) -> None:
        """Take over many at once, as after a restore."""
        self._heap = [entry for entry in entries if entry[0] != NEVER]
        heapify(self._heap)

    def put(self, entry: tuple[int, str, Whose]) -> None:
        """Ring for this schedule at this time."""
        if entry[0] != NEVER:
            heappush(self._heap, entry)

    def sweep(self, live: int) -> None:
        """Drop the void entries once they outnumber the `live` schedules."""
        if len(self) > 2 * live + 1_000:
            self._heap = [entry for entry in self._heap if entry[2].due == entry[0]]
            heapify(self._heap)

    def entries(self) -> list[tuple[int, str, Whose]]:
        """All there are, roughly the next ones last."""
        return self._heap[::-1]

    def next_due(self) -> int:
        """When the next one rings; NEVER if none will."""
        if self._backlog:
            return self._backlog[0][0]
        return self._heap[0][0] if self._heap else NEVER

    def pop_due(self, now: int, limit: int) -> list[tuple[int, str, Whose]]:
        """Up to `limit` entries due by `now`: the fresh ones first, each lane in order.

        Due again at a former time, a resident has two entries that are not void: neighbours, and
        one of them is enough.
        """
        popped: list[tuple[int, str, Whose]] = []
        heap, backlog = self._heap, self._backlog
        late = now - FRESH
        while heap and heap[0][0] <= now and len(popped) < limit:
            entry = heappop(heap)
            if entry[2].due != entry[0] or (popped and popped[-1][2] is entry[2]):
                continue
            if entry[0] < late:
                heappush(backlog, entry)
            else:
                popped.append(entry)
        while backlog and len(popped) < limit:
            entry = heappop(backlog)
            if entry[2].due == entry[0] and not (popped and popped[-1][2] is entry[2]):
                popped.append(entry)
        return popped

    def __len__(self) -> int:
        return len(self._heap) + len(self._backlog)
