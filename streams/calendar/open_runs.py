"""
When is one day open, and how often does an interval come in that time?

In closed form: the open stretches of a day do not change with the interval's place in it, so the
number of instants depends on nothing but how far the first one is from midnight.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import repeat
from typing import Final

from streams.calendar.closed_times import MINUTE_MICROS
from streams.calendar.closed_years import ALL_DAY
from streams.calendar.steps import Steps
from streams.calendar.ticks import MICROS

_ONES: Final = re.compile("1+")
_FEW: Final = 16
"""So much cheaper is a comparison of sorted numbers than a search among the stretches of a day."""


class Stretches:
    """The open stretches of a day on which some minutes are closed."""

    def __init__(self, closed: int) -> None:
        # From the first minute on, which is the last bit.
        runs = [found.span() for found in _ONES.finditer(f"{ALL_DAY ^ closed:b}"[::-1])]
        self.begins = [begin * MINUTE_MICROS for begin, _ in runs]
        """In microseconds of the day, and the ends, which are not open any more."""
        self.ends = [end * MINUTE_MICROS for _, end in runs]

    @cached_property
    def seconds(self) -> int:
        """Bit n tells whether second n is open."""
        found = 0
        for begin, end in zip(self.begins, self.ends, strict=True):
            found |= ((1 << (end - begin) // MICROS) - 1) << begin // MICROS
        return found

    def within(
        self, low: int, high: int, midnight: int, order: int = 1
    ) -> Iterator[tuple[int, int]]:
        """The open stretches inside of [low, high) in instants; order -1: the last one first."""
        for index in self._inside(low - midnight, high - midnight)[::order]:
            yield max(midnight + self.begins[index], low), min(midnight + self.ends[index], high)

    def count(self, steps: Steps, low: int, high: int, midnight: int) -> int:
        """How many of some steps are open in [low, high), a part of the day."""
        inside = self._inside(low - midnight, high - midnight)
        if not inside:
            return 0
        begins = self.begins[inside.start : inside.stop]
        ends = self.ends[inside.start : inside.stop]
        begins[0], ends[-1] = max(begins[0], low - midnight), min(ends[-1], high - midnight)
        # The instants before x are as many as floor((x - 1 - base) / step) says, but for a number
        # that is the same for all.
        base, step = steps.base - midnight + 1, steps.step
        return sum([(end - base) // step for end in ends]) - sum(
            [(begin - base) // step for begin in begins]
        )

    def _inside(self, low: int, high: int) -> range:
        return range(bisect_right(self.ends, low), bisect_left(self.begins, high))


class Runs:
    """The open stretches of a day, for an interval of so many microseconds."""

    __slots__ = ("_begins", "_ends", "_floors")

    def __init__(self, stretches: Stretches, step: int) -> None:
        begins, ends = stretches.begins, stretches.ends
        self._begins = sorted([begin % step for begin in begins])
        self._ends = sorted([end % step for end in ends])
        self._floors = sum([end // step for end in ends]) - sum([begin // step for begin in begins])

    def instants(self, offset: int) -> int:
        """How many instants lie in them if the first one after midnight is so far from it."""
        # [x, y) has ceil((y - o) / step) - ceil((x - o) / step) of them, and the ceiling is the
        # floor of y / step, or one more as long as o is less than what is left over.
        before = bisect_right(self._begins, offset) - bisect_right(self._ends, offset)
        return self._floors + before

    def on_days(self, offsets: list[int]) -> int:
        """The same of many days together."""
        found = self._floors * len(offsets)
        if len(self._begins) * _FEW > len(offsets):
            found += sum(map(bisect_right, repeat(self._begins), offsets))
            return found - sum(map(bisect_right, repeat(self._ends), offsets))
        offsets = sorted(offsets)
        # All but those offsets that come before it.
        found -= sum([bisect_left(offsets, begin) for begin in self._begins])
        return found + sum([bisect_left(offsets, end) for end in self._ends])
