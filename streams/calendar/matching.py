"""
Which wall times match, and which is the next?

The walker: it steps over the fields of a cron expression on naive local times, counted in seconds
since 1970 as if local time were UTC. It knows no zone; when a wall time is in real time is
cron_ticks.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from streams.calendar.clock_times import NONE, ClockTimes
from streams.calendar.days import NEVER_DAY, Days
from streams.calendar.ticks import DAY_SECONDS

NEVER_WALL: Final = NEVER_DAY * DAY_SECONDS
"""At or beyond it (or its negative) there is no wall time."""


class Walls(Protocol):
    """Wall times of which each matching minute has the same seconds."""

    def next(self, wall: int) -> int:
        """The earliest one at or after a wall time."""

    def previous(self, wall: int) -> int:
        """The latest one at or before a wall time."""

    def count(self, begin: int, end: int) -> int:
        """How many of them lie in [begin, end)."""

    def bits(self, begin: int, end: int) -> int:
        """Bit n tells whether `begin + n` is one, which lies before `end`."""

    def of_year(self, year: int) -> Iterator[tuple[int, ClockTimes]]:
        """The days of a year that have one, in order, with their times."""

    def count_pairs(self, begin: int, end: int, distance: int) -> int:
        """How many of [begin, end) come together with the wall time so far behind them."""


@dataclass(frozen=True, slots=True)
class WallTimes:
    """The wall times that a cron expression names."""

    days: Days
    times: ClockTimes
    star: bool
    """Whether the minute or the hour field began with a star: real time is meant, not the clock."""

    def next(self, wall: int) -> int:
        """The earliest match at or after a wall time."""
        day, second = divmod(wall, DAY_SECONDS)
        found = self.days.next(day)
        if found == day:
            time = self.times.next(second)
            if time != NONE:
                return day * DAY_SECONDS + time
            found = self.days.next(day + 1)
        return found * DAY_SECONDS + self.times.first

    def previous(self, wall: int) -> int:
        """The latest match at or before a wall time."""
        day, second = divmod(wall, DAY_SECONDS)
        found = self.days.previous(day)
        if found == day:
            time = self.times.previous(second)
            if time != NONE:
                return day * DAY_SECONDS + time
            found = self.days.previous(day - 1)
        return found * DAY_SECONDS + self.times.last

    def count(self, begin: int, end: int) -> int:
        """How many wall times of [begin, end) match."""
        if begin >= end:
            return 0
        first, last = begin // DAY_SECONDS, end // DAY_SECONDS
        whole = self.days.count(first, last) * self.times.size
        return whole + self._rank(end) - self._rank(begin)

    def _rank(self, wall: int) -> int:
        day, second = divmod(wall, DAY_SECONDS)
        return self.times.rank(second) if self.days.match(day) else 0

    def bits(self, begin: int, end: int) -> int:
        """Bit n tells whether `begin + n` matches, which lies before `end`."""
        return bits_of_days(self._on, begin, end)

    def count_pairs(self, begin: int, end: int, distance: int) -> int:
        """How many of [begin, end) match together with the wall time so far behind them."""
        return count_pairs(self, begin, end, distance)

    def of_year(self, year: int) -> Iterator[tuple[int, ClockTimes]]:
        """The days of a year that match, in order, with their times."""
        for day in self.days.of_year(year):
            yield day, self.times

    def _on(self, day: int) -> ClockTimes | None:
        return self.times if self.days.match(day) else None


def bits_of_days(times_on: Callable[[int], ClockTimes | None], begin: int, end: int) -> int:
    """Bit n tells whether wall time `begin + n`, before `end`, is among those of its day."""
    found = 0
    for day in range(begin // DAY_SECONDS, (end - 1) // DAY_SECONDS + 1):
        times = times_on(day)
        if times is not None:
            shift = day * DAY_SECONDS - begin
            found |= times.bits << shift if shift > 0 else times.bits >> -shift
    return found & ((1 << (end - begin)) - 1)


def count_pairs(walls: Walls, begin: int, end: int, distance: int) -> int:
    """How many of [begin, end) match together with the wall time so far behind them."""
    total = 0
    wall = walls.next(begin)
    while wall < end:
        # A minute that matches has the same seconds as any other, so it is counted as a whole.
        stop = min(wall - wall % 60 + 60, end) if distance % 60 == 0 else wall + 1
        if walls.next(wall + distance) == wall + distance:
            total += walls.count(wall, stop)
        wall = walls.next(stop)
    return total
