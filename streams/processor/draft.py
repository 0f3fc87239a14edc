"""
What has a batch decided about one partition, before anybody may know?

The overlay over one live partition: the schedules that the batch touched, what it fired plainly,
and how far it has read and counted. `records` are what must be found again in the log; `keep`
folds the overlay into the partition once that is committed. Deciding is batch.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from schemas.codec import encode, pack_cursor, unpack_cursor
from schemas.faults import Unreadable
from schemas.identity import subject_of
from schemas.snapshot import Answer, Owner, RunnerNote
from schemas.topics import SCHEDULES, STATE
from streams.decider.promotion import MOST_AT_ONCE
from streams.decider.state import Schedule
from streams.decider.subject import NO_NOTES, NOBODY, Subject
from streams.faults import PartitionStopped
from streams.processor import keys
from streams.processor.emitting import Headers
from streams.processor.household import SubjectAtRest, outdated_runs
from streams.processor.partitions import VOID, Partition, Resident, Rung, row_of

Record = tuple[str, int, bytes | None, bytes | None, Headers]
"""Topic, partition (-1: by key), key, value, headers."""
Write = Callable[[Iterable[Record]], None]
"""Records into the open transaction, in their order."""


@dataclass(slots=True)
class Draft:
    """The overlay over one partition."""

    partition: Partition
    sequence: int
    """Of the next event."""
    next_offset: int
    globals_offset: int
    stamp: bytes
    """What the stamps of this partition's plain fires share."""
    schedules: dict[str, Schedule | None] = field(default_factory=dict)
    """The state after the batch of each schedule that it touched; None: removed."""
    plain: dict[str, tuple[Resident, bytes, int]] = field(default_factory=dict)
    """Plain fires: whose it is, the cursor after it, when it is due next."""
    rung: list[Rung] = field(default_factory=list)
    """Timers that the decider answered."""
    answers: dict[str, Answer] = field(default_factory=dict)
    subjects: dict[str, Subject] = field(default_factory=dict)
    """What is known after the batch of each subject that it touched."""
    runners: dict[str, RunnerNote] = field(default_factory=dict)
    """Those that were heard in the batch."""
    unheard: list[Rung] = field(default_factory=list)
    """Timers of subjects about which the inbox may say more."""
    held: list[Rung] = field(default_factory=list)
    """Timers that rang while their subject is held."""
    looked_at: set[str] = field(default_factory=set)
    """Subjects that were asked about as a whole."""
    released: set[str] = field(default_factory=set)
    """Subjects whose hold was lifted, or that are gone."""
    moved: Counter[str] = field(default_factory=Counter)
    """How many runs of each subject began, ended or wait for another attempt."""
    _changed: set[str] = field(default_factory=set)
    """Schedules whose row in the public table changes."""
    _rows: dict[str, bytes] = field(default_factory=dict)
    _cursors: dict[str, bytes] = field(default_factory=dict)
    _woken: dict[str, Schedule] = field(default_factory=dict)
    """States as they were before the batch, decoded."""
    _outdated: list[str] = field(default_factory=list)
    _silent: list[str] = field(default_factory=list)
    """Runners that need not be known any longer."""
    _owner: Owner | None = None

    def state(self, schedule: str) -> Schedule | None:
        """The schedule as the batch sees it."""
        if schedule in self.schedules:
            return self.schedules[schedule]
        resident = self.partition.residents.get(schedule)
        if resident is None:
            return None
        state = self._woken.get(schedule) or self._wake(schedule, resident)
        fired = self.plain.pop(schedule, None)
        if fired is not None:  # it fired plainly before in this batch
            state = self.schedules[schedule] = Schedule(state.plan, unpack_cursor(fired[1]))
        return state

    def _wake(self, schedule: str, resident: Resident) -> Schedule:
        try:
            state = self._woken[schedule] = resident.wake(schedule)
        except Unreadable as fault:
            raise PartitionStopped(self.partition.number, f"{schedule}: {fault}") from fault
        return state

    def touch(self, schedule: str, before: Schedule | None, after: Schedule | None) -> None:
        """The schedule is in another state now, unless it is the same one."""
        if after is before:
            return
        self.schedules[schedule] = after
        if after is None or before is None or after.plan is not before.plan:
            self._changed.add(schedule)

    def subject(self, subject: str) -> Subject:
        """What is known of a subject as the batch sees it."""
        known = self.subjects.get(subject)
        if known is not None:
            return known
        at_rest = self.partition.subjects.get(subject)
        return NOBODY if at_rest is None else at_rest.subject

    def rests(self, schedule: str) -> bool:
        """Whether the subject of a schedule is held."""
        if not self.subjects and not self.partition.subjects:
            return False  # the common case, asked for every fire
        return self.subject(subject_of(schedule)).held

    def runner(self, name: str) -> RunnerNote | None:
        """What is known of a runner as the batch sees it."""
        return self.runners.get(name) or self.partition.runners.get(name)

    def touch_subject(self, subject: str, before: Subject, after: Subject) -> None:
        """Something else is known of it now, unless it is the same."""
        if after is not before:
            self.subjects[subject] = after

    def siblings(self, subject: str) -> tuple[str, ...]:
        """The ids of a subject's schedules as the batch sees them, in order."""
        ids = set(self.partition.households.of(subject, self.partition.residents))
        for schedule, state in self.schedules.items():
            if subject_of(schedule) == subject:
                (ids.discard if state is None else ids.add)(schedule)
        return tuple(sorted(ids))

    # ------------------------------------------------------------------ into the log

    def records(self, instance: str, now: int) -> Iterator[Record]:
        """What must be found again; plain fires have written theirs."""
        number = self.partition.number
        for schedule, state in self.schedules.items():
            yield from self._of_schedule(schedule, state)
        for subject in self.subjects:
            yield from self._of_subject(subject, now)
        for name, note in self.runners.items():
            yield STATE, number, keys.runner_key(name), encode(note), None
        self._silent = self.partition.silent_runners(now) if self.runners else []
        for name in self._silent:
            yield STATE, number, keys.runner_key(name), None, None
        for once, answer in self.answers.items():
            yield STATE, number, keys.answer_key(once), encode(answer), None
        self._outdated = self.partition.outdated_answers(now)
        for once in self._outdated:
            yield STATE, number, keys.answer_key(once), None, None
        self._owner = replace(
            self.partition.owner,
            instance=instance,
            next_offset=self.next_offset,
            next_sequence=self.sequence,
            globals_offset=self.globals_offset,
            written_at=now,
        )
        yield STATE, number, keys.owner_key(number), encode(self._owner), None

    def _of_schedule(self, schedule: str, state: Schedule | None) -> Iterator[Record]:
        number = self.partition.number
        cursor = row = None
        if state is not None:
            cursor = self._cursors[schedule] = pack_cursor(state.cursor)
        yield STATE, number, keys.cursor_key(schedule), cursor, None
        if schedule not in self._changed:
            return
        if state is not None:
            row = self._rows[schedule] = encode(row_of(state.plan))
        yield SCHEDULES, number, schedule.encode(), row, None

    def _of_subject(self, subject: str, now: int) -> Iterator[Record]:
        number, known = self.partition.number, self.subjects[subject]
        outdated = outdated_runs(known, now)
        if outdated:
            over = known.over.without_first(len(outdated))
            known = self.subjects[subject] = Subject(known.notes, known.runs, over)
        at_rest = self.partition.subjects.get(subject)
        before = NOBODY if at_rest is None else at_rest.subject
        for name, run in known.runs.items():
            if before.runs.get(name) is not run:
                yield STATE, number, keys.run_key(name), encode(run), None
        for run in known.over.since(before.over):
            yield STATE, number, keys.run_key(run.id), encode(run), None
        for run in outdated:
            yield STATE, number, keys.run_key(run.id), None, None
        if known.notes != before.notes:
            notes = None if known.notes == NO_NOTES else encode(known.notes)
            yield STATE, number, keys.subject_key(subject), notes, None

    # ------------------------------------------------------------------ into memory

    def keep(self) -> None:
        """Fold the overlay into the live partition."""
        partition = self.partition
        partition.owner = self._owner or partition.owner
        for schedule, state in self.schedules.items():
            self._settle_down(schedule, state)
        partition.timers.put_all(self._next_timers())
        # what nothing came of rings again
        partition.timers.put_all(rung for rung in self.rung if rung[2].due == rung[0])
        partition.unheard += self.unheard
        for rung in self.held:
            partition.held.setdefault(subject_of(rung[1]), []).append(rung)
        for subject, known in self.subjects.items():
            self._let_rest(subject, known)
        for subject in self.released:
            partition.timers.put_all(partition.held.pop(subject, ()))
        partition.timers.sweep(len(partition.residents) + len(partition.subjects))
        partition.runners |= self.runners
        for name in self._silent:
            partition.runners.pop(name, None)
        for key, answer in self.answers.items():
            partition.keep_answer(key, answer)
        for key in self._outdated:
            partition.answers.pop(key, None)
            partition.answered.popleft()

    def _next_timers(self) -> Iterator[Rung]:
        """Put what fired plainly to rest; what it rings for next."""
        for schedule, (resident, cursor, next_due) in self.plain.items():
            resident.cursor = cursor
            resident.due = next_due
            yield next_due, schedule, resident

    def _let_rest(self, subject: str, known: Subject) -> None:
        """Put what is known of one subject to rest, and set its timer."""
        partition = self.partition
        former = partition.subjects.pop(subject, None)
        if former is not None:
            former.due = VOID
        if known.runs or known.over or known.notes != NO_NOTES:
            owed = former is not None and former.owed and subject not in self.looked_at
            owed = owed or self.moved[subject] >= MOST_AT_ONCE  # more may be about to
            at_rest = SubjectAtRest(partition, known, owed=owed)
            partition.subjects[subject] = at_rest
            partition.timers.put((at_rest.due, f"{subject}/", at_rest))

    def _settle_down(self, schedule: str, state: Schedule | None) -> None:
        """Put one schedule to rest in its new state, and set its timer."""
        partition = self.partition
        resident = partition.residents.get(schedule)
        if state is None:
            if resident is not None:
                del partition.residents[schedule]
                partition.households.went(schedule)
                resident.due = VOID
            return
        row, cursor = self._rows.get(schedule), self._cursors[schedule]
        if resident is None:
            resident = partition.residents[schedule] = Resident(partition, row or b"", cursor)
            partition.households.came(schedule)
        else:
            if row is not None:
                resident.change(row)
            resident.cursor = cursor
            if resident.due == state.cursor.due:
                return
            resident.due = state.cursor.due
        partition.timers.put((resident.due, schedule, resident))
