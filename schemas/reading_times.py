"""
Which days and hours does this JSON describe?

Weekly timings, exclusions, windows, and the calendars and freezes that everyone shares: each form
a person may write, and each wrong value refused by its path with what is allowed. Back to JSON is
times_json.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from schemas.definition import ALL_DAYS, Exclude, Hours, OnExcluded, Weekly, Window
from schemas.faults import FieldFault
from schemas.fields import (
    Fields,
    kind_of,
    read_elapsed,
    read_filled,
    read_instant,
    read_text,
    read_whole,
    symbol_reader,
)
from schemas.globals import Calendar, Freeze, YearlyRange
from schemas.json_text import check_data
from schemas.limits import check_note
from schemas.time_limits import (
    check_calendar,
    check_days,
    check_exclude,
    check_fires,
    check_freeze,
    check_hours,
    check_jitter,
    check_name,
    check_wall,
    check_window,
)
from schemas.wall_times import (
    looks_like_date,
    parse_clock,
    parse_date,
    parse_days,
    parse_yearly,
)

Made = TypeVar("Made")
_DEFAULTS = Window(())
_on_excluded = symbol_reader(OnExcluded)


def read_weekly(data: object, path: str) -> Weekly:
    """`{"days": …, "at": "22:00"}`; raises FieldFault, like all readers here."""
    fields = Fields(data, path, ("days", "at"))
    return Weekly(fields.need("days", read_days), fields.need("at", read_wall))


def read_days(data: object, path: str) -> int:
    """Days of the week as a bitmask: `mon-fri`, a list of such texts, or the bitmask itself."""
    if isinstance(data, list):
        days = 0
        for one in _read_entries(data, path, _read_day_text):
            days |= one
        return check_days(days, path)
    if isinstance(data, str):
        return _read_day_text(data, path)
    if isinstance(data, int) and not isinstance(data, bool):
        return check_days(data, path)
    raise FieldFault(path, f'must be days like "mon-fri" or a list of them, not {kind_of(data)}')


def read_exclude(data: object, path: str) -> Exclude:
    """A list of names of calendars and of dates, or an object that keeps them apart."""
    if isinstance(data, list):
        return check_exclude(_read_mixed(data, path), path)
    if not isinstance(data, dict):
        raise FieldFault(
            path, f"must be a list of calendars and dates, or an object, not {kind_of(data)}"
        )
    fields = Fields(data, path, ("calendars", "dates", "on_excluded"))
    return check_exclude(
        Exclude(
            calendars=fields.take("calendars", _entries_reader(_read_name), ()),
            dates=fields.take("dates", _entries_reader(_read_date), ()),
            on_excluded=fields.take("on_excluded", _on_excluded, OnExcluded.DROP),
        ),
        path,
    )


def read_window(data: object, path: str) -> Window:
    """Hours like `mon-fri 23:30-04:00`, a list of them, or an object with spread and max_wait."""
    if not isinstance(data, dict):
        return check_window(Window(_read_openings(data, path)), path)
    fields = Fields(data, path, ("hours", "spread", "max_wait"))
    return check_window(
        Window(
            hours=fields.need("hours", _read_openings),
            spread=fields.take("spread", read_elapsed, _DEFAULTS.spread),
            max_wait=fields.take("max_wait", read_elapsed, _DEFAULTS.max_wait),
        ),
        path,
    )


def read_jitter(data: object, path: str) -> int:
    """Elapsed time, which may be nothing."""
    return check_jitter(read_elapsed(data, path), path)


def read_fires(data: object, path: str) -> int:
    """How often it may fire."""
    return check_fires(read_whole(data, path), path)


def read_calendar(data: object) -> Calendar:
    """A shared calendar, without who put it there and when."""
    check_data(data)
    fields = Fields(data, "", ("dates", "weekdays", "yearly", "crons", "base", "description"))
    return check_calendar(
        Calendar(
            dates=fields.take("dates", _entries_reader(_read_date), ()),
            weekdays=fields.take("weekdays", read_days, 0),
            yearly=fields.take("yearly", _entries_reader(_read_yearly), ()),
            crons=fields.take("crons", _entries_reader(read_filled), ()),
            base=fields.take("base", _entries_reader(_read_name), ()),
            description=fields.take("description", _read_note, ""),
        )
    )


def read_freeze(data: object) -> Freeze:
    """A freeze, without who put it there and when."""
    check_data(data)
    fields = Fields(data, "", ("subjects", "begins_at", "ends_at", "reason"))
    return check_freeze(
        Freeze(
            subjects=fields.need("subjects", _entries_reader(read_filled)),
            begins_at=fields.need("begins_at", read_instant),
            ends_at=fields.need("ends_at", read_instant),
            reason=fields.take("reason", _read_note, ""),
        )
    )


def _read_day_text(data: object, path: str) -> int:
    return _parsed(parse_days, data, path, "days like mon-fri")


def read_wall(data: object, path: str) -> int:
    """A wall time of a day, in seconds."""
    return check_wall(_parsed(parse_clock, data, path, "a wall time like 22:00"), path)


def _read_date(data: object, path: str) -> int:
    return _parsed(parse_date, data, path, "a date like 2026-12-24")


def _read_yearly(data: object, path: str) -> YearlyRange:
    return YearlyRange(*_parsed(parse_yearly, data, path, "a range like 12-24..01-06"))


def _read_name(data: object, path: str) -> str:
    return check_name(read_text(data, path), path)


def _read_note(data: object, path: str) -> str:
    return check_note(read_text(data, path), path)


def _read_mixed(data: list[object], path: str) -> Exclude:
    calendars: list[str] = []
    dates: list[int] = []
    for i, one in enumerate(data):
        where = f"{path}[{i}]"
        if not isinstance(one, str):
            raise FieldFault(
                where, f"must be a calendar's name or a date like 2026-12-24, not {kind_of(one)}"
            )
        if looks_like_date(one):
            dates.append(_read_date(one, where))
        else:
            calendars.append(_read_name(one, where))
    return Exclude(tuple(calendars), tuple(dates))


def _read_openings(data: object, path: str) -> tuple[Hours, ...]:
    if isinstance(data, list):
        return _read_entries(data, path, _read_hours)
    return (_read_hours(data, path),)


def _read_hours(data: object, path: str) -> Hours:
    if not isinstance(data, str):
        raise FieldFault(path, f"must be hours like 23:30-04:00, not {kind_of(data)}")
    days, blank, span = data.strip().rpartition(" ")
    opens, dash, closes = span.partition("-")
    if not dash:
        raise FieldFault(path, "must be hours like 23:30-04:00 or mon-fri 23:30-04:00")
    return check_hours(
        Hours(
            _parsed(parse_clock, opens, path, "hours"),
            _parsed(parse_clock, closes, path, "hours"),
            _parsed(parse_days, days, path, "days") if blank else ALL_DAYS,
        ),
        path,
    )


def _read_entries(data: object, path: str, read: Callable[[object, str], Made]) -> tuple[Made, ...]:
    """A list that may be empty: whether that makes sense is asked of the whole."""
    if not isinstance(data, list):
        raise FieldFault(path, f"must be a list, not {kind_of(data)}")
    return tuple(read(one, f"{path}[{i}]") for i, one in enumerate(data))


def _entries_reader(
    read: Callable[[object, str], Made],
) -> Callable[[object, str], tuple[Made, ...]]:
    return lambda data, path: _read_entries(data, path, read)


def _parsed(parse: Callable[[str], Made], data: object, path: str, what: str) -> Made:
    """What a text says; `what` it should be if it is none."""
    if not isinstance(data, str):
        raise FieldFault(path, f"must be {what}, not {kind_of(data)}")
    try:
        return parse(data)
    except ValueError as fault:
        raise FieldFault(path, str(fault)) from fault
