"""
What does the view say of a schedule, and of each version it had?

Turns rows of horae.schedules into rows of `schedules`, and the events about definitions into rows
of `schedule_versions`. What was asked and answered besides is audit.py. The order of the fields
here is the order of the columns in sql/layout.sql.
"""

from __future__ import annotations

from projections.definitions import definition_document
from projections.encoding import NULL, bigint, bytea, field_count, instant, jsonb, text
from projections.folding import Batch
from projections.log import Record, name_in
from projections.tracking import work_of
from schemas.events import ScheduleChanged, ScheduleDefined, ScheduleRemoved, Stamp
from schemas.identity import subject_of
from schemas.schedule import ScheduleRow

_SCHEDULE_COLUMNS = field_count(19)
_REMOVAL_COLUMNS = field_count(2)
_VERSION_COLUMNS = field_count(17)


def current(row: ScheduleRow, record: Record, batch: Batch) -> None:
    """The public table has a new row for a schedule."""
    schedule = name_in(record)
    pause, definition = row.pause, row.definition
    data = b"".join(
        (
            _SCHEDULE_COLUMNS,
            text(schedule),
            text(subject_of(schedule)),
            bigint(row.version),
            bigint(row.incarnation),
            text(row.status.value),
            instant(row.created_at),
            instant(row.changed_at),
            text(row.actor),
            text(definition.zone),
            jsonb(definition_document(definition)),
            text(definition.description),
            text(pause.reason if pause else None),
            text(pause.actor if pause else None),
            instant(pause.since if pause else None),
            instant(pause.until if pause else None),
            bigint(record.partition()),
            bigint(record.offset()),
            bytea(record.value()),
            text(work_of(definition.action)),
        )
    )
    batch.schedules.keep(schedule, (row.version, record.offset()), data)


def removed(record: Record, batch: Batch) -> None:
    """The public table has no row for a schedule any more."""
    schedule = name_in(record)
    data = _REMOVAL_COLUMNS + text(schedule) + bigint(record.offset())
    # what the batch said of the schedule before is over; what comes after is a new one
    batch.schedules.rows.pop(schedule, None)
    batch.removals.keep(schedule, (0, record.offset()), data)


def version(
    event: ScheduleDefined | ScheduleChanged | ScheduleRemoved,
    stamp: Stamp,
    record: Record,
    batch: Batch,
) -> None:
    """A schedule was defined, changed or removed."""
    data = b"".join(
        (
            _VERSION_COLUMNS,
            text(event.schedule),
            bigint(event.version),
            bigint(event.incarnation),
            _change(event),
            instant(stamp.decided_at),
            text(stamp.actor),
            text(stamp.command_id),
            bigint(stamp.partition),
            bigint(stamp.sequence),
            bigint(stamp.offset),
            bytea(record.value()),
            NULL if isinstance(event, ScheduleRemoved) else text(work_of(event.definition.action)),
        )
    )
    batch.schedule_versions.keep((event.schedule, event.version), (0, stamp.sequence), data)


def _change(event: ScheduleDefined | ScheduleChanged | ScheduleRemoved) -> bytes:
    """The six columns from previous_version to next_due."""
    match event:
        case ScheduleDefined():
            return NULL + text("defined") + _rule(event)
        case ScheduleChanged():
            return bigint(event.previous_version) + text("changed") + _rule(event)
        case ScheduleRemoved():
            return NULL + text("removed") + NULL * 4


def _rule(event: ScheduleDefined | ScheduleChanged) -> bytes:
    document = definition_document(event.definition)
    due = event.next if event.next_due is None else event.next_due
    return jsonb(document) + instant(event.begins_at) + instant(event.next) + instant(due)
