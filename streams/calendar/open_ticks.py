"""
Which instants of an interval, or of a single instant, are left when some local times are closed?

An interval shorter than a day comes again on the next open day anyway: what is closed of it is
dropped, whatever is asked for, and it is counted day by day in closed form. Everything else comes
once a day at most and is looked at one by one: dropped, or moved to the nearest open day at the
same wall time. Wall times that an expression names are open_walls.py.
"""

from __future__ import annotations

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
from streams.calendar.open_runs import Runs
from streams.calendar.steps import Steps
from streams.calendar.ticks import (
    FIRST_INSTANT,
    LAST_INSTANT,
    MICROS,
    NO_TICK,
    Tick,
)
from streams.calendar.zones import ZoneClock

SEARCH_MICROS: Final = SEARCH_YEARS * 366 * DAY_MICROS
_KEPT_RUNS: Final = 1024
_FEW: Final = 64
"""So many instants are looked at one by one rather than the open stretches of their day."""


class Slice(NamedTuple):
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

    __slots__ = ("_clock", "_closed", "_laid", "_laid_for", "_runs", "fixed", "source")

    def __init__(self, source: ElapsedTicks, closed: ClosedTimes, clock: ZoneClock) -> None:
        self.source = source
        self._closed = closed
        self._clock = clock
        self._runs: dict[tuple[int, int], Runs] = {}
        self._laid: list[Slice] = []
        self._laid_for = (0, 0)
        self.fixed = source.fixed

    def after(self, after: int, origin: int) -> Tick:
        """The earliest tick strictly later than `after`, within the years that are searched."""
        first = self.source.after(after, origin)
        if first is NO_TICK:
            return NO_TICK
        end, steps = min(first.instant + SEARCH_MICROS, LAST_INSTANT), self.source.steps(origin)
        for part in self._slices(first.instant, end):
            for low, high in self._open_in(part, steps):
                found = low + (steps.base - low) % steps.step
                if found < high:
                    return Tick(found, found, 0)
        return NO_TICK

    def until(self, until: int, origin: int) -> Tick:
        """The latest tick not later than `until`, within the years that are searched."""
        last = self.source.until(until, origin)
        if last is NO_TICK:
            return NO_TICK
        least = FIRST_INSTANT if self.fixed else max(origin + 1, FIRST_INSTANT)
        end, steps = max(last.instant - SEARCH_MICROS, least), self.source.steps(origin)
        for part in self._slices_back(last.instant, end):
            for low, high in self._open_in(part, steps, -1):
                found = high - 1 - (high - 1 - steps.base) % steps.step
                if found >= low:
                    return Tick(found, found, 0)
        return NO_TICK

    def count(self, after: int, up_to: int, origin: int) -> int:
        """How many instants there are in (after, up_to]."""
        if not self.fixed:
            after = max(after, origin)
        return self.measure(self.source.steps(origin), after, up_to)

    def steps(self, origin: int) -> Steps:
        """Its instants and those that are closed."""
        return self.source.steps(origin)

    def measure(self, steps: Steps, after: int, up_to: int) -> int:
        """How many of some steps are open in (after, up_to]."""
        after, up_to = max(after, FIRST_INSTANT - 1), min(up_to, LAST_INSTANT)
        if self._laid_for != (after, up_to):
            self._laid, self._laid_for = self._lay_out(after, up_to), (after, up_to)
        base, step = steps
        total = 0
        for part in self._laid:
            low, high, _, closed = part
            if not closed:
                total += (high - 1 - base) // step - (low - 1 - base) // step
            elif part.whole:
                total += self._count_whole(part, steps)
            else:
                for begin, end in self._open_in(part, steps):
                    total += (end - 1 - base) // step - (begin - 1 - base) // step
        return total

    def _lay_out(self, after: int, up_to: int) -> list[Slice]:
        """What is open at all in (after, up_to]; days without a closed minute are put together.

        Kept for the next question, since intervals that are counted together ask the same one.
        """
        parts: list[Slice] = []
        for part in self._slices(after + 1, up_to):
            if part.closed == ALL_DAY:
                continue
            if parts and not part.closed | parts[-1].closed and parts[-1].high == part.low:
                parts[-1] = parts[-1]._replace(high=part.high)
            else:
                parts.append(part)
        return parts

    def open_bits(self, low: int, high: int) -> int:
        """Bit n tells whether second `low + n` is open, before `high`."""
        found = 0
        for part in self._slices(low * MICROS, high * MICROS - 1):
            begin, end = part.low // MICROS, part.high // MICROS
            seconds = self._runs_of(part.closed, MICROS).bits >> (begin - part.midnight // MICROS)
            found |= (seconds & ((1 << (end - begin)) - 1)) << (begin - low)
        return found

    def _runs_of(self, closed: int, step: int) -> Runs:
        runs = self._runs.get((closed, step))
        if runs is None:
            if len(self._runs) >= _KEPT_RUNS:
                self._runs.clear()
            runs = self._runs[closed, step] = Runs(closed, step)
        return runs

    def _count_whole(self, part: Slice, steps: Steps) -> int:
        offset = (steps.base - part.midnight) % steps.step
        return self._runs_of(part.closed, steps.step).instants(offset)

    def _open_in(self, part: Slice, steps: Steps, order: int = 1) -> Iterator[tuple[int, int]]:
        """The open stretches of a slice; none if it is a whole day without an instant."""
        low, high, midnight, closed = part
        if not closed:
            yield low, high
        elif closed == ALL_DAY or (part.whole and not self._count_whole(part, steps)):
            return
        elif steps.within(low - 1, high - 1) <= _FEW:
            first = low + (steps.base - low) % steps.step
            for instant in range(first, high, steps.step)[::order]:
                if not closed >> (instant - midnight) // MINUTE_MICROS & 1:
                    yield instant, instant + 1
        else:
            yield from self._runs_of(closed, steps.step).within(low, high, midnight, order)

    def _slices(self, first: int, last: int) -> Iterator[Slice]:
        """The parts of days from one instant to another, in order."""
        while first <= last:
            segment = self._clock.segment_at(first // MICROS)
            stop, offset = min(segment.high * MICROS, last + 1), segment.offset * MICROS
            day = (first + offset) // DAY_MICROS
            while first < stop:
                midnight = day * DAY_MICROS - offset
                closed, following = self._closed_on(day, 1)
                end = min(following * DAY_MICROS - offset, stop)
                yield Slice(first, end, midnight, closed)
                first, day = end, following

    def _slices_back(self, last: int, first: int) -> Iterator[Slice]:
        """The parts of days from one instant back to another."""
        while last >= first:
            segment = self._clock.segment_at(last // MICROS)
            start, offset = max(segment.low * MICROS, first), segment.offset * MICROS
            day = (last + offset) // DAY_MICROS
            while last >= start:
                closed, following = self._closed_on(day, -1)
                midnight = (following + 1) * DAY_MICROS - offset
                begin = max(midnight, start)
                yield Slice(begin, last + 1, midnight, closed)
                last, day = begin - 1, following

    def _closed_on(self, day: int, step: int) -> tuple[int, int]:
        """The closed minutes of a day, and the day after or before all days closed like it."""
        closed = self._closed.minutes(day)
        if closed == ALL_DAY:
            return closed, self._closed.beyond_closed(day, step)
        return closed, day + step
