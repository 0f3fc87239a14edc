"""
What comes out of one pass over commands and due timers?

A batch decides on an overlay over the live partitions and writes as it goes into the one
transaction that is open for it. Only when that is committed does `keep` fold the overlay into the
live state; a batch that is not kept leaves no trace. Deciding itself is streams/decider; reading a
command's bytes is intake.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby

from schemas.codec import encode
from schemas.commands import Asked, ClaimRun, DeclineRun
from schemas.events import CommandRefused, GlobalChanged, ScheduleEvent, Stamp
from schemas.faults import LONGEST_TEXT
from schemas.identity import subject_of
from schemas.plain_bytes import stamp_piece
from schemas.rejected import KEPT_BYTES
from schemas.replies import Reply
from schemas.snapshot import Answer
from schemas.topics import COMMANDS, GLOBALS, REJECTED, REPLIES
from streams.decider.decide import decide
from streams.decider.recompute import recomputed
from streams.decider.resting import hold_over
from streams.decider.runs import schedule_due, subject_due
from streams.decider.state import World
from streams.decider.subject import NOBODY
from streams.faults import Indigestible, PartitionStopped
from streams.processor.draft import Draft, Write
from streams.processor.emitting import Headers
from streams.processor.express import Express
from streams.processor.happening import Cause, Happening
from streams.processor.hearing import hear
from streams.processor.household import around
from streams.processor.intake import Heard, InboxRecord, Misplaced, Spoiled, take_in
from streams.processor.partitions import Partition, Rung
from streams.processor.rechecks import Stale
from streams.processor.replying import kind_of, reply_to, said_again
from streams.processor.silence import has_heard
from streams.processor.suspects import FORESEEN, told

OfRunners = ClaimRun | DeclineRun
"""What runners ask for, who get no reply to it."""
MOST_SLICES = 20
"""Subjects whose backfills go on in one batch, each by a slice (backfilling.py)."""


class Batch:
    """One pass; ends in `keep`, or is forgotten."""

    def __init__(self, world: World, now: int, write: Write, count: int) -> None:
        self.world = world
        self.now = now
        self._express = Express(world, now, write)
        self._happening = Happening(world, now, write, self._express, count)
        self.fired_due = self._express.fired_due
        """When each fire of this batch was due, or to start after it waited for its window."""
        self.emitted_to = self._express.topics
        """The target topics that this batch writes into."""
        self.skipped = self._happening.skipped
        """What never began, by reason."""
        self.rejected = 0
        self.parking: set[int] = set()
        """Partitions with records that could not be read."""
        self.parked_bytes = KEPT_BYTES
        """The most that is parked of such a key or value."""
        self._write = write
        self.partitions = count
        self._drafts: dict[int, Draft] = {}
        self._slices = 0
        """Subjects with backfills whose timers rang."""

    def __bool__(self) -> bool:
        return bool(self._drafts)

    def claim(self, partition: Partition) -> None:
        """Write down that this partition is ours; nothing of it is decided yet."""
        self._draft(partition)

    # ------------------------------------------------------------------ what is asked

    def answer(self, partition: Partition, record: InboxRecord) -> None:
        """Decide one record of the inbox."""
        draft = self._draft(partition)
        draft.next_offset = record.offset + 1
        reading = take_in(record, self.partitions, partition.owner.base)
        match reading:
            case Asked():
                self._decide(draft, reading)
            case Heard():
                cause = Cause(f"runner:{reading.runner}", record.offset)
                for event in hear(draft, reading, self.world, self.now):
                    self._happening.take(draft, event, cause)
            case Misplaced(to, headers):
                self._put(COMMANDS, to, record.key, record.value, headers)
            case Spoiled():
                self.rejected += 1
                self.parking.add(record.partition)
                kept = reading.rejected(self.now, self.parked_bytes)
                self._put(REJECTED, record.partition, kept.key, encode(kept))

    def _decide(self, draft: Draft, asked: Asked) -> None:
        known = self._known_answer(draft, asked)
        if known is not None and known.digest == asked.digest:
            reply = said_again(asked, known.reply, draft.subject(subject_of(asked.schedule)))
            self._put(REPLIES, asked.partition, asked.id.encode(), reply)
            return
        before = draft.state(asked.schedule)
        if known is not None:
            message = "this id was used before, with another payload"
            refusal = CommandRefused(asked.schedule, kind_of(asked.command), "id", message)
            events: tuple[ScheduleEvent, ...] = (refusal,)
        else:
            world = self._world_for(draft, asked)
            events = tuple(map(_cut, decide(before, asked, world, self.now)))
        cause = Cause(asked.actor, asked.offset, asked.id, asked.trace)
        for event in events:
            self._happening.take(draft, event, cause)
        if isinstance(asked.command, OfRunners):  # they are told in horae.control
            if isinstance(asked.command, ClaimRun):
                self._happening.deny(draft, asked.command, events)
            return
        after = draft.state(asked.schedule)
        self._reply(draft, asked, reply_to(asked, events, before, after, self.now), known=known)

    def _world_for(self, draft: Draft, asked: Asked) -> World:
        """What surrounds the schedule of a command, and the runner that asks for something."""
        world = around(self.world, draft, asked.schedule)
        if not isinstance(asked.command, OfRunners):
            return world
        note = draft.runner(asked.command.runner)
        return world if note is None else replace(world, runners={note.id: note})

    def _known_answer(self, draft: Draft, asked: Asked) -> Answer | None:
        if asked.once is None:
            return None
        return draft.answers.get(asked.once) or draft.partition.answers.get(asked.once)

    def _reply(self, draft: Draft, asked: Asked, reply: Reply, *, known: Answer | None) -> None:
        value = encode(reply)
        self._put(REPLIES, asked.partition, asked.id.encode(), value)
        if asked.once is not None and known is None:
            draft.answers[asked.once] = Answer(self.now, asked.digest, value)

    # ------------------------------------------------------------------ what is due

    def ring(self, rungs: Iterable[Rung]) -> None:
        """Decide about schedules whose timers rang, partition by partition, in their order."""
        for home, its in groupby(rungs, _home):
            draft = self._draft(home)
            for rung in self._express.fire(draft, its):
                try:
                    self._let_decide(draft, rung)
                except FORESEEN:
                    raise
                except Exception as fault:
                    raise PartitionStopped(home.number, f"{rung[1]}: {told(fault)}") from fault

    def _let_decide(self, draft: Draft, rung: Rung) -> None:
        """Ask the decider about one schedule, or about a subject as a whole."""
        name, subject = rung[1], subject_of(rung[1])
        known = draft.subject(subject)
        if name.endswith("/"):
            if not has_heard(draft.partition, known, self.now):
                draft.unheard.append(rung)
                return
            if known.notes.backfills and self._slices >= MOST_SLICES:
                draft.rung.append(rung)  # its turn comes in the next batch
                return
            self._slices += len(known.notes.backfills[:1])
            draft.subjects[subject] = known  # also for what is to be forgotten by now
            draft.looked_at.add(subject)
            events = subject_due(around(self.world, draft, name), subject, self.now)
            cause = Cause("system")
        else:
            state = draft.state(name)
            if state is None or state.plan.rule is None:
                return  # gone, or unreadable: no timer until it changes or is read again
            if hold_over(state.plan, known) is not None:
                draft.held.append(rung)
                return
            draft.rung.append(rung)
            alone = known is NOBODY and state.plan.definition.action.tracked is None
            world = self.world if alone else around(self.world, draft, name)
            events = schedule_due(state, world, self.now)
            cause = Cause(f"schedule:{name}")
        for event in events:
            self._happening.take(draft, event, cause)

    # ------------------------------------------------------------------ what is computed anew

    def recheck(self, stale: Iterable[Stale]) -> None:
        """Compute the pending instants of these anew, where that is another one now."""
        for home, schedule in stale:
            try:
                self._recompute(home, schedule)
            except FORESEEN:
                raise
            except Exception as fault:
                raise PartitionStopped(home.number, f"{schedule}: {told(fault)}") from fault

    def _recompute(self, home: Partition, schedule: str) -> None:
        """Nothing is written, and no draft begun, for one that keeps its instant."""
        draft = self._drafts.get(home.number)
        resident = home.residents.get(schedule)
        state = None if resident is None else resident.wake(schedule)
        if draft is not None:
            state = draft.state(schedule)
        if state is None or resident is None:
            return
        event = recomputed(state, self.world, self.now)
        if event is None:
            if not state.cursor.deferrals:  # the end of what waits has to know that they changed
                resident.confirm(self.world.zone_data)
            return
        self._happening.take(self._draft(home), event, Cause(f"schedule:{schedule}"))

    # ------------------------------------------------------------------ what holds for everyone

    def tell_globals(self, partition: Partition, told: GlobalChanged, asked: Stamp) -> None:
        """Write the ledger's event about a record of horae.globals (owner of partition 0)."""
        draft = self._draft(partition)
        stamp = asked._replace(sequence=draft.sequence, decided_at=self.now)
        draft.sequence += 1
        draft.globals_offset = told.offset
        self._happening.write(draft, told, stamp)

    def reply_global(self, command_id: str, reply: Reply) -> None:
        """Answer the sender of a record of horae.globals."""
        self._put(REPLIES, 0, command_id.encode(), encode(reply))

    def publish(self, partition: Partition, key: bytes, value: bytes) -> None:
        """Write a record of horae.globals."""
        self._draft(partition)
        self._put(GLOBALS, 0, key, value)

    # ------------------------------------------------------------------ the end of it

    def close(self, instance: str) -> dict[int, int]:
        """Write what must be found again; returns the next offset of each partition."""
        for number, draft in self._drafts.items():
            try:
                self._write(draft.records(instance, self.now))
            except FORESEEN:
                raise
            except Exception as fault:
                raise Indigestible(told(fault), partition=number) from fault
        return {number: draft.next_offset for number, draft in self._drafts.items()}

    def keep(self) -> None:
        """Fold the overlay into the live state, now that it is committed."""
        for draft in self._drafts.values():
            draft.keep()

    # ------------------------------------------------------------------ writing

    def _put(
        self,
        topic: str,
        partition: int,
        key: bytes | None,
        value: bytes | None,
        headers: Headers = None,
    ) -> None:
        self._write([(topic, partition, key, value, headers)])

    def _draft(self, partition: Partition) -> Draft:
        draft = self._drafts.get(partition.number)
        if draft is None:
            owner = partition.owner
            draft = self._drafts[partition.number] = Draft(
                partition,
                owner.next_sequence,
                owner.next_offset,
                owner.globals_offset,
                stamp_piece(self.now, partition.number, self.world.globals_offset),
            )
        return draft


def _home(rung: Rung) -> Partition:
    return rung[2].home


def _cut(event: ScheduleEvent) -> ScheduleEvent:
    """A refusal says no more than fits into every record that repeats it."""
    if type(event) is not CommandRefused:
        return event
    return replace(event, field=event.field[:LONGEST_TEXT], message=event.message[:LONGEST_TEXT])
