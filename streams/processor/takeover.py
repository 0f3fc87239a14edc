"""
What has been read of one partition on its way into memory?

The newest value of every key of horae.state and horae.schedules, as bytes: reading is most of a
restore, so nothing is made of a record before all are there. Then `fill` makes residents of them.
In which order it is read, and until where, is restore.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from schemas.codec import decode_as
from schemas.cursor_bytes import check_cursor
from schemas.faults import Unreadable
from schemas.identity import subject_of
from schemas.snapshot import Answer, Owner, Run, RunnerNote, SubjectNotes
from schemas.topics import SCHEDULES, STATE
from streams.clock import Deadline
from streams.decider.subject import NO_NOTES, restored
from streams.processor import keys
from streams.processor.household import SubjectAtRest
from streams.processor.partitions import Partition, Resident

Place = tuple[str, int]
Table = dict[bytes, bytes]


@dataclass(slots=True)
class TakeOver:
    """One partition on its way into memory."""

    number: int
    deadline: Deadline
    since: dict[Place, int]
    """Where each topic's partition begins."""
    until: dict[Place, int]
    """Read each topic up to here; first the stable ends, then the true ones."""
    round: int
    """The call of `begin` that this belongs to."""
    fenced: bool = False
    """Nobody else can add to it any more."""
    final: bool = False
    """`until` are the true ends."""
    committed: int | None = None
    tables: dict[str, Table] = field(default_factory=lambda: {STATE: {}, SCHEDULES: {}})
    """Of each topic, the value of each key."""

    @property
    def owner(self) -> Owner | None:
        """Who decided about it last; Unreadable if that cannot be read."""
        found = self.tables[STATE].get(keys.owner_key(self.number))
        return None if found is None else decode_as(found, Owner)

    @property
    def is_empty(self) -> bool:
        """Nothing was ever decided about it."""
        return not any(self.tables.values())


def fill(partition: Partition, take_over: TakeOver) -> None:
    """Make residents of what was read; every row has its cursor and the other way round.

    Raises Unreadable for what this version does not know and for what has no other half.
    """
    rows, state = take_over.tables[SCHEDULES], take_over.tables[STATE]
    residents = partition.residents
    while rows:
        key, row = rows.popitem()
        cursor = state.pop(keys.CURSORS + key, None)
        if cursor is None:
            raise Unreadable(f"{key!r} has a row and no cursor")
        check_cursor(cursor)
        residents[key.decode()] = Resident(partition, row, cursor)
    partition.subjects = _subjects(partition, state)
    partition.runners = _runners(state)
    timers = [(one.due, schedule, one) for schedule, one in residents.items()]
    at_rest = [(one.due, f"{name}/", one) for name, one in partition.subjects.items()]
    partition.timers.load([*timers, *at_rest])
    state.pop(keys.owner_key(partition.number), None)
    answers = [(_once(key), decode_as(value, Answer)) for key, value in state.items()]
    for once, answer in sorted(answers, key=lambda one: one[1].answered_at):
        partition.keep_answer(once, answer)


def _subjects(partition: Partition, state: Table) -> dict[str, SubjectAtRest]:
    """What is known of subjects; its records are taken out of the table."""
    notes: dict[str, SubjectNotes] = {}
    runs: dict[str, list[Run]] = {}
    for key in [one for one in state if one.startswith((keys.RUNS, keys.SUBJECTS))]:
        value = state.pop(key)
        if key.startswith(keys.SUBJECTS):
            notes[key[len(keys.SUBJECTS) :].decode()] = decode_as(value, SubjectNotes)
        else:
            run = decode_as(value, Run)
            runs.setdefault(subject_of(run.schedule), []).append(run)
    return {
        name: SubjectAtRest(partition, restored(notes.get(name, NO_NOTES), runs.get(name, [])))
        for name in sorted({*notes, *runs})
    }


def _runners(state: Table) -> dict[str, RunnerNote]:
    """What is known of runners; its records are taken out of the table."""
    known = [key for key in state if key.startswith(keys.RUNNERS)]
    notes = [decode_as(state.pop(key), RunnerNote) for key in known]
    return {note.id: note for note in notes}


def _once(key: bytes) -> str:
    """The command whose answer this is, the only thing left when residents are made."""
    if key.startswith(keys.CURSORS):
        raise Unreadable(f"{key!r} is a cursor without a row")
    if not key.startswith(keys.ANSWERS):
        raise Unreadable(f"{key!r} is nothing that this version knows")
    return key[len(keys.ANSWERS) :].decode()
