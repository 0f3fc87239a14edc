"""
When does an interval occur?

A time part is elapsed time on a grid that never moves. A date part is a step on the calendar: the
n-th occurrence is n steps from the grid's origin, so a month that is too short for the 31st uses
its last day and the next one is right again. A grid with an anchor reaches in both directions; one
that counts from an origin (the schedule's creation, or its last fire) begins one step after it.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from itertools import takewhile
from typing import Final, NamedTuple

from schemas.definition import Interval
from streams.calendar.daily import Daily, calm_walls, instants
from streams.calendar.days import EPOCH_ORDINAL, FIRST_DAY, LAST_DAY
from streams.calendar.policy import SHIFT_ONCE, Policy
from streams.calendar.steps import Steps
from streams.calendar.ticks import (
    DAY_SECONDS,
    FIRST_INSTANT,
    LAST_INSTANT,
    MICROS,
    NO_TICK,
    Tick,
)
from streams.calendar.wall_time import resolve, wall_of
from streams.calendar.zones import ZoneClock

_DAY_MICROS: Final = DAY_SECONDS * MICROS
_MONTH_MICROS: Final = 2_629_746 * MICROS
"""The mean month of the Gregorian calendar; only a first guess is made with it."""
_FIRST_WALL: Final = FIRST_INSTANT - _DAY_MICROS
_LAST_WALL: Final = LAST_INSTANT + _DAY_MICROS
_FAR_WALL: Final = 1 << 62


class ElapsedTicks:
    """An interval of elapsed time."""

    __slots__ = ("_anchor", "fixed", "step")

    def __init__(self, interval: Interval) -> None:
        self.step = interval.micros
        self._anchor = interval.anchor
        self.fixed = interval.anchor is not None

    def after(self, after: int, origin: int) -> Tick:
        """The earliest tick strictly later than `after`."""
        base = self._anchor
        if base is None:
            base = origin
            after = max(after, origin)
        if after < FIRST_INSTANT:
            after = FIRST_INSTANT - 1
        found = after + self.step - (after - base) % self.step
        return Tick(found, found, 0) if found <= LAST_INSTANT else NO_TICK

    def until(self, until: int, origin: int) -> Tick:
        """The latest tick not later than `until`."""
        base = origin if self._anchor is None else self._anchor
        until = min(until, LAST_INSTANT)
        found = until - (until - base) % self.step
        if found < FIRST_INSTANT or (self._anchor is None and found <= origin):
            return NO_TICK
        return Tick(found, found, 0)

    def count(self, after: int, up_to: int, origin: int) -> int:
        """How many instants there are in (after, up_to]."""
        base = self._anchor
        if base is None:
            base = origin
            after = max(after, origin)
        after, up_to = max(after, FIRST_INSTANT - 1), min(up_to, LAST_INSTANT)
        return max(0, (up_to - base) // self.step - (after - base) // self.step)

    def base(self, origin: int) -> int:
        """An instant of the grid."""
        return origin if self._anchor is None else self._anchor

    def forward(self, after: int, origin: int) -> Iterator[Tick]:
        """All ticks strictly later than `after`, in order."""
        first = self.after(after, origin).instant
        for instant in range(first, LAST_INSTANT + 1, self.step):
            yield Tick(instant, instant, 0)

    def backward(self, until: int, origin: int) -> Iterator[Tick]:
        """All ticks not later than `until`, the latest first."""
        last = self.until(until, origin)
        if last is not NO_TICK:
            least = FIRST_INSTANT if self._anchor is not None else max(origin + 1, FIRST_INSTANT)
            for instant in range(last.instant, least - 1, -self.step):
                yield Tick(instant, instant, 0)

    def steps(self, origin: int) -> Steps:
        """Its instants; without an anchor, those after the origin count."""
        return Steps(self.base(origin), self.step)


class SteppedTicks:
    """An interval with steps on the calendar of a zone."""

    __slots__ = (
        *("_anchor", "_calm", "_clock", "_interval", "_mean", "_start"),
        *("fixed", "policy", "walled"),
    )

    def __init__(self, interval: Interval, clock: ZoneClock, policy: Policy) -> None:
        self._interval = interval
        self._anchor = interval.anchor
        self._clock = clock
        # With a time part behind it a step is no wall time that the clocks could skip or repeat.
        self.walled = not interval.micros
        self.policy = policy if self.walled else SHIFT_ONCE
        self._mean = interval.months * _MONTH_MICROS + interval.days * _DAY_MICROS + interval.micros
        self.fixed = interval.anchor is not None
        self._start = _Start.at(clock, 0)
        self._calm = (0, 0, 0)

    def after(self, after: int, origin: int) -> Tick:
        """The earliest tick strictly later than `after`."""
        base, after = self._base(origin), max(after, FIRST_INSTANT - 1)
        if after >= LAST_INSTANT:
            return NO_TICK
        step = self._steps_to(after, base)
        while self._wall(step, base) <= _LAST_WALL:
            for tick in self._ticks(step, base):
                if tick.instant > after:
                    return self._regular(tick, step, base)
            step += 1
        return NO_TICK

    def _regular(self, tick: Tick, step: int, base: int) -> Tick:
        """The tick, or the next step's if a skipped day is made good at that one's instant."""
        if tick.instant > LAST_INSTANT:
            return NO_TICK
        if wall_of(self._clock, tick.instant) != tick.wall:
            following = self._ticks(step + 1, base)
            if following and following[0].instant == tick.instant:
                return following[0]
        return tick

    def until(self, until: int, origin: int) -> Tick:
        """The latest tick not later than `until`."""
        return next(self.backward(until, origin), NO_TICK)

    def backward(self, until: int, origin: int) -> Iterator[Tick]:
        """All ticks not later than `until`, the latest first; of equal instants each."""
        base, until = self._base(origin), min(until, LAST_INSTANT)
        if until < FIRST_INSTANT:
            return
        step = self._steps_to(until, base) + 1
        while self._has(step) and self._wall(step, base) >= _FIRST_WALL:
            for tick in reversed(self._ticks(step, base)):
                if FIRST_INSTANT <= tick.instant <= until:
                    yield tick
            step -= 1

    def next_wall(self, wall: int, origin: int) -> int:
        """The earliest wall time at or after one that is asked for, in seconds, rounded down."""
        base = self._base(origin)
        step = self._steps_to(min(max((wall - 2 * DAY_SECONDS) * MICROS, base), LAST_INSTANT), base)
        while self._wall(step, base) < wall * MICROS or not self._has(step):
            step += 1
        return self._wall(step, base) // MICROS

    def forward(self, after: int, origin: int) -> Iterator[Tick]:
        """All ticks strictly later than `after`, in order; of equal instants each."""
        base, after = self._base(origin), max(after, FIRST_INSTANT - 1)
        if after >= LAST_INSTANT:
            return
        step = self._steps_to(after, base)
        while self._wall(step, base) <= _LAST_WALL:
            for tick in self._ticks(step, base):
                if after < tick.instant <= LAST_INSTANT:
                    yield tick
            step += 1

    def daily(self, origin: int) -> Daily | None:
        """What it is if it steps over whole days."""
        if self._interval.months or not self.walled:
            return None
        start = self._started(self._base(origin))
        return Daily(start.day, self._interval.days, start.time, begins=self._anchor is None)

    def instants(self, after: int, up_to: int, origin: int) -> Iterator[int]:
        """The instants in (after, up_to]."""
        daily = self.daily(origin)
        first, last = after // _DAY_MICROS - 2, up_to // _DAY_MICROS + 2
        if daily is None or first <= FIRST_DAY or last >= LAST_DAY:
            ticks = self.forward(after, origin)
            return (t.instant for t in takewhile(lambda tick: tick.instant <= up_to, ticks))
        found = instants(self._clock, daily.days(first, last), daily.time, self.policy)
        return (instant for instant in found if after < instant <= up_to)

    def count(self, after: int, up_to: int, origin: int) -> int:
        """How many distinct instants there are in (after, up_to]."""
        base = self._base(origin)
        after, up_to = max(after, FIRST_INSTANT - 1), min(up_to, LAST_INSTANT)
        total = 0
        while after < up_to:
            segment = self._clock.segment_at((after + 1) // MICROS)
            calm = min(segment.calm * MICROS - 1, up_to)
            # Where clocks changed, ticks are looked at one by one; from there on to the next change
            # steps and ticks are the same in number.
            while after < calm:
                found = self.after(after, origin).instant
                total += found <= calm
                after = min(found, calm)
            stop = min(segment.high * MICROS - 1, up_to)
            total += self._steps_to(stop, base) - self._steps_to(after, base)
            after = stop
        return total

    def _base(self, origin: int) -> int:
        base = origin if self._anchor is None else self._anchor
        return min(max(base, FIRST_INSTANT), LAST_INSTANT)

    def _has(self, step: int) -> bool:
        """Whether there is such a step; a grid without an anchor begins with step 1."""
        return self._anchor is not None or step >= 1

    def _ticks(self, step: int, base: int) -> tuple[Tick, ...]:
        """What a step asks for; nothing if it leads out of the calendar."""
        wall = self._wall(step, base)
        if not self._has(step) or not _FIRST_WALL <= wall <= _LAST_WALL:
            return ()
        low, high, offset = self._calm
        if not low <= wall < high:
            low, high, offset = self._calm = calm_walls(self._clock, wall)
        if low <= wall < high:
            ticks: tuple[Tick, ...] = (Tick(wall - offset, wall, 0),)
        else:
            ticks = resolve(self._clock, wall, self.policy)
        later = step * self._interval.micros
        if not later:
            return ticks
        return tuple(Tick(tick.instant + later, tick.instant + later, 0) for tick in ticks)

    def _steps_to(self, instant: int, base: int) -> int:
        """The number of the last step not later than an instant, if none is lost or doubled."""
        step = (instant - base) // self._mean
        while self._at(step, base) > instant:
            step -= 1
        while self._at(step + 1, base) <= instant:
            step += 1
        return step if self._anchor is not None else max(step, 0)

    def _at(self, step: int, base: int) -> int:
        wall = self._wall(step, base)
        if not _FIRST_WALL <= wall <= _LAST_WALL:
            return wall
        return resolve(self._clock, wall, SHIFT_ONCE)[0].instant + step * self._interval.micros

    def _started(self, base: int) -> _Start:
        if self._start.base != base:
            self._start = _Start.at(self._clock, base)
        return self._start

    def _wall(self, step: int, base: int) -> int:
        """The wall time of a step; far outside of the calendar where there is none."""
        start = self._started(base)
        days, day = step * self._interval.days, start.day
        if self._interval.months:
            year, month = divmod(start.month + step * self._interval.months, 12)
            if not date.min.year <= year <= date.max.year:
                return _FAR_WALL if year > 1 else -_FAR_WALL
            in_month = min(start.in_month, monthrange(year, month + 1)[1])
            day = date(year, month + 1, in_month).toordinal() - EPOCH_ORDINAL
        return (day + days) * _DAY_MICROS + start.time


class _Start(NamedTuple):
    """The local date and time from which steps are counted."""

    base: int
    day: int
    month: int
    """Counted from the year 0 on."""
    in_month: int
    time: int

    @classmethod
    def at(cls, clock: ZoneClock, base: int) -> _Start:
        """What the clock on the wall shows at an instant."""
        day, time = divmod(wall_of(clock, base), _DAY_MICROS)
        start = date.fromordinal(day + EPOCH_ORDINAL)
        return cls(base, day, start.year * 12 + start.month - 1, start.day, time)
