"""
What do several timings give together?

Their union: instants in order, equal ones once. Each timing alone is a Source of its own. Counting
visits none of the instants of expressions and short intervals: counting.py and steps.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from streams.calendar.counting import Together
from streams.calendar.cron_ticks import CronTicks
from streams.calendar.interval import ElapsedTicks, SteppedTicks
from streams.calendar.moved_ticks import MovedTicks
from streams.calendar.once import OnceTicks
from streams.calendar.open_ticks import OpenElapsed
from streams.calendar.steps import WHOLE_SECONDS, count_steps, different
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

_Elapsed = ElapsedTicks | OpenElapsed
_Seldom = SteppedTicks | OnceTicks | MovedTicks
"""They come once a day at most, and are looked at one by one."""


class UnionTicks:
    """The ticks of several timings; at one instant the one with the latest wall time counts."""

    __slots__ = ("_crons", "_elapsed", "_rest", "fixed", "sources")

    def __init__(self, sources: tuple[Source, ...], clock: ZoneClock) -> None:
        self.sources = sources
        crons = [source for source in sources if isinstance(source, CronTicks)]
        self._crons = Together(crons, clock) if crons else None
        self._elapsed = [each for each in sources if isinstance(each, _Elapsed)]
        self._rest = [each for each in sources if isinstance(each, _Seldom)]
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
        # Before the origin an interval without an anchor has no instants, after it all.
        edge = min(max(after, origin), up_to)
        anchored = [each for each in self._elapsed if each.fixed]
        total = self._count_dense(anchored, after, edge, origin)
        total += self._count_dense(self._elapsed, edge, up_to, origin)
        return total + self._count_rest(after, up_to, origin)

    def _count_dense(self, elapsed: Sequence[_Elapsed], after: int, up_to: int, origin: int) -> int:
        """Those of expressions and intervals of elapsed time."""
        if after >= up_to:
            return 0
        first, end = after // MICROS + 1, up_to // MICROS + 1
        total = self._crons.count(first, end) if self._crons else 0
        if elapsed:
            steps = [each.steps(origin) for each in elapsed]
            # All of them go around the same closed times, or none does.
            opened = elapsed[0] if isinstance(elapsed[0], OpenElapsed) else None
            total += count_steps(steps, after, up_to, opened)
            if self._crons:
                # An expression comes at whole seconds only.
                met = (each.meeting(WHOLE_SECONDS) for each in steps)
                seconds = different([each for each in met if each is not None])
                total -= self._crons.count_meeting(seconds, opened, first, end)
        return total

    def _count_rest(self, after: int, up_to: int, origin: int) -> int:
        """Those that no expression and no interval of elapsed time has; a few a day at most."""
        found: set[int] = set()
        for source in self._rest:
            found.update(source.instants(after, up_to, origin))
        for each in self._elapsed:
            base, step = each.steps(origin)
            least = after if each.fixed else max(after, origin)
            met = [instant for instant in found if not (instant - base) % step and instant > least]
            found.difference_update(met if isinstance(each, ElapsedTicks) else each.open_of(met))
        if self._crons is None:
            return len(found)
        crons = self._crons
        # In order, since neighbours are asked about the same day.
        return sum(
            bool(instant % MICROS) or not crons.has(instant // MICROS) for instant in sorted(found)
        )
