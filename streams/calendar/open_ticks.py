"""
Which instants of an interval, or of a single instant, are left when some local times are closed?

An interval shorter than a day comes again on the next open day anyway: what is closed of it is
dropped, whatever is asked for, and it is counted day by day in closed form. Everything else comes
once a day at most and is looked at one by one: dropped, or moved to the nearest open day at the
same wall time. Wall times that an expression names are open_walls.py.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, NamedTuple

from streams.calendar.closed_times import (
    ALL_DAY,
    DAY_MICROS,
    MINUTE_MICROS,
    SEARCH_YEARS,
    ClosedTimes,
)
from streams.calendar.interval import ElapsedTicks
from streams.calendar.ticks import (
    DAY_SECONDS,
    FIRST_INSTANT,
    LAST_INSTANT,
    MICROS,
    NO_TICK,
    Tick,
)
from streams.calendar.zones import ZoneClock

SEARCH_MICROS: Final = SEARCH_YEARS * 366 * DAY_MICROS


class _Runs(NamedTuple):
    """The open stretches of one day, and how often an interval comes inside them."""

    stretches: tuple[tuple[int, int], ...]
    """In microseconds of the day."""
    least: int
    begins: tuple[int, ...]
    ends: tuple[int, ...]

    def instants(self, offset: int) -> int:
        """How many instants lie in them if the day's first one is so far from midnight."""
        # [x, y) has ceil((y - o) / step) - ceil((x - o) / step) of them, and the ceiling is the
        # floor of y / step, or one more as long as o is less than what is left over.
        return self.least + bisect_right(self.begins, offset) - bisect_right(self.ends, offset)


def _runs(closed: int, step: int) -> _Runs:
    stretches = []
    minute, opened = 0, ALL_DAY ^ closed
    while opened:
        skipped = (opened & -opened).bit_length() - 1
        opened >>= skipped
        length = (~opened & (opened + 1)).bit_length() - 1
        opened >>= length
        minute += skipped
        stretches.append((minute * MINUTE_MICROS, (minute + length) * MINUTE_MICROS))
        minute += length
    begins = sorted(begin % step for begin, _ in stretches)
    ends = sorted(end % step for _, end in stretches)
    floors = sum(end // step - begin // step for begin, end in stretches)
    return _Runs(tuple(stretches), floors, tuple(begins), tuple(ends))


class _Slice(NamedTuple):
    """A part of a local day under one offset: instants in [low, high)."""

    low: int
    high: int
    midnight: int
    """The instant at which the day began, by this offset."""
    closed: int

    @property
    def whole(self) -> bool:
        """Whether it is all of the day."""
        return self.high - self.low == DAY_MICROS


class OpenElapsed:
    """A short interval of elapsed time, without what is closed by the local clock."""

    __slots__ = ("_clock", "_closed", "_runs", "_source", "fixed")

    def __init__(self, source: ElapsedTicks, closed: ClosedTimes, clock: ZoneClock) -> None:
        self._source = source
        self._closed = closed
        self._clock = clock
        self._runs: dict[int, _Runs] = {}
        self.fixed = source.fixed

    def after(self, after: int, origin: int) -> Tick:
        """The earliest tick strictly later than `after`, within the years that are searched."""
        first = self._source.after(after, origin)
        if first is NO_TICK:
            return NO_TICK
        end = min(first.instant + SEARCH_MICROS, LAST_INSTANT)
        for part in self._slices(first.instant, end):
            for low, high in self._open_in(part, origin):
                tick = self._source.after(low - 1, origin)
                if tick.instant < high:
                    return tick
        return NO_TICK

    def until(self, until: int, origin: int) -> Tick:
        """The latest tick not later than `until`, within the years that are searched."""
        last = self._source.until(until, origin)
        if last is NO_TICK:
            return NO_TICK
        first = (
            last.instant - SEARCH_MICROS
            if self.fixed
            else max(last.instant - SEARCH_MICROS, origin + 1)
        )
        for part in self._slices_back(last.instant, max(first, FIRST_INSTANT)):
            for low, high in reversed(self._open_in(part, origin)):
                tick = self._source.until(high - 1, origin)
                if tick is not NO_TICK and tick.instant >= low:
                    return tick
        return NO_TICK

    def count(self, after: int, up_to: int, origin: int) -> int:
        """How many instants there are in (after, up_to]."""
        if not self.fixed:
            after = max(after, origin)
        after, up_to = max(after, FIRST_INSTANT - 1), min(up_to, LAST_INSTANT)
        total = 0
        for part in self._slices(after + 1, up_to):
            if part.whole and part.closed:
                total += self._count_whole(part, origin)
                continue
            for low, high in self._open_in(part, origin):
                total += self._source.count(low - 1, high - 1, origin)
        return total

    def bits(self, low: int, high: int, offset: int) -> int:
        """Bit n tells whether second `low + n` is open; the offset holds for all of them."""
        found = 0
        for day in range((low + offset) // DAY_SECONDS, (high - 1 + offset) // DAY_SECONDS + 1):
            seconds = self._seconds(self._closed.minutes(day))
            shift = day * DAY_SECONDS - offset - low
            found |= seconds << shift if shift > 0 else seconds >> -shift
        return found & ((1 << (high - low)) - 1)

    def _seconds(self, closed: int) -> int:
        bits = 0
        for begin, end in self._runs_of(closed).stretches:
            bits |= ((1 << (end - begin) // MICROS) - 1) << begin // MICROS
        return bits

    def _runs_of(self, closed: int) -> _Runs:
        runs = self._runs.get(closed)
        if runs is None:
            runs = self._runs[closed] = _runs(closed, self._source.step)
        return runs

    def _count_whole(self, part: _Slice, origin: int) -> int:
        offset = (self._source.base(origin) - part.midnight) % self._source.step
        return self._runs_of(part.closed).instants(offset)

    def _open_in(self, part: _Slice, origin: int) -> list[tuple[int, int]]:
        """The open stretches of a slice; none if it is a whole day without an instant."""
        low, high, midnight, closed = part
        if closed == ALL_DAY:
            return []
        if not closed:
            return [(low, high)]
        if part.whole and not self._count_whole(part, origin):
            return []
        stretches = self._runs_of(closed).stretches
        cut = ((max(midnight + x, low), min(midnight + y, high)) for x, y in stretches)
        return [(begin, end) for begin, end in cut if begin < end]

    def _slices(self, first: int, last: int) -> Iterator[_Slice]:
        """The parts of days from one instant to another, in order."""
        while first <= last:
            segment = self._clock.segment_at(first // MICROS)
            stop, offset = min(segment.high * MICROS, last + 1), segment.offset * MICROS
            day = (first + offset) // DAY_MICROS
            while first < stop:
                midnight = day * DAY_MICROS - offset
                closed, following = self._closed_on(day, 1)
                end = min(following * DAY_MICROS - offset, stop)
                yield _Slice(first, end, midnight, closed)
                first, day = end, following

    def _slices_back(self, last: int, first: int) -> Iterator[_Slice]:
        """The parts of days from one instant back to another."""
        while last >= first:
            segment = self._clock.segment_at(last // MICROS)
            start, offset = max(segment.low * MICROS, first), segment.offset * MICROS
            day = (last + offset) // DAY_MICROS
            while last >= start:
                closed, following = self._closed_on(day, -1)
                midnight = (following + 1) * DAY_MICROS - offset
                begin = max(midnight, start)
                yield _Slice(begin, last + 1, midnight, closed)
                last, day = begin - 1, following

    def _closed_on(self, day: int, step: int) -> tuple[int, int]:
        """The closed minutes of a day, and the day after or before all days closed like it."""
        closed = self._closed.minutes(day)
        if closed == ALL_DAY:
            return closed, self._closed.beyond_closed(day, step)
        return closed, day + step
