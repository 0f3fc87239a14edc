"""
How does an event of the ledger look to a person, and to a program?

One line of text, or plain data for JSON. What lines say of runs, backfills and subjects is
ledger_lines.py, reading the ledger tail.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, assert_never

from horae.ledger_lines import LINES, written
from schemas.codec import Recorded
from schemas.definition import Definition
from schemas.definition_json import definition_json
from schemas.deployments import Deployment
from schemas.deployments_json import deployment_json, proposal_json
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    Deferred,
    Fired,
    GlobalChanged,
    ScheduleChanged,
    ScheduleDefined,
    SchedulePaused,
    ScheduleRecomputed,
    ScheduleResumed,
    Skipped,
)
from schemas.identity import occurrence_id
from schemas.instants import LAST, format_instant
from schemas.proposals import Proposal

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_INSTANTS = frozenset(
    {"decided_at", "begins_at", "next", "next_due", "since", "until", "deferred_at"}
    | {"nominal", "due", "first", "last"}
    | {"again_at", "started_at", "ended_at", "lease_until", "last_request", "sampled_at"}
)


def kind_of(recorded: Recorded) -> str:
    """The event's name."""
    return type(recorded.event).__name__


def event_json(recorded: Recorded) -> dict[str, Any]:
    """The event and its stamp as plain data; instants as text in UTC."""
    found = {"event": kind_of(recorded), **_plain(recorded.event)}
    if isinstance(recorded.event, Fired):
        found["occurrence"] = _occurrence(recorded.event)
        found["lateness_seconds"] = lateness(recorded) / 1_000_000
    return {**found, "stamp": _plain(recorded.stamp)}


def lateness(recorded: Recorded) -> int:
    """Microseconds from when an occurrence was due until it was decided; 0 for other events."""
    event = recorded.event
    return recorded.stamp.decided_at - event.due if isinstance(event, Fired) else 0


def lateness_words(micros: int) -> str:
    """A lateness for a person: milliseconds up to a second, then seconds."""
    return f"{micros / 1_000:.1f} ms" if abs(micros) < 1_000_000 else f"{micros / 1_000_000:.1f} s"


def event_line(recorded: Recorded) -> str:
    """The event as one line for a person, its times as local time and in UTC."""
    event, stamp = recorded.event, recorded.stamp
    about = getattr(event, "schedule", "everywhere")
    telling = _TELLING.get(type(event)) or LINES.get(type(event))
    detail = telling(event) if telling else ""
    if isinstance(event, Fired):
        detail += f", {lateness_words(lateness(recorded))} after it was due"
    return f"{format_instant(stamp.decided_at)}  {kind_of(recorded):<18} {about}  {detail}".rstrip()


def local_and_utc(nominal: int, wall: int) -> str:
    """A nominal instant as its schedule's clocks showed it, and in UTC."""
    in_utc = format_instant(nominal)
    if wall == nominal:
        return in_utc
    local = (_EPOCH + timedelta(microseconds=wall)).replace(tzinfo=None)
    return f"{local.isoformat()} local ({in_utc})"


def _fired(event: Fired) -> str:
    at = local_and_utc(event.nominal, event.wall)
    how = f" by {event.origin}" if event.origin else ""
    return f"{at}{how}{' as a catch-up' if event.late else ''}"


def _skipped(event: Skipped) -> str:
    last = local_and_utc(event.last, event.wall)
    why = f"{event.reason} ({event.evidence})" if event.evidence else event.reason
    if event.count == 1:
        return f"{last}: {why}"
    return f"{written(event.first)} to {last}, {event.count} instants: {why}"


def _deferred(event: Deferred) -> str:
    why = f" ({event.evidence})" if event.evidence else ""
    return f"{written(event.nominal)} until {written(event.until)}: {event.reason}{why}"


def _defined(event: ScheduleDefined | ScheduleChanged) -> str:
    return f"version {event.version}, next {written(event.next)}"


def _paused(event: SchedulePaused) -> str:
    until = "" if event.until is None else f" until {written(event.until)}"
    return f"{event.reason}{until}".strip()


def _resumed(event: ScheduleResumed) -> str:
    return f"{event.reason} next {written(event.next)}".strip()


def _recomputed(event: ScheduleRecomputed) -> str:
    return f"{event.cause}, next {written(event.next)}"


def _refused(event: CommandRefused) -> str:
    field = f"{event.field}: " if event.field else ""
    return f"{event.command}: {field}{event.message}"


def _unchanged(event: CommandUnchanged) -> str:
    # What is said of a subject as a whole has no version.
    version = "" if event.schedule.endswith("/") else f", version {event.version}"
    return f"{event.command}{version}"


def _changed(event: GlobalChanged) -> str:
    return f"{event.name}: {event.summary}"


_TELLING: Mapping[type, Callable[[Any], str]] = {
    Fired: _fired,
    Skipped: _skipped,
    Deferred: _deferred,
    ScheduleDefined: _defined,
    ScheduleChanged: _defined,
    SchedulePaused: _paused,
    ScheduleResumed: _resumed,
    ScheduleRecomputed: _recomputed,
    CommandRefused: _refused,
    CommandUnchanged: _unchanged,
    GlobalChanged: _changed,
}


def _occurrence(event: Fired) -> str:
    return occurrence_id(event.schedule, event.incarnation, event.nominal, event.origin)


def _plain(record: Any) -> dict[str, Any]:
    names = [each.name for each in fields(record)] if is_dataclass(record) else list(record._fields)
    return {name: _value(name, getattr(record, name)) for name in names}


def _value(name: str, value: Any) -> Any:
    match value:
        case Definition() | Deployment() | Proposal():
            return _described(value)
        case Enum():
            return value.value
        case int() if name in _INSTANTS:
            return None if value > LAST else format_instant(value)
        case int() if name == "wall" and value <= LAST:
            return format_instant(value).removesuffix("Z")
        case tuple() if not hasattr(value, "_fields"):
            return [_entry(each) for each in value]
        case _:
            return _plain(value) if is_dataclass(value) else value


def _described(value: Definition | Deployment | Proposal) -> dict[str, Any]:
    """As whoever asked for it has written it."""
    match value:
        case Definition():
            return definition_json(value)
        case Deployment():
            return deployment_json(value)
        case Proposal():
            return proposal_json(value)
        case _:
            assert_never(value)


def _entry(each: Any) -> Any:
    """What stands in a list: a record, a text, or an instant."""
    if isinstance(each, str):
        return each
    return format_instant(each) if isinstance(each, int) else _plain(each)
