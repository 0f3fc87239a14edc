"""
When is one day open, and how often does an interval come in that time?

In closed form: the open stretches of a day do not change with the interval's place in it, so the
number of instants depends on nothing but how far the first one is from midnight.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from streams.calendar.closed_times import ALL_DAY, MINUTE_MICROS
from streams.calendar.ticks import MICROS


class Runs:
    """The open stretches of a day, for an interval of so many microseconds."""

    __slots__ = ("_begins", "_ends", "_first_ends", "_floors", "bits", "stretches")

    def __init__(self, closed: int, step: int) -> None:
        self.stretches = tuple(_stretches(ALL_DAY ^ closed))
        """In microseconds of the day, [begin, end)."""
        self._first_ends = [end for _, end in self.stretches]
        self._begins = sorted(begin % step for begin, _ in self.stretches)
        self._ends = sorted(end % step for _, end in self.stretches)
        self._floors = sum(end // step - begin // step for begin, end in self.stretches)
        self.bits = 0
        """Bit n tells whether second n is open."""
        for begin, end in self.stretches:
            self.bits |= ((1 << (end - begin) // MICROS) - 1) << begin // MICROS

    def instants(self, offset: int) -> int:
        """How many instants lie in them if the first one after midnight is so far from it."""
        # [x, y) has ceil((y - o) / step) - ceil((x - o) / step) of them, and the ceiling is the
        # floor of y / step, or one more as long as o is less than what is left over.
        before = bisect_right(self._begins, offset) - bisect_right(self._ends, offset)
        return self._floors + before

    def within(
        self, low: int, high: int, midnight: int, order: int = 1
    ) -> Iterator[tuple[int, int]]:
        """The open stretches inside of [low, high) in instants; order -1: the last one first."""
        first = bisect_right(self._first_ends, low - midnight)
        last = bisect_left(self.stretches, (high - midnight, 0))
        for index in range(first, last)[::order]:
            begin, end = self.stretches[index]
            yield max(midnight + begin, low), min(midnight + end, high)


def _stretches(opened: int) -> list[tuple[int, int]]:
    """The runs of ones, each minute a bit."""
    found = []
    minute = 0
    while opened:
        skipped = (opened & -opened).bit_length() - 1
        opened >>= skipped
        length = (~opened & (opened + 1)).bit_length() - 1
        opened >>= length
        minute += skipped
        found.append((minute * MINUTE_MICROS, (minute + length) * MINUTE_MICROS))
        minute += length
    return found
