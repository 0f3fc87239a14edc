"""
What does each record of the log come to?

Decodes records and gives each event to the table files it concerns; one that cannot become rows is
set aside with its reason and the others go on. What happens to the rows is writer.py.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import assert_never

from projections import (
    audit,
    deployments,
    holds,
    insights,
    occurrences,
    proposed,
    runs,
    schedules,
    standing,
    traffic,
)
from projections.faults import BadRecord
from projections.folding import Batch, Parked
from projections.log import Record, name_in
from projections.tracking import Tracked
from schemas import topics
from schemas.codec import decode_as, decode_event
from schemas.events import (
    ActivityNoted,
    AppDefined,
    Deferred,
    DeploymentDefined,
    DeploymentStateNoted,
    Event,
    Fired,
    InsightRaised,
    InsightResolved,
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalWithdrawn,
    ScheduleChanged,
    ScheduleDefined,
    ScheduleRemoved,
    Skipped,
    Stamp,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)
from schemas.faults import MessageFault
from schemas.globals import KEYS, Calendar, Freeze, Hold, name_under
from schemas.limits import check_global
from schemas.run_events import OfRun
from schemas.schedule import ScheduleRow
from schemas.time_limits import check_name
from schemas.traffic import TrafficMinute

DATA_FAULTS = (BadRecord, MessageFault, UnicodeError, struct.error, OverflowError, RecursionError)
"""What one record can be guilty of before the database has seen it."""

Reader = Callable[[Record, Batch], None]


@dataclass(frozen=True, slots=True)
class Sources:
    """Which topics are read; a test has its own."""

    schedules: str = topics.SCHEDULES
    events: str = topics.EVENTS
    globals: str = topics.GLOBALS
    traffic: str = topics.TRAFFIC

    def readers(self, tracked: Tracked | None = None) -> Mapping[str, Reader]:
        """Who reads the records of each topic; what they learn of tracked actions is `tracked`."""
        about = _Definitions(Tracked() if tracked is None else tracked)
        return {
            self.schedules: about.read_schedule,
            self.events: about.read_event,
            self.globals: _read_global,
            self.traffic: _read_traffic,
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


class _Definitions:
    """Reads what depends on definitions, or says what they are."""

    def __init__(self, tracked: Tracked) -> None:
        self._tracked = tracked

    def read_event(self, record: Record, batch: Batch) -> None:
        value = record.value()
        if value is None:
            return
        event, stamp = decode_event(value)
        if isinstance(event, Fired | Skipped | Deferred):
            self._read_occurrence(event, stamp, record, batch)
            return
        if isinstance(event, OfRun):
            runs.happened(event, stamp, self._tracked, batch)
        elif isinstance(event, ScheduleDefined | ScheduleChanged | ScheduleRemoved):
            self._read_version(event, stamp, record, batch)
        else:
            _read_of_subject(event, stamp, record, batch)
        audit.outcome(event, stamp, record, batch)

    def _read_occurrence(
        self, event: Fired | Skipped | Deferred, stamp: Stamp, record: Record, batch: Batch
    ) -> None:
        match event:
            case Fired():
                occurrences.fired(event, stamp, batch)
                if event.schedule in self._tracked:
                    runs.fired(event, stamp, self._tracked, batch)
            case Skipped():
                occurrences.skipped(event, stamp, batch)
            case Deferred():
                occurrences.deferred(event, stamp, batch)
                return
            case _:
                assert_never(event)
        if event.origin is not None:
            audit.outcome(event, stamp, record, batch)

    def _read_version(
        self,
        event: ScheduleDefined | ScheduleChanged | ScheduleRemoved,
        stamp: Stamp,
        record: Record,
        batch: Batch,
    ) -> None:
        if not isinstance(event, ScheduleRemoved):
            self._tracked.note(event.schedule, event.version, event.definition.action)
        schedules.version(event, stamp, record, batch)

    def read_schedule(self, record: Record, batch: Batch) -> None:
        value = record.value()
        if value is None:
            schedules.removed(record, batch)
            return
        row = decode_as(value, ScheduleRow)
        # says what the ledger says, unless its retention has dropped that
        self._tracked.note(name_in(record), row.version, row.definition.action)
        schedules.current(row, record, batch)


def _read_of_subject(event: Event, stamp: Stamp, record: Record, batch: Batch) -> None:
    match event:
        case InsightRaised() | InsightResolved():
            insights.told(event, stamp, batch)
        case AppDefined():
            insights.app_defined(event, stamp, batch)
        case SubjectRemoved():
            insights.subject_removed(event, stamp, batch)
            deployments.removed(event, stamp, batch)
        case ProposalMade():
            proposed.made(event, stamp, batch)
        case ProposalAccepted() | ProposalDismissed() | ProposalWithdrawn():
            proposed.settled(event, stamp, batch)
        case _:
            _read_of_deployment(event, stamp, record, batch)


def _read_of_deployment(event: Event, stamp: Stamp, record: Record, batch: Batch) -> None:
    match event:
        case DeploymentDefined():
            deployments.defined(event, stamp, record, batch)
        case DeploymentStateNoted():
            deployments.state_noted(event, stamp, batch)
        case ActivityNoted():
            deployments.activity_noted(event, stamp, batch)
        case SubjectHeld() | SubjectReleased():
            deployments.held(event, stamp, batch)
        case _:
            pass


def _read_traffic(record: Record, batch: Batch) -> None:
    value = record.value()
    if value is not None:  # nothing takes a minute back
        traffic.minute(name_in(record), decode_as(value, TrafficMinute), batch.traffic_hours)


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
