"""
How is a length of time written down?

`6h`, `1h30m` or ISO 8601 (`PT6H`, `P1M`) to months, days and microseconds, and back. Months and
days are kept apart, since they are steps on a calendar and not lengths; the short form's day is one
too.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_SECOND: Final = 1_000_000
_MINUTE: Final = 60 * _SECOND
_HOUR: Final = 60 * _MINUTE
_MOST_MONTHS: Final = 120_000
_MOST_DAYS: Final = 3_660_000
_MOST_MICROS: Final = _MOST_DAYS * 24 * _HOUR

_NUMBER = r"[0-9]{1,18}"
_PARTS: Final = (
    rf"(?:(?P<seconds>{_NUMBER})(?:[.,](?P<fraction>[0-9]{{1,6}}))?S)?",
    rf"(?:(?P<minutes>{_NUMBER})M)?",
    rf"(?:(?P<hours>{_NUMBER})H)?",
)
_ISO: Final = re.compile(
    rf"P(?:(?P<years>{_NUMBER})Y)?(?:(?P<months>{_NUMBER})M)?(?:(?P<weeks>{_NUMBER})W)?"
    rf"(?:(?P<days>{_NUMBER})D)?(?:T(?=[0-9]){_PARTS[2]}{_PARTS[1]}{_PARTS[0]})?",
    re.IGNORECASE,
)
_SHORT: Final = re.compile(
    rf"(?:(?P<weeks>{_NUMBER})w)?(?:(?P<days>{_NUMBER})d)?(?:(?P<hours>{_NUMBER})h)?"
    rf"(?:(?P<minutes>{_NUMBER})m)?"
    rf"(?:(?P<seconds>{_NUMBER})(?:\.(?P<fraction>[0-9]{{1,6}}))?s)?(?:(?P<millis>{_NUMBER})ms)?"
)


class Duration(NamedTuple):
    """Calendar steps and elapsed time."""

    months: int
    days: int
    micros: int


def parse_duration(text: str) -> Duration:
    """The length of time; raises ValueError with a sentence that can be shown."""
    plain = text.strip(" \t")
    found = (_ISO if plain[:1] in {"P", "p"} else _SHORT).fullmatch(plain)
    if found is None or plain in {"", "P", "p"}:
        raise ValueError(_why_not(plain))
    parts = {name: int(value) for name, value in found.groupdict("0").items() if name != "fraction"}
    fraction = (found["fraction"] or "").ljust(6, "0")
    duration = Duration(
        months=12 * parts.get("years", 0) + parts.get("months", 0),
        days=7 * parts["weeks"] + parts["days"],
        micros=parts["hours"] * _HOUR
        + parts["minutes"] * _MINUTE
        + parts["seconds"] * _SECOND
        + parts.get("millis", 0) * 1000
        + int(fraction),
    )
    if not any(duration):
        raise ValueError(f"{plain[:40]!a} is no length of time: it must be longer than nothing")
    most = (_MOST_MONTHS, _MOST_DAYS, _MOST_MICROS)
    if any(part > limit for part, limit in zip(duration, most, strict=True)):
        raise ValueError(f"{plain[:40]!a} is longer than 10000 years")
    return duration


def parse_elapsed(text: str) -> int:
    """A length of elapsed time in microseconds, for what is no step on a calendar.

    A day is 24 hours here; months have no length.
    """
    months, days, micros = parse_duration(text)
    if months:
        raise ValueError(f"{text[:40]!a}: a month has no fixed length here; write days or hours")
    return days * 24 * _HOUR + micros


def format_duration(months: int = 0, days: int = 0, micros: int = 0) -> str:
    """The length of time in ISO 8601."""
    hours, rest = divmod(micros, _HOUR)
    minutes, rest = divmod(rest, _MINUTE)
    seconds, fraction = divmod(rest, _SECOND)
    date = _written((months // 12, "Y"), (months % 12, "M"), (days, "D"))
    time = _written((hours, "H"), (minutes, "M"))
    if fraction:
        time += f"{seconds}.{fraction:06d}".rstrip("0") + "S"
    elif seconds:
        time += f"{seconds}S"
    if not date and not time:
        return "PT0S"
    return f"P{date}T{time}" if time else f"P{date}"


def _written(*parts: tuple[int, str]) -> str:
    return "".join(f"{number}{unit}" for number, unit in parts if number)


def _why_not(text: str) -> str:
    shown = f"{text[:40]!a}"
    if text.startswith(("-", "P-", "PT-")):
        return f"{shown} is negative; a length of time must be longer than nothing"
    if text.replace(".", "", 1).isdigit():
        return f"{shown} has no unit; write for example {text[:20]}s or PT{text[:20]}S"
    return f"{shown} is no length of time; write one like 90m, 1h30m, PT6H, P1D or P1M"
