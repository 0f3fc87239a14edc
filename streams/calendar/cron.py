"""
What does a cron expression mean?

Splits it into fields, knows aliases and dialects, refuses what is none, and hands the rewritten
fields to croniter, which reads the grammar. The items of a field are cron_fields.py, numbers for
`H` are hashing.py. The answer is the wall times that match; when those are is asked elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
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


class Fields(NamedTuple):
    """The texts of an expression's fields."""

    second: str
    minute: str
    hour: str
    day: str
    month: str
    weekday: str
    year: str


def needs_id(cron: Cron) -> bool:
    """Whether the expression's meaning depends on the schedule's id."""
    return has_hash(cron.expression)


def read_cron(cron: Cron, schedule_id: str | None = None) -> WallTimes:
    """The wall times that an expression names; raises TimingRefused."""
    quartz = cron.dialect is Dialect.QUARTZ
    fields = _split(cron.expression, quartz=quartz)
    month_days, week_days = MonthDays(), WeekDays(QUARTZ_WEEKDAY if quartz else WEEKDAY)
    for item in _items(DAY, fields.day, schedule_id):
        month_days.add(item)
    for item in _items(week_days.reads, fields.weekday, schedule_id):
        week_days.add(item)
    read = _grammar(
        _rewritten(MINUTE, fields.minute, schedule_id),
        _rewritten(HOUR, fields.hour, schedule_id),
        ",".join(month_days.plain) or "*",
        _rewritten(MONTH, fields.month, schedule_id),
        ",".join(week_days.plain) or "*",
        _rewritten(SECOND, fields.second, schedule_id),
        _rewritten(YEAR, fields.year, schedule_id),
    )
    day_fields = DayFields(
        days=frozenset(read.day if month_days.plain else ()),
        weekdays=frozenset(read.weekday if week_days.plain else ()),
        both=any(text.startswith(("*", "?")) for text in (fields.day, fields.weekday)),
        from_last=frozenset(month_days.from_last),
        nearest=frozenset(month_days.nearest),
        last_working=month_days.last_working,
        nth=frozenset(week_days.nth),
        last=frozenset(week_days.last),
    )
    return WallTimes(
        days=days_of(day_fields, read.month, None if fields.year == "*" else read.year),
        times=clock_times(read.hour, read.minute, read.second),
        star=fields.minute.startswith("*") or fields.hour.startswith("*"),
    )


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
    if not text or len(texts) not in allowed:
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


def _items(field: Field, text: str, schedule_id: str | None) -> list[str]:
    """The items of a field's list, in capitals and without `H`."""
    if text == "?":
        if field.name not in {DAY.name, WEEKDAY.name}:
            field.refuse(text, "? stands only in the two day fields")
        return ["*"]
    items = []
    for item in text.split(","):
        if has_hash(item):
            item = without_hash(item, field.name, field.low, field.hash_high, schedule_id)  # noqa: PLW2901
        items.append(item.upper())
    return items


def _rewritten(field: Field, text: str, schedule_id: str | None) -> str:
    if text == "*":
        return text
    return ",".join(field.rewrite(item) for item in _items(field, text, schedule_id))


class Read(NamedTuple):
    """The values of each field, sorted."""

    minute: tuple[int, ...]
    hour: tuple[int, ...]
    day: tuple[int, ...]
    month: tuple[int, ...]
    weekday: tuple[int, ...]
    second: tuple[int, ...]
    year: tuple[int, ...]


@lru_cache(maxsize=4096)
def _grammar(*texts: str) -> Read:
    """What croniter reads from rewritten fields, in its order: seconds and year come last."""
    try:
        expanded, _ = croniter.expand(" ".join(texts))
    except CroniterBadCronError as wrong:
        raise TimingRefused("cron", f"{quoted(' '.join(texts))}: {wrong}") from wrong
    fields = (MINUTE, HOUR, DAY, MONTH, WEEKDAY, SECOND, YEAR)
    return Read(*(_values(field, values) for field, values in zip(fields, expanded, strict=True)))


def _values(field: Field, values: Sequence[int | str]) -> tuple[int, ...]:
    if "*" in values:
        return tuple(range(field.low, field.high + 1))
    return tuple(sorted({int(value) for value in values}))
