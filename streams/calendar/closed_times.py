"""
Which wall times are closed?

The dates, weekdays, yearly ranges and cron expressions of calendars put together: for each day one
integer, whose bit n tells whether minute n of the day is closed. It knows no zone. How a year of
them is kept is closed_years.py; which calendars count is exclusions.py; what becomes of an
occurrence at a closed time is open_walls.py and open_ticks.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final

from schemas.definition import OnExcluded
from schemas.globals import YearlyRange
from streams.calendar.closed_years import (
    ALL_DAY,
    ClosedYear,
    days_of_range,
    days_of_week,
    one_bits,
)
from streams.calendar.days import EPOCH_ORDINAL, FIRST_DAY, LAST_DAY, Days, first_day, year_of
from streams.calendar.matching import WallTimes
from streams.calendar.ticks import DAY_SECONDS, MICROS

DAY_MICROS: Final = DAY_SECONDS * MICROS
MINUTE_MICROS: Final = 60 * MICROS
DIRECTIONS: Final = {
    OnExcluded.DROP: 0,
    OnExcluded.NEXT_BUSINESS_DAY: 1,
    OnExcluded.PREVIOUS_BUSINESS_DAY: -1,
}
"""Over which days to look for an open one."""
FARTHEST_MOVE: Final = 366
"""An occurrence moves over so many closed days at least; where more are closed it is dropped."""
SEARCH_YEARS: Final = 50
"""So far ahead or back is an open time looked for."""
_KEPT_YEARS: Final = 128


class ClosedTimes:
    """The closed minutes of every day."""

    __slots__ = ("_crons", "_dates", "_kinds", "_weekdays", "_yearly", "_years")

    def __init__(
        self,
        dates: Iterable[int] = (),
        weekdays: int = 0,
        yearly: Iterable[YearlyRange] = (),
        crons: Iterable[WallTimes] = (),
    ) -> None:
        self._dates: dict[int, int] = defaultdict(int)
        for day in dates:
            if FIRST_DAY <= day <= LAST_DAY:
                year = year_of(day)
                self._dates[year] |= 1 << (day - first_day(year))
        self._weekdays = weekdays
        self._yearly = tuple(yearly)
        on_days: dict[Days, int] = defaultdict(int)
        for walls in crons:
            on_days[walls.days] |= walls.times.minute_bits
        self._crons = tuple(on_days.items())
        # Years of one kind have the same days but for dates; there are few kinds.
        self._kinds: dict[tuple[object, ...], ClosedYear] = {}
        self._years: dict[int, ClosedYear] = {}

    def minutes(self, day: int) -> int:
        """The closed minutes of a day."""
        if not FIRST_DAY <= day <= LAST_DAY:
            return 0
        year = year_of(day)
        return self.year(year).days[day - first_day(year)]

    def at(self, wall: int) -> bool:
        """Whether a wall time, in microseconds as if local time were UTC, is closed."""
        day, time = divmod(wall, DAY_MICROS)
        return bool(self.minutes(day) >> (time // MINUTE_MICROS) & 1)

    def year(self, year: int) -> ClosedYear:
        """What is closed on the days of a year."""
        found = self._years.get(year)
        if found is None:
            if len(self._years) >= _KEPT_YEARS:
                self._years.clear()
            found = self._years[year] = self._fill(year)
        return found

    def open_in(self, year: int) -> int:
        """The minutes that are open on some day of a year."""
        return self.year(year).opened

    def open_days(self, first: int, last: int, minutes: int) -> Iterator[tuple[int, int]]:
        """The days from one to another on which one of some minutes is open, and what is closed."""
        for year in range(year_of(first), year_of(last) + 1):
            begin, closed = first_day(year), self.year(year)
            for index in one_bits(_between(closed.open_days(minutes), first - begin, last - begin)):
                yield begin + index, closed.days[index]

    def open_days_back(self, last: int, first: int, minutes: int) -> Iterator[tuple[int, int]]:
        """The same, the latest one first."""
        for year in range(year_of(last), year_of(first) - 1, -1):
            begin, closed = first_day(year), self.year(year)
            found = _between(closed.open_days(minutes), first - begin, last - begin)
            for index in reversed(one_bits(found)):
                yield begin + index, closed.days[index]

    def open_day(self, day: int, minute: int, step: int) -> int | None:
        """The nearest day after (step 1) or before (-1) a day on which a minute is open."""
        end = day + step * FARTHEST_MOVE
        day += step
        while day * step <= end * step and FIRST_DAY <= day <= LAST_DAY:
            year = year_of(day)
            first, opened = first_day(year), self.year(year).open_at(minute)
            if step > 0:
                later = opened >> (day - first)
                found = day + (later & -later).bit_length() - 1 if later else first_day(year + 1)
            else:
                later = opened & ((2 << (day - first)) - 1)
                found = first + later.bit_length() - 1
            if later:
                return found if found * step <= end * step else None
            day = found
        return None

    def _fill(self, year: int) -> ClosedYear:
        by_rule = self._by_rule(year)
        dates = self._dates.get(year)
        return by_rule.closing(ALL_DAY, dates) if dates else by_rule

    def _by_rule(self, year: int) -> ClosedYear:
        first = first_day(year)
        length = first_day(year + 1) - first
        # Ordinal 1 was a Monday.
        weekday = (first + EPOCH_ORDINAL - 1) % 7
        named = (days.years is None or year in days.years for days, _ in self._crons)
        kind = (length, weekday, *named)
        found = self._kinds.get(kind)
        if found is None:
            whole = days_of_week(length, weekday, self._weekdays)
            for each in self._yearly:
                whole |= days_of_range(length, each)
            found = ClosedYear.open(length).closing(ALL_DAY, whole)
            for days, minutes in self._crons:
                found = found.closing(minutes, days.bits_of_year(year))
            self._kinds[kind] = found
        return found


def _between(bits: int, first: int, last: int) -> int:
    """Those of some bits that lie between two, themselves included."""
    return bits & ((2 << max(last, -1)) - 1) & -(1 << max(first, 0))
