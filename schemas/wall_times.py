"""
How are days of the week, wall times and dates written down?

`mon-fri`, `22:00`, `2026-12-24` and `12-24..01-06` to numbers and back. None of them has a zone:
they are what the clocks of a schedule show. Instants are instants.py, lengths of time durations.py.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY_SECONDS: Final = 86_400
_EPOCH_ORDINAL: Final = date(1970, 1, 1).toordinal()
FIRST_DATE: Final = date.min.toordinal() - _EPOCH_ORDINAL
"""0001-01-01, in days since 1970-01-01."""
LAST_DATE: Final = date.max.toordinal() - _EPOCH_ORDINAL
"""9999-12-31"""

_CLOCK: Final = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?")
_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_LIKE_A_DATE: Final = re.compile(r"[+-]?[0-9]+-[0-9]+-[0-9]+.*", re.DOTALL)
_YEARLY: Final = re.compile(r"([0-9]{2})-([0-9]{2})(?:\.\.([0-9]{2})-([0-9]{2}))?")
_LEAP_YEAR: Final = 2000


def parse_days(text: str) -> int:
    """The bitmask of `mon`, `mon-fri` or `mon,wed,fri`; raises ValueError with a sentence."""
    found = 0
    for part in text.split(","):
        first, dash, last = part.strip().casefold().partition("-")
        if first not in WEEKDAYS or (dash and last not in WEEKDAYS):
            allowed = ", ".join(WEEKDAYS)
            raise ValueError(f"{text[:40]!a} names no days; write some of {allowed}, or mon-fri")
        begin = WEEKDAYS.index(first)
        length = (WEEKDAYS.index(last) - begin) % 7 if dash else 0  # fri-mon goes over Sunday
        for day in range(begin, begin + length + 1):
            found |= 1 << day % 7
    return found


def format_days(days: int) -> str:
    """The days of a bitmask; empty if it has none."""
    runs: list[list[int]] = []
    for day in (day for day in range(7) if days >> day & 1):
        if runs and runs[-1][-1] == day - 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return ",".join(
        WEEKDAYS[run[0]] if len(run) == 1 else f"{WEEKDAYS[run[0]]}-{WEEKDAYS[run[-1]]}"
        for run in runs
    )


def parse_clock(text: str) -> int:
    """A wall time in seconds of the day, 24:00 as 86,400; raises ValueError with a sentence."""
    found = _CLOCK.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text[:40]!a} is no wall time; write one like 22:00 or 22:00:30")
    hour, minute, second = (int(part or 0) for part in found.groups())
    seconds = hour * 3600 + minute * 60 + second
    if minute > 59 or second > 59 or seconds > DAY_SECONDS:
        raise ValueError(f"{text[:40]!a} is no wall time: a day goes from 00:00 to 24:00")
    return seconds


def format_clock(seconds: int) -> str:
    """A wall time, with seconds if it has some."""
    minutes, second = divmod(seconds, 60)
    whole = f"{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{whole}:{second:02d}" if second else whole


def looks_like_date(text: str) -> bool:
    """Whether somebody who wrote this meant a date, perhaps one that is wrong."""
    return _LIKE_A_DATE.fullmatch(text) is not None


def parse_date(text: str) -> int:
    """A local date as days since 1970-01-01; raises ValueError with a sentence."""
    found = _DATE.fullmatch(text)
    if found is None:
        raise ValueError(
            f"{text[:40]!a} is no date of the years 1 to 9999; write one like 2026-12-24, "
            "without time and zone: it is a day of the schedule's own zone"
        )
    try:
        return date(*map(int, found.groups())).toordinal() - _EPOCH_ORDINAL
    except ValueError as wrong:
        raise ValueError(f"{text!a} is no date: {wrong}") from None


def format_date(day: int) -> str:
    """A local date; ValueError outside of the years 1 to 9999."""
    if not FIRST_DATE <= day <= LAST_DATE:
        raise ValueError(f"day {day} since 1970-01-01 lies outside of the years 1 to 9999")
    return date.fromordinal(day + _EPOCH_ORDINAL).isoformat()


def parse_yearly(text: str) -> tuple[int, int]:
    """First and last day of `12-25` or `12-24..01-06`, each month * 100 + day; or ValueError."""
    found = _YEARLY.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"{text[:40]!a} is no range of a year; write 12-25 or 12-24..01-06")
    month, day, last_month, last_day = (int(part or 0) for part in found.groups())
    first = check_month_day(month * 100 + day)
    return first, check_month_day(last_month * 100 + last_day) if last_month else first


def format_yearly(first: int, last: int) -> str:
    """The range as text."""
    return _month_day(first) if first == last else f"{_month_day(first)}..{_month_day(last)}"


def check_month_day(number: int) -> int:
    """Give month * 100 + day back if some year has that day; ValueError with a sentence."""
    month, day = divmod(number, 100)
    try:
        date(_LEAP_YEAR, month, day)
    except ValueError:
        raise ValueError(f"no year has a day {_month_day(number)}") from None
    return number


def _month_day(number: int) -> str:
    month, day = divmod(number, 100)
    return f"{month:02d}-{day:02d}"
