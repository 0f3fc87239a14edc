"""
What is closed on the days of one year?

Days on which the same minutes are closed are of one kind. A year has few kinds, so it is kept as
its kinds, each with its days as the bits of an integer, and laid out day by day only if asked to.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import date
from functools import cache
from typing import Final

from schemas.globals import YearlyRange

MINUTES: Final = 1440
ALL_DAY: Final = (1 << MINUTES) - 1
_WEEKS: Final = sum(1 << 7 * week for week in range(53))


class ClosedYear:
    """The closed minutes of each day of a year; day 0 is the first one."""

    __slots__ = ("_at", "_days", "kinds", "length", "opened")

    def __init__(self, length: int, kinds: dict[int, int]) -> None:
        self.length = length
        self.kinds = tuple(kinds.items())
        """The different closed minutes, each with its days as bits."""
        self.opened = 0
        """The minutes that are open on some day."""
        for closed in kinds:
            self.opened |= ALL_DAY ^ closed
        self._days: list[int] | None = None
        self._at: dict[int, int] = {}

    @classmethod
    def open(cls, length: int) -> ClosedYear:
        """A year without anything closed."""
        return cls(length, {0: (1 << length) - 1})

    def closing(self, minutes: int, days: int) -> ClosedYear:
        """The same year with some minutes closed on some days, too."""
        kinds: dict[int, int] = {}
        for closed, alike in self.kinds:
            for found, those in ((closed | minutes, alike & days), (closed, alike & ~days)):
                if those:
                    kinds[found] = kinds.get(found, 0) | those
        return ClosedYear(self.length, kinds)

    @property
    def days(self) -> list[int]:
        """The closed minutes of each day."""
        if self._days is None:
            most = max(self.kinds, key=lambda kind: kind[1].bit_count())
            found = [most[0]] * self.length
            for closed, days in self.kinds:
                for index in one_bits(0 if closed == most[0] else days):
                    found[index] = closed
            self._days = found
        return self._days

    def open_days(self, minutes: int) -> int:
        """Bit n tells whether one of the minutes is open on day n."""
        opened = 0
        for closed, days in self.kinds:
            if minutes & ~closed:
                opened |= days
        return opened

    def open_at(self, minute: int) -> int:
        """Bit n tells whether a minute is open on day n."""
        opened = self._at.get(minute)
        if opened is None:
            opened = self._at[minute] = (
                self.open_days(1 << minute) if self.opened >> minute & 1 else 0
            )
        return opened


def one_bits(bits: int) -> list[int]:
    """Which bits are set, in order."""
    return [index for index, bit in enumerate(f"{bits:b}"[::-1]) if bit == "1"]


def days_of_week(length: int, first: int, weekdays: int) -> int:
    """The bits of some weekdays in a year that begins with `first`; 0 and bit 0 are Monday."""
    found = 0
    for index in range(7):
        if weekdays >> ((first + index) % 7) & 1:
            found |= _WEEKS << index
    return found & ((1 << length) - 1)


def days_of_range(length: int, yearly: YearlyRange) -> int:
    """The bits of a range of dates, which may go over New Year."""
    dates = _month_days(length)
    begin, end = bisect_left(dates, yearly.first), bisect_right(dates, yearly.last)
    before, until = (1 << begin) - 1, (1 << end) - 1
    if yearly.first <= yearly.last:
        return until & ~before
    return until | ((1 << length) - 1) & ~before


@cache
def _month_days(length: int) -> tuple[int, ...]:
    """Month * 100 + day of each day of a year of this length."""
    first = date(2024 if length == 366 else 2023, 1, 1).toordinal()
    days = (date.fromordinal(first + index) for index in range(length))
    return tuple(day.month * 100 + day.day for day in days)
