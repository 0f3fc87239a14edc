"""
What do several timings give together?

Their union: instants in order, equal ones once. Each timing alone is a Source of its own; counting
without visiting each instant is counting.py.
"""

from __future__ import annotations

from streams.calendar.counting import Dense, count_together
from streams.calendar.cron_ticks import CronTicks
from streams.calendar.interval import ElapsedTicks
from streams.calendar.ticks import (
    FIRST_INSTANT,
    LAST_INSTANT,
    MICROS,
    NO_TICK,
    Source,
    Tick,
    in_order,
)
from streams.calendar.zones import ZoneClock


class UnionTicks:
    """The ticks of several timings; at one instant the one with the latest wall time counts."""

    __slots__ = ("_clock", "_crons", "_intervals", "_rest", "fixed", "sources")

    def __init__(self, sources: tuple[Source, ...], clock: ZoneClock) -> None:
        self.sources = sources
        self._clock = clock
        self._crons = [source for source in sources if isinstance(source, CronTicks)]
        self._intervals = [source for source in sources if isinstance(source, ElapsedTicks)]
        dense = {*self._crons, *self._intervals}
        self._rest = [source for source in sources if source not in dense]
        self.fixed = all(source.fixed for source in sources)

    def after(self, after: int, origin: int) -> Tick:
        """The earliest tick strictly later than `after`."""
        return min((source.after(after, origin) for source in self.sources), key=in_order)

    def until(self, until: int, origin: int) -> Tick:
        """The latest tick not later than `until`."""
        found = [source.until(until, origin) for source in self.sources]
        return max((tick for tick in found if tick is not NO_TICK), default=NO_TICK)

    def count(self, after: int, up_to: int, origin: int) -> int:
        """How many distinct instants there are in (after, up_to]."""
        after, up_to = max(after, FIRST_INSTANT - 1), min(up_to, LAST_INSTANT)
        dense: list[tuple[int, Dense]] = [(0, _Fixed(cron)) for cron in self._crons]
        for interval in self._intervals:
            dense += [(part.base % MICROS, part) for part in interval.progressions(origin)]
        total = count_together(dense, self._clock, after, up_to)
        # The rest has at most one instant a day and is looked at one by one.
        earlier: list[Source] = [*self._crons, *self._intervals]
        for source in self._rest:
            total += _count_new(source, earlier, (after, up_to), origin)
            earlier.append(source)
        return total


class _Fixed:
    """A cron expression, which has no origin."""

    def __init__(self, ticks: CronTicks) -> None:
        self.bits = ticks.bits
        self.count = ticks.count


def _count_new(source: Source, earlier: list[Source], span: tuple[int, int], origin: int) -> int:
    after, up_to = span
    new = 0
    instant = source.after(after, origin).instant
    while instant <= up_to:
        new += not any(other.until(instant, origin).instant == instant for other in earlier)
        instant = source.after(instant, origin).instant
    return new
