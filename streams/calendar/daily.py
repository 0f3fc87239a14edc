"""
Where do steps of whole days come, many of them at once?

At one time of the day on every so manieth day. The days of a year are the bits of an integer, so
that what moves from closed days to open ones moves all together; instants are made for all days
between two changes of clocks. One by one, the same is interval.py and moved_ticks.py.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from streams.calendar.closed_times import DAY_MICROS, MINUTE_MICROS, ClosedTimes
from streams.calendar.closed_years import one_bits
from streams.calendar.days import first_day, year_of
from streams.calendar.policy import Policy
from streams.calendar.ticks import DAY_SECONDS, MICROS
from streams.calendar.wall_time import resolve
from streams.calendar.zones import ZoneClock


class Daily(NamedTuple):
    """A wall time on every so manieth day."""

    day: int
    every: int
    time: int
    """In microseconds from midnight."""
    begins: bool
    """Whether the first one comes after `day`; otherwise they reach in both directions."""

    def days(self, first: int, last: int) -> range:
        """The days from one to another on which it comes."""
        low = first + (self.day - first) % self.every
        if self.begins:
            low = max(low, self.day + self.every)
        return range(low, last + 1, self.every)

    def landed(self, first: int, last: int, closed: ClosedTimes, direction: int) -> list[int]:
        """The days on which those of [first, last] come if they move from closed days, or not."""
        found: set[int] = set()
        minute = self.time // MINUTE_MICROS
        for year in range(year_of(first), year_of(last) + 1):
            begin, end = first_day(year), first_day(year + 1)
            named = self._bits(max(begin, first), min(end - 1, last), begin)
            opened = closed.year(year).open_at(minute)
            bits, shut = named & opened, named & ~opened
            if direction and shut:
                bits |= _moved(shut, opened, end - begin, direction)
                # What leaves the year goes where the one nearest to the edge goes.
                edge = shut.bit_length() if direction > 0 else (shut & -shut).bit_length()
                target = closed.open_day(begin + edge - 1, minute, direction)
                found.update(() if target is None else (target,))
            found.update([begin + index for index in one_bits(bits)])
        return sorted(found)

    def _bits(self, first: int, last: int, begin: int) -> int:
        days = self.days(first, last)
        if not days:
            return 0
        if self.every == 1:
            return ((1 << len(days)) - 1) << (days.start - begin)
        return sum([1 << (day - begin) for day in days])


def _moved(shut: int, opened: int, length: int, direction: int) -> int:
    """The nearest open days after (direction 1) or before (-1) some that are shut, in one year."""
    if direction < 0:
        return _turned(_moved(_turned(shut, length), _turned(opened, length), length, 1), length)
    # To a run of closed days one of its own is added, or some: that carries into the day behind it.
    closed = ~opened & ((1 << length) - 1)
    return (closed + shut) & opened


def _turned(bits: int, length: int) -> int:
    return int(f"{bits:0{length}b}"[::-1], 2)


def instants(clock: ZoneClock, days: Sequence[int], time: int, policy: Policy) -> list[int]:
    """When a time of the day comes on each of some days, which are in order."""
    found: list[int] = []
    index = 0
    while index < len(days):
        wall = days[index] * DAY_MICROS + time
        low, high, offset = calm_walls(clock, wall)
        if low <= wall < high:
            stop = bisect_left(days, -((time - high) // DAY_MICROS), index)
            moved = time - offset
            found += [day * DAY_MICROS + moved for day in days[index:stop]]
            index = stop
        else:
            found += [tick.instant for tick in resolve(clock, wall, policy)]
            index += 1
    return found


def calm_walls(clock: ZoneClock, wall: int) -> tuple[int, int, int]:
    """Wall times near one, from first to end, that come once each, and by which offset."""
    segment = clock.segment_at(wall // MICROS)
    low, high = segment.calm + segment.offset, segment.high + segment.offset - DAY_SECONDS
    return low * MICROS, high * MICROS, segment.offset * MICROS
