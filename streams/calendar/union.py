"""
What do several timings give together?

Their union: instants in order, equal ones once. Each timing alone is a Source of its own.
"""

from __future__ import annotations

from streams.calendar.ticks import NO_TICK, Source, Tick


class UnionTicks:
    """The ticks of several timings; at one instant the one with the latest wall time counts."""

    __slots__ = ("_sources", "fixed")

    def __init__(self, sources: tuple[Source, ...]) -> None:
        self._sources = sources
        self.fixed = all(source.fixed for source in sources)

    def after(self, after: int, origin: int) -> Tick:
        """The earliest tick strictly later than `after`."""
        return min((source.after(after, origin) for source in self._sources), key=_in_order)

    def until(self, until: int, origin: int) -> Tick:
        """The latest tick not later than `until`."""
        found = [source.until(until, origin) for source in self._sources]
        return max((tick for tick in found if tick is not NO_TICK), default=NO_TICK)

    def count(self, after: int, up_to: int, origin: int) -> int:
        """How many distinct instants there are in (after, up_to]."""
        counted = sorted(
            ((source.count(after, up_to, origin), source) for source in self._sources),
            key=lambda pair: -pair[0],
        )
        # The densest timing is counted as a whole; the others are looked at one by one.
        total, densest = counted[0]
        earlier = [densest]
        for _, source in counted[1:]:
            total += self._count_new(source, earlier, (after, up_to), origin)
            earlier.append(source)
        return total

    @staticmethod
    def _count_new(
        source: Source, earlier: list[Source], span: tuple[int, int], origin: int
    ) -> int:
        after, up_to = span
        new = 0
        instant = source.after(after, origin).instant
        while instant <= up_to:
            new += not any(other.until(instant, origin).instant == instant for other in earlier)
            instant = source.after(instant, origin).instant
        return new


def _in_order(tick: Tick) -> tuple[int, int, int]:
    return tick.instant, -tick.wall, -tick.second_pass
