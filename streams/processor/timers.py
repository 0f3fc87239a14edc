"""
Which schedule is to be looked at next?

Timers of one partition, as (due, schedule id, resident). Those to come lie in trays of ten seconds,
in no order; a tray is put in order once, when its time comes, since most schedules share their
instants and sorting what is nearly sorted costs next to nothing. What is put into a tray that is
open already goes through a heap. An entry is void once its resident is due at another time, and is
dropped when it comes up. What comes up late waits in a lane of its own, so that a backlog never
starves fresh timers. What becomes of a schedule that is due is the decider's.
"""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush
from typing import Generic, Protocol, TypeVar

from schemas.definition import MINUTE, SECOND
from streams.calendar.occurrences import NEVER

FRESH = MINUTE
"""An entry that comes up later than this after its due instant belongs to the backlog."""
TRAY = 10 * SECOND


class Due(Protocol):
    """Something that is due at some time, or at another time by now."""

    due: int


Whose = TypeVar("Whose", bound=Due)


class Timers(Generic[Whose]):
    """The timers of one partition."""

    __slots__ = ("_backlog", "_count", "_heap", "_opened", "_order", "_ready", "_trays")

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._count = 0
        self._trays: dict[int, list[tuple[int, str, Whose]]] = {}
        self._order: list[int] = []
        """A heap of the trays that are not open yet."""
        self._opened = -(1 << 63)
        """The last tray that was opened."""
        self._ready: list[tuple[int, str, Whose]] = []
        """What was in open trays, the next one last."""
        self._heap: list[tuple[int, str, Whose]] = []
        """What came into trays that were open already."""
        self._backlog: list[tuple[int, str, Whose]] = []

    def load(self, entries: Iterable[tuple[int, str, Whose]]) -> None:
        """Take over many at once, as after a restore."""
        self._clear()
        self.put_all(entries)

    def put(self, entry: tuple[int, str, Whose]) -> None:
        """Ring for this schedule at this time."""
        self.put_all((entry,))

    def put_all(self, entries: Iterable[tuple[int, str, Whose]]) -> None:
        """Ring for each of these at its time."""
        number, tray = None, self._heap
        for entry in entries:
            due = entry[0]
            if due == NEVER:
                continue
            self._count += 1
            if due // TRAY != number:
                number = due // TRAY
                tray = self._tray(number)
            if tray is self._heap:
                heappush(tray, entry)
            else:
                tray.append(entry)

    def _tray(self, number: int) -> list[tuple[int, str, Whose]]:
        if number <= self._opened:
            return self._heap
        tray = self._trays.get(number)
        if tray is None:
            tray = self._trays[number] = []
            heappush(self._order, number)
        return tray

    def sweep(self, live: int) -> None:
        """Drop the void entries once they outnumber the `live` schedules."""
        if self._count > 2 * live + 1_000:
            self.load([entry for entry in self.entries() if entry[2].due == entry[0]])

    def entries(self) -> list[tuple[int, str, Whose]]:
        """All there are, roughly the next ones last."""
        later = [entry for number in sorted(self._trays)[::-1] for entry in self._trays[number]]
        return later + self._ready + self._heap[::-1] + self._backlog[::-1]

    def next_due(self) -> int:
        """When the next one rings; NEVER if none will."""
        if self._backlog:
            return self._backlog[0][0]
        if self._order and not self._ready and not self._heap:
            self._open(self._order[0])  # in idle time, rather than when it is due
        lanes = [lane for lane in (self._ready[-1:], self._heap[:1]) if lane]
        return min(lanes)[0][0] if lanes else NEVER

    def pop_due(self, now: int, limit: int) -> list[tuple[int, str, Whose]]:
        """Up to `limit` entries due by `now`: the fresh ones first, each lane in order.

        Due again at a former time, a resident has two entries that are not void: neighbours, and
        one of them is enough.
        """
        self._open(now // TRAY)
        popped: list[tuple[int, str, Whose]] = []
        last = None
        ready, heap, backlog = self._ready, self._heap, self._backlog
        late = now - FRESH
        while (ready or heap) and len(popped) < limit:
            from_heap = not ready or (heap and heap[0] < ready[-1])
            entry = heap[0] if from_heap else ready[-1]
            due, _, whose = entry
            if due > now:
                break
            if from_heap:
                heappop(heap)
            else:
                ready.pop()
            self._count -= 1
            if whose.due != due or whose is last:
                continue
            if due < late:
                heappush(backlog, entry)
                self._count += 1
            else:
                popped.append(entry)
                last = whose
        while backlog and len(popped) < limit:
            entry = heappop(backlog)
            self._count -= 1
            if entry[2].due == entry[0] and entry[2] is not last:
                popped.append(entry)
                last = entry[2]
        return popped

    def _open(self, number: int) -> None:
        """Open every tray up to this one."""
        if not self._order or self._order[0] > number:
            return
        opened: list[tuple[int, str, Whose]] = []
        while self._order and self._order[0] <= number:
            self._opened = heappop(self._order)
            opened += self._trays.pop(self._opened)
        opened.sort(reverse=True)
        self._ready[:0] = opened

    def __len__(self) -> int:
        return self._count
