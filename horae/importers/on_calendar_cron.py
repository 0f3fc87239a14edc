"""
Which cron expressions name the same wall times as an OnCalendar expression?

One, wherever a cron can say it. A weekday and a day of the month that must both match are more than
most crons can say: then the days are written out, month by month, up to the last year that a cron
can name. Reading the expression is on_calendar.py.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from horae.importers.on_calendar import (
    DAY,
    HOUR,
    MINUTE,
    MONTH,
    SECOND,
    CalendarFault,
    Part,
    Values,
    WallTimes,
)

LAST_YEAR: Final = 2099
_FIRST_YEAR: Final = 2000
_MOST: Final = 64
"""Timings that one schedule may have."""
_WEEK: Final = Part("weekday", 0, 6)
_BLOCKS: Final = tuple(frozenset(range(7 * n + 1, min(7 * n + 8, 32))) for n in range(5))
"""The days of the month on which a weekday comes for the first, second, ... time."""
_LAST_SEVEN: Final = (1, 2, 3, 4, 5, 6, 7)


class Crons(NamedTuple):
    """Expressions that together name the wall times, and what to know about them."""

    expressions: tuple[str, ...]
    remark: str | None = None


class _Days(NamedTuple):
    """The four fields of a cron that choose days."""

    day: str
    month: str
    weekday: str
    year: str | None


def as_crons(walls: WallTimes) -> Crons:
    """The expressions; raises CalendarFault if a cron cannot say it."""
    years = walls.years if walls.years is None else _years(walls.years)
    remark = None if walls.years == years else f"years after {LAST_YEAR} are left out"
    fields = _day_fields(walls)
    if fields is None:
        chosen = _written_out(walls, years)
        remark = f"weekdays and days of the month are written out, up to {LAST_YEAR}"
    else:
        year = None if years is None else _list(years)
        chosen = [_Days(fields[0], _field(MONTH, walls.months), fields[1], year)]
    return Crons(tuple(_expression(days, walls) for days in chosen), remark)


def _years(years: tuple[int, ...]) -> tuple[int, ...]:
    found = tuple(year for year in years if year <= LAST_YEAR)
    if not found:
        raise CalendarFault(f"year: {years[0]} is after {LAST_YEAR}, the last one a cron can name")
    return found


def _expression(days: _Days, walls: WallTimes) -> str:
    minute, hour = _field(MINUTE, walls.minutes), _field(HOUR, walls.hours)
    found = [minute, hour, days.day, days.month, days.weekday]
    if walls.seconds != (0,) or days.year is not None:
        found.insert(0, _field(SECOND, walls.seconds))
    if days.year is not None:
        found.append(days.year)
    return " ".join(found)


def _day_fields(walls: WallTimes) -> tuple[str, str] | None:
    """The fields for days and weekdays; None if no pair of fields says that both must match."""
    if walls.from_end is not None:
        return _from_end(walls.from_end, walls.weekdays)
    if walls.days is None or walls.weekdays is None:
        return _field(DAY, walls.days), _field(_WEEK, walls.weekdays)
    return _both(walls.days, walls.weekdays)


def _from_end(days: tuple[int, ...], weekdays: Values) -> tuple[str, str] | None:
    if weekdays is not None and days == _LAST_SEVEN:
        return "*", ",".join(f"{weekday}L" for weekday in weekdays)
    field = ",".join("L" if back == 1 else f"L-{back - 1}" for back in sorted(days, reverse=True))
    if weekdays is None:
        return field, "*"
    return (field, _with_star(_WEEK, weekdays)) if 0 in weekdays else None


def _both(days: tuple[int, ...], weekdays: tuple[int, ...]) -> tuple[str, str] | None:
    blocks = [n for n, block in enumerate(_BLOCKS, start=1) if block <= set(days)]
    if set(days) == set().union(*(_BLOCKS[n - 1] for n in blocks)):
        return "*", ",".join(f"{weekday}#{n}" for weekday in weekdays for n in blocks)
    if 1 in days:
        return _with_star(DAY, days), _list(weekdays)
    if 0 in weekdays:
        return _list(days), _with_star(_WEEK, weekdays)
    return None


def _with_star(part: Part, values: tuple[int, ...]) -> str:
    """The same values in a field that begins with a star, so that the other one must match too."""
    first = f"*/{part.high - part.low + 1}"  # a step past the end: the lowest value alone
    return ",".join((first, *([_list(values[1:])] if values[1:] else [])))


def _written_out(walls: WallTimes, years: Values) -> list[_Days]:
    """Every day for itself, put together by months and by years that are alike."""
    alike: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for year in years or range(_FIRST_YEAR, LAST_YEAR + 1):
        months: dict[tuple[int, ...], list[int]] = {}
        for month in walls.months or range(1, 13):
            days = _matching(walls, year, month)
            if days:
                months.setdefault(days, []).append(month)
        for days, same in months.items():
            alike.setdefault((tuple(same), days), []).append(year)
    if not 1 <= len(alike) <= _MOST:
        raise CalendarFault(
            "weekdays and days of the month that must both match need "
            f"{len(alike)} crons here; a schedule has 1 to {_MOST}"
        )
    return [
        _Days(_list(days), _list(months), "*", _list(tuple(found)))
        for (months, days), found in alike.items()
    ]


def _matching(walls: WallTimes, year: int, month: int) -> tuple[int, ...]:
    first, length = monthrange(year, month)  # Monday is 0
    days: Iterable[int] = walls.days or range(1, length + 1)
    if walls.from_end is not None:
        days = sorted(length + 1 - back for back in walls.from_end)
    weekdays = walls.weekdays or range(7)
    return tuple(day for day in days if day <= length and (first + day) % 7 in weekdays)


def _field(part: Part, values: Values) -> str:
    if values is None or len(values) == part.high - part.low + 1:
        return "*"
    return _list(values)


def _list(values: tuple[int, ...]) -> str:
    """The values, as one range with a step if they are one, else as ranges and single ones."""
    steps = {after - before for before, after in pairwise(values)}
    if len(values) > 2 and len(steps) == 1 and steps != {1}:
        return f"{values[0]}-{values[-1]}/{steps.pop()}"
    runs: list[list[int]] = []
    for value in values:
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
