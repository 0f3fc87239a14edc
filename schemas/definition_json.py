"""
How is a definition written as JSON?

The inverse of reading_definitions.py: what is read back is the same definition, and equal
definitions give equal JSON. Values that are at their default, or at that of their preset, are left
out.
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
    Emit,
    Interval,
    Once,
    Timing,
    Weekly,
)
from schemas.durations import format_duration
from schemas.instants import format_instant
from schemas.policies import Tracking
from schemas.policies_json import policies_json, tracking_json
from schemas.presets import Defaults, defaults_for, usual_preset
from schemas.times_json import times_json, weekly_json
from schemas.works_json import work_json

_UNSAFE = re.compile("\0")


def definition_json(definition: Definition) -> dict[str, Any]:
    """The JSON form, ready for a JSON library; FieldFault if a filter is damaged."""
    work = definition.action.work
    usual = defaults_for(definition.preset, work)
    found: dict[str, Any] = _timings(definition.timings, usual.basis)
    if definition.preset is not usual_preset(work):
        found["preset"] = definition.preset.value
    if definition.zone != "UTC":
        found["zone"] = definition.zone
    if definition.dst is not usual.dst:
        found["dst"] = definition.dst.value
    if definition.start_at is not None:
        found["start_at"] = format_instant(definition.start_at)
    if definition.end_at is not None:
        found["end_at"] = format_instant(definition.end_at)
    if definition.catch_up != usual.catch_up:
        found["catch_up"] = _catch_up(definition.catch_up, usual.catch_up)
    if definition.description:
        found["description"] = definition.description
    found |= times_json(definition)
    found |= policies_json(definition, usual)
    return found | _action(definition, usual)


def _action(definition: Definition, usual: Defaults) -> dict[str, Any]:
    work = definition.action.work
    if work is None:
        return {"emit": _emit(definition.action, usual.tracked)}
    found = work_json(work)
    if definition.start_within != usual.start_within:
        found["start_within"] = format_duration(micros=definition.start_within)
    if definition.hold_on_failure is not usual.hold_on_failure:
        found["hold_on_failure"] = definition.hold_on_failure
    return found


def _timings(timings: tuple[Timing, ...], usual: Basis) -> dict[str, Any]:
    if len(timings) == 1:
        return _timing(timings[0], usual)
    crons = [timing for timing in timings if isinstance(timing, Cron)]
    dialects = {timing.dialect for timing in crons}
    if len(crons) == len(timings) and len(dialects) == 1:
        return _crons([timing.expression for timing in crons], crons[0].dialect)
    return {"timings": [_timing(timing, Basis.GRID) for timing in timings]}


def _timing(timing: Timing, usual: Basis) -> dict[str, Any]:
    match timing:
        case Cron():
            return _crons(timing.expression, timing.dialect)
        case Interval():
            return {"interval": _interval(timing, usual)}
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


def _interval(interval: Interval, usual: Basis) -> str | dict[str, str]:
    """`usual` is the basis of one that names no anchor."""
    every = format_duration(interval.months, interval.days, interval.micros)
    found = {"every": every}
    if interval.anchor is not None:
        found["anchor"] = format_instant(interval.anchor)
        usual = Basis.GRID
    if interval.basis is not usual:
        found["basis"] = interval.basis.value
    return found if len(found) > 1 else every


def _catch_up(catch_up: CatchUp, usual: CatchUp) -> str | dict[str, Any]:
    found: dict[str, Any] = {"mode": catch_up.mode.value}
    if catch_up.lookback != usual.lookback:
        lookback = catch_up.lookback
        found["lookback"] = None if lookback is None else format_duration(micros=lookback)
    if catch_up.grace != usual.grace:
        found["grace"] = format_duration(micros=catch_up.grace)
    if catch_up.limit != usual.limit:
        found["max"] = catch_up.limit
    if catch_up.on_resume is not usual.on_resume:
        found["on_resume"] = catch_up.on_resume.value
    if catch_up.on_lifted is not None:
        found["on_lifted"] = catch_up.on_lifted.value
    return found if len(found) > 1 else catch_up.mode.value


def _emit(emit: Emit, usual: Tracking | None) -> dict[str, Any]:
    found: dict[str, Any] = {"topic": emit.topic}
    if emit.key is not None:
        found |= _bytes("key", emit.key)
    found |= {"value": None} if emit.value is None else _bytes("value", emit.value)
    if emit.headers:
        found["headers"] = _headers(emit.headers)
    if emit.tracked != usual:
        found["tracked"] = tracking_json(emit.tracked)
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
