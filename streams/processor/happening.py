"""
What does an event write, and what does it change, as soon as it is decided?

It goes into the ledger, into the target topic if work begins with it, to the runners if it is for
them (ordering.py), and into the overlay of its partition. Deciding is batch.py and the decider;
what the overlay becomes is draft.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from schemas.codec import encode_event
from schemas.commands import ClaimRun
from schemas.events import (
    Event,
    Fired,
    Outcome,
    RunCancelling,
    RunEnded,
    RunGranted,
    RunNoted,
    RunOffered,
    RunRetries,
    RunStarted,
    ScheduleEvent,
    Skipped,
    Stamp,
    SubjectReleased,
    SubjectRemoved,
)
from schemas.identity import occurrence_id, subject_of
from schemas.topics import EVENTS
from streams.decider.evolve import evolve
from streams.decider.evolve_subject import evolve_subject
from streams.decider.state import Plan, World
from streams.processor import keys
from streams.processor.draft import Draft, Record, Write
from streams.processor.emitting import Begun, emitted
from streams.processor.express import Express
from streams.processor.ordering import Circumstances, Place, control_for, denial_of, orders_for

OF_RUNNERS = (Fired, RunStarted, RunOffered, RunGranted, RunCancelling, RunNoted)
"""Events because of which runners may be told something."""


class Cause(NamedTuple):
    """Why something is decided: a command, or a timer (no offset)."""

    actor: str
    offset: int | None = None
    command_id: str | None = None
    trace: str | None = None


class Happening:
    """The events of one batch; what they fire is counted with its plain fires."""

    def __init__(self, world: World, now: int, write: Write, plain: Express, count: int) -> None:
        self._fired_due = plain.fired_due
        self._topics = plain.topics
        self.skipped: dict[str, int] = {}
        """What never began, by reason: occurrences, targets of a fire, runs that waited."""
        self._world = world
        self._now = now
        self._write = write
        self._count = count

    def take(self, draft: Draft, event: ScheduleEvent, cause: Cause) -> None:
        """Write the event and what begins with it; fold it into the overlay."""
        sequence = draft.sequence
        draft.sequence = sequence + 1
        stamp = Stamp(
            self._now, draft.partition.number, cause.offset, self._world.globals_offset,
            sequence, cause.actor, cause.command_id, cause.trace,
        )  # fmt: skip
        self.write(draft, event, stamp)
        name = event.schedule
        before = None if name.endswith("/") else draft.state(name)
        plan = None if before is None else before.plan
        if plan is not None:
            self._begin(event, plan, cause.trace)
        if not name.endswith("/"):
            draft.touch(name, before, evolve(before, event, stamp, self._world.zone_data))
        subject = subject_of(name)
        known = draft.subject(subject)
        draft.touch_subject(subject, known, evolve_subject(known, plan, event, stamp))
        if isinstance(event, OF_RUNNERS):
            self._tell_runners(draft, event, plan, cause.trace)
        if isinstance(event, SubjectReleased | SubjectRemoved):
            draft.released.add(subject)
        elif isinstance(event, RunStarted | RunRetries | RunEnded):
            draft.moved[subject] += 1
        for reason, count in _left_out(event):
            self.skipped[reason] = self.skipped.get(reason, 0) + count
        if isinstance(event, Fired) and before is not None:
            waited = event.deferrals and before.plan.definition.window is not None
            self._fired_due.append(before.cursor.due if waited else event.due)

    def deny(self, draft: Draft, command: ClaimRun, events: tuple[ScheduleEvent, ...]) -> None:
        """Tell a runner that its claim was refused, if it was."""
        note = draft.runner(command.runner)
        later = None if note is None or note.boot <= command.boot else note.boot
        self._write(denial_of(command, events, later, self._place(draft)))

    def write(self, draft: Draft, event: Event, stamp: Stamp) -> None:
        """Put an event into the ledger, and do nothing else."""
        key = keys.event_key(event, stamp.sequence)
        self._write([(EVENTS, draft.partition.number, key, encode_event(event, stamp), None)])

    def _tell_runners(
        self, draft: Draft, event: ScheduleEvent, plan: Plan | None, trace: str | None
    ) -> None:
        """Write the orders that offer work, and what is said to whoever has some."""
        is_theirs = plan is not None and plan.definition.action.work is not None
        if isinstance(event, Fired | RunStarted) and not is_theirs:
            return  # the common case
        known, place = draft.subject(subject_of(event.schedule)), self._place(draft)
        records = control_for(event, known, place)
        if plan is not None and is_theirs:
            orders = orders_for(event, plan, known, Circumstances(self._world, place, trace))
            self._topics.update(record[0] for record in orders)
            records += orders
        if records:
            self._write(records)

    def _place(self, draft: Draft) -> Place:
        return Place(draft.partition.number, self._count)

    def _begin(self, event: ScheduleEvent, plan: Plan, trace: str | None) -> None:
        """Give out the work that begins with this event."""
        if plan.definition.action.work is not None:
            return  # it is offered once it is known how often it was
        records: list[Record] = []
        for begun in _begun(event):
            record = emitted(plan.definition, begun, self._now, trace)
            self._topics.add(record.topic)
            records.append((record.topic, -1, record.key, record.value, record.headers))
        if records:
            self._write(records)


def _left_out(event: ScheduleEvent) -> Iterator[tuple[str, int]]:
    """How many never begin by this event, and why."""
    match event:
        case Skipped():
            yield event.reason, event.count
        case Fired():
            for one in event.scopes:
                if one.reason is not None:
                    yield one.reason, 1
        case RunEnded(reason=reason) if reason is not None:
            yield reason, 1
        case _:
            return


def _begun(event: ScheduleEvent) -> Iterator[Begun]:
    match event:
        case Fired(schedule=schedule, nominal=nominal):
            occurrence = occurrence_id(schedule, event.incarnation, nominal, event.origin)
            for scope, run, outcome, _ in event.scopes:
                if outcome is Outcome.STARTED:
                    yield Begun(schedule, occurrence, nominal, scope, run)
        case RunStarted(schedule=schedule, nominal=nominal):
            occurrence = occurrence_id(schedule, event.incarnation, nominal, event.origin)
            yield Begun(schedule, occurrence, nominal, event.scope, event.run, event.attempt)
        case _:
            return
