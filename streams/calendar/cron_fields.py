"""
What does one field of a cron expression say?

Checks each item of a field and rewrites it so that croniter's grammar reads it right: names become
numbers, `59/15`, `5-5`, ranges that wrap and steps past the end become what they mean. The items
that croniter gets wrong altogether (`L`, `LW`, `L-n`, `nW`, `d#n`, `dL`) are taken out and read
here. How fields make an expression is cron.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, NoReturn

from streams.calendar.refusals import TimingRefused, quoted

_NAMES: Final = (
    *("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"),
    *("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"),
)
MONTH_NAMES: Final = dict(zip(_NAMES[7:], range(1, 13), strict=True))
DAY_NAMES: Final = dict(zip(_NAMES[:7], range(7), strict=True))

_ITEM: Final = re.compile(
    r"(?:(\*)|([0-9]{1,4}|[A-Z]{3})(?:-([0-9]{1,4}|[A-Z]{3}))?)(?:/([0-9]{1,4}))?"
)
_FROM_LAST: Final = re.compile(r"L(?:-([0-9]{1,2}))?")
_NEAREST: Final = re.compile(r"([0-9]{1,2}|L)W")
_LAST_DAY: Final = re.compile(r"([0-9]|[A-Z]{3})L")
_NTH_DAY: Final = re.compile(r"([0-9]|[A-Z]{3})#([0-9])")


@dataclass(frozen=True, slots=True)
class Field:
    """One field: its name and the values it may take."""

    name: str
    low: int
    high: int
    names: dict[str, int] = field(default_factory=dict, hash=False)
    week: bool = False
    """A week wraps: one past the highest value is the lowest again (7 is Sunday, as 0)."""
    wraps: bool = True
    """Whether a range may go past the highest value and on from the lowest (22-6 hours)."""
    also: str = ""
    """What else the field knows, for messages."""

    @property
    def hash_high(self) -> int:
        """The highest value for `H`: a day that every month has."""
        return 28 if self.high == 31 else self.high

    def refuse(self, item: str, why: str) -> NoReturn:
        """Say what is wrong with an item and what is allowed."""
        names = f" or {next(iter(self.names))} to {list(self.names)[-1]}" if self.names else ""
        allowed = f"allowed are {self.low}-{self.high + self.week}{names}{self.also}"
        raise TimingRefused("cron", f"{self.name} {quoted(item)}: {why}; {allowed}")

    def value(self, text: str, item: str) -> int:
        """The number that a text stands for."""
        number = self.names.get(text) if text.isalpha() else int(text)
        if number is None:
            self.refuse(item, f"{quoted(text)} is no name, which are three letters long")
        if not self.low <= number <= self.high + self.week:
            self.refuse(item, f"{number} is out of range")
        return number

    def rewrite(self, item: str) -> str:
        """The item in the part of the grammar that croniter reads right."""
        found = _ITEM.fullmatch(item)
        if found is None:
            self.refuse(item, "it is no value, range, step or *" if item else "an item is empty")
        star, start, end, step = found.groups()
        every = 1 if step is None else int(step)
        if every < 1:
            self.refuse(item, "a step must be at least 1")
        if star:
            return self._run(self.low, self.high, every)
        low = self.value(start, item)
        if end is not None:
            high = low if start == end else self.value(end, item)
            if high < low and not self.wraps:
                self.refuse(item, f"{high} comes before {low}")
            return self._run(low, high, every)
        return self._run(low, low if step is None else max(low, self.high), every)

    def _run(self, low: int, high: int, every: int) -> str:
        size = self.high - self.low + 1
        if low <= high <= self.high:
            if every > high - low:
                return str(low)
            return f"{low}-{high}/{every}" if every > 1 else f"{low}-{high}"
        if high < low:
            high += size
        values = (self.low + (value - self.low) % size for value in range(low, high + 1, every))
        return ",".join(map(str, values))


# 22-6 in the hours is a night; 5-1 in the minutes is a slip far more often than meant.
SECOND: Final = Field("second", 0, 59, wraps=False)
MINUTE: Final = Field("minute", 0, 59, wraps=False)
HOUR: Final = Field("hour", 0, 23)
DAY: Final = Field("day of month", 1, 31, also=", L, L-n, LW and nW")
MONTH: Final = Field("month", 1, 12, MONTH_NAMES)
WEEKDAY: Final = Field("weekday", 0, 6, DAY_NAMES, week=True, also=", dL and d#n")
QUARTZ_WEEKDAY: Final = Field(
    "weekday", 1, 7, {name: day + 1 for name, day in DAY_NAMES.items()}, also=", L, dL and d#n"
)
YEAR: Final = Field("year", 1970, 2099)


@dataclass(slots=True)
class MonthDays:
    """The items of a day-of-month field that are no plain days."""

    plain: list[str] = field(default_factory=list)
    from_last: set[int] = field(default_factory=set)
    nearest: set[int] = field(default_factory=set)
    last_working: bool = False

    def add(self, item: str) -> None:
        """Take an item in."""
        if found := _FROM_LAST.fullmatch(item):
            back = int(found[1] or 0)
            if back > 30:
                DAY.refuse(item, "L-n goes at most 30 days back")
            self.from_last.add(back)
        elif item == "LW":
            self.last_working = True
        elif found := _NEAREST.fullmatch(item):
            self.nearest.add(DAY.value(found[1], item))
        else:
            self.plain.append(DAY.rewrite(item))


@dataclass(slots=True)
class WeekDays:
    """The items of a weekday field that are no plain weekdays; Sunday is 0."""

    reads: Field
    plain: list[str] = field(default_factory=list)
    nth: set[tuple[int, int]] = field(default_factory=set)
    last: set[int] = field(default_factory=set)

    def add(self, item: str) -> None:
        """Take an item in."""
        if found := _NTH_DAY.fullmatch(item):
            if not 1 <= int(found[2]) <= 5:
                self.reads.refuse(item, "the number behind # must be 1 to 5")
            self.nth.add((self._day(found[1], item), int(found[2])))
        elif found := _LAST_DAY.fullmatch(item):
            self.last.add(self._day(found[1], item))
        elif item == "L" and self.reads is QUARTZ_WEEKDAY:
            self.plain.append("6")
        else:
            self.plain.append(self._from_sunday(self.reads.rewrite(item)))

    def _day(self, text: str, item: str) -> int:
        return (self.reads.value(text, item) - self.reads.low) % 7

    def _from_sunday(self, rewritten: str) -> str:
        if self.reads.low == 0:
            return rewritten
        # Only numbers before a step are days; the step stays as it is.
        return re.sub(
            r"(?<![0-9/])[0-9]+", lambda found: str(int(found[0]) - self.reads.low), rewritten
        )
