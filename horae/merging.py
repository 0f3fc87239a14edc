"""
In which order did things happen that stand in several partitions?

Each partition is in order by itself. The oldest of their first events is next, once every partition
that is still to be read has shown its first one. Reading them is tail.py.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator

from schemas.codec import Recorded


class Merge:
    """Events of partitions that are read at their own pace, handed on by the time of decision."""

    def __init__(self, partitions: Iterable[int]) -> None:
        self.open = set(partitions)
        """Partitions that may still bring something older than what is here."""
        self._silent = set(self.open)
        """Open ones of which nothing waits: until they speak, nobody knows what is next."""
        self._waiting: defaultdict[int, deque[Recorded]] = defaultdict(deque)
        self._first: list[tuple[int, int]] = []
        """A heap: when the first waiting event of each partition was decided."""

    def put(self, partition: int, recorded: Recorded) -> None:
        """The partition's following event."""
        waiting = self._waiting[partition]
        waiting.append(recorded)
        if len(waiting) == 1:
            self._queue(partition)
            self._silent.discard(partition)

    def close(self, partition: int) -> None:
        """Nothing more comes of it that others would have to wait for."""
        self.open.discard(partition)
        self._silent.discard(partition)

    def waiting(self, partition: int) -> int:
        """How many events of it are not handed on."""
        return len(self._waiting[partition])

    def take(self) -> Iterator[Recorded]:
        """All whose turn has come."""
        while self._first and not self._silent:
            _, partition = heapq.heappop(self._first)
            waiting = self._waiting[partition]
            yield waiting.popleft()
            if waiting:
                self._queue(partition)
            elif partition in self.open:
                self._silent.add(partition)

    def _queue(self, partition: int) -> None:
        decided_at = self._waiting[partition][0].stamp.decided_at
        heapq.heappush(self._first, (decided_at, partition))
