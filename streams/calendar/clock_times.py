"""
Which times of a day match?

Hours, minutes and seconds of a cron expression, looked up by second of the day. The day itself is
days.py; both together are matching.py.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache

NONE = -1


class ClockTimes:
    """All combinations of some minutes of the day and some seconds."""

    __slots__ = ("_bits", "_minute_bits", "_minutes", "first", "last", "seconds", "size")

    def __init__(self, minutes: Iterable[int], seconds: Sequence[int]) -> None:
        self._minutes = array("H", minutes)
        self.seconds = tuple(seconds)
        self.first = self._minutes[0] * 60 + self.seconds[0]
        self.last = self._minutes[-1] * 60 + self.seconds[-1]
        self.size = len(self._minutes) * len(self.seconds)
        self._bits = self._minute_bits = 0

    def next(self, second: int) -> int:
        """The earliest match at or after this second of the day, or NONE."""
        minutes = self._minutes
        minute, rest = divmod(second, 60)
        index = bisect_left(minutes, minute)
        if index == len(minutes):
            return NONE
        found = minutes[index]
        if found != minute:
            return found * 60 + self.seconds[0]
        seconds = self.seconds
        if rest <= seconds[-1]:
            return found * 60 + seconds[bisect_left(seconds, rest)]
        index += 1
        return NONE if index == len(minutes) else minutes[index] * 60 + seconds[0]

    def previous(self, second: int) -> int:
        """The latest match at or before this second of the day, or NONE."""
        minutes, seconds = self._minutes, self.seconds
        minute, rest = divmod(second, 60)
        index = bisect_right(minutes, minute) - 1
        if index < 0:
            return NONE
        found = minutes[index]
        if found != minute:
            return found * 60 + seconds[-1]
        if rest >= seconds[0]:
            return found * 60 + seconds[bisect_right(seconds, rest) - 1]
        return NONE if index == 0 else minutes[index - 1] * 60 + seconds[-1]

    @property
    def minute_bits(self) -> int:
        """Bit n tells whether minute n of a day has a match."""
        if not self._minute_bits:
            self._minute_bits = sum(1 << minute for minute in self._minutes)
        return self._minute_bits

    def only(self, minute_bits: int) -> ClockTimes:
        """The matches in these minutes of the day, one at least."""
        return ClockTimes(
            (minute for minute in self._minutes if minute_bits >> minute & 1), self.seconds
        )

    @property
    def bits(self) -> int:
        """Bit n tells whether second n of a day matches."""
        if not self._bits:
            minute = sum(1 << second for second in self.seconds)
            for start in self._minutes:
                self._bits |= minute << (start * 60)
        return self._bits

    def rank(self, second: int) -> int:
        """How many matches a day has before this second."""
        minutes, seconds = self._minutes, self.seconds
        minute, rest = divmod(second, 60)
        index = bisect_left(minutes, minute)
        whole = index * len(seconds)
        if index < len(minutes) and minutes[index] == minute:
            return whole + bisect_left(seconds, rest)
        return whole


@lru_cache(maxsize=4096)
def clock_times(
    hours: tuple[int, ...], minutes: tuple[int, ...], seconds: tuple[int, ...]
) -> ClockTimes:
    """The times of a day, one object for equal fields."""
    return ClockTimes((hour * 60 + minute for hour in hours for minute in minutes), seconds)
