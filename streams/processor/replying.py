"""
What is the sender of a command told?

Reads the answer off the events that the command caused, and the state after them. Pure.
"""

from __future__ import annotations

from schemas.commands import Asked, Command, Remove, Unacceptable
from schemas.events import CommandRefused, CommandUnchanged, Fired, ScheduleEvent
from schemas.identity import occurrence_id
from schemas.replies import Reply, Verdict
from streams.calendar.occurrences import NEVER
from streams.decider.state import Schedule


def kind_of(command: Command) -> str:
    """The command's name, as replies and the ledger give it."""
    return command.kind if isinstance(command, Unacceptable) else type(command).__name__.lower()


def reply_to(
    asked: Asked,
    events: tuple[ScheduleEvent, ...],
    before: Schedule | None,
    state: Schedule | None,
    now: int,
) -> Reply:
    """The one answer to one command; `before` and `state` are what it found and what it left."""
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
    if isinstance(asked.command, Remove) and verdict is Verdict.ACCEPTED:
        occurrence = _fired_before(events, before)
        message = "too late for what has fired" if occurrence else None
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


def _fired_before(events: tuple[ScheduleEvent, ...], before: Schedule | None) -> str | None:
    """The fire that a removal cannot take back: one it had to settle, or that of a one-time."""
    for event in events:
        if isinstance(event, Fired):
            return occurrence_id(event.schedule, event.incarnation, event.nominal)
    if before is None or not before.plan.completed or not before.cursor.fires:
        return None
    plan, mark = before.plan, before.cursor.mark
    if plan.rule is None or plan.rule.previous(mark, plan.origin).instant != mark:
        return None
    return occurrence_id(plan.id, plan.incarnation, mark)
