"""
When are wall times in real time?

The resolver: it walks the segments of a zone and turns matching wall times into instants, with
skipped and repeated ones as the policy says. Which wall times match is matching.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from streams.calendar.clock_times import ClockTimes
from streams.calendar.matching import NEVER_WALL, Walls
from streams.calendar.policy import Policy, Skipped
from streams.calendar.ticks import DAY_SECONDS, FIRST_SECOND, LAST_SECOND, MICROS, NO_TICK, Tick
from streams.calendar.zones import Segment, ZoneClock

_LOOK_BACK: Final = 2 * DAY_SECONDS
"""More than any change of clocks and any offset together, so that nothing is passed over."""


class CronTicks:
    """The ticks of one cron expression in one zone."""

    __slots__ = ("_clock", "_segment", "_skipped", "_twice", "fixed", "policy", "walled", "walls")

    def __init__(self, walls: Walls, clock: ZoneClock, policy: Policy) -> None:
        self.walls = walls
        self.policy = policy
        self.walled = True
        self._clock = clock
        self._skipped, self._twice = policy
        self._segment = clock.segment_at(0)
        self.fixed = True

    def over(self, walls: Walls) -> CronTicks:
        """The ticks of other wall times, in the same zone and under the same policy."""
        return CronTicks(walls, self._clock, self.policy)

    def after(self, after: int, origin: int = 0) -> Tick:  # noqa: ARG002 - no origin here
        """The earliest tick strictly later than `after`."""
        # Matches are whole seconds: the first one later than a fraction is at the next or later.
        second = after // MICROS + 1
        segment = self._segment
        if segment.calm <= second < segment.high:
            wall = self.walls.next(second + segment.offset)
            found = wall - segment.offset
            if found < segment.high and FIRST_SECOND <= found <= LAST_SECOND:
                return Tick(found * MICROS, wall * MICROS, 0)
        return self._search(second)

    def until(self, until: int, origin: int = 0) -> Tick:  # noqa: ARG002
        """The latest tick not later than `until`."""
        second = min(until // MICROS, LAST_SECOND)
        while second >= FIRST_SECOND:
            segment = self._clock.segment_at(second)
            tick = self._last_in(segment, second)
            if tick is not NO_TICK:
                return tick if tick.instant >= FIRST_SECOND * MICROS else NO_TICK
            likely = self.walls.previous(second + segment.offset + _LOOK_BACK) + _LOOK_BACK
            second = min(segment.low - 1, likely)
        return NO_TICK

    def count(self, after: int, up_to: int, origin: int = 0) -> int:  # noqa: ARG002
        """How many instants there are in (after, up_to]."""
        second = max(after // MICROS + 1, FIRST_SECOND)
        end = min(up_to // MICROS, LAST_SECOND)
        total = 0
        while second <= end:
            segment = self._clock.segment_at(second)
            total += self._count_in(segment, second, min(end, segment.high - 1))
            second = segment.high
        return total

    def next_wall(self, wall: int, origin: int = 0) -> int:  # noqa: ARG002
        """The earliest wall time at or after one that is asked for, in seconds."""
        return self.walls.next(wall)

    def of_year(self, year: int) -> Iterator[tuple[int, ClockTimes]]:
        """The days of a year that match, in order, with their times."""
        return self.walls.of_year(year)

    def bits(self, segment: Segment, low: int, high: int) -> int:
        """Bit n tells whether there is a tick at second `low + n`; all lie in the segment."""
        offset, before, calm = segment.offset, segment.before, min(segment.calm, high)
        found = self.walls.bits(low + offset, high + offset)
        if low >= calm:
            return found
        if offset < before and not self._twice:
            return found >> (calm - low) << (calm - low)
        if offset > before and self._skipped is Skipped.SHIFTED:
            return found | self.walls.bits(low + before, calm + before)
        at_jump = self._skipped is Skipped.AT_JUMP and offset > before and low == segment.low
        return found | int(at_jump and self._at_jump(segment) is not NO_TICK)

    def _search(self, second: int) -> Tick:
        second = max(second, FIRST_SECOND)
        while second <= LAST_SECOND:
            segment = self._segment = self._clock.segment_at(second)
            tick = self._first_in(segment, second)
            if tick is not NO_TICK:
                return tick if tick.instant <= LAST_SECOND * MICROS else NO_TICK
            likely = self.walls.next(second + segment.offset - _LOOK_BACK) - _LOOK_BACK
            second = max(segment.high, likely)
        return NO_TICK

    def _first_in(self, segment: Segment, second: int) -> Tick:
        """The earliest tick of a segment at or after a second in it."""
        low, high, offset, before, calm = segment
        floor = second + offset if self._twice else max(second + offset, low + before)
        wall = self.walls.next(floor)
        made_good = NO_TICK
        if second < calm and offset > before and self._skipped is not Skipped.LOST:
            made_good = self._made_good_from(segment, second)
        if wall - offset >= high or (wall - offset) * MICROS > made_good.instant:
            return made_good
        return _tick(wall, offset, second_pass=wall < low + before)

    def _made_good_from(self, segment: Segment, second: int) -> Tick:
        """The earliest skipped wall time that is made good at or after a second."""
        low, _, offset, before, _ = segment
        if self._skipped is Skipped.SHIFTED:
            wall = self.walls.next(second + before)
            return _tick(wall, before) if wall < low + offset else NO_TICK
        return self._at_jump(segment) if second <= low else NO_TICK

    def _last_in(self, segment: Segment, second: int) -> Tick:
        """The latest tick of a segment at or before a second in it."""
        low, _, offset, before, _ = segment
        floor = low + offset if self._twice else low + max(offset, before)
        wall = self.walls.previous(second + offset)
        found = NO_TICK
        if wall >= floor:
            found = _tick(wall, offset, second_pass=wall < low + before)
        made_good = NO_TICK
        if offset > before and self._skipped is not Skipped.LOST:
            made_good = self._made_good_to(segment, second)
        if NO_TICK in (found, made_good):
            return found if made_good is NO_TICK else made_good
        return found if found.instant >= made_good.instant else made_good

    def _made_good_to(self, segment: Segment, second: int) -> Tick:
        """The latest skipped wall time that is made good at or before a second."""
        low, _, offset, before, _ = segment
        if self._skipped is Skipped.AT_JUMP:
            return self._at_jump(segment)
        wall = self.walls.previous(min(second + before, low + offset - 1))
        return _tick(wall, before) if wall >= low + before else NO_TICK

    def _at_jump(self, segment: Segment) -> Tick:
        low, _, offset, before, _ = segment
        wall = self.walls.previous(low + offset - 1)
        if wall < low + before:
            return NO_TICK
        return Tick(low * MICROS, wall * MICROS, 0)

    def _count_in(self, segment: Segment, first: int, last: int) -> int:
        """The instants of a segment in [first, last], both in it."""
        low, _, offset, before, calm = segment
        floor = first + offset if self._twice else max(first + offset, low + before)
        total = self.walls.count(floor, last + offset + 1)
        if first < calm and offset > before:
            total += self._count_made_good(segment, first, last)
        return total

    def _count_made_good(self, segment: Segment, first: int, last: int) -> int:
        """The made-good instants in [first, last] that no regular match shares."""
        low, _, offset, before, _ = segment
        if self._skipped is Skipped.SHIFTED:
            begin, end = first + before, min(last + before + 1, low + offset)
            return self.walls.count(begin, end) - self.walls.count_pairs(
                begin, end, offset - before
            )
        if self._skipped is Skipped.AT_JUMP and first == low:
            regular = self.walls.next(low + offset) == low + offset
            return int(not regular and self._at_jump(segment) is not NO_TICK)
        return 0


def _tick(wall: int, offset: int, *, second_pass: bool = False) -> Tick:
    if abs(wall) >= NEVER_WALL:
        return NO_TICK
    return Tick((wall - offset) * MICROS, wall * MICROS, int(second_pass))
