"""
How does what the views know look as JSON?

Instants of a schedule's calendar are shown in UTC and as the clocks of its zone show them, with the
zone named and a mark where they show that time twice; when something was done is text in UTC.
Names and payloads are data: nothing in them is interpreted.
"""

from __future__ import annotations

from typing import Any

from horae.action_words import action_words
from horae.times_shown import clocks_at
from projections.shown import (
    AuditShown,
    CalendarShown,
    FreezeShown,
    HoldShown,
    OccurrenceShown,
    ScheduleShown,
    VersionShown,
)
from schemas.definition import Emit
from schemas.definition_json import definition_json
from schemas.instants import format_instant
from schemas.work_limits import WORDS
from streams.calendar.explain import explain


def utc(micros: int | None) -> str | None:
    """An instant as text in UTC."""
    return None if micros is None else format_instant(micros)


def moment(micros: int, zone: str | None, viewer: str | None = None) -> dict[str, Any]:
    """An instant of a calendar; `viewer` is the zone of whoever looks at it."""
    found: dict[str, Any] = {"utc": format_instant(micros)}
    if zone is not None:
        found |= _clocks(micros, zone)
    if viewer is not None:
        found["viewer"] = _clocks(micros, viewer)
    return found


def _clocks(micros: int, zone: str) -> dict[str, Any]:
    try:
        clocks = clocks_at(micros, zone)
    except OverflowError:  # at the very end of time no clock has room for an offset
        return {"zone": zone}
    return {
        "zone": zone,
        "local": clocks.local,
        "abbreviation": clocks.abbreviation,
        "comes_twice": clocks.passes > 1,
        "second_time": clocks.is_second,
    }


def _moment(micros: int | None, zone: str, viewer: str | None) -> dict[str, Any] | None:
    return None if micros is None else moment(micros, zone, viewer)


def schedule_json(row: ScheduleShown, viewer: str | None = None) -> dict[str, Any]:
    """A schedule as it is now."""
    rule = row.rule
    return {
        "schedule": row.schedule,
        "subject": row.subject,
        "status": row.status,
        "version": row.version,
        "incarnation": row.incarnation,
        "zone": row.zone,
        "description": row.description,
        "runs": explain(rule, row.next if row.next is not None else row.changed_at),
        "operation": operation_json(rule.action),
        "created_at": utc(row.created_at),
        "changed_at": utc(row.changed_at),
        "actor": row.actor,
        "definition": definition_json(rule),
        "next": _moment(row.next, row.zone, viewer),
        "next_due": _moment(row.next_due, row.zone, viewer),
        "last": _last(row, viewer),
        "pause": _pause(row),
    }


def operation_json(action: Emit) -> dict[str, Any]:
    """What a fire does, in one word and in a few."""
    kind = "emit" if action.work is None else WORDS[type(action.work)]
    return {"kind": kind, "summary": action_words(action)}


def _last(row: ScheduleShown, viewer: str | None) -> dict[str, Any] | None:
    if row.last_nominal is None:
        return None
    return {
        "nominal": moment(row.last_nominal, row.zone, viewer),
        "state": row.last_state,
        "reason": row.last_reason,
        "decided_at": utc(row.last_decided_at),
    }


def _pause(row: ScheduleShown) -> dict[str, Any] | None:
    if row.status != "paused":
        return None
    return {
        "reason": row.pause_reason,
        "actor": row.pause_actor,
        "since": utc(row.paused_since),
        "until": utc(row.paused_until),
    }


def version_json(row: VersionShown) -> dict[str, Any]:
    """One version of a schedule."""
    rule = row.rule
    return {
        "version": row.version,
        "incarnation": row.incarnation,
        "previous_version": row.previous_version,
        "change": row.change,
        "definition": None if rule is None else definition_json(rule),
        "decided_at": utc(row.decided_at),
        "actor": row.actor,
        "command_id": row.command_id,
    }


def occurrence_json(row: OccurrenceShown, zone: str, viewer: str | None = None) -> dict[str, Any]:
    """What became of an occurrence, or of an unbroken run of them."""
    return {
        "occurrence": row.id,
        "nominal": moment(row.nominal, zone, viewer),
        "last": moment(row.last, zone, viewer),
        "count": row.count,
        "origin": row.origin or None,
        "state": row.state,
        "reason": row.reason,
        "due": utc(row.due),
        "late": row.late,
        "lateness_seconds": row.lateness / 1_000_000,
        "decided_at": utc(row.decided_at),
        "until": utc(row.until),
        "evidence": row.evidence,
        "scopes": row.scopes,
        "version": row.version,
        "actor": row.actor,
        "command_id": row.command_id,
    }


def command_json(row: AuditShown) -> dict[str, Any]:
    """Something that was asked or changed, and what became of it."""
    return {
        "schedule": row.schedule,
        "command": row.command,
        "outcome": row.outcome,
        "reason": row.reason,
        "field": row.field,
        "version": row.version,
        "decided_at": utc(row.decided_at),
        "actor": row.actor,
        "command_id": row.command_id,
        "partition": row.partition,
        "sequence": row.sequence,
    }


def hold_json(row: HoldShown) -> dict[str, Any]:
    """A hold, in force or lifted."""
    return {
        "name": row.name,
        "held": row.held,
        "reason": row.reason,
        "actor": row.actor,
        "since": utc(row.since),
    }


def calendar_json(row: CalendarShown) -> dict[str, Any]:
    """A shared calendar."""
    return {
        "calendar": row.name,
        "definition": row.content,
        "version": row.version,
        "changed_at": utc(row.changed_at),
        "actor": row.actor,
    }


def freeze_json(row: FreezeShown, now: int) -> dict[str, Any]:
    """A freeze: to come, in force, over or lifted."""
    state = "in force"
    if row.lifted:
        state = "lifted"
    elif now >= row.ends_at:
        state = "over"
    elif now < row.begins_at:
        state = "to come"
    return {
        "freeze": row.name,
        "state": state,
        "subjects": row.subjects,
        "from": utc(row.begins_at),
        "to": utc(row.ends_at),
        "reason": row.reason,
        "changed_at": utc(row.changed_at),
        "actor": row.actor,
    }
