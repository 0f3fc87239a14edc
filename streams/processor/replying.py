"""
What is the sender of a command told?

Reads the answer off the events that the command caused, and the state after them. What is said in
words is telling.py. Pure.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from schemas.codec import decode_as, encode
from schemas.command_keys import word_of
from schemas.commands import Asked, Backfill, Command, Remove
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    Fired,
    RunNoted,
    ScheduleEvent,
    Skipped,
)
from schemas.identity import occurrence_id
from schemas.replies import Reply, Verdict
from streams.calendar.occurrences import NEVER
from streams.decider.state import Schedule
from streams.decider.subject import Subject
from streams.processor.telling import of_fire, told, under_way, why_skipped


class _Said(NamedTuple):
    """What the events of a command come to."""

    verdict: Verdict = Verdict.ACCEPTED
    field: str | None = None
    message: str | None = None
    occurrence: str | None = None


def kind_of(command: Command) -> str:
    """The command's name, as replies and the ledger give it."""
    return word_of(command)


def reply_to(
    asked: Asked,
    events: tuple[ScheduleEvent, ...],
    before: Schedule | None,
    state: Schedule | None,
    now: int,
) -> Reply:
    """The one answer to one command; `before` and `state` are what it found and what it left."""
    said = _said(asked, events, state)
    if said.message is None:
        said = said._replace(message=told(asked, events, before))
    if isinstance(asked.command, Remove) and said.verdict is Verdict.ACCEPTED:
        occurrence = _fired_before(events, before)
        message = "too late for what has fired" if occurrence else None
        said = said._replace(occurrence=occurrence, message=message)
    following = state.cursor.nominal if state else NEVER
    return Reply(
        schedule=asked.schedule,
        command=kind_of(asked.command),
        verdict=said.verdict,
        decided_at=now,
        partition=asked.partition,
        offset=asked.offset,
        version=state.plan.version if state else None,
        incarnation=state.plan.incarnation if state else None,
        next=None if following == NEVER else following,
        occurrence=said.occurrence,
        field=said.field,
        message=said.message,
    )


def said_again(asked: Asked, reply: bytes, subject: Subject) -> bytes:
    """The answer to a second copy of a one-shot command: the former one.

    Of a backfill that is under way it says how far that has come.
    """
    if not isinstance(asked.command, Backfill):
        return reply
    former = decode_as(reply, Reply)
    message = under_way(subject.notes.backfills, f"{asked.id}.{former.offset}")
    return reply if message is None else encode(replace(former, message=message))


def _said(asked: Asked, events: tuple[ScheduleEvent, ...], state: Schedule | None) -> _Said:
    own = f"trigger:{asked.id}.{asked.offset}"
    said = _Said()
    for event in events:
        match event:
            case CommandRefused():
                said = _Said(Verdict.REFUSED, event.field, event.message)
            case CommandUnchanged():
                said = _Said(Verdict.UNCHANGED)
            case RunNoted(ignored=str()):
                said = _Said(Verdict.UNCHANGED, message=event.ignored)
            case Fired() if event.origin == own:
                tracked = state is not None and state.plan.definition.action.tracked is not None
                message = of_fire(event, tracked=tracked)
                said = _Said(message=message, occurrence=_named(event, event.nominal))
            case Skipped() if event.origin == own:
                said = _Said(
                    *(Verdict.SKIPPED, None, why_skipped(event), _named(event, event.first))
                )
            case _:
                pass
    return said


def _named(event: Fired | Skipped, nominal: int) -> str:
    return occurrence_id(event.schedule, event.incarnation, nominal, event.origin)


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
