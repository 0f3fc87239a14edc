"""
Which wall times are closed?

The dates, weekdays, yearly ranges and cron expressions of calendars put together: for each day one
integer, whose bit n tells whether minute n of the day is closed. It knows no zone. Which calendars
count is exclusions.py; what becomes of an occurrence at a closed time is open_walls.py and
open_ticks.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache
from typing import Final

from schemas.definition import OnExcluded
from schemas.globals import YearlyRange
from streams.calendar.days import EPOCH_ORDINAL, FIRST_DAY, LAST_DAY, Days, first_day, year_of
from streams.calendar.matching import WallTimes
from streams.calendar.ticks import DAY_SECONDS, MICROS

DAY_MICROS: Final = DAY_SECONDS * MICROS
MINUTE_MICROS: Final = 60 * MICROS
MINUTES: Final = 1440
ALL_DAY: Final = (1 << MINUTES) - 1
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

Year = Sequence[int]
"""The closed minutes of each day of one year."""


class ClosedTimes:
    """The closed minutes of every day."""

    __slots__ = ("_alike", "_crons", "_dates", "_kinds", "_weekdays", "_yearly", "_years")

    def __init__(
        self,
        dates: Iterable[int] = (),
        weekdays: int = 0,
        yearly: Iterable[YearlyRange] = (),
        crons: Iterable[WallTimes] = (),
    ) -> None:
        self._dates: dict[int, list[int]] = defaultdict(list)
        for day in dates:
            if FIRST_DAY <= day <= LAST_DAY:
                self._dates[year_of(day)].append(day)
        self._weekdays = weekdays
        self._yearly = tuple(yearly)
        on_days: dict[Days, int] = defaultdict(int)
        for walls in crons:
            on_days[walls.days] |= walls.times.minute_bits
        self._crons = tuple(on_days.items())
        # Years of one kind have the same days but for dates; there are few kinds.
        self._kinds: dict[tuple[object, ...], list[int]] = {}
        self._years: dict[int, Year] = {}
        self._alike: dict[int, list[tuple[int, int]]] = {}

    def minutes(self, day: int) -> int:
        """The closed minutes of a day."""
        if not FIRST_DAY <= day <= LAST_DAY:
            return 0
        year = year_of(day)
        return self.year(year)[day - first_day(year)]

    def at(self, wall: int) -> bool:
        """Whether a wall time, in microseconds as if local time were UTC, is closed."""
        day, time = divmod(wall, DAY_MICROS)
        return bool(self.minutes(day) >> (time // MINUTE_MICROS) & 1)

    def year(self, year: int) -> Year:
        """The closed minutes of each day of a year."""
        found = self._years.get(year)
        if found is None:
            if len(self._years) >= _KEPT_YEARS:
                self._years.clear()
                self._alike.clear()
            found = self._years[year] = self._fill(year)
        return found

    def open_in(self, year: int) -> int:
        """The minutes that are open on some day of a year."""
        opened = 0
        for closed, _ in self._kinds_of(year):
            opened |= ALL_DAY ^ closed
        return opened

    def beyond_closed(self, day: int, step: int) -> int:
        """The day beside a closed one; beyond all of its year if that is closed as a whole."""
        year = year_of(day)
        if self.open_in(year):
            return day + step
        return first_day(year + 1) if step > 0 else first_day(year) - 1

    def open_day(self, day: int, minute: int, step: int) -> int | None:
        """The nearest day after (step 1) or before (-1) a day on which a minute is open."""
        end = day + step * FARTHEST_MOVE
        day += step
        while day * step <= end * step and FIRST_DAY <= day <= LAST_DAY:
            year = year_of(day)
            first, opened = first_day(year), self._open_days(year, minute)
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

    def _open_days(self, year: int, minute: int) -> int:
        """Bit n tells whether the minute is open on day n of a year."""
        opened = 0
        for closed, days in self._kinds_of(year):
            if not closed >> minute & 1:
                opened |= days
        return opened

    def _kinds_of(self, year: int) -> list[tuple[int, int]]:
        """The different closed minutes of a year's days, each with its days as bits."""
        found = self._alike.get(year)
        if found is None:
            days: dict[int, int] = defaultdict(int)
            for index, closed in enumerate(self.year(year)):
                days[closed] |= 1 << index
            found = self._alike[year] = list(days.items())
        return found

    def _fill(self, year: int) -> Year:
        by_rule = self._by_rule(year)
        dates = self._dates.get(year)
        if dates is None:
            return by_rule
        days, first = list(by_rule), first_day(year)
        for day in dates:
            days[day - first] = ALL_DAY
        return days

    def _by_rule(self, year: int) -> Year:
        first = first_day(year)
        length = first_day(year + 1) - first
        # Ordinal 1 was a Monday.
        weekday = (first + EPOCH_ORDINAL - 1) % 7
        named = (days.years is None or year in days.years for days, _ in self._crons)
        kind = (length, weekday, *named)
        found = self._kinds.get(kind)
        if found is None:
            found = self._kinds[kind] = [
                ALL_DAY if self._whole_day(weekday + index, month_day) else 0
                for index, month_day in enumerate(_month_days(length))
            ]
            for days, minutes in self._crons:
                for day in days.of_year(year):
                    found[day - first] |= minutes
        return found

    def _whole_day(self, weekday: int, month_day: int) -> bool:
        if self._weekdays >> (weekday % 7) & 1:
            return True
        return any(_inside(month_day, each) for each in self._yearly)


def _inside(month_day: int, yearly: YearlyRange) -> bool:
    if yearly.first <= yearly.last:
        return yearly.first <= month_day <= yearly.last
    return month_day >= yearly.first or month_day <= yearly.last


@cache
def _month_days(length: int) -> tuple[int, ...]:
    """Month * 100 + day of each day of a year of this length."""
    first = date(2024 if length == 366 else 2023, 1, 1).toordinal()
    days = (date.fromordinal(first + index) for index in range(length))
    return tuple(day.month * 100 + day.day for day in days)
