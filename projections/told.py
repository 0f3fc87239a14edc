"""
What does an event tell the audit?

Which command it answers and how, and in words why. A fire or a skip tells something only if a hand
asked for it; signs of life, samples and progress tell nothing: they are many, and only the newest
counts. The row that becomes of it is audit.py.
"""

from __future__ import annotations

from dataclasses import replace

from projections.told_of_runs import AboutOthers, Told, tell_of_others
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
    Skipped,
)

_BY_HAND = "trigger:"

Telling = (
    ScheduleDefined
    | ScheduleChanged
    | ScheduleRemoved
    | SchedulePaused
    | ScheduleResumed
    | ScheduleCompleted
    | ScheduleRecomputed
    | Fired
    | Skipped
    | CommandUnchanged
    | CommandRefused
    | GlobalChanged
    | AboutOthers
)


def tell(event: Telling) -> Told | None:
    """What the audit says of it; None: nothing."""
    match event:
        case CommandUnchanged() | CommandRefused():
            return _tell_answer(event)
        case SchedulePaused() | ScheduleResumed():
            return _tell_pause(event)
        case Fired() | Skipped():
            return None if event.origin is None else _tell_occurrence(event, event.origin)
        case ScheduleDefined() | ScheduleChanged() | ScheduleRemoved() | ScheduleCompleted():
            return _tell_definition(event)
        case ScheduleRecomputed() | GlobalChanged():
            return _tell_by_itself(event)
        case _:
            return tell_of_others(event)


def _tell_occurrence(event: Fired | Skipped, origin: str) -> Told:
    """What was fired or skipped because a hand asked for it: now, or once more."""
    by_hand = origin.startswith(_BY_HAND)
    found = _told(
        "triggered" if by_hand else "backfilled",
        event,
        command="trigger" if by_hand else "backfill",
        following=event.next,
        due=event.next_due,
    )
    if isinstance(event, Skipped):
        return replace(found, outcome="skipped", reason=event.evidence or event.reason.value)
    return found


def _tell_by_itself(event: ScheduleRecomputed | GlobalChanged) -> Told:
    if isinstance(event, ScheduleRecomputed):
        return _tell_recomputed(event)
    return Told(outcome="global", schedule=None, command=event.name, reason=event.summary)


def _tell_answer(event: CommandUnchanged | CommandRefused) -> Told:
    match event:
        case CommandUnchanged():
            return _told("unchanged", event, command=event.command, following=event.next)
        case CommandRefused():
            return Told(
                outcome="refused",
                schedule=event.schedule,
                command=event.command,
                reason=event.message,
                field=event.field,
                version=event.version,
            )


def _tell_pause(event: SchedulePaused | ScheduleResumed) -> Told:
    paused = isinstance(event, SchedulePaused)
    return Told(
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


def _tell_recomputed(event: ScheduleRecomputed) -> Told:
    return Told(
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
) -> Told:
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
    | Skipped
    | CommandUnchanged,
    *,
    command: str | None = None,
    following: int | None = None,
    due: int | None = None,
) -> Told:
    return Told(
        outcome=outcome,
        schedule=event.schedule,
        command=command,
        version=event.version,
        incarnation=event.incarnation,
        next=following,
        next_due=due,
    )
