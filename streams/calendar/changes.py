"""
When do the clocks of a zone change?

Reads the changes that a zone's file lists and asks zoneinfo for those of later years, which follow
the file's closing rule. A year's changes by that rule depend only on whether it is a leap year and
on the weekday it begins with, so fourteen sample years answer for all. Which zones there are, and
what lies between two changes, is zones.py.
"""

from __future__ import annotations

import struct
from datetime import UTC, date, datetime
from importlib.resources import files
from zoneinfo import ZoneInfo

from streams.calendar.ticks import DAY_SECONDS

_HEADER = struct.Struct(">4sc15x6l")
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()

Change = tuple[int, int]
"""From this second of UTC on, the offset is so many seconds."""


def first_second(year: int) -> int:
    """When a year begins in UTC."""
    return (date(year, 1, 1).toordinal() - _EPOCH_ORDINAL) * DAY_SECONDS


class Changes:
    """All changes of one zone's offset: `listed` ones, then by rule if the zone `goes_on`."""

    def __init__(self, name: str) -> None:
        data = files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()
        self.first_offset, self.listed, self.listed_to, footer = _read(data)
        self.goes_on = "," in footer
        self._zone = ZoneInfo(name)
        self._rule_year = datetime.fromtimestamp(self.listed_to, UTC).year + 1
        self._samples: dict[tuple[bool, int], tuple[Change, ...]] = {}

    def by_rule(self, year: int) -> list[Change]:
        """The changes of a year by the closing rule, whether or not the file lists that year."""
        begin = first_second(year)
        return [(begin + since, offset) for since, offset in self._sample(_kind(year))]

    def _sample(self, kind: tuple[bool, int]) -> tuple[Change, ...]:
        sample = self._samples.get(kind)
        if sample is None:
            year = self._rule_year
            while _kind(year) != kind:
                year += 1
            sample = self._samples[kind] = tuple(self._probe(first_second(year)))
        return sample

    def _probe(self, begin: int) -> list[Change]:
        """Look at every tenth day of a year and narrow down where the offset differs."""
        found = []
        left, offset = begin, self._offset(begin)
        for right in range(begin + 10 * DAY_SECONDS, begin + 366 * DAY_SECONDS, 10 * DAY_SECONDS):
            here = self._offset(right)
            if here != offset:
                found.append((self._edge(left, right, here) - begin, here))
            left, offset = right, here
        return found

    def _edge(self, left: int, right: int, offset: int) -> int:
        """The first second after `left` with an offset."""
        while right - left > 1:
            middle = (left + right) // 2
            if self._offset(middle) == offset:
                right = middle
            else:
                left = middle
        return right

    def _offset(self, second: int) -> int:
        passed = datetime.fromtimestamp(second, self._zone).utcoffset()
        return 0 if passed is None else passed.days * DAY_SECONDS + passed.seconds


def _kind(year: int) -> tuple[bool, int]:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return leap, date(year, 1, 1).weekday()


def _read(data: bytes) -> tuple[int, list[Change], int, str]:
    """The first offset, the changes of offset, up to when, and the rule from then on."""
    _, _, isut, isstd, leaps, times, types, chars = _HEADER.unpack_from(data)
    # The first half repeats everything in 32 bits; the second one begins with a header of its own.
    at = _HEADER.size + times * 5 + types * 6 + chars + leaps * 8 + isstd + isut
    _, _, isut, isstd, leaps, times, types, chars = _HEADER.unpack_from(data, at)
    at += _HEADER.size
    starts = struct.unpack_from(f">{times}q", data, at)
    kinds = data[at + 8 * times : at + 9 * times]
    at += 9 * times
    offsets = [struct.unpack_from(">l", data, at + 6 * index)[0] for index in range(types)]
    at += 6 * types + chars + leaps * 12 + isstd + isut
    changes: list[Change] = []
    offset = offsets[0]
    for start, kind in zip(starts, kinds, strict=True):
        # A change of name or of the summer flag alone moves no clock.
        if offsets[kind] != offset:
            offset = offsets[kind]
            changes.append((start, offset))
    # The rule begins where the list ends, even if its last entry changed a name only.
    return offsets[0], changes, starts[-1] if starts else 0, data[at:].decode("ascii").strip()
