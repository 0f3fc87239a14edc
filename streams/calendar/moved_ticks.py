"""
Where does an occurrence go that comes once a day at most, when its day is closed?

Each tick of a timing is looked at by its wall time: an open one stays, a closed one is dropped or
comes at the same wall time of the nearest open day. Ticks that land at one instant are one. Wall
times that an expression names are open_walls.py, short intervals open_ticks.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from schemas.definition import OnExcluded
from streams.calendar.closed_times import (
    DAY_MICROS,
    DIRECTIONS,
    FARTHEST_MOVE,
    MINUTE_MICROS,
    SEARCH_YEARS,
    ClosedTimes,
)
from streams.calendar.closed_years import ALL_DAY, ClosedYear
from streams.calendar.daily import instants
from streams.calendar.days import FIRST_DAY, LAST_DAY, first_day, year_of
from streams.calendar.interval import SteppedTicks
from streams.calendar.policy import Policy
from streams.calendar.ticks import MICROS, NEVER, NO_TICK, Tick, in_order
from streams.calendar.wall_time import resolve
from streams.calendar.zones import ZoneClock

_SEARCH_MICROS: Final = SEARCH_YEARS * 366 * DAY_MICROS
MOST_LOOKS: Final = 1_000
"""So many ticks that lead nowhere end a search: nearly three years of days."""
_PATIENCE: Final = 32
"""After so many looks in vain it is worth to ask whether others are in vain, too."""
_NO_WALL: Final = 1 << 62
_SLACK: Final = 2
"""Days by which offsets and changes of clocks may part an instant from its wall time."""


class Seldom(Protocol):
    """A timing that comes once a day at most, but for a wall time that is repeated."""

    fixed: bool

    def forward(self, after: int, origin: int) -> Iterator[Tick]:
        """All ticks strictly later than `after`, in order."""

    def backward(self, until: int, origin: int) -> Iterator[Tick]:
        """All ticks not later than `until`, the latest first."""


class Closing(NamedTuple):
    """What is closed, and what becomes of it."""

    times: ClosedTimes
    on_excluded: OnExcluded
    clock: ZoneClock
    policy: Policy
    """What a change of clocks does to the wall time of the day to which a tick moves."""


class MovedTicks:
    """The ticks of a timing that are open, and those of its closed ones that move."""

    __slots__ = (
        *("_closed", "_closing", "_direction", "_edges", "_edges_of", "_last", "_segment"),
        *("_source", "_walled", "_year", "fixed"),
    )

    def __init__(self, source: Seldom, closing: Closing, *, walled: bool) -> None:
        self._source = source
        self._closing = closing
        self._closed = closing.times
        self._walled = walled
        """Whether the ticks carry wall times; others are looked at by the clock on the wall."""
        self.fixed = source.fixed
        self._direction = DIRECTIONS[closing.on_excluded]
        # What the tick before was asked with, since ticks are looked at in order.
        self._year = (0, 0, ClosedYear.open(0))
        self._segment = (0, 0, 0)
        self._edges: dict[int, int | None] = {}
        self._edges_of = 0
        self._last: tuple[int, tuple[Tick, ...]] = (_NO_WALL, ())

    def after(self, after: int, origin: int) -> Tick:
        """The earliest tick strictly later than `after`, or NO_TICK if a search finds none."""
        best, last = NO_TICK, NEVER
        for looks, tick in enumerate(self._source.forward(self._from(after), origin)):
            if not looks:
                last = max(after, tick.instant) + _SEARCH_MICROS
            if tick.instant > last or looks > MOST_LOOKS:
                break
            if looks == _PATIENCE and best is NO_TICK and self._none_lands(tick, 1, last, origin):
                break
            for landed in self._landed(tick):
                if landed.instant > after and in_order(landed) < in_order(best):
                    best, last = landed, self._to(landed.instant)
        return best

    def until(self, until: int, origin: int) -> Tick:
        """The latest tick not later than `until`, or NO_TICK if a search finds none."""
        best, first = NO_TICK, -NEVER
        for looks, tick in enumerate(self._source.backward(self._to(until), origin)):
            if not looks:
                first = min(until, tick.instant) - _SEARCH_MICROS
            if tick.instant < first or looks > MOST_LOOKS:
                break
            if looks == _PATIENCE and best is NO_TICK and self._none_lands(tick, -1, first, origin):
                break
            for landed in self._landed(tick):
                if landed.instant <= until and (best is NO_TICK or landed > best):
                    best, first = landed, self._from(landed.instant)
        return best

    def count(self, after: int, up_to: int, origin: int) -> int:
        """How many distinct instants there are in (after, up_to]."""
        return len(self.instants(after, up_to, origin))

    def instants(self, after: int, up_to: int, origin: int) -> set[int]:
        """The instants in (after, up_to]."""
        last = self._to(up_to)
        daily = self._source.daily(origin) if isinstance(self._source, SteppedTicks) else None
        if daily is not None:
            begin, end = self._from(after) // DAY_MICROS - _SLACK, last // DAY_MICROS + _SLACK
            if begin > FIRST_DAY and end < LAST_DAY:
                days = daily.landed(begin, end, self._closed, self._direction)
                landed = instants(self._closing.clock, days, daily.time, self._closing.policy)
                return {instant for instant in landed if after < instant <= up_to}
        found: set[int] = set()
        for tick in self._source.forward(self._from(after), origin):
            if tick.instant > last:
                break
            found.update([each.instant for each in self._landed(tick)])
        return {instant for instant in found if after < instant <= up_to}

    def _none_lands(self, tick: Tick, step: int, end: int, origin: int) -> bool:
        """Whether neither a tick nor a later one (step -1: earlier) that is looked at comes.

        Only of steps over whole days is that known without a look at each.
        """
        daily = self._source.daily(origin) if isinstance(self._source, SteppedTicks) else None
        if daily is None:
            return False
        begin = tick.instant // DAY_MICROS - step * _SLACK
        end = end // DAY_MICROS + step * _SLACK
        end = min(begin * step + MOST_LOOKS * daily.every + 2 * _SLACK, end * step) * step
        first, last = max(min(begin, end), FIRST_DAY), min(max(begin, end), LAST_DAY)
        return not daily.landed(first, last, self._closed, self._direction)

    def _landed(self, tick: Tick) -> tuple[Tick, ...]:
        """Where a tick comes, if anywhere."""
        day, time = divmod(self._wall(tick), DAY_MICROS)
        minute = time // MINUTE_MICROS
        first, end, year = self._year
        if not first <= day < end:
            first, end, year = self._year = self._year_around(day)
        opened = year.open_at(minute)
        if opened >> (day - first) & 1:
            return (tick,)
        target = self._target(opened, day - first, minute)
        if target is None:
            return ()
        # Neighbours often move to the same day.
        wall = target * DAY_MICROS + time
        if self._last[0] != wall:
            ticks = resolve(self._closing.clock, wall, self._closing.policy)
            if not self._walled:
                ticks = tuple(Tick(each.instant, each.instant, 0) for each in ticks)
            self._last = wall, ticks
        return self._last[1]

    def _target(self, opened: int, index: int, minute: int) -> int | None:
        """To which day a tick moves from a closed one of the year at hand."""
        if not self._direction:
            return None
        first = self._year[0]
        if self._direction > 0:
            later = opened >> index
            if later:
                return first + index + (later & -later).bit_length() - 1
        else:
            earlier = opened & ((1 << index) - 1)
            if earlier:
                return first + earlier.bit_length() - 1
        return self._beyond_year(first + index, minute)

    def _beyond_year(self, day: int, minute: int) -> int | None:
        """The nearest open day outside of the year at hand, if it is not too far from a day."""
        first, end, _ = self._year
        if self._edges_of != first:
            self._edges, self._edges_of = {}, first
        if minute not in self._edges:
            edge = end - 1 if self._direction > 0 else first
            self._edges[minute] = self._closed.open_day(edge, minute, self._direction)
        found = self._edges[minute]
        return None if found is None or abs(found - day) > FARTHEST_MOVE else found

    def _year_around(self, day: int) -> tuple[int, int, ClosedYear]:
        """A day's year: its first day, that of the next one, and what is closed."""
        year = year_of(min(max(day, FIRST_DAY), LAST_DAY))
        if FIRST_DAY <= day <= LAST_DAY:
            return first_day(year), first_day(year + 1), self._closed.year(year)
        # Outside of the calendar nothing is closed.
        return day, day + 1, ClosedYear.open(1)

    def _wall(self, tick: Tick) -> int:
        if self._walled:
            return tick.wall
        low, high, offset = self._segment
        if not low <= tick.instant < high:
            segment = self._closing.clock.segment_at(tick.instant // MICROS)
            low, high, offset = segment.low * MICROS, segment.high * MICROS, segment.offset * MICROS
            self._segment = low, high, offset
        return tick.instant + offset

    def _from(self, instant: int) -> int:
        """No tick at or before this instant lands after the given one."""
        return instant if self._direction <= 0 else self._edge(instant, -1)

    def _to(self, instant: int) -> int:
        """No tick after this instant lands at or before the given one."""
        return instant if self._direction >= 0 else self._edge(instant, 1)

    def _edge(self, instant: int, step: int) -> int:
        """Over which closed days a tick may have come to this instant, and a little more."""
        day = instant // DAY_MICROS - step * _SLACK
        shut, days = ALL_DAY, 0
        while shut and days < FARTHEST_MOVE + 2 * _SLACK:
            day += step
            days += 1
            # Near the instant either date may be meant, so nothing is taken for open there.
            if days > 2 * _SLACK:
                shut &= self._closed.minutes(day)
        return (day + step * _SLACK) * DAY_MICROS
