"""
Which days match?

The days of the month, weekdays, months and years of a cron expression, on days counted from
1970-01-01. The times of a day are clock_times.py; reading the fields is cron_fields.py.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from calendar import isleap
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Final

EPOCH_ORDINAL: Final = date(1970, 1, 1).toordinal()
FIRST_DAY: Final = date.min.toordinal() - EPOCH_ORDINAL
LAST_DAY: Final = date.max.toordinal() - EPOCH_ORDINAL
NEVER_DAY: Final = 1 << 40
"""Later than any day; negative: earlier than any."""
CYCLE_YEARS: Final = 400
"""After so many years the calendar repeats itself, weekdays included."""
_LENGTHS: Final = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LEAP_LENGTHS: Final = (*_LENGTHS[:2], 29, *_LENGTHS[3:])
_KEPT_YEARS: Final = 128


@dataclass(frozen=True, slots=True)
class DayFields:
    """What the two day fields ask for; weekday 0 is Sunday."""

    days: frozenset[int]
    weekdays: frozenset[int]
    both: bool
    """Whether both fields must match; otherwise either is enough."""
    from_last: frozenset[int] = frozenset()
    """`L` and `L-n`: so many days before the last one."""
    nearest: frozenset[int] = frozenset()
    """`nW`: the working day nearest to it in the same month."""
    last_working: bool = False
    """`LW`"""
    nth: frozenset[tuple[int, int]] = frozenset()
    """`d#n`: weekday and which one of the month."""
    last: frozenset[int] = frozenset()
    """`dL`: the last one of this weekday."""

    def month(self, first_weekday: int, length: int) -> tuple[int, ...]:
        """The matching days of a month that begins with this weekday."""
        by_date = self._by_date(first_weekday, length)
        by_weekday = self._by_weekday(first_weekday, length)
        wanted = by_date & by_weekday if self.both else by_date | by_weekday
        return tuple(day for day in range(1, length + 1) if day in wanted)

    def _by_date(self, first_weekday: int, length: int) -> set[int]:
        found = {*self.days, *(length - back for back in self.from_last)}
        for day in self.nearest:
            if day <= length:
                found.add(_nearest_working(day, first_weekday, length))
        if self.last_working:
            found.add(_nearest_working(length, first_weekday, length))
        return found

    def _by_weekday(self, first_weekday: int, length: int) -> set[int]:
        found = set()
        for day in range(1, length + 1):
            weekday = (first_weekday + day - 1) % 7
            if (
                weekday in self.weekdays
                or (weekday, (day + 6) // 7) in self.nth
                or (day + 7 > length and weekday in self.last)
            ):
                found.add(day)
        return found


def year_of(day: int) -> int:
    """The year in which a day lies, which the calendar must have."""
    return date.fromordinal(day + EPOCH_ORDINAL).year


def first_day(year: int) -> int:
    """The first day of a year; that of year 10000 comes after the last day of all."""
    years = year - 1
    return years * 365 + years // 4 - years // 100 + years // 400 + 1 - EPOCH_ORDINAL


def _nearest_working(day: int, first_weekday: int, length: int) -> int:
    weekday = (first_weekday + day - 1) % 7
    if weekday == 6:
        return day - 1 if day > 1 else day + 2
    if weekday == 0:
        return day + 1 if day < length else day - 2
    return day


@dataclass(eq=False)
class Days:
    """The matching days, looked up year by year and remembered."""

    fields: DayFields
    months: tuple[int, ...]
    years: tuple[int, ...] | None
    every: bool = field(init=False)
    _months: dict[tuple[int, int], tuple[int, ...]] = field(init=False, default_factory=dict)
    _years: dict[int, tuple[int, ...]] = field(init=False, default_factory=dict)
    _kinds: dict[tuple[bool, int], tuple[tuple[int, ...], int]] = field(
        init=False, default_factory=dict
    )
    """Years that begin with the same weekday and are equally long are alike: there are 14."""

    def __post_init__(self) -> None:
        whole = len(self.months) == 12 and self.years is None
        self.every = whole and all(
            len(self._month(weekday, length)) == length
            for weekday in range(7)
            for length in (28, 29, 30, 31)
        )

    def next(self, day: int) -> int:
        """The earliest match at or after a day, or NEVER_DAY."""
        if not FIRST_DAY <= day <= LAST_DAY:
            return NEVER_DAY if day > LAST_DAY else self.next(FIRST_DAY)
        if self.every:
            return day
        year = date.fromordinal(day + EPOCH_ORDINAL).year
        days = self._years.get(year)
        if days is None:
            days = self._fill(year)
        index = bisect_left(days, day)
        if index < len(days):
            return days[index]
        return self._first_after(year)

    def previous(self, day: int) -> int:
        """The latest match at or before a day, or -NEVER_DAY."""
        if not FIRST_DAY <= day <= LAST_DAY:
            return -NEVER_DAY if day < FIRST_DAY else self.previous(LAST_DAY)
        if self.every:
            return day
        year = date.fromordinal(day + EPOCH_ORDINAL).year
        days = self._year(year)
        index = bisect_right(days, day)
        if index:
            return days[index - 1]
        return self._last_before(year)

    def of_year(self, year: int) -> tuple[int, ...]:
        """The matches of one year, in order."""
        return self._year(year)

    def match(self, day: int) -> bool:
        """Whether a day matches."""
        return self.every or self.next(day) == day

    def count(self, begin: int, end: int) -> int:
        """How many days of [begin, end) match."""
        if begin >= end:
            return 0
        if self.every:
            return end - begin
        first = date.fromordinal(begin + EPOCH_ORDINAL).year
        last = date.fromordinal(end - 1 + EPOCH_ORDINAL).year
        total = sum(len(self._year(year)) for year in range(first, last))
        total += bisect_left(self._year(last), end)
        return total - bisect_left(self._year(first), begin)

    def _first_after(self, year: int) -> int:
        for later in self._candidates(year + 1, year + CYCLE_YEARS, backwards=False):
            days = self._year(later)
            if days:
                return days[0]
        return NEVER_DAY

    def _last_before(self, year: int) -> int:
        for earlier in self._candidates(year - CYCLE_YEARS, year - 1, backwards=True):
            days = self._year(earlier)
            if days:
                return days[-1]
        return -NEVER_DAY

    def _candidates(self, low: int, high: int, *, backwards: bool) -> list[int] | range:
        if self.years is None:
            low, high = max(low, date.min.year), min(high, date.max.year)
            return range(high, low - 1, -1) if backwards else range(low, high + 1)
        # Listed years are few, and a long way to them is no reason to miss them.
        if backwards:
            return [year for year in reversed(self.years) if year <= high]
        return [year for year in self.years if year >= low]

    def _year(self, year: int) -> tuple[int, ...]:
        days = self._years.get(year)
        return self._fill(year) if days is None else days

    def bits_of_year(self, year: int) -> int:
        """Bit n tells whether day n of a year, counted from 0, matches."""
        if self.years is not None and year not in self.years:
            return 0
        return self._laid_out(year)[1]

    def _fill(self, year: int) -> tuple[int, ...]:
        if len(self._years) >= _KEPT_YEARS:
            self._years.clear()
        found: tuple[int, ...] = ()
        if self.years is None or year in self.years:
            first = first_day(year)
            found = tuple([first + index for index in self._laid_out(year)[0]])
        self._years[year] = found
        return found

    def _laid_out(self, year: int) -> tuple[tuple[int, ...], int]:
        """The matches of a year, counted from its first day on, and the same as bits."""
        # Ordinal 1 was a Monday.
        kind = isleap(year), (first_day(year) + EPOCH_ORDINAL) % 7
        laid_out = self._kinds.get(kind)
        if laid_out is None:
            laid_out = self._kinds[kind] = self._lay_out(*kind)
        return laid_out

    def _lay_out(self, leap: bool, first_weekday: int) -> tuple[tuple[int, ...], int]:  # noqa: FBT001
        found: list[int] = []
        begin = 0
        for month, length in enumerate(_LEAP_LENGTHS if leap else _LENGTHS):
            if month in self.months:
                days = self._month((first_weekday + begin) % 7, length)
                found.extend([begin + day - 1 for day in days])
            begin += length
        return tuple(found), sum([1 << index for index in found])

    def _month(self, first_weekday: int, length: int) -> tuple[int, ...]:
        days = self._months.get((first_weekday, length))
        if days is None:
            days = self._months[first_weekday, length] = self.fields.month(first_weekday, length)
        return days


@lru_cache(maxsize=4096)
def days_of(fields: DayFields, months: tuple[int, ...], years: tuple[int, ...] | None) -> Days:
    """The matching days, one object for equal fields."""
    return Days(fields, months, years)
