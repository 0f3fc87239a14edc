"""
What may days, hours, calendars and freezes hold, whatever they were written in?

Asked of what came as Avro and of what JSON said alike; fields are named as reading_times.py names
them. Whether a shared calendar exists, and whether an expression makes sense, is asked of the
decider and of streams/calendar.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.definition import (
    ALL_DAYS,
    DAY,
    Basis,
    Definition,
    Exclude,
    Hours,
    Interval,
    Weekly,
    Window,
)
from schemas.faults import FieldFault
from schemas.globals import Calendar, Freeze
from schemas.json_text import check_text
from schemas.wall_times import (
    DAY_SECONDS,
    FIRST_DATE,
    LAST_DATE,
    check_month_day,
    looks_like_date,
)

MAX_DATES = 4_000
MAX_RANGES = 400
"""Of every year, and of cron expressions, in one calendar."""
MAX_CALENDARS = 20
"""Of one schedule, and as the base of one calendar."""
MAX_HOURS = 50
MAX_SUBJECTS = 400
MAX_PATTERN_BYTES = 400
"""Of a freeze: no subject is longer."""
MAX_NAME_BYTES = 200
"""Of a calendar or freeze: it is in the key of its record."""
MAX_SPREAD = DAY
MAX_WAIT = 56 * DAY
"""An opening is looked for over eight weeks."""
MAX_JITTER = DAY
MAX_FIRES = 1_000_000_000
"""A cursor counts its fires in 32 bits."""


def check_times(definition: Definition) -> None:
    """Refuse, by its name, a field about days and hours that no definition may have."""
    if definition.exclude is not None:
        check_exclude(definition.exclude, "exclude")
    if definition.window is not None:
        check_window(definition.window, "window")
    check_jitter(definition.jitter, "jitter")
    if definition.max_fires is not None:
        check_fires(definition.max_fires, "max_fires")


def check_weekly(weekly: Weekly, path: str) -> None:
    """Refuse a weekly timing without days, or outside of a day."""
    check_days(weekly.days, f"{path}.days")
    check_wall(weekly.at, f"{path}.at")


def check_days(days: int, path: str) -> int:
    """Give a bitmask of weekdays back if it has at least one and no other."""
    if days == 0:
        raise FieldFault(path, "must name at least one day of the week, such as mon-fri")
    return _check_between(days, 1, ALL_DAYS, path)


def check_wall(seconds: int, path: str) -> int:
    """Give a wall time back if a day has it."""
    if not 0 <= seconds < DAY_SECONDS:
        raise FieldFault(path, "must be a wall time from 00:00 to 23:59:59")
    return seconds


def check_name(name: str, path: str) -> str:
    """Give the name of a calendar or freeze back if it can be a key, and is no date."""
    check_text(name, path)
    if not name or name != name.strip() or not name.isprintable() or "/" in name:
        raise FieldFault(path, "a name is printable, without '/', and no space at its ends")
    if len(name.encode()) > MAX_NAME_BYTES:
        raise FieldFault(path, f"a name has {MAX_NAME_BYTES} bytes at most")
    if looks_like_date(name):
        raise FieldFault(path, "a name must not look like a date")
    return name


def check_exclude(exclude: Exclude, path: str) -> Exclude:
    """Give an exclusion back if it excludes something, and not too much."""
    if not exclude.calendars and not exclude.dates:
        raise FieldFault(path, "needs at least one calendar or date")
    _check_many(exclude.calendars, MAX_CALENDARS, f"{path}.calendars")
    for i, name in enumerate(exclude.calendars):
        check_name(name, f"{path}.calendars[{i}]")
    _check_dates(exclude.dates, f"{path}.dates")
    return exclude


def check_window(window: Window, path: str) -> Window:
    """Give a window back if each of its openings is longer than nothing."""
    if not window.hours:
        raise FieldFault(f"{path}.hours", "needs at least one opening like 23:30-04:00")
    _check_many(window.hours, MAX_HOURS, f"{path}.hours")
    for i, hours in enumerate(window.hours):
        check_hours(hours, f"{path}.hours[{i}]")
    check_elapsed(window.spread, MAX_SPREAD, f"{path}.spread")
    if window.max_wait == 0:
        raise FieldFault(f"{path}.max_wait", "must be longer than nothing")
    check_elapsed(window.max_wait, MAX_WAIT, f"{path}.max_wait")
    return window


def check_hours(hours: Hours, path: str) -> Hours:
    """Give an opening back if it is longer than nothing."""
    if not 0 <= hours.opens < DAY_SECONDS or not 0 <= hours.closes <= DAY_SECONDS:
        raise FieldFault(path, "opens at 00:00 to 23:59:59 and closes at 00:00 to 24:00")
    if hours.opens == hours.closes:
        raise FieldFault(path, "opens and closes at one time; the whole day is 00:00-24:00")
    check_days(hours.days, f"{path}.days")
    return hours


def check_jitter(jitter: int, path: str) -> int:
    """Give a jitter back if it moves nothing by more than a day."""
    return check_elapsed(jitter, MAX_JITTER, path)


def check_elapsed(micros: int, most: int, path: str) -> int:
    """Give a length of time back if it is not negative and not too long."""
    if not 0 <= micros <= most:
        hours = most // (3600 * 1_000_000)
        raise FieldFault(path, f"must be from 0 to {hours} h long")
    return micros


def check_fires(fires: int, path: str) -> int:
    """Give the number of fires back if there is at least one."""
    return _check_between(fires, 1, MAX_FIRES, path)


def check_basis(interval: Interval, path: str, *, alone: bool, tracked: bool) -> None:
    """Refuse an interval that counts from what it cannot count from."""
    basis = interval.basis
    if basis is Basis.GRID:
        return
    if basis is Basis.AFTER_END and not tracked:
        raise FieldFault(
            f"{path}.basis",
            "after_end needs emit.tracked: an emit that nobody reports about has no end; "
            "write grid or after_fire",
        )
    if interval.anchor is not None:
        counted = "fire" if basis is Basis.AFTER_FIRE else "end"
        raise FieldFault(
            f"{path}.anchor", f"not with {basis.value}, which counts from each {counted}"
        )
    if not alone:
        raise FieldFault(f"{path}.basis", f"{basis.value} stands alone, not beside other timings")


def check_calendar(calendar: Calendar) -> Calendar:
    """Give a shared calendar back if its days are days and not too many."""
    _check_dates(calendar.dates, "dates")
    _check_between(calendar.weekdays, 0, ALL_DAYS, "weekdays")
    _check_many(calendar.yearly, MAX_RANGES, "yearly")
    for i, span in enumerate(calendar.yearly):
        for name, day in (("first", span.first), ("last", span.last)):
            _check_month_day(day, f"yearly[{i}].{name}")
    _check_many(calendar.crons, MAX_RANGES, "crons")
    for i, cron in enumerate(calendar.crons):
        _check_filled(cron, f"crons[{i}]")
    _check_many(calendar.base, MAX_CALENDARS, "base")
    for i, base in enumerate(calendar.base):
        check_name(base, f"base[{i}]")
    return calendar


def check_freeze(freeze: Freeze) -> Freeze:
    """Give a freeze back if it is about somebody and longer than nothing, or is lifted."""
    if freeze.lifted:
        return freeze
    if not freeze.subjects:
        raise FieldFault("subjects", 'needs at least one pattern; "*" is everybody')
    _check_many(freeze.subjects, MAX_SUBJECTS, "subjects")
    for i, pattern in enumerate(freeze.subjects):
        _check_filled(pattern, f"subjects[{i}]")
        if len(pattern.encode()) > MAX_PATTERN_BYTES:
            raise FieldFault(f"subjects[{i}]", f"a pattern has {MAX_PATTERN_BYTES} bytes at most")
        if "/" in pattern:
            raise FieldFault(f"subjects[{i}]", "a subject is what stands before the '/' of an id")
    if freeze.ends_at <= freeze.begins_at:
        raise FieldFault("ends_at", "must be later than begins_at")
    return freeze


def _check_dates(dates: Sequence[int], path: str) -> None:
    _check_many(dates, MAX_DATES, path)
    for i, day in enumerate(dates):
        if not FIRST_DATE <= day <= LAST_DATE:
            raise FieldFault(
                f"{path}[{i}]",
                f"a date is counted in days since 1970-01-01; {day} is in no year from 1 to 9999",
            )


def _check_month_day(number: int, path: str) -> None:
    try:
        check_month_day(number)
    except ValueError as fault:
        raise FieldFault(path, str(fault)) from fault


def _check_filled(text: str, path: str) -> None:
    if not check_text(text, path).strip():
        raise FieldFault(path, "must not be empty")


def _check_many(entries: Sequence[object], most: int, path: str) -> None:
    if len(entries) > most:
        raise FieldFault(path, f"has {most:,} entries at most, not {len(entries):,}")


def _check_between(number: int, least: int, most: int, path: str) -> int:
    if not least <= number <= most:
        raise FieldFault(path, f"must be from {least:,} to {most:,}, not {number}")
    return number
