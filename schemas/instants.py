"""
How is an instant written down?

RFC 3339 text to integer microseconds of UTC and back. An offset is required, so a text means the
same everywhere; what is written always ends in Z, with six digits of fraction only if there is one.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_ORDINAL: Final = date(1970, 1, 1).toordinal()
_MICROSECOND: Final = timedelta(microseconds=1)
_DAY: Final = 86_400_000_000
FIRST: Final = (date.min.toordinal() - _EPOCH_ORDINAL) * _DAY
"""0001-01-01T00:00:00Z"""
LAST: Final = (date.max.toordinal() - _EPOCH_ORDINAL + 1) * _DAY - 1
"""9999-12-31T23:59:59.999999Z"""

_RFC_3339: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})?"
)
_LONG_YEAR: Final = re.compile(r"[+-]?[0-9]{5,}-[0-9]{2}-[0-9]{2}[Tt ]")
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


def parse_instant(text: str) -> int:
    """The instant in microseconds; raises ValueError with a sentence that can be shown."""
    found = _RFC_3339.fullmatch(text)
    if found is None:
        raise ValueError(_why_not(text))
    *numbers, fraction, offset = found.groups()
    if offset is None:
        raise ValueError(f"{text!a} has no offset; write Z for UTC or an offset like +02:00")
    fraction = fraction or ""
    if fraction[6:].strip("0"):
        raise ValueError(f"{text!a} is finer than a microsecond")
    try:
        year, month, day, *clock = map(int, numbers)
        hour, minute, second = clock
        moment = datetime(year, month, day, hour, minute, second, tzinfo=_offset(offset))
        micros = (moment - _EPOCH) // _MICROSECOND + int(fraction[:6].ljust(6, "0"))
    except ValueError as wrong:
        raise ValueError(f"{text!a} is no instant: {wrong}") from None
    return check_instant(micros)


def check_instant(micros: int) -> int:
    """Give an instant back if its year can be written with four digits."""
    if not FIRST <= micros <= LAST:
        raise ValueError(f"{micros} microseconds lie outside of the years 1 to 9999")
    return micros


def format_instant(micros: int) -> str:
    """The instant as text in UTC."""
    second, fraction = divmod(micros, 1_000_000)
    if not fraction:
        return _whole(second)
    return f"{_whole(second)[:-1]}.{fraction:06d}Z"


@lru_cache(maxsize=4096)
def _whole(second: int) -> str:
    day, rest = divmod(second, 86_400)
    return f"{_day(day)}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}Z"


@lru_cache(maxsize=1024)
def _day(day: int) -> str:
    ordinal = day + _EPOCH_ORDINAL
    if not 1 <= ordinal <= date.max.toordinal():
        raise ValueError("an instant outside of the years 1 to 9999 has no text")
    return date.fromordinal(ordinal).isoformat()


def _offset(text: str) -> timezone:
    if text in "Zz":
        return UTC
    hours, minutes = int(text[1:3]), int(text[4:6])
    if hours > 23 or minutes > 59:
        raise ValueError("an offset has at most 23 hours and 59 minutes")
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=hours, minutes=minutes))


def _why_not(text: str) -> str:
    if _NUMBER.fullmatch(text):
        return f"{text[:40]} is a number; write an instant like 2026-11-29T02:30:00Z{_unit(text)}"
    if _LONG_YEAR.match(text):
        return f"{text[:40]!a} lies outside of the years 1 to 9999"
    return f"{text[:40]!a} is no instant; write one like 2026-11-29T02:30:00Z"


def _unit(text: str) -> str:
    """A guess at what the number counts: the one unit that makes it a year of ours."""
    value = abs(float(text[:40]))
    for unit, size in (("seconds", 1), ("milliseconds", 10**3), ("microseconds", 10**6)):
        if 946_684_800 <= value / size < 4_102_444_800:
            meant = format_instant(int(value / size) * 1_000_000)
            return f" (it looks like {unit} since 1970: {meant})"
    return ""
