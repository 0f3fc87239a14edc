"""
What is the sender of a command told?

Reads the answer off the events that the command caused, and the state after them. Pure.
"""

from __future__ import annotations

from schemas.commands import Asked, Command, Unacceptable
from schemas.events import CommandRefused, CommandUnchanged, Fired, ScheduleEvent
from schemas.identity import occurrence_id
from schemas.replies import Reply, Verdict
from streams.calendar.occurrences import NEVER
from streams.decider.state import Schedule


def kind_of(command: Command) -> str:
    """The command's name, as replies and the ledger give it."""
    return command.kind if isinstance(command, Unacceptable) else type(command).__name__.lower()


def reply_to(
    asked: Asked, events: tuple[ScheduleEvent, ...], state: Schedule | None, now: int
) -> Reply:
    """The one answer to one command."""
    verdict, field, message = Verdict.ACCEPTED, None, None
    occurrence = None
    for event in events:
        match event:
            case CommandRefused():
                verdict, field, message = Verdict.REFUSED, event.field, event.message
            case CommandUnchanged():
                verdict = Verdict.UNCHANGED
            case Fired(origin=str() as origin):
                occurrence = occurrence_id(event.schedule, event.incarnation, event.nominal, origin)
            case _:
                pass
    following = state.cursor.nominal if state else NEVER
    return Reply(
        schedule=asked.schedule,
        command=kind_of(asked.command),
        verdict=verdict,
        decided_at=now,
        partition=asked.partition,
        offset=asked.offset,
        version=state.plan.version if state else None,
        incarnation=state.plan.incarnation if state else None,
        next=None if following == NEVER else following,
        occurrence=occurrence,
        field=field,
        message=message,
    )
