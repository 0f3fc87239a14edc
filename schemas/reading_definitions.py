"""
Which definition does this JSON describe?

Every field is known, of its kind and inside its limits, or refused by its path with what is
allowed. Back to JSON is definition_json.py; whether the rule makes sense (zones, cron, dates that
never come) is asked of streams/calendar.
"""

from __future__ import annotations

import json

from schemas.definition import (
    Basis,
    CatchUp,
    CatchUpMode,
    Cron,
    Definition,
    Dialect,
    Dst,
    Emit,
    Interval,
    Once,
    Timing,
)
from schemas.faults import FieldFault
from schemas.fields import (
    Fields,
    or_null,
    read_base64,
    read_count,
    read_duration,
    read_elapsed,
    read_exact_instant,
    read_filled,
    read_instant,
    read_list,
    read_text,
    symbol_reader,
)
from schemas.json_text import check_data
from schemas.limits import check_catch_up, check_note, check_once, check_size, check_topic
from schemas.reading_times import (
    read_exclude,
    read_fires,
    read_jitter,
    read_weekly,
    read_window,
)
from schemas.time_limits import check_basis

DEFINITION_FIELDS = (
    *("cron", "dialect", "interval", "once", "weekly", "timings"),
    *("zone", "dst", "start_at", "end_at", "catch_up", "description"),
    *("exclude", "window", "jitter", "max_fires", "emit"),
)
_TIMINGS = ("cron", "interval", "once", "weekly")
_DEFAULTS = CatchUp()
_dialect = symbol_reader(Dialect)
_basis = symbol_reader(Basis)
_mode = symbol_reader(CatchUpMode)
_dst = symbol_reader(Dst)


def read_note(data: object, path: str) -> str:
    """A reason or a description."""
    return check_note(read_text(data, path), path)


def read_definition(data: object) -> Definition:
    """The definition; raises FieldFault."""
    check_data(data)
    return definition_of(Fields(data, "", DEFINITION_FIELDS))


def definition_of(fields: Fields) -> Definition:
    """The definition in fields that were checked as plain data."""
    definition = Definition(
        timings=_timings(fields),
        action=fields.need("emit", _emit),
        zone=fields.take("zone", read_filled, "UTC"),
        dst=fields.take("dst", _dst, Dst.SHIFT),
        start_at=fields.take("start_at", or_null(read_instant), None),
        end_at=fields.take("end_at", or_null(read_instant), None),
        catch_up=fields.take("catch_up", _catch_up, _DEFAULTS),
        description=fields.take("description", read_note, ""),
        exclude=fields.take("exclude", or_null(read_exclude), None),
        window=fields.take("window", or_null(read_window), None),
        jitter=fields.take("jitter", read_jitter, 0),
        max_fires=fields.take("max_fires", or_null(read_fires), None),
    )
    check_size(definition)
    return definition


def _timings(fields: Fields) -> tuple[Timing, ...]:
    if fields.only_one_of((*_TIMINGS, "timings"), needed=True) == "timings":
        if "dialect" in fields:
            raise FieldFault(fields.path_of("dialect"), "belongs beside the cron in timings")
        found = tuple(fields.need("timings", lambda data, path: read_list(data, path, _timing)))
        for i, timing in enumerate(found):
            if isinstance(timing, Interval):
                check_basis(timing, f"timings[{i}].interval", alone=len(found) == 1)
        return found
    return _timings_beside(fields)


def _timing(data: object, path: str) -> Timing:
    fields = Fields(data, path, (*_TIMINGS, "dialect"))
    fields.only_one_of(_TIMINGS, needed=True)
    found = _timings_beside(fields)
    if len(found) > 1:
        raise FieldFault(f"{path}.cron", "must be one expression; write further ones as timings")
    return found[0]


def _timings_beside(fields: Fields) -> tuple[Timing, ...]:
    if "cron" in fields:
        dialect = fields.take("dialect", _dialect, Dialect.STANDARD)
        return tuple(Cron(expression, dialect) for expression in fields.need("cron", _crons))
    if "dialect" in fields:
        raise FieldFault(fields.path_of("dialect"), "only together with cron")
    if "interval" in fields:
        return (fields.need("interval", _interval),)
    if "weekly" in fields:
        return (fields.need("weekly", read_weekly),)
    return (Once(fields.need("once", _once)),)


def _crons(data: object, path: str) -> list[str]:
    if isinstance(data, list):
        return read_list(data, path, read_filled)
    return [read_filled(data, path)]


def _once(data: object, path: str) -> int:
    return check_once(read_exact_instant(data, path), path)


def _interval(data: object, path: str) -> Interval:
    if not isinstance(data, dict):
        return Interval(*read_duration(data, path))
    fields = Fields(data, path, ("every", "anchor", "phase", "basis"))
    anchor = fields.take("anchor", _anchor, None)
    if "phase" in fields:
        if anchor is None:
            raise FieldFault(fields.path_of("phase"), 'only with an anchor: an instant or "epoch"')
        anchor += fields.need("phase", read_elapsed)
    found = Interval(
        *fields.need("every", read_duration),
        anchor=anchor,
        basis=fields.take("basis", _basis, Basis.GRID),
    )
    check_basis(found, path, alone=True)
    return found


def _anchor(data: object, path: str) -> int | None:
    if data == "creation":
        return None
    if data == "epoch":
        return 0
    return read_instant(data, path)


def _catch_up(data: object, path: str) -> CatchUp:
    if not isinstance(data, dict):
        return CatchUp(mode=_mode(data, path))
    fields = Fields(data, path, ("mode", "lookback", "grace", "max"))
    return check_catch_up(
        CatchUp(
            mode=fields.take("mode", _mode, _DEFAULTS.mode),
            lookback=fields.take("lookback", or_null(read_elapsed), _DEFAULTS.lookback),
            grace=fields.take("grace", read_elapsed, _DEFAULTS.grace),
            limit=fields.take("max", read_count, _DEFAULTS.limit),
        )
    )


def _emit(data: object, path: str) -> Emit:
    fields = Fields(data, path, ("topic", "key", "key_base64", "value", "value_base64", "headers"))
    fields.only_one_of(("key", "key_base64"))
    fields.only_one_of(("value", "value_base64"))
    key = fields.take("key", or_null(_text_bytes), None)
    value = fields.take("value", or_null(_value_bytes), None)
    return Emit(
        topic=fields.need("topic", _topic),
        key=fields.take("key_base64", read_base64, key),
        value=fields.take("value_base64", read_base64, value),
        headers=fields.take("headers", _headers, ()),
    )


def _topic(data: object, path: str) -> str:
    return check_topic(read_text(data, path), path)


def _text_bytes(data: object, path: str) -> bytes:
    return read_text(data, path).encode()


def _value_bytes(data: object, _: str) -> bytes:
    """Text as it is, anything else as compact JSON."""
    if isinstance(data, str):
        return data.encode()
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _headers(data: object, path: str) -> tuple[tuple[str, bytes | None], ...]:
    if isinstance(data, list):  # the long form, for names that occur twice
        return tuple(_header(one, f"{path}[{i}]") for i, one in enumerate(data))
    if not isinstance(data, dict):
        raise FieldFault(path, "must be an object of names and texts")
    return tuple(
        (read_filled(name, path), _header_value(value, f"{path}.{name}"))
        for name, value in data.items()
    )


def _header(data: object, path: str) -> tuple[str, bytes | None]:
    fields = Fields(data, path, ("name", "value"))
    return fields.need("name", read_filled), fields.need("value", _header_value)


def _header_value(data: object, path: str) -> bytes | None:
    if data is None:
        return None
    if isinstance(data, dict):
        return Fields(data, path, ("base64",)).need("base64", read_base64)
    if not isinstance(data, str):
        raise FieldFault(path, 'must be a text, null or {"base64": …}')
    return data.encode()
