"""
Do the views show what is in the logs, row by row?

The rows that ought to be there are made from the decoded records by hand, all of them, and compared
field by field with what Postgres holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

from projections.snapshots import Snapshots
from schemas.codec import decode_as
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    Deferred,
    Event,
    Fired,
    GlobalChanged,
    ScheduleChanged,
    ScheduleCompleted,
    ScheduleDefined,
    SchedulePaused,
    ScheduleRecomputed,
    ScheduleRemoved,
    ScheduleResumed,
    Skipped,
    Stamp,
)
from schemas.identity import subject_of
from schemas.schedule import ScheduleRow
from streams.calendar.occurrences import NEVER
from tests.acceptance.history import History

Row = dict[str, Any]
Table = dict[tuple[Any, ...], Row]
CHANGES: Mapping[type[Event], str] = {
    ScheduleDefined: "defined",
    ScheduleChanged: "changed",
    ScheduleRemoved: "removed",
    SchedulePaused: "paused",
    ScheduleResumed: "resumed",
    ScheduleRecomputed: "recomputed",
    ScheduleCompleted: "completed",
    CommandUnchanged: "unchanged",
    CommandRefused: "refused",
    GlobalChanged: "global",
    Fired: "triggered",
}


def views_show_the_logs(
    history: History, dsn: str, concerns: Callable[[str], bool] = lambda _: True
) -> Iterator[str]:
    """Whatever differs between the tables and the logs, as far as these schedules are concerned."""
    expected = {
        "occurrences": (("schedule", "nominal", "incarnation", "origin"), _occurrences(history)),
        "schedules": (("schedule",), _schedules(history)),
        "schedule_versions": (("schedule", "version"), _versions(history)),
        "audit": (("log_partition", "log_offset"), _audit(history)),
    }
    with closing(Snapshots(dsn)) as views, views.snapshot() as (connection, _):
        for table, (key, rows) in expected.items():
            cursor = connection.cursor(binary=True)
            cursor.execute(f"SELECT * FROM {table}".encode())  # noqa: S608 - names from above
            names = [column.name for column in cursor.description or ()]
            found = {
                tuple(row[name] for name in key): row
                for row in (dict(zip(names, values, strict=True)) for values in cursor)
                if concerns(row["schedule"] or "")
            }
            yield from _differences(table, rows, found)
        parked = connection.execute(b"SELECT topic, error FROM parked").fetchall()
        if parked:
            yield f"parked: {parked[:3]}"


def _differences(table: str, expected: Table, found: Table) -> Iterator[str]:
    for key in expected.keys() - found.keys():
        yield f"{table}: {key} is missing"
    for key in found.keys() - expected.keys():
        yield f"{table}: {key} is there, and in no log"
    for key in expected.keys() & found.keys():
        row = found[key]
        for name, value in expected[key].items():
            if row[name] != value:
                yield f"{table}: {key}: {name} is {row[name]!r}, the log says {value!r}"


def _records(history: History) -> Iterator[tuple[int, int, bytes, Event, Stamp]]:
    for number, records in history.ledger.items():
        for offset, (_, value, event, stamp) in zip(history.offsets[number], records, strict=True):
            yield number, offset, value, event, stamp


def _never(instant: int | None) -> int | None:
    return None if instant == NEVER else instant


def _stamped(stamp: Stamp) -> Row:
    return {
        "decided_at": stamp.decided_at,
        "actor": stamp.actor,
        "command_id": stamp.command_id,
        "partition": stamp.partition,
        "sequence": stamp.sequence,
        "cause_offset": stamp.offset,
    }


# ---------------------------------------------------------------------- occurrences


def _occurrences(history: History) -> Table:
    """The last word on each: an end is never replaced by a deferral."""
    rows: Table = {}
    for _, _, _, event, stamp in _records(history):
        if not isinstance(event, Fired | Skipped | Deferred):
            continue
        row = {
            **_stamped(stamp),
            "version": event.version,
            "deferrals": event.deferrals,
            "deferred_at": event.deferred_at,
            "evidence": event.evidence,
            "globals_offset": stamp.globals_offset,
            **_became(event, stamp),
        }
        nominal = event.first if isinstance(event, Skipped) else event.nominal
        origin = None if isinstance(event, Deferred) else event.origin
        key = event.schedule, nominal, event.incarnation, origin or ""
        if isinstance(event, Deferred) and rows.get(key, {}).get("state", "deferred") != "deferred":
            continue
        rows[key] = row
    return rows


def _became(event: Fired | Skipped | Deferred, stamp: Stamp) -> Row:
    match event:
        case Fired():
            return {
                "state": "fired",
                "last": event.nominal,
                "count": 1,
                "due": event.due,
                "wall": event.wall,
                "second_pass": event.second_pass,
                "late": event.late,
                "lateness": stamp.decided_at - event.due,
                "reason": None,
                "until": None,
                "next": _never(event.next),
                "scopes": [
                    {
                        "scope": one.scope,
                        "run": one.run,
                        "outcome": one.outcome.value,
                        "reason": one.reason and one.reason.value,
                    }
                    for one in event.scopes
                ],
            }
        case Skipped():
            return {
                "state": "skipped",
                "last": event.last,
                "count": event.count,
                "due": None,
                "wall": event.wall,
                "second_pass": event.second_pass,
                "late": False,
                "lateness": stamp.decided_at - event.first,
                "reason": event.reason.value,
                "scopes": None,
                "next": _never(event.next),
                "until": None,
            }
        case Deferred():
            return {
                "state": "deferred",
                "last": event.nominal,
                "count": 1,
                "due": event.due,
                "lateness": stamp.decided_at - event.due,
                "wall": event.wall,
                "reason": event.reason.value,
                "late": False,
                "until": event.until,
                "next": event.nominal,
            }


# ---------------------------------------------------------------------- schedules


def _schedules(history: History) -> Table:
    rows: Table = {}
    for schedule, found in history.rows.items():
        row = decode_as(found.value or b"", ScheduleRow)
        pause = row.pause
        rows[schedule,] = {
            "subject": subject_of(schedule),
            "version": row.version,
            "actor": row.actor,
            "incarnation": row.incarnation,
            "status": row.status.value,
            "created_at": row.created_at,
            "changed_at": row.changed_at,
            "zone": row.definition.zone,
            "description": row.definition.description,
            "pause_reason": pause and pause.reason,
            "pause_actor": pause and pause.actor,
            "paused_since": pause and pause.since,
            "paused_until": pause and pause.until,
            "log_partition": found.partition,
            "log_offset": found.offset,
            "record": found.value,
        }
    return rows


def _versions(history: History) -> Table:
    rows: Table = {}
    for _, _, value, event, stamp in _records(history):
        if not isinstance(event, ScheduleDefined | ScheduleChanged | ScheduleRemoved):
            continue
        has_rule = not isinstance(event, ScheduleRemoved)
        rows[event.schedule, event.version] = {
            **_stamped(stamp),
            "incarnation": event.incarnation,
            "change": CHANGES[type(event)],
            "previous_version": getattr(event, "previous_version", None),
            "begins_at": getattr(event, "begins_at", None),
            "next": _never(getattr(event, "next", None)) if has_rule else None,
            "record": value,
        }
    return rows


# ---------------------------------------------------------------------- audit


def _audit(history: History) -> Table:
    rows: Table = {}
    for number, offset, _, event, stamp in _records(history):
        by_calendar = isinstance(event, Fired) and event.origin is None
        if isinstance(event, Skipped | Deferred) or by_calendar:
            continue
        command = getattr(event, "command", None)
        expected = {
            **_stamped(stamp),
            "outcome": CHANGES[type(event)],
            "schedule": getattr(event, "schedule", None),
            "globals_offset": stamp.globals_offset,
            "trace": stamp.trace,
            "version": getattr(event, "version", None),
            "incarnation": getattr(event, "incarnation", None),
        }
        if isinstance(event, CommandRefused):
            expected |= {"field": event.field, "reason": event.message}
        if isinstance(event, SchedulePaused):
            expected |= {"reason": event.reason, "until": event.until}
        if isinstance(event, ScheduleRecomputed):
            expected |= {"reason": event.cause, "next": _never(event.next)}
        if command is not None:
            expected["command"] = command
        rows[number, offset] = expected
    return rows
