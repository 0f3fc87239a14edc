"""
Which wall times does an OnCalendar expression of systemd name?

The whole grammar: weekdays, years, months, days (also counted from a month's end with `~`), hours,
minutes and seconds, each a list of values, ranges and steps; shorthands, `@` with a second of UTC,
and a zone at the end. What systemd refuses is refused. As cron expressions they are written by
on_calendar_cron.py.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

SHORTHANDS: Final = {
    "minutely": "*-*-* *:*:00",
    "hourly": "*-*-* *:00:00",
    "daily": "*-*-* 00:00:00",
    "weekly": "Mon *-*-* 00:00:00",
    "monthly": "*-*-01 00:00:00",
    "quarterly": "*-01,04,07,10-01 00:00:00",
    "semiannually": "*-01,07-01 00:00:00",
    "semi-annually": "*-01,07-01 00:00:00",
    "biannually": "*-01,07-01 00:00:00",
    "bi-annually": "*-01,07-01 00:00:00",
    "yearly": "*-01-01 00:00:00",
    "annually": "*-01-01 00:00:00",
    "anually": "*-01-01 00:00:00",
}
_WEEKDAYS: Final = (
    *("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"),
)
_DAY_NUMBERS: Final = {
    name: number for number, whole in enumerate(_WEEKDAYS) for name in (whole, whole[:3])
}
_CHAIN: Final = r"[0-9*,./]+"
_DATE: Final = re.compile(
    rf"(?:(?P<year>{_CHAIN})-)?(?P<month>{_CHAIN})(?P<end>[-~])(?P<day>{_CHAIN})"
)
_TIME: Final = re.compile(rf"(?P<hour>{_CHAIN}):(?P<minute>{_CHAIN})(?::(?P<second>{_CHAIN}))?")
_LINK: Final = re.compile(r"([0-9]+)(?:\.\.([0-9]+))?(?:/([0-9]+))?")
_SECONDS: Final = re.compile(
    r"([0-9]+(?:\.[0-9]+)?)(?:\.\.([0-9]+(?:\.[0-9]+)?))?(?:/([0-9]+(?:\.[0-9]+)?))?"
)
_NO_FRACTION: Final = re.compile(r"(?<=[0-9])\.0+(?![0-9])")
_ZONE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+/-]*")


class CalendarFault(ValueError):
    """The expression is none, or none that can be kept; the message says which part and why."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a date or time, and the values it may have."""

    name: str
    low: int
    high: int


YEAR: Final = Part("year", 1970, 2199)
MONTH: Final = Part("month", 1, 12)
DAY: Final = Part("day", 1, 31)
FROM_END: Final = Part("day from the end", 1, 28)
HOUR: Final = Part("hour", 0, 23)
MINUTE: Final = Part("minute", 0, 59)
SECOND: Final = Part("second", 0, 59)

Values = tuple[int, ...] | None
"""The values of a part in order; None: all."""


@dataclass(frozen=True, slots=True)
class WallTimes:
    """What an expression names; weekdays count from Sunday, 0, and all parts must match."""

    weekdays: Values = None
    years: Values = None
    months: Values = None
    days: Values = None
    from_end: Values = None
    """Instead of days: 1 is the last of the month."""
    hours: Values = (0,)
    minutes: Values = (0,)
    seconds: Values = (0,)
    zone: str | None = None
    """As written at the end; None: that of the machine."""


def read_calendar(text: str) -> WallTimes | int:
    """The wall times, or the one second of UTC that `@` names; raises CalendarFault."""
    words = text.split()
    if not words:
        raise CalendarFault("it is empty")
    if words[0].startswith("@"):
        return _second_of(words)
    zone = _zone_of(words)
    if zone is not None:
        words = words[:-1]
    if len(words) == 1:
        words = SHORTHANDS.get(words[0].lower(), words[0]).split()
    return _wall_times(words, zone)


def _second_of(words: list[str]) -> int:
    [first, *others] = words
    if others or not first[1:].isdigit():
        raise CalendarFault(f"{' '.join(words)!r}: behind @ stands a number of seconds, no more")
    return int(first[1:])


def _zone_of(words: list[str]) -> str | None:
    last = words[-1]
    if len(words) == 1 or not _ZONE.fullmatch(last):
        return None
    if last.lower() in _DAY_NUMBERS:
        raise CalendarFault(f"{last!r}: weekdays stand first, with commas between them")
    return "UTC" if last.upper() == "UTC" else last


def _wall_times(words: list[str], zone: str | None) -> WallTimes:
    rest = list(words)
    weekdays = _weekdays(rest.pop(0)) if rest[0][0].isalpha() else None
    date = _DATE.fullmatch(rest[0]) if rest and ":" not in rest[0] else None
    if date is not None:
        rest.pop(0)
    time = _TIME.fullmatch(rest[0]) if rest else None
    if time is not None:
        rest.pop(0)
    if rest:
        raise CalendarFault(f"{rest[0]!r} is no weekday, date, time or zone in its place")
    found = WallTimes(weekdays=weekdays, zone=zone)
    if date is not None:
        found = _with_date(found, date)
    return found if time is None else _with_time(found, time)


def _with_date(found: WallTimes, date: re.Match[str]) -> WallTimes:
    at_end = date["end"] == "~"
    days = _values(FROM_END if at_end else DAY, date["day"])
    return replace(
        found,
        years=None if date["year"] is None else _values(YEAR, date["year"]),
        months=_values(MONTH, date["month"]),
        days=None if at_end else days,
        from_end=days if at_end else None,
    )


def _with_time(found: WallTimes, time: re.Match[str]) -> WallTimes:
    return replace(
        found,
        hours=_values(HOUR, time["hour"]),
        minutes=_values(MINUTE, time["minute"]),
        seconds=(0,) if time["second"] is None else _seconds(time["second"]),
    )


def _weekdays(text: str) -> Values:
    found: set[int] = set()
    for item in text.removesuffix(",").split(","):
        first, *behind = re.split(r"\.\.|-", item.lower())
        last = behind[0] if behind else first
        if first not in _DAY_NUMBERS or last not in _DAY_NUMBERS or len(behind) > 1:
            raise CalendarFault(f"{item!r} is no weekday, range of weekdays or shorthand")
        # The week of a range begins with Monday.
        low, high = ((_DAY_NUMBERS[name] + 6) % 7 for name in (first, last))
        if high < low:
            raise CalendarFault(f"{item!r}: {last} comes before {first}; a week begins with Monday")
        found |= {(day + 1) % 7 for day in range(low, high + 1)}
    return None if len(found) == 7 else tuple(sorted(found))


def _seconds(text: str) -> Values:
    """Whole seconds: nothing here is due in between."""
    for link in text.split(","):
        if link != "*" and not _SECONDS.fullmatch(link):
            raise CalendarFault(f"second: {link!r} is no value, range or step")
    whole = _NO_FRACTION.sub("", text)
    if re.search(r"[0-9]\.[0-9]", whole):
        raise CalendarFault(f"second: {text!r}: nothing here is due between two seconds")
    return _values(SECOND, whole)


def _values(part: Part, text: str) -> Values:
    if text == "*":
        return None
    found: set[int] = set()
    for link in text.split(","):
        found |= set(_link(part, link))
    every = part is not FROM_END and len(found) == part.high - part.low + 1
    return None if every else tuple(sorted(found))


def _link(part: Part, text: str) -> range:
    found = _LINK.fullmatch(text)
    if found is None:
        hint = "; every third one is 0/3" if text.startswith("*/") else ""
        raise CalendarFault(f"{part.name}: {text!r} is no value, range or step{hint}")
    low = _value(part, found[1], text)
    high = None if found[2] is None else _value(part, found[2], text)
    if high is not None and high < low:
        raise CalendarFault(f"{part.name}: {text!r}: {high} comes before {low}")
    if found[3] is None:
        return range(low, (low if high is None else high) + 1)
    return _stepping(part, text, low, high, int(found[3]))


def _stepping(part: Part, text: str, low: int, high: int | None, step: int) -> range:
    room = low - part.low if part is FROM_END else part.high - low
    if step < 1 or (high is None and step > room):
        raise CalendarFault(f"{part.name}: {text!r}: a step of {step} leads nowhere")
    if high is None and part is FROM_END:
        return range(low, part.low - 1, -step)  # forward in the month, so down to its last day
    return range(low, (part.high if high is None else high) + 1, step)


def _value(part: Part, text: str, link: str) -> int:
    number = int(text)
    if part is YEAR and number < 100:
        number += 2000 if number < 70 else 1900
    if not part.low <= number <= part.high:
        raise CalendarFault(
            f"{part.name}: {link!r}: {number} is not among {part.low} to {part.high}"
        )
    return number
