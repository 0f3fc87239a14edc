"""
On which days is something open, and how often do steady steps come there?

Walks the local days of a zone as instants, passing over those on which none of the minutes in
question is open. Whole days of one kind are counted together: open_runs.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from math import gcd
from typing import Final, NamedTuple

from streams.calendar.closed_times import DAY_MICROS, MINUTE_MICROS, ClosedTimes
from streams.calendar.closed_years import ALL_DAY
from streams.calendar.open_runs import Runs, Stretches
from streams.calendar.steps import DayBits, Steps, second_bits
from streams.calendar.ticks import MICROS
from streams.calendar.wall_time import wall_of
from streams.calendar.zones import Segment, ZoneClock

_KEPT_RUNS: Final = 1024
_FEW_INSTANTS: Final = 6
"""So many days are counted in the time in which one instant is looked at."""


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


class OpenDays:
    """The days of a zone that are not closed as a whole."""

    __slots__ = ("_clock", "_closed", "_runs", "_stretches")

    def __init__(self, closed: ClosedTimes, clock: ZoneClock) -> None:
        self._closed = closed
        self._clock = clock
        self._stretches: dict[int, Stretches] = {}
        self._runs: dict[tuple[int, int], Runs] = {}

    def slices(self, first: int, last: int, steps: Steps | None = None) -> Iterator[Slice]:
        """The parts of open days from one instant to another, in order.

        Left out are days that are closed whenever one of the steps may come.
        """
        while first <= last:
            segment = self._clock.segment_at(first // MICROS)
            stop, offset = min(segment.high * MICROS, last + 1), segment.offset * MICROS
            begin, end = (first + offset) // DAY_MICROS, (stop - 1 + offset) // DAY_MICROS
            for day, closed in self._closed.open_days(begin, end, _minutes(steps, segment)):
                midnight = day * DAY_MICROS - offset
                low, high = max(midnight, first), min(midnight + DAY_MICROS, stop)
                yield Slice(low, high, midnight, closed)
            first = stop

    def slices_back(self, last: int, first: int, steps: Steps) -> Iterator[Slice]:
        """The parts of open days from one instant back to another."""
        while last >= first:
            segment = self._clock.segment_at(last // MICROS)
            start, offset = max(segment.low * MICROS, first), segment.offset * MICROS
            begin, end = (last + offset) // DAY_MICROS, (start + offset) // DAY_MICROS
            for day, closed in self._closed.open_days_back(begin, end, _minutes(steps, segment)):
                midnight = day * DAY_MICROS - offset
                low, high = max(midnight, start), min(midnight + DAY_MICROS, last + 1)
                yield Slice(low, high, midnight, closed)
            last = start - 1

    def has(self, instant: int) -> bool:
        """Whether an instant is open."""
        return not self._closed.at(wall_of(self._clock, instant))

    def stretches(self, closed: int) -> Stretches:
        """The open stretches of a day on which these minutes are closed."""
        found = self._stretches.get(closed)
        if found is None:
            if len(self._stretches) >= _KEPT_RUNS:
                self._stretches.clear()
            found = self._stretches[closed] = Stretches(closed)
        return found

    def runs(self, closed: int, step: int) -> Runs:
        """The same for an interval of so many microseconds."""
        found = self._runs.get((closed, step))
        if found is None:
            if len(self._runs) >= _KEPT_RUNS:
                self._runs.clear()
            found = self._runs[closed, step] = Runs(self.stretches(closed), step)
        return found


class Layout:
    """What is open in (after, up_to], put together by kinds of days."""

    __slots__ = ("_days", "_midnights", "_parts", "_runs", "_size", "of")

    def __init__(self, days: OpenDays, after: int, up_to: int) -> None:
        self.of = after, up_to
        self._days = days
        self._midnights: dict[int, list[int]] = defaultdict(list)
        """Of whole days, by what is closed."""
        self._parts: list[Slice] = []
        for part in days.slices(after + 1, up_to):
            if part.whole:
                self._midnights[part.closed].append(part.midnight)
            else:
                self._parts.append(part)
        self._size = sum([len(each) for each in self._midnights.values()])
        self._runs = list(_joined(self._midnights.get(0, ())))

    def measure(self, steps: Steps) -> int:
        """How many of some steps are open."""
        after, up_to = self.of
        if steps.within(after, up_to) * _FEW_INSTANTS <= self._size:
            first = after + 1 + (steps.base - after - 1) % steps.step
            return sum([self._days.has(each) for each in range(first, up_to + 1, steps.step)])
        total = sum(steps.within(low - 1, high - 1) for low, high in self._runs)
        base, step = steps
        for closed, midnights in self._midnights.items():
            if closed:
                offsets = [(base - midnight) % step for midnight in midnights]
                total += self._days.runs(closed, step).on_days(offsets)
        for low, high, midnight, closed in self._parts:
            total += self._days.stretches(closed).count(steps, low, high, midnight)
        return total

    def measure_seconds(self, steps: Sequence[Steps]) -> int:
        """How many instants of steps that are whole seconds apart are open."""
        fraction = steps[0].base % MICROS
        moved, day_bits = [Steps(base - fraction, step) for base, step in steps], DayBits(steps)
        total = 0
        for closed, midnights in self._midnights.items():
            opened = self._days.stretches(closed).seconds
            for midnight in midnights:
                places = day_bits.places(midnight // MICROS)
                total += (day_bits.on(places) & opened).bit_count()
        for part in self._parts:
            # The first and the last may begin and end within a second.
            low = -((fraction - part.low) // MICROS)
            high = -((fraction - part.high) // MICROS)
            found = 0
            for each in moved:
                found |= second_bits(each, low, high)
            opened = self._days.stretches(part.closed).seconds
            total += (found & opened >> (low - part.midnight // MICROS)).bit_count()
        return total


def _joined(midnights: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Whole days that follow each other, put together."""
    begin = end = 0
    for midnight in midnights:
        if midnight != end:
            if end != begin:
                yield begin, end
            begin = midnight
        end = midnight + DAY_MICROS
    if end != begin:
        yield begin, end


def _minutes(steps: Steps | None, segment: Segment) -> int:
    """The minutes of a segment's days in which one of the steps may come."""
    # Seen from midnight, steps come at most at every multiple of what they and a day share.
    shared = gcd(steps.step, DAY_MICROS) if steps else 0
    if steps is None or shared <= MINUTE_MICROS:
        return ALL_DAY
    first = (steps.base + segment.offset * MICROS) % shared
    return sum([1 << time // MINUTE_MICROS for time in range(first, DAY_MICROS, shared)])
