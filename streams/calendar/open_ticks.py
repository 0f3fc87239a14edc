"""
Which instants of an interval, or of a single instant, are left when some local times are closed?

An interval shorter than a day comes again on the next open day anyway: what is closed of it is
dropped, whatever is asked for, and it is counted day by day in closed form. Everything else comes
once a day at most and is looked at one by one: dropped, or moved to the nearest open day at the
same wall time. Wall times that an expression names are open_walls.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from streams.calendar.closed_times import DAY_MICROS, MINUTE_MICROS, SEARCH_YEARS, ClosedTimes
from streams.calendar.interval import ElapsedTicks
from streams.calendar.open_days import Layout, OpenDays, Slice
from streams.calendar.steps import Steps
from streams.calendar.ticks import FIRST_INSTANT, LAST_INSTANT, MICROS, NO_TICK, Tick
from streams.calendar.zones import ZoneClock

SEARCH_MICROS: Final = SEARCH_YEARS * 366 * DAY_MICROS
_FEW: Final = 64
"""So many instants are looked at one by one rather than the open stretches of their day."""


class OpenElapsed:
    """A short interval of elapsed time, without what is closed by the local clock."""

    __slots__ = ("_days", "_laid", "fixed", "source")

    def __init__(self, source: ElapsedTicks, closed: ClosedTimes, clock: ZoneClock) -> None:
        self.source = source
        self._days = OpenDays(closed, clock)
        self._laid: Layout | None = None
        self.fixed = source.fixed

    def after(self, after: int, origin: int) -> Tick:
        """The earliest tick strictly later than `after`, within the years that are searched."""
        first = self.source.after(after, origin)
        if first is NO_TICK:
            return NO_TICK
        end, steps = min(first.instant + SEARCH_MICROS, LAST_INSTANT), self.source.steps(origin)
        for part in self._days.slices(first.instant, end, steps):
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
        for part in self._days.slices_back(last.instant, end, steps):
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
        return self._layout(after, up_to).measure(steps)

    def measure_seconds(self, steps: Sequence[Steps], after: int, up_to: int) -> int:
        """How many instants of steps that are whole seconds apart are open in (after, up_to]."""
        return self._layout(after, up_to).measure_seconds(steps)

    def _layout(self, after: int, up_to: int) -> Layout:
        after, up_to = max(after, FIRST_INSTANT - 1), min(up_to, LAST_INSTANT)
        # Intervals that are counted together ask the same one.
        if self._laid is None or self._laid.of != (after, up_to):
            self._laid = Layout(self._days, after, up_to)
        return self._laid

    def open_of(self, instants: Iterable[int]) -> list[int]:
        """Those of some instants that are open."""
        return [instant for instant in instants if self._days.has(instant)]

    def open_bits(self, low: int, high: int) -> int:
        """Bit n tells whether second `low + n` is open, before `high`."""
        found = 0
        for part in self._days.slices(low * MICROS, high * MICROS - 1):
            begin, end = part.low // MICROS, part.high // MICROS
            seconds = self._days.stretches(part.closed).seconds
            seconds >>= begin - part.midnight // MICROS
            found |= (seconds & ((1 << (end - begin)) - 1)) << (begin - low)
        return found

    def _open_in(self, part: Slice, steps: Steps, order: int = 1) -> Iterator[tuple[int, int]]:
        """The open stretches of a slice; none if it is a whole day without an instant."""
        low, high, midnight, closed = part
        if not closed:
            yield low, high
        elif steps.within(low - 1, high - 1) <= _FEW:
            first = low + (steps.base - low) % steps.step
            for instant in range(first, high, steps.step)[::order]:
                if not closed >> (instant - midnight) // MINUTE_MICROS & 1:
                    yield instant, instant + 1
        elif not part.whole or self._days.runs(closed, steps.step).instants(
            (steps.base - midnight) % steps.step
        ):
            yield from self._days.stretches(closed).within(low, high, midnight, order)
