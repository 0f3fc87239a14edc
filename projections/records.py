"""
What does each record of the log come to?

Decodes records and gives each event to the table files it concerns; one that cannot become rows is
set aside with its reason and the others go on. What happens to the rows is writer.py.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from projections import audit, holds, occurrences, schedules, standing
from projections.faults import BadRecord
from projections.folding import Batch, Parked
from projections.log import Record
from schemas import topics
from schemas.codec import decode_as, decode_event
from schemas.events import (
    Deferred,
    Fired,
    ScheduleChanged,
    ScheduleDefined,
    ScheduleRemoved,
    Skipped,
)
from schemas.faults import MessageFault
from schemas.globals import KEYS, Calendar, Freeze, Hold, name_under
from schemas.limits import check_global
from schemas.schedule import ScheduleRow
from schemas.time_limits import check_name

DATA_FAULTS = (BadRecord, MessageFault, UnicodeError, struct.error, OverflowError, RecursionError)
"""What one record can be guilty of before the database has seen it."""

Reader = Callable[[Record, Batch], None]


@dataclass(frozen=True, slots=True)
class Sources:
    """Which topics are read; a test has its own."""

    schedules: str = topics.SCHEDULES
    events: str = topics.EVENTS
    globals: str = topics.GLOBALS

    def readers(self) -> Mapping[str, Reader]:
        """Who reads the records of each topic."""
        return {
            self.schedules: _read_schedule,
            self.events: _read_event,
            self.globals: _read_global,
        }


def fold(records: Iterable[Record], readers: Mapping[str, Reader]) -> Batch:
    """The rows of these records, and the records that have none."""
    batch = Batch()
    for record in records:
        try:
            readers[record.topic()](record, batch)
        except DATA_FAULTS as fault:
            sqlstate = fault.sqlstate if isinstance(fault, BadRecord) else None
            batch.parked.append(Parked(record, f"{type(fault).__name__}: {fault}", sqlstate))
    return batch


def _read_event(record: Record, batch: Batch) -> None:
    value = record.value()
    if value is None:
        return
    event, stamp = decode_event(value)
    match event:
        case Fired():
            occurrences.fired(event, stamp, batch)
            if event.origin is not None:
                audit.outcome(event, stamp, record, batch)
        case Skipped():
            occurrences.skipped(event, stamp, batch)
            if event.origin is not None:
                audit.outcome(event, stamp, record, batch)
        case Deferred():
            occurrences.deferred(event, stamp, batch)
        case ScheduleDefined() | ScheduleChanged() | ScheduleRemoved():
            schedules.version(event, stamp, record, batch)
            audit.outcome(event, stamp, record, batch)
        case _:
            audit.outcome(event, stamp, record, batch)


def _read_schedule(record: Record, batch: Batch) -> None:
    value = record.value()
    if value is None:
        schedules.removed(record, batch)
    else:
        schedules.current(decode_as(value, ScheduleRow), record, batch)


def _read_global(record: Record, batch: Batch) -> None:
    key = (record.key() or b"").decode(errors="replace")
    if key == KEYS[Hold]:
        _read_hold(record, batch)
    # a record without value is no word about a calendar or a freeze: a processor ignores it, too
    elif (value := record.value()) is not None:
        if (name := name_under(Calendar, key)) is not None:
            calendar = decode_as(value, Calendar)
            check_global(calendar)
            standing.calendar(check_name(name, "key"), calendar, record, batch)
        elif (name := name_under(Freeze, key)) is not None:
            freeze = decode_as(value, Freeze)
            check_global(freeze)
            standing.freeze(check_name(name, "key"), freeze, record, batch)


def _read_hold(record: Record, batch: Batch) -> None:
    value = record.value()
    if value is None:
        holds.withdrawn(record, batch)
    else:
        said = decode_as(value, Hold)
        check_global(said)  # what changes nothing for a processor changes nothing here
        holds.hold(said, record, batch)
