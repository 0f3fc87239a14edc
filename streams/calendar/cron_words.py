"""
What does a cron expression say, in plain English?

Each field's items become words, put together as a person would say them: at which times, on which
days. What the expression means is cron.py; the sentence around it is explain.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from schemas.definition import Cron, Dialect
from streams.calendar.cron import Fields, fields_of
from streams.calendar.cron_fields import DAY_NAMES, MONTH_NAMES
from streams.calendar.hashing import has_hash

MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
DAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_NTH: Final = ("first", "second", "third", "fourth", "fifth")
_ITEM: Final = re.compile(
    r"(\*|H|[0-9A-Z]+)(?:\(([0-9]+)-([0-9]+)\))?(?:-([0-9A-Z]+))?(?:/([0-9]+))?"
)
_MOST_TIMES: Final = 6


def listed(words: Sequence[str], last: str = "and") -> str:
    """a, b and c."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def ordinal(number: int) -> str:
    """1st, 2nd, 23rd, 11th."""
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def clock_text(second: int) -> str:
    """A second of the day as 02:30, with seconds if there are any."""
    text = f"{second // 3600:02d}:{second // 60 % 60:02d}"
    return f"{text}:{second % 60:02d}" if second % 60 else text


def weekday_words(days: Sequence[int]) -> str:
    """Some days of the week, Sunday 0 or 7, as one says them."""
    found = sorted({day % 7 for day in days}, key=lambda day: day or 7)
    if found == [1, 2, 3, 4, 5]:
        return "weekdays"
    if found == [6, 0]:
        return "weekends"
    return listed([f"{DAYS[day]}s" for day in found]) if len(found) < 7 else "every day"


def cron_words(cron: Cron) -> str:
    """Times and days of an expression that can be read."""
    fields = Fields(*(text.upper() for text in fields_of(cron)))
    words = [_times(fields), _days(fields, quartz=cron.dialect is Dialect.QUARTZ)]
    if fields.month != "*":
        words.append(f"in {_items(fields.month, _month, 'months')}")
    if fields.year != "*":
        words.append(f"in {_items(fields.year, str, 'years')}")
    return " ".join(word for word in words if word)


def _times(fields: Fields) -> str:
    """At which times of the day."""
    numbers = [_numbers(text) for text in (fields.hour, fields.minute, fields.second)]
    hours, minutes, seconds = numbers
    if hours and minutes and seconds:
        times = [
            hour * 3600 + minute * 60 + second
            for hour in hours
            for minute in minutes
            for second in seconds
        ]
        if len(times) <= _MOST_TIMES:
            return f"at {listed([clock_text(time) for time in sorted(set(times))])}"
    words = [_unit(fields.minute, "minute")]
    if fields.second != "0":
        words.insert(0, _unit(fields.second, "second"))
    if fields.hour != "*":
        hour = _unit(fields.hour, "hour")
        words.append(hour.replace("at ", "", 1) if hour.startswith("at ") else hour)
    elif words[-1].startswith("at "):
        words.append("every hour")
    return " of ".join(words)


def _unit(text: str, unit: str) -> str:
    """Which seconds, minutes or hours."""
    if text == "*":
        return f"every {unit}"
    step = re.fullmatch(r"\*/([0-9]+)", text)
    if step:
        return f"every {unit}" if int(step[1]) == 1 else f"every {int(step[1])} {unit}s"
    if found := re.fullmatch(r"H(?:\(([0-9]+)-([0-9]+)\))?(?:/([0-9]+))?", text):
        own = f"{'an' if unit == 'hour' else 'a'} {unit} of its own"
        low, high, every = found.groups()
        between = f" from {int(low)} to {int(high)}" if low else ""
        return (
            f"every {int(every)} {unit}s from {own} on{between}" if every else f"at {own}{between}"
        )
    numbers = _numbers(text)
    if numbers:
        plural = "s" if len(numbers) > 1 else ""
        return f"at {unit}{plural} {listed([str(number) for number in numbers])}"
    return f"at {unit}s {_items(text, _plain, f'{unit}s')}"


def _numbers(text: str) -> list[int]:
    """The values of a field that is nothing but numbers."""
    items = text.split(",")
    return [int(item) for item in items] if all(item.isdecimal() for item in items) else []


def _items(text: str, name: Callable[[str], str], units: str) -> str:
    return listed([_item(item, name, units) for item in text.split(",")])


def _item(item: str, name: Callable[[str], str], units: str) -> str:
    """One value, range or step."""
    found = _ITEM.fullmatch(item)
    if found is None:
        return item
    start, hash_from, hash_to, end, step = found.groups()
    every = f"every {ordinal(int(step))} of the {units}" if step else ""
    if start == "H":
        own = "from one of its own on" if step else f"one of its own of the {units}"
        between = f" from {hash_from} to {hash_to}" if hash_from else ""
        return " ".join(word for word in (every, own) if word) + between
    if start == "*":
        return every or f"all {units}"
    span = f"{name(start)} to {name(end)}" if end else str(name(start))
    if step:
        return f"{every} from {span}" + ("" if end else " on")
    return span


def _plain(text: str) -> str:
    return str(int(text)) if text.isdecimal() else text


def _month(text: str) -> str:
    number = MONTH_NAMES.get(text) if text.isalpha() else int(text)
    return MONTHS[(number or 1) - 1]


def _days(fields: Fields, *, quartz: bool) -> str:
    """On which days; both fields restricted: either, or with a star in front both."""
    month_days = [] if fields.day in {"*", "?"} else [_day(item) for item in fields.day.split(",")]
    week_days = "" if fields.weekday in {"*", "?"} else _weekdays(fields.weekday, quartz=quartz)
    if not month_days:
        return f"on {week_days}" if week_days else "" if fields.month != "*" else "every day"
    of_month = f"on {listed(month_days)} of the month"
    if not week_days:
        return of_month
    both = any(text.startswith(("*", "?")) for text in (fields.day, fields.weekday))
    if both:
        return f"{of_month} if that is one of {week_days}"
    return f"{of_month} or on {week_days}"


def _day(item: str) -> str:
    """One item of the day of the month."""
    if item == "L":
        return "the last day"
    if item == "LW":
        return "the last working day"
    if found := re.fullmatch(r"L-([0-9]+)", item):
        back = int(found[1])
        return f"the day {back} day{'s' if back > 1 else ''} before the last"
    if found := re.fullmatch(r"([0-9]+)W", item):
        return f"the working day nearest to the {ordinal(int(found[1]))}"
    return _item(item, _the, "days")


def _the(text: str) -> str:
    return f"the {ordinal(int(text))}" if text.isdecimal() else text


def _weekdays(text: str, *, quartz: bool) -> str:
    """All items of the weekday."""
    plain: list[int] = []
    words: list[str] = []
    first = 1 if quartz else 0
    for item in text.split(","):
        if found := re.fullmatch(r"([0-9]|[A-Z]{3})#([0-9])", item):
            day = DAYS[_weekday(found[1], first)]
            words.append(f"the {_NTH[int(found[2]) - 1]} {day} of the month")
        elif found := re.fullmatch(r"([0-9]|[A-Z]{3})L", item):
            words.append(f"the last {DAYS[_weekday(found[1], first)]} of the month")
        elif item == "L":
            plain.append(6)
        elif has_hash(item):
            words.append(_item(item, _plain, "days of the week"))
        else:
            plain += _run(item, first)
    return listed([*([weekday_words(plain)] if plain else []), *words])


def _weekday(text: str, first: int) -> int:
    return (_number(text, first) - first) % 7


def _number(text: str, first: int) -> int:
    return DAY_NAMES[text] + first if text.isalpha() else int(text)


def _run(item: str, first: int) -> list[int]:
    """The days of a value, range or step; a week goes on from its end."""
    body, _, step = item.partition("/")
    start, _, end = ("*", "", "") if body == "*" else body.partition("-")
    low = first if start == "*" else _number(start, first)
    high = low
    if end and end != start:
        high = _number(end, first)
        high += 7 if high < low else 0
    elif start == "*" or (step and not end):
        high = max(low, first + 6)
    return [(day - first) % 7 for day in range(low, high + 1, int(step or 1))]
