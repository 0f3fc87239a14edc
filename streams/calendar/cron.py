"""
What does a cron expression mean?

Splits it into fields, knows aliases and dialects, refuses what is none, and hands the rewritten
fields to croniter, which reads the grammar. The items of a field are cron_fields.py, numbers for
`H` are hashing.py. The answer is the wall times that match; when those are is asked elsewhere.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from croniter import CroniterBadCronError, croniter

from schemas.definition import Cron, Dialect
from streams.calendar.clock_times import clock_times
from streams.calendar.cron_fields import (
    DAY,
    HOUR,
    MINUTE,
    MONTH,
    QUARTZ_WEEKDAY,
    SECOND,
    WEEKDAY,
    YEAR,
    Field,
    MonthDays,
    WeekDays,
)
from streams.calendar.days import DayFields, days_of
from streams.calendar.hashing import has_hash, without_hash
from streams.calendar.matching import WallTimes
from streams.calendar.refusals import TimingRefused, quoted

_ALIASES: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_BLANKS: Final = re.compile(r"[ \t]+")
_LONGEST: Final = 1000
_CRONITER_ORDER: Final = (MINUTE, HOUR, DAY, MONTH, WEEKDAY, SECOND, YEAR)


class Fields(NamedTuple):
    """The texts of an expression's fields."""

    second: str
    minute: str
    hour: str
    day: str
    month: str
    weekday: str
    year: str


def fields_of(cron: Cron) -> Fields:
    """The texts of an expression's fields, aliases, seconds and year filled in."""
    return _split(cron.expression, quartz=cron.dialect is Dialect.QUARTZ)


def needs_id(cron: Cron) -> bool:
    """Whether the expression's meaning depends on the schedule's id."""
    return has_hash(cron.expression)


def settled(cron: Cron, schedule_id: str | None) -> Cron:
    """The same for one schedule, with a number for each `H`."""
    fields = _split(cron.expression, quartz=cron.dialect is Dialect.QUARTZ)
    weekday = QUARTZ_WEEKDAY if cron.dialect is Dialect.QUARTZ else WEEKDAY
    texts = []
    for field, text in zip((SECOND, MINUTE, HOUR, DAY, MONTH, weekday, YEAR), fields, strict=True):
        items = [
            without_hash(item, field.name, field.low, field.hash_high, schedule_id)
            if has_hash(item)
            else item
            for item in text.split(",")
        ]
        texts.append(",".join(items))
    return Cron(" ".join(texts), cron.dialect)


def read_cron(cron: Cron) -> WallTimes:
    """The wall times that an expression without `H` names; raises TimingRefused."""
    quartz = cron.dialect is Dialect.QUARTZ
    fields = _split(cron.expression, quartz=quartz)
    return WallTimes(
        days=days_of(
            _day_fields(fields, quartz=quartz),
            _values(MONTH, fields.month),
            None if fields.year == "*" else _values(YEAR, fields.year),
        ),
        times=clock_times(
            _values(HOUR, fields.hour),
            _values(MINUTE, fields.minute),
            _values(SECOND, fields.second),
        ),
        star=fields.minute.startswith("*") or fields.hour.startswith("*"),
    )


def _day_fields(fields: Fields, *, quartz: bool) -> DayFields:
    month_days, week_days = MonthDays(), WeekDays(QUARTZ_WEEKDAY if quartz else WEEKDAY)
    for item in _day_items(fields.day):
        month_days.add(item)
    for item in _day_items(fields.weekday):
        week_days.add(item)
    return DayFields(
        days=frozenset(_grammar(DAY, ",".join(month_days.plain))),
        weekdays=frozenset(_grammar(WEEKDAY, ",".join(week_days.plain))),
        both=any(text.startswith(("*", "?")) for text in (fields.day, fields.weekday)),
        from_last=frozenset(month_days.from_last),
        nearest=frozenset(month_days.nearest),
        last_working=month_days.last_working,
        nth=frozenset(week_days.nth),
        last=frozenset(week_days.last),
    )


def _day_items(text: str) -> list[str]:
    """The items of a day field; `?` restricts nothing there."""
    return ["*"] if text == "?" else text.upper().split(",")


def _values(field: Field, text: str) -> tuple[int, ...]:
    if text == "?":
        field.refuse(text, "? stands only in the two day fields")
    return _grammar(field, ",".join(field.rewrite(item) for item in text.upper().split(",")))


@lru_cache(maxsize=4096)
def _grammar(field: Field, text: str) -> tuple[int, ...]:
    """What croniter reads from a rewritten field; nothing from an empty one."""
    if not text:
        return ()
    # One field at a time: fields repeat over expressions, and reading is by far the slowest part.
    place = _CRONITER_ORDER.index(field)
    texts = ["*"] * len(_CRONITER_ORDER)
    texts[place] = text
    try:
        expanded = croniter.expand(" ".join(texts))[0][place]
    except CroniterBadCronError as wrong:
        raise TimingRefused("cron", f"{field.name} {quoted(text)}: {wrong}") from wrong
    if "*" in expanded:
        return tuple(range(field.low, field.high + 1))
    return tuple(sorted({int(value) for value in expanded}))


def _split(expression: str, *, quartz: bool) -> Fields:
    """The fields of an expression, seconds and year filled in."""
    if len(expression) > _LONGEST:
        raise TimingRefused("cron", f"an expression has at most {_LONGEST} characters")
    text = expression.strip(" \t")
    if text.startswith("@"):
        text = _alias(text)
    if not text.isascii():
        raise TimingRefused("cron", f"{quoted(text)} has characters other than ASCII")
    texts = _BLANKS.split(text)
    allowed = (6, 7) if quartz else (5, 6, 7)
    if not text or "=" in texts[0] or len(texts) not in allowed:
        raise TimingRefused("cron", f"{quoted(text)}: {_counted(texts, quartz=quartz)}")
    if len(texts) == 5:
        texts.insert(0, "0")
    if len(texts) == 6:
        texts.append("*")
    fields = Fields(*texts)
    if quartz and (fields.day == "?") == (fields.weekday == "?"):
        raise TimingRefused(
            "cron", f"{quoted(text)}: quartz wants ? in exactly one of day of month and weekday"
        )
    return fields


def _alias(text: str) -> str:
    meant = _ALIASES.get(text.lower())
    if meant is None:
        hint = "; write it as an interval" if text.lower().startswith("@every") else ""
        raise TimingRefused(
            "cron", f"{quoted(text)} is no alias{hint}; allowed are {', '.join(_ALIASES)}"
        )
    return meant


def _counted(texts: list[str], *, quartz: bool) -> str:
    if "=" in texts[0]:
        return "the zone is a field of its own"
    wanted = "6 (seconds first) or 7 (year last)"
    count = len(texts) if texts[0] else 0
    return f"{count} fields; allowed are {wanted if quartz else f'5, {wanted}'}"
