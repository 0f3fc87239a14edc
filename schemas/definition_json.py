"""
How is a definition written as JSON?

The inverse of reading_definitions.py: what is read back is the same definition, and equal
definitions give equal JSON. Values that are at their default are left out.
"""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Any, assert_never

from schemas.definition import (
    Basis,
    CatchUp,
    Cron,
    Definition,
    Dialect,
    Dst,
    Emit,
    Interval,
    Once,
    Timing,
    Weekly,
)
from schemas.durations import format_duration
from schemas.instants import format_instant
from schemas.times_json import times_json, weekly_json

_UNSAFE = re.compile("\0")


def definition_json(definition: Definition) -> dict[str, Any]:
    """The JSON form, ready for a JSON library."""
    found: dict[str, Any] = _timings(definition.timings)
    if definition.zone != "UTC":
        found["zone"] = definition.zone
    if definition.dst is not Dst.SHIFT:
        found["dst"] = definition.dst.value
    if definition.start_at is not None:
        found["start_at"] = format_instant(definition.start_at)
    if definition.end_at is not None:
        found["end_at"] = format_instant(definition.end_at)
    if definition.catch_up != CatchUp():
        found["catch_up"] = _catch_up(definition.catch_up)
    if definition.description:
        found["description"] = definition.description
    found |= times_json(definition)
    found["emit"] = _emit(definition.action)
    return found


def _timings(timings: tuple[Timing, ...]) -> dict[str, Any]:
    if len(timings) == 1:
        return _timing(timings[0])
    crons = [timing for timing in timings if isinstance(timing, Cron)]
    dialects = {timing.dialect for timing in crons}
    if len(crons) == len(timings) and len(dialects) == 1:
        return _crons([timing.expression for timing in crons], crons[0].dialect)
    return {"timings": [_timing(timing) for timing in timings]}


def _timing(timing: Timing) -> dict[str, Any]:
    match timing:
        case Cron():
            return _crons(timing.expression, timing.dialect)
        case Interval():
            return {"interval": _interval(timing)}
        case Once():
            return {"once": format_instant(timing.at)}
        case Weekly():
            return {"weekly": weekly_json(timing)}
        case _:
            assert_never(timing)


def _crons(expressions: str | list[str], dialect: Dialect) -> dict[str, Any]:
    if dialect is Dialect.STANDARD:
        return {"cron": expressions}
    return {"cron": expressions, "dialect": dialect.value}


def _interval(interval: Interval) -> str | dict[str, str]:
    every = format_duration(interval.months, interval.days, interval.micros)
    if interval.anchor is None and interval.basis is Basis.GRID:
        return every
    found = {"every": every}
    if interval.anchor is not None:
        found["anchor"] = format_instant(interval.anchor)
    if interval.basis is not Basis.GRID:
        found["basis"] = interval.basis.value
    return found


def _catch_up(catch_up: CatchUp) -> str | dict[str, Any]:
    if catch_up == CatchUp(mode=catch_up.mode):
        return catch_up.mode.value
    lookback = catch_up.lookback
    return {
        "mode": catch_up.mode.value,
        "lookback": None if lookback is None else format_duration(micros=lookback),
        "grace": format_duration(micros=catch_up.grace),
        "max": catch_up.limit,
    }


def _emit(emit: Emit) -> dict[str, Any]:
    found: dict[str, Any] = {"topic": emit.topic}
    if emit.key is not None:
        found |= _bytes("key", emit.key)
    found |= {"value": None} if emit.value is None else _bytes("value", emit.value)
    if emit.headers:
        found["headers"] = _headers(emit.headers)
    return found


def _headers(headers: tuple[tuple[str, bytes | None], ...]) -> dict[str, Any] | list[Any]:
    if len({name for name, _ in headers}) == len(headers):
        return {name: _header_value(value) for name, value in headers}
    return [{"name": name, "value": _header_value(value)} for name, value in headers]


def _header_value(value: bytes | None) -> str | dict[str, str] | None:
    if value is None:
        return None
    text = _text(value)
    return {"base64": b64encode(value).decode()} if text is None else text


def _bytes(name: str, data: bytes) -> dict[str, str]:
    text = _text(data)
    return {f"{name}_base64": b64encode(data).decode()} if text is None else {name: text}


def _text(data: bytes) -> str | None:
    """The text that reading takes for just these bytes, if there is one."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    return None if _UNSAFE.search(text) else text
