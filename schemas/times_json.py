"""
How are days and hours written as JSON?

The inverse of reading_times.py: what is read back is the same, and values at their default are left
out. A value that no door would take, in an old record, is shown and never an error.
"""

from __future__ import annotations

from typing import Any

from schemas.definition import ALL_DAYS, Definition, Exclude, Hours, OnExcluded, Weekly, Window
from schemas.durations import format_duration
from schemas.globals import Calendar, Freeze
from schemas.instants import format_instant
from schemas.wall_times import (
    FIRST_DATE,
    LAST_DATE,
    format_clock,
    format_date,
    format_days,
    format_yearly,
)

_DEFAULTS = Window(())


def times_json(definition: Definition) -> dict[str, Any]:
    """The fields of a definition about days, hours and number."""
    found: dict[str, Any] = {}
    if definition.exclude is not None:
        found["exclude"] = _exclude(definition.exclude)
    if definition.window is not None:
        found["window"] = _window(definition.window)
    if definition.jitter:
        found["jitter"] = format_duration(micros=definition.jitter)
    if definition.max_fires is not None:
        found["max_fires"] = definition.max_fires
    return found


def weekly_json(weekly: Weekly) -> dict[str, Any]:
    """A weekly timing; without days it is never due."""
    return {"days": format_days(weekly.days) or [], "at": format_clock(weekly.at)}


def calendar_json(calendar: Calendar) -> dict[str, Any]:
    """What a shared calendar excludes."""
    found: dict[str, Any] = {
        "dates": [_date(day) for day in calendar.dates],
        "weekdays": format_days(calendar.weekdays),
        "yearly": [format_yearly(span.first, span.last) for span in calendar.yearly],
        "crons": list(calendar.crons),
        "base": list(calendar.base),
        "description": calendar.description,
    }
    return {name: value for name, value in found.items() if value}


def freeze_json(freeze: Freeze) -> dict[str, Any]:
    """Whom a freeze is about, and when."""
    found: dict[str, Any] = {
        "subjects": list(freeze.subjects),
        "begins_at": format_instant(freeze.begins_at),
        "ends_at": format_instant(freeze.ends_at),
    }
    return found | ({"reason": freeze.reason} if freeze.reason else {})


def _exclude(exclude: Exclude) -> list[Any] | dict[str, Any]:
    dates = [_date(day) for day in exclude.dates]
    if exclude.on_excluded is OnExcluded.DROP:
        return [*exclude.calendars, *dates]
    found: dict[str, Any] = {"calendars": list(exclude.calendars), "dates": dates}
    kept = {name: value for name, value in found.items() if value}
    return {**kept, "on_excluded": exclude.on_excluded.value}


def _window(window: Window) -> str | list[str] | dict[str, Any]:
    hours = [_hours(each) for each in window.hours]
    short: str | list[str] = hours[0] if len(hours) == 1 else hours
    found: dict[str, Any] = {"hours": short}
    if window.spread != _DEFAULTS.spread:
        found["spread"] = format_duration(micros=window.spread)
    if window.max_wait != _DEFAULTS.max_wait:
        found["max_wait"] = format_duration(micros=window.max_wait)
    return found if len(found) > 1 else short


def _hours(hours: Hours) -> str:
    span = f"{format_clock(hours.opens)}-{format_clock(hours.closes)}"
    return span if hours.days == ALL_DAYS else f"{format_days(hours.days)} {span}"


def _date(day: int) -> str | int:
    return format_date(day) if FIRST_DATE <= day <= LAST_DATE else day
