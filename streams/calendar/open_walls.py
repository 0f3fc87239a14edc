"""
Which wall times of a cron expression are left, or come instead, when some are closed?

The walker of matching.py over days whose closed minutes are taken out, and moved to the nearest
open day before or after it where that is asked for. Whole years are laid out day by day and
remembered. It knows no zone: cron_ticks.py resolves what it finds as if an expression had named it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

from schemas.definition import OnExcluded
from streams.calendar.clock_times import NONE, ClockTimes
from streams.calendar.closed_times import DIRECTIONS, SEARCH_YEARS, ClosedTimes
from streams.calendar.days import FIRST_DAY, LAST_DAY, first_day, year_of
from streams.calendar.matching import NEVER_WALL, WallTimes, bits_of_days, count_pairs
from streams.calendar.ticks import DAY_SECONDS

_KEPT_YEARS: Final = 64
_LAST_YEAR: Final = 9999


class _Year(NamedTuple):
    """The days of one year on which something is left, and when."""

    days: tuple[int, ...]
    times: tuple[ClockTimes, ...]
    before: tuple[int, ...]
    """How many wall times the days before each of them have, and last of all the whole year."""


_NOTHING: Final = _Year((), (), (0,))


class OpenWalls:
    """The wall times of an expression, without the closed ones or with those moved."""

    __slots__ = ("_closed", "_moved", "_of_minutes", "_walls", "_years", "star")

    def __init__(self, walls: WallTimes, closed: ClosedTimes, on_excluded: OnExcluded) -> None:
        self._walls = walls
        self._closed = closed
        self._moved = DIRECTIONS[on_excluded]
        self._of_minutes: dict[int, ClockTimes] = {walls.times.minute_bits: walls.times}
        self._years: dict[int, _Year] = {}
        self.star = walls.star

    def next(self, wall: int) -> int:
        """The earliest one at or after a wall time, within the years that are searched."""
        day, second = divmod(wall, DAY_SECONDS)
        if day < FIRST_DAY:
            day, second = FIRST_DAY, 0
        if day > LAST_DAY:
            return NEVER_WALL
        year = year_of(day)
        found = self._first_in(year, day, second)
        if found == NEVER_WALL:
            for later in self._later_years(wall, year):
                days, times, _ = self._year(later)
                if days:
                    return days[0] * DAY_SECONDS + times[0].first
        return found

    def previous(self, wall: int) -> int:
        """The latest one at or before a wall time, within the years that are searched."""
        day, second = divmod(wall, DAY_SECONDS)
        if day > LAST_DAY:
            day, second = LAST_DAY, DAY_SECONDS - 1
        if day < FIRST_DAY:
            return -NEVER_WALL
        year = year_of(day)
        found = self._last_in(year, day, second)
        if found == -NEVER_WALL:
            for earlier in self._earlier_years(wall, year):
                days, times, _ = self._year(earlier)
                if days:
                    return days[-1] * DAY_SECONDS + times[-1].last
        return found

    def count(self, begin: int, end: int) -> int:
        """How many of them lie in [begin, end)."""
        if begin >= end:
            return 0
        first, last = begin // DAY_SECONDS, end // DAY_SECONDS
        years = range(self._year_of(first), self._year_of(last))
        whole = sum(self._year(year).before[-1] for year in years)
        return whole + self._rank(end) - self._rank(begin)

    def bits(self, begin: int, end: int) -> int:
        """Bit n tells whether `begin + n` is one, which lies before `end`."""
        return bits_of_days(self._on, begin, end)

    def count_pairs(self, begin: int, end: int, distance: int) -> int:
        """How many of [begin, end) come together with the wall time so far behind them."""
        return count_pairs(self, begin, end, distance)

    def _first_in(self, year: int, day: int, second: int) -> int:
        days, times, _ = self._year(year)
        index = bisect_left(days, day)
        if index < len(days) and days[index] == day:
            found = times[index].next(second)
            if found != NONE:
                return day * DAY_SECONDS + found
            index += 1
        return days[index] * DAY_SECONDS + times[index].first if index < len(days) else NEVER_WALL

    def _last_in(self, year: int, day: int, second: int) -> int:
        days, times, _ = self._year(year)
        index = bisect_left(days, day)
        if index < len(days) and days[index] == day:
            found = times[index].previous(second)
            if found != NONE:
                return day * DAY_SECONDS + found
        return days[index - 1] * DAY_SECONDS + times[index - 1].last if index else -NEVER_WALL

    def _later_years(self, wall: int, year: int) -> Iterator[int]:
        """Where a search goes on: about the next one that may be closed, and so many years on."""
        # What was named before the wall time may have moved to the next year, never farther.
        if year < _LAST_YEAR:
            yield year + 1
        day = self._walls.next(wall) // DAY_SECONDS
        if day <= LAST_DAY:
            found = year_of(day)
            # What is moved may come in the year before it.
            yield from range(max(year + 2, found - 1), min(found + SEARCH_YEARS, _LAST_YEAR) + 1)

    def _earlier_years(self, wall: int, year: int) -> Iterator[int]:
        if year > 1:
            yield year - 1
        day = self._walls.previous(wall) // DAY_SECONDS
        if day >= FIRST_DAY:
            found = year_of(day)
            yield from range(min(year - 2, found + 1), max(found - SEARCH_YEARS, 1) - 1, -1)

    def of_year(self, year: int) -> Iterator[tuple[int, ClockTimes]]:
        """The days of a year that have one, in order, with their times."""
        days, times, _ = self._year(year)
        return zip(days, times, strict=True)

    def _on(self, day: int) -> ClockTimes | None:
        if not FIRST_DAY <= day <= LAST_DAY:
            return None
        days, times, _ = self._year(year_of(day))
        index = bisect_left(days, day)
        return times[index] if index < len(days) and days[index] == day else None

    def _rank(self, wall: int) -> int:
        """How many come in the wall time's year before it."""
        day, second = divmod(wall, DAY_SECONDS)
        days, times, before = self._year(self._year_of(day))
        index = bisect_left(days, day)
        exact = index < len(days) and days[index] == day
        return before[index] + (times[index].rank(second) if exact else 0)

    @staticmethod
    def _year_of(day: int) -> int:
        return year_of(min(max(day, FIRST_DAY), LAST_DAY))

    def _year(self, year: int) -> _Year:
        found = self._years.get(year)
        if found is None:
            if len(self._years) >= _KEPT_YEARS:
                self._years.clear()
            found = self._years[year] = self._fill(year)
        return found

    def _fill(self, year: int) -> _Year:
        first, closed = first_day(year), self._closed.year(year).days
        minutes = self._walls.times.minute_bits
        if not self._closed.open_in(year) & minutes:
            return _NOTHING
        named = frozenset(self._walls.days.of_year(year))
        carried = self._carried_into(year)
        left: list[tuple[int, int]] = []
        for index in range(len(closed))[:: self._moved or 1]:
            arrived = carried | (minutes if first + index in named else 0)
            if arrived:
                carried = arrived & closed[index] if self._moved else 0
                if arrived & ~closed[index]:
                    left.append((first + index, arrived & ~closed[index]))
        left.sort()
        times = tuple(self._times(bits) for _, bits in left)
        before = [0]
        for each in times:
            before.append(before[-1] + each.size)
        return _Year(tuple(day for day, _ in left), times, tuple(before))

    def _carried_into(self, year: int) -> int:
        """The minutes that wait for an open day when the year is entered from where they come.

        They come from the year beside it; what was closed for longer than that is dropped.
        """
        year -= self._moved
        if not self._moved or not 1 <= year <= _LAST_YEAR:
            return 0
        first, closed = first_day(year), self._closed.year(year).days
        minutes, named = self._walls.times.minute_bits, frozenset(self._walls.days.of_year(year))
        order = range(len(closed))[:: self._moved]
        waited = 0
        for index in reversed(order):
            if not closed[index] & minutes:
                break
            waited += 1
        carried = 0
        for index in order[len(order) - waited :]:
            arrived = carried | (minutes if first + index in named else 0)
            carried = arrived & closed[index]
        return carried

    def _times(self, minute_bits: int) -> ClockTimes:
        times = self._of_minutes.get(minute_bits)
        if times is None:
            times = self._of_minutes[minute_bits] = self._walls.times.only(minute_bits)
        return times
