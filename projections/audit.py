"""
What does the view say of what was asked, and of what became of it?

Turns every event that answers a command, or changes what holds for a schedule or for everyone, into
a row of `audit`: who, when, why, with which result. A fire is in it only if a hand asked for it.
The order of the fields here is the order of the columns in sql/layout.sql.
"""

from __future__ import annotations

from dataclasses import dataclass

from projections.encoding import bigint, field_count, instant, text
from projections.folding import Batch
from projections.log import Record
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    Fired,
    GlobalChanged,
    ScheduleChanged,
    ScheduleCompleted,
    ScheduleDefined,
    SchedulePaused,
    ScheduleRecomputed,
    ScheduleRemoved,
    ScheduleResumed,
    Stamp,
)

_COLUMNS = field_count(20)

Answered = (
    ScheduleDefined
    | ScheduleChanged
    | ScheduleRemoved
    | SchedulePaused
    | ScheduleResumed
    | ScheduleCompleted
    | ScheduleRecomputed
    | Fired
    | CommandUnchanged
    | CommandRefused
    | GlobalChanged
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """What one kind of event tells; the rest is the stamp's."""

    outcome: str
    schedule: str | None
    command: str | None = None
    reason: str | None = None
    field: str | None = None
    version: int | None = None
    incarnation: int | None = None
    next: int | None = None
    next_due: int | None = None
    """None: as next."""
    until: int | None = None


def outcome(event: Answered, stamp: Stamp, record: Record, batch: Batch) -> None:
    """Something was asked, and this became of it."""
    told = _tell(event)
    data = b"".join(
        (
            _COLUMNS,
            bigint(record.partition()),
            bigint(record.offset()),
            text(told.schedule),
            text(told.outcome),
            text(told.command),
            instant(stamp.decided_at),
            text(stamp.actor),
            text(told.reason),
            text(told.field),
            bigint(told.version),
            bigint(told.incarnation),
            instant(told.next),
            instant(told.next if told.next_due is None else told.next_due),
            instant(told.until),
            text(stamp.command_id),
            text(stamp.trace),
            bigint(stamp.partition),
            bigint(stamp.sequence),
            bigint(stamp.offset),
            bigint(stamp.globals_offset),
        )
    )
    place = record.partition(), record.offset()
    batch.audit.keep(place, (0, record.offset()), data)


def _tell(event: Answered) -> _Told:
    match event:
        case CommandUnchanged() | CommandRefused():
            return _tell_answer(event)
        case SchedulePaused() | ScheduleResumed():
            return _tell_pause(event)
        case ScheduleRecomputed():
            return _tell_recomputed(event)
        case GlobalChanged(name=name, summary=summary):
            return _Told(outcome="global", schedule=None, command=name, reason=summary)
        case Fired():
            return _told(
                "triggered", event, command="trigger", following=event.next, due=event.next_due
            )
        case _:
            return _tell_definition(event)


def _tell_answer(event: CommandUnchanged | CommandRefused) -> _Told:
    match event:
        case CommandUnchanged():
            return _told("unchanged", event, command=event.command, following=event.next)
        case CommandRefused():
            return _Told(
                outcome="refused",
                schedule=event.schedule,
                command=event.command,
                reason=event.message,
                field=event.field,
                version=event.version,
            )


def _tell_pause(event: SchedulePaused | ScheduleResumed) -> _Told:
    paused = isinstance(event, SchedulePaused)
    return _Told(
        outcome="paused" if paused else "resumed",
        schedule=event.schedule,
        command="pause" if paused else "resume",
        reason=event.reason,
        version=event.version,
        incarnation=event.incarnation,
        next=None if isinstance(event, SchedulePaused) else event.next,
        next_due=None if isinstance(event, SchedulePaused) else event.next_due,
        until=event.until if isinstance(event, SchedulePaused) else None,
    )


def _tell_recomputed(event: ScheduleRecomputed) -> _Told:
    return _Told(
        outcome="recomputed",
        schedule=event.schedule,
        reason=event.cause,
        version=event.version,
        incarnation=event.incarnation,
        next=event.next,
        next_due=event.next_due,
    )


def _tell_definition(
    event: ScheduleDefined | ScheduleChanged | ScheduleRemoved | ScheduleCompleted,
) -> _Told:
    match event:
        case ScheduleDefined():
            return _told(
                "defined", event, command="define", following=event.next, due=event.next_due
            )
        case ScheduleChanged():
            return _told(
                "changed", event, command="define", following=event.next, due=event.next_due
            )
        case ScheduleRemoved():
            return _told("removed", event, command="remove")
        case ScheduleCompleted():
            return _told("completed", event)


def _told(
    outcome: str,
    event: ScheduleDefined
    | ScheduleChanged
    | ScheduleRemoved
    | ScheduleCompleted
    | Fired
    | CommandUnchanged,
    *,
    command: str | None = None,
    following: int | None = None,
    due: int | None = None,
) -> _Told:
    return _Told(
        outcome=outcome,
        schedule=event.schedule,
        command=command,
        version=event.version,
        incarnation=event.incarnation,
        next=following,
        next_due=due,
    )
