"""
Has the inbox been read so far that silence proves something?

A lease that ran out says that nobody reported in time, and that is known only once everything is
read that was there when it ran out. So a subject whose runs are to be given up waits until its
inbox has been read to an end that was asked for later; where that is, the broker is asked once for
all that wait. A log that nobody writes to has such an end at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from streams.decider.subject import Subject, unheard_until
from streams.processor.household import SubjectAtRest
from streams.processor.partitions import Partition, Rung

Ends = Callable[[Iterable[int]], Mapping[int, int]]
"""Where the inboxes of these partitions end now, open transactions included."""


class _Asked(NamedTuple):
    at: int
    end: int


def has_heard(partition: Partition, subject: Subject, now: int) -> bool:
    """Whether all that could have been said of a subject's runs by their deadlines is decided."""
    until = unheard_until(subject, now)
    return until is None or until <= partition.heard_until


def put_unheard_aside(partition: Partition, due: Iterable[Rung], now: int) -> list[Rung]:
    """The timers that may be decided about; the others wait in their partition."""
    if not partition.subjects:
        return list(due)
    ready = []
    for rung in due:
        whose = rung[2]
        if isinstance(whose, SubjectAtRest) and not has_heard(partition, whose.subject, now):
            partition.unheard.append(rung)
        else:
            ready.append(rung)
    return ready


class Silence:
    """How far each inbox is read, and by when."""

    def __init__(self, ends: Ends, wall: Callable[[], int]) -> None:
        self._ends = ends
        self._wall = wall
        self._asked: dict[int, _Asked] = {}

    def begin(self, partition: Partition) -> None:
        """Nothing was heard of a partition that has just become ours."""
        self._asked.pop(partition.number, None)
        partition.heard_until = 0

    def listen(self, partitions: Iterable[Partition], here: Callable[[Partition], int]) -> None:
        """Let those ring again for which enough is read by now; `here` is what is read next."""
        waiting = [one for one in partitions if one.unheard]
        fresh = [one.number for one in waiting if one.number not in self._asked]
        if fresh:
            at = self._wall()
            self._asked |= {number: _Asked(at, end) for number, end in self._ends(fresh).items()}
        for partition in waiting:
            asked = self._asked[partition.number]
            if here(partition) >= asked.end:
                del self._asked[partition.number]
                partition.heard_until = asked.at
                partition.timers.put_all(partition.unheard)
                partition.unheard = []
