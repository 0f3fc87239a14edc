"""
Which days off were found, and what became of the rest?

The record that the importers of calendar files and of public holidays fill, and the years that they
are asked for. Days become the dates of a shared calendar; the command line shows and sends them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

_EPOCH = date(1970, 1, 1)
_MOST_YEARS = 200


@dataclass(frozen=True, slots=True)
class Years:
    """Whole years, both inclusive."""

    first: int
    last: int

    def __contains__(self, day: date) -> bool:
        return self.first <= day.year <= self.last


@dataclass(slots=True)
class DaysOff:
    """Days by what they are called, and what was left out."""

    source: str
    days: dict[date, list[str]] = field(default_factory=dict)
    refused: list[tuple[str, str]] = field(default_factory=list)
    """What was left out though it says something, and why."""
    remarks: list[str] = field(default_factory=list)

    def add(self, days: Iterable[date], name: str) -> None:
        """Take days in; one that is several things has several names."""
        for day in days:
            names = self.days.setdefault(day, [])
            if name not in names:
                names.append(name)

    @property
    def dates(self) -> tuple[int, ...]:
        """Days since 1970-01-01, in order."""
        return tuple((day - _EPOCH).days for day in sorted(self.days))


def read_years(text: str) -> Years:
    """`2026` or `2026-2030`; raises ValueError with a sentence."""
    first, dash, last = text.strip().partition("-")
    texts = (first, last if dash else first)
    if not all(each.isdecimal() and each.isascii() and len(each) == 4 for each in texts):
        raise ValueError(f"{text!r} is no year and no range of years such as 2026-2030")
    years = Years(*map(int, texts))
    if not 1 <= years.first <= years.last:
        raise ValueError(f"{text!r}: the first year comes after the last one")
    if years.last - years.first >= _MOST_YEARS:
        raise ValueError(f"{text!r}: {_MOST_YEARS} years at most")
    return years
