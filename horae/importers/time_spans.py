"""
How long is a time span of systemd?

`1h 30min`, `5d`, `90`: numbers with units, added up; without a unit seconds. All of it is elapsed
time: a day is 24 hours, a month 30.44 days, a year 365.25 days.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

_SECOND: Final = 1_000_000
_UNITS: Final = {
    "us": 1,
    "ms": 1_000,
    "s": _SECOND,
    "m": 60 * _SECOND,
    "h": 3_600 * _SECOND,
    "d": 86_400 * _SECOND,
    "w": 7 * 86_400 * _SECOND,
    "M": 2_629_800 * _SECOND,
    "y": 31_557_600 * _SECOND,
}
_NAMES: Final = {
    "us": ("us", "usec", "µs", "μs"),
    "ms": ("ms", "msec"),
    "s": ("s", "sec", "second", "seconds", ""),
    "m": ("m", "min", "minute", "minutes"),
    "h": ("h", "hr", "hour", "hours"),
    "d": ("d", "day", "days"),
    "w": ("w", "week", "weeks"),
    "M": ("M", "month", "months"),
    "y": ("y", "year", "years"),
}
_LENGTHS: Final = {name: _UNITS[unit] for unit, names in _NAMES.items() for name in names}
_PIECE: Final = re.compile(r"\s*([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([A-Za-zµμ]*)")
_MOST: Final = 10_000 * _UNITS["y"]


def read_span(text: str) -> int:
    """Microseconds; raises ValueError with a sentence that can be shown."""
    total, at = Decimal(0), 0
    while at < len(text.rstrip()):
        found = _PIECE.match(text, at)
        if found is None or found[2] not in _LENGTHS:
            raise ValueError(f"{text!r} is no time span such as 1h 30min")
        total += Decimal(found[1]) * _LENGTHS[found[2]]
        at = found.end()
    if at == 0:
        raise ValueError("it is empty")
    if total > _MOST:
        raise ValueError(f"{text!r} is longer than 10000 years")
    return int(total)
