"""
Does deciding the recorded causes again give the same events, to the byte?

Walks one partition's ledger in its order, asks the batch about each cause once more (the command as
it lies in the inbox, or the schedule whose timer rang) with the clock and the globals that the
stamp names, and compares keys and bytes. The state before each cause is the fold of what was
recorded, so that one difference does not bring others with it. What a target refused at that
moment is taken from the evidence that was recorded. A difference in what was decided under other
zone data than are installed now is told as such.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby

from schemas.codec import encode, pack_cursor
from schemas.commands import Asked
from schemas.events import (
    CommandRefused,
    GlobalChanged,
    ScheduleEvent,
    ScheduleRecomputed,
    Stamp,
)
from schemas.identity import subject_of
from schemas.snapshot import Answer, Owner, RunnerNote
from streams.calendar.zones import zone_data_number
from streams.decider.evolve import evolve
from streams.decider.evolve_subject import evolve_subject
from streams.decider.recompute import OTHER_ZONE_DATA
from streams.decider.state import Plan, Schedule, World
from streams.decider.subject import NOBODY, Subject
from streams.processor.announcing import tell
from streams.processor.globals import Told
from streams.processor.household import SubjectAtRest
from streams.processor.intake import Heard, InboxRecord, take_in
from streams.processor.looking import Look, targets_of, worlds_of
from streams.processor.partitions import ANSWERS_KEPT, Partition, Resident, Rung, row_of
from streams.processor.recorded import (
    Bytes,
    Kept,
    Mismatch,
    ZoneData,
    cause_of,
    difference,
    gaps,
    name_of,
    timer_of,
)

OTHERS = 0
"""Stands for other zone data than the installed ones: what their number was is not recorded."""


def replay_partition(
    ledger: Iterable[Kept],
    commands: Mapping[int, InboxRecord],
    globals_: Iterable[Told],
    partitions: int,
    base: int = 0,
) -> list[Mismatch]:
    """All differences in one partition, oldest first.

    `ledger` is all of the partition's events in their order, `commands` its inbox by offset,
    `globals_` the records of horae.globals, `partitions` how many the inbox has.
    """
    records = list(ledger)
    if not records:
        return []
    owner = Owner("replay", 0, "", base, 0, -1, 0)
    partition = Partition(records[0].stamp.partition, owner)
    zone_data = ZoneData(records, zone_data_number())
    replay = _Replay(partition, commands, list(globals_), partitions, zone_data)
    found = [*gaps(records)]
    for _, group in groupby(records, cause_of):
        found += replay.check(list(group))
    return found + replay.undecided()


class _Replay:
    """What is known of the partition on the way through its ledger."""

    def __init__(
        self,
        partition: Partition,
        commands: Mapping[int, InboxRecord],
        globals_: list[Told],
        partitions: int,
        zone_data: ZoneData,
    ) -> None:
        self._partition = partition
        self._commands = commands
        self._told = {told.offset: told for told in globals_}
        self._worlds = worlds_of(globals_)
        self._partitions = partitions
        self._zone_data = zone_data
        self._states: dict[str, Schedule | None] = {}
        self._subjects: dict[str, Subject] = {}
        self._answered: set[int] = set()
        self._once: set[tuple[str | None, bytes]] = set()
        """Ids and digests of the one-shot commands that were answered."""
        self._given: dict[str, Answer] = {}
        """The answers to them."""
        self._beats = deque(
            (offset, record.appended_at, found)
            for offset, record in sorted(commands.items())
            if isinstance(found := take_in(record, partitions, 0), Heard)
        )
        """Those of the inbox that lie behind the last command that was decided again."""

    def check(self, group: list[Kept]) -> list[Mismatch]:
        """Decide the cause of these events again, and compare."""
        decided = self._decide(group)
        fault = decided if isinstance(decided, str) else difference(group, decided)
        self._take_over(group)
        if not fault:
            return []
        others = self._zone_data.others(group[0])
        return [Mismatch(self._partition.number, name_of(group[0]), fault, others)]

    def undecided(self) -> list[Mismatch]:
        """Commands older than the last decided one, without an event of their own."""
        last = max(self._answered, default=-1)
        return [
            Mismatch(self._partition.number, f"the command at {offset}", "it has no event")
            for offset, record in sorted(self._commands.items())
            if offset < last and offset not in self._answered and self._wants_event(record)
        ]

    def _wants_event(self, record: InboxRecord) -> bool:
        """A copy of an answered one-shot command gets the old answer and no event."""
        asked = self._read(record)
        return asked is not None and (asked.once, asked.digest) not in self._once

    # ------------------------------------------------------------------ deciding again

    def _decide(self, group: list[Kept]) -> list[Bytes] | str:
        """The events of the same cause, decided now; or why it cannot be decided."""
        event, stamp = group[0].event, group[0].stamp
        self._partition.owner = replace(self._partition.owner, next_sequence=stamp.sequence)
        if isinstance(event, GlobalChanged):
            return self._tell_again(event.offset, group)
        if stamp.offset is not None:
            return self._answer_again(stamp.offset, group)
        return self._ring_again(group)

    def _tell_again(self, offset: int, group: list[Kept]) -> list[Bytes] | str:
        told = self._told.get(offset)
        if told is None:
            return "the record of horae.globals is gone"
        look = self._look(group)
        tell(look.batch, self._partition, told)
        return look.end()

    def _answer_again(self, offset: int, group: list[Kept]) -> list[Bytes] | str:
        record = self._commands.get(offset)
        if record is None:
            return "the command is gone"
        self._answered.add(offset)
        asked = self._read(record)
        self._hear_until(offset)
        once = asked.once if asked is not None else None
        self._recall(once, group[0])
        self._forget_zone_data(group)
        look = self._look(group)
        look.batch.answer(self._partition, record)
        decided = look.end()
        if asked is not None and once is not None:
            self._once.add((once, asked.digest))
            self._given[once] = self._partition.answers.get(once) or self._given[once]
        return decided

    def _hear_until(self, offset: int) -> None:
        """Know of the runners what was known before this offset, also by beats without an event."""
        while self._beats and self._beats[0][0] < offset:
            _, at, (runner, beat, _) = self._beats.popleft()
            known = self._partition.runners.get(runner)
            if known is None or known.boot <= beat.boot:
                note = RunnerNote(runner, beat.boot, at, beat.leaving, beat.slots, beat.pools)
                self._partition.runners[runner] = note

    def _recall(self, once: str | None, recorded: Kept) -> None:
        """Know the former answer, or not: after a day that depends on what else was committed.

        What was recorded tells: a conflict with a former payload, or a command like any other.
        """
        given = self._given.get(once or "")
        if once is None or given is None:
            return
        is_old = given.answered_at <= recorded.stamp.decided_at - ANSWERS_KEPT
        event = recorded.event
        if is_old and not (isinstance(event, CommandRefused) and event.field == "id"):
            self._partition.answers.pop(once, None)
            left = (one for one in self._partition.answered if one[1] != once)
            self._partition.answered = deque(left)
        else:
            self._partition.answers[once] = given

    def _read(self, record: InboxRecord) -> Asked | None:
        reading = take_in(record, self._partitions, self._partition.owner.base)
        return reading if isinstance(reading, Asked) else None

    def _ring_again(self, group: list[Kept]) -> list[Bytes]:
        """Ring until as much is decided as was recorded: two looks may share one time."""
        decided: list[Bytes] = []
        name = timer_of(group[0])
        while len(decided) < len(group):
            rung = self._rung(name)
            if rung is None:
                break
            look = self._look(group)
            following = group[len(decided)].event
            if isinstance(following, ScheduleRecomputed) and following.schedule == name:
                self._forget_zone_data(group[len(decided) :])  # by a ring or not, it is the same
                look.batch.recheck([(self._partition, name)])
            else:
                look.batch.ring([rung])
            events = look.end()
            if not events:
                break
            decided += events
        return decided

    def _rung(self, name: str) -> Rung | None:
        """The timer of a schedule or a subject, as if it rang."""
        if name.endswith("/"):
            at_rest = self._partition.subjects.get(name[:-1])
            return None if at_rest is None else (at_rest.due, name, at_rest)
        resident = self._partition.residents.get(name)
        return None if resident is None else (resident.due, name, resident)

    def _forget_zone_data(self, group: list[Kept]) -> None:
        """Let a cursor be computed with other zone data, if it was, which it does not show."""
        for event in (record.event for record in group):
            if isinstance(event, ScheduleRecomputed) and event.cause.startswith(OTHER_ZONE_DATA):
                self._partition.residents[event.schedule].confirm(OTHERS)

    def _look(self, group: list[Kept]) -> Look:
        return Look(self._world(group), group[0].stamp, self._partitions)

    def _take_over(self, group: list[Kept]) -> None:
        """Let the state be what the recorded events say."""
        for record in group:
            event = record.event
            if isinstance(event, GlobalChanged):
                continue
            before = self._states.get(event.schedule)
            if not event.schedule.endswith("/"):
                others = self._zone_data.others(record)
                zone_data = OTHERS if others else zone_data_number()
                self._take_schedule(event, record.stamp, zone_data)
            self._take_subject(before and before.plan, event, record.stamp)

    def _take_schedule(self, event: ScheduleEvent, stamp: Stamp, zone_data: int) -> None:
        name, partition = event.schedule, self._partition
        after = evolve(self._states.get(name), event, stamp, zone_data)
        self._states[name] = after
        if after is None:
            partition.residents.pop(name, None)
            partition.households.went(name)
        else:
            row, cursor = encode(row_of(after.plan)), pack_cursor(after.cursor)
            partition.residents[name] = Resident(partition, row, cursor)
            partition.households.came(name)

    def _take_subject(self, plan: Plan | None, event: ScheduleEvent, stamp: Stamp) -> None:
        name = subject_of(event.schedule)
        after = evolve_subject(self._subjects.get(name, NOBODY), plan, event, stamp)
        self._subjects[name] = after
        if after is not NOBODY or name in self._partition.subjects:
            self._partition.subjects[name] = SubjectAtRest(self._partition, after)

    # ------------------------------------------------------------------ the world of that moment

    def _world(self, group: list[Kept]) -> World:
        offset = group[0].stamp.globals_offset
        before = bisect_right(self._worlds, offset, key=lambda world: world.globals_offset)
        return replace(
            self._worlds[before - 1],
            globals_offset=offset,
            targets=targets_of(group, self._states, self._subjects),
            zone_data=zone_data_number(),
        )
