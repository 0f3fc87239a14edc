"""
How many instants do expressions and intervals have together, without a visit to each?

Whole local days on which no clock changes are counted by what they are made of: which times match
on that day, and where in it the intervals fall; equal days count the same. Where clocks change, the
seconds become the bits of an integer. What intervals alone have together is steps.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from streams.calendar.clock_times import ClockTimes
from streams.calendar.days import first_day, year_of
from streams.calendar.steps import DayBits, Opened, Steps, second_bits
from streams.calendar.ticks import DAY_SECONDS
from streams.calendar.zones import Segment, ZoneClock

_KEPT_YEARS: Final = 64
_KEPT_DAYS: Final = 4096
_KEPT_BITS: Final = 256
Kind = tuple[ClockTimes, ...]
"""The times that match on a day, each timing's."""


class Dense(Protocol):
    """The ticks of an expression."""

    def bits(self, segment: Segment, low: int, high: int) -> int:
        """Bit n tells whether second `low + n` has one; [low, high) lies in the segment."""

    def of_year(self, year: int) -> Iterator[tuple[int, ClockTimes]]:
        """The days of a year that match, with their times."""


class Stretch(NamedTuple):
    """Seconds of UTC in [low, high) in one segment; of whole calm local days if there are any."""

    segment: Segment
    low: int
    high: int
    days: range
    """Local dates."""


def stretches(clock: ZoneClock, low: int, high: int) -> Iterator[Stretch]:
    """The seconds in [low, high): whole days on which no clock changes, and what is between."""
    while low < high:
        segment = clock.segment_at(low)
        stop, offset = min(high, segment.high), segment.offset
        first = -((-max(low, segment.calm) - offset) // DAY_SECONDS)
        last = max(first, (stop + offset) // DAY_SECONDS)
        begin = min(first * DAY_SECONDS - offset, stop)
        end = last * DAY_SECONDS - offset if last > first else begin
        yield Stretch(segment, low, begin, range(0))
        if last > first:
            yield Stretch(segment, begin, end, range(first, last))
        yield Stretch(segment, end, stop, range(0))
        low = stop


class Together:
    """Expressions of one zone, counted together."""

    __slots__ = (
        "_at",
        "_bits",
        "_clock",
        "_crons",
        "_days",
        "_recent",
        "_same",
        "_segment",
        "_sizes",
        *("_sizes", "_years"),
    )

    def __init__(self, crons: Sequence[Dense], clock: ZoneClock) -> None:
        self._crons = crons
        self._clock = clock
        self._bits: dict[Kind, int] = {}
        self._sizes: dict[Kind, int] = {}
        self._at: dict[tuple[Kind, int], bool] = {}
        self._segment = clock.segment_at(0)
        self._recent: tuple[int, int, list[Kind]] = (0, 0, [])
        self._days: dict[object, int] = {}
        self._years: dict[int, tuple[list[Kind], list[int]]] = {}
        self._same: dict[Kind, Kind] = {}

    def count(self, first: int, end: int) -> int:
        """The distinct seconds in [first, end) on which one of them comes."""
        total = 0
        for segment, low, high, days in stretches(self._clock, first, end):
            if days:
                total += self._before(days.stop) - self._before(days.start)
                total += sum(self._year(year)[1][-1] for year in _years(days))
            elif low < high:
                total += self._second_bits(segment, low, high).bit_count()
        return total

    def count_meeting(
        self, steps: Sequence[Steps], opened: Opened | None, first: int, end: int
    ) -> int:
        """On how many of these seconds one of them and one of some steps of seconds come both."""
        total, day_bits = 0, DayBits(steps)
        self._days.clear()
        for segment, low, high, days in stretches(self._clock, first, end):
            for day in days:
                total += self._meeting_on(day, day_bits, segment.offset)
            if not days and low < high:
                found = 0
                for each in steps:
                    found |= second_bits(each, low, high)
                found &= self._second_bits(segment, low, high)
                # Elsewhere an expression comes at open times alone.
                total += (found & opened.open_bits(low, high) if opened else found).bit_count()
        return total

    def has(self, second: int) -> bool:
        """Whether one of them comes at a second."""
        segment = self._segment
        if not segment.low <= second < segment.high:
            segment = self._segment = self._clock.segment_at(second)
        if second < segment.calm:
            return bool(self._second_bits(segment, second, second + 1))
        day, time = divmod(second + segment.offset, DAY_SECONDS)
        begin, end, kinds = self._recent
        if not begin <= day < end:
            year = year_of(day)
            begin, end, kinds = first_day(year), first_day(year + 1), self._year(year)[0]
            self._recent = begin, end, kinds
        kind = kinds[day - begin]
        if not kind:
            return False
        found = self._at.get((kind, time))
        if found is None:
            if len(self._at) >= _KEPT_DAYS:
                self._at.clear()
            found = any(times.next(time) == time for times in kind)
            self._at[kind, time] = found
        return found

    def _second_bits(self, segment: Segment, low: int, high: int) -> int:
        found = 0
        for cron in self._crons:
            found |= cron.bits(segment, low, high)
        return found

    def _meeting_on(self, day: int, day_bits: DayBits, offset: int) -> int:
        year = year_of(day)
        kind = self._year(year)[0][day - first_day(year)]
        if not kind:
            return 0
        places = day_bits.places(day * DAY_SECONDS - offset)
        found = self._days.get((kind, places))
        if found is None:
            if len(self._days) >= _KEPT_DAYS:
                self._days.clear()
            found = (day_bits.on(places) & self._bits_of(kind)).bit_count()
            self._days[kind, places] = found
        return found

    def _before(self, day: int) -> int:
        """How many come in a day's year before it, if no clock changes."""
        year = year_of(day)
        return self._year(year)[1][day - first_day(year)]

    def _year(self, year: int) -> tuple[list[Kind], list[int]]:
        """The kind of each day of a year, and how many come before each and in all."""
        found = self._years.get(year)
        if found is None:
            if len(self._years) >= _KEPT_YEARS:
                self._years.clear()
                self._same.clear()
            found = self._years[year] = self._fill(year)
        return found

    def _fill(self, year: int) -> tuple[list[Kind], list[int]]:
        first = first_day(year)
        times: list[list[ClockTimes]] = [[] for _ in range(first_day(year + 1) - first)]
        for cron in self._crons:
            for day, each in cron.of_year(year):
                times[day - first].append(each)
        # Equal days share one object: there are many days and few kinds.
        kinds = [self._same.setdefault(kind, kind) for kind in map(tuple, times)]
        before = [0]
        for kind in kinds:
            before.append(before[-1] + self._size(kind))
        return kinds, before

    def _size(self, kind: Kind) -> int:
        if len(kind) < 2:
            return sum(times.size for times in kind)
        found = self._sizes.get(kind)
        if found is None:
            if len(self._sizes) >= _KEPT_DAYS:
                self._sizes.clear()
            found = self._sizes[kind] = self._measured(kind)
        return found

    def _measured(self, kind: Kind) -> int:
        if len({times.seconds for times in kind}) > 1:
            return self._bits_of(kind).bit_count()
        minutes = 0
        for times in kind:
            minutes |= times.minute_bits
        return minutes.bit_count() * len(kind[0].seconds)

    def _bits_of(self, kind: Kind) -> int:
        found = self._bits.get(kind)
        if found is None:
            found = 0
            for times in kind:
                found |= times.bits
            if len(self._bits) >= _KEPT_BITS:
                self._bits.clear()
            self._bits[kind] = found
        return found


def _years(days: range) -> range:
    """The years that end before these days do."""
    return range(year_of(days.start), year_of(days.stop))
