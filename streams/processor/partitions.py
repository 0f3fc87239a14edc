"""
What is in memory of the partitions that this process owns?

A resident is a schedule as it rests between two looks at it: the bytes of its row and its cursor,
and how it fires plainly. A partition has its residents, their timers, the answers to one-shot
commands and the owner's record. Changed only after a commit, by what batch.py kept.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from types import EllipsisType

from schemas.codec import cursor_due, decode_as, pack_cursor, unpack_cursor
from schemas.cursor_bytes import cursor_zone_data
from schemas.definition import DAY, HOUR
from schemas.faults import Unreadable
from schemas.identity import subject_of
from schemas.schedule import ScheduleRow, Status
from schemas.snapshot import Answer, Owner, RunnerNote, SubjectNotes
from streams.calendar.occurrences import NEVER
from streams.decider.evolve import compiled
from streams.decider.pools import topic_of
from streams.decider.state import Plan, Schedule
from streams.decider.subject import NO_NOTES
from streams.processor.household import FORGOTTEN_AT_ONCE, Households, SubjectAtRest
from streams.processor.shape import Shape, shape_of
from streams.processor.timers import Timers

ANSWERS_KEPT = 24 * HOUR
RUNNERS_KEPT = 30 * DAY
"""As long as a beat stays in the inbox."""
VOID = -1
"""The due instant of a resident that was removed: its timer is void."""


class Resident:
    """One schedule at rest."""

    __slots__ = ("cursor", "due", "home", "row", "shape")

    def __init__(self, home: Partition, row: bytes, cursor: bytes) -> None:
        self.home = home
        self.row = row
        self.cursor = cursor
        self.due = cursor_due(cursor)
        self.shape: Shape | EllipsisType | None = ...
        """How it fires plainly, None: never; not known before its first fire."""

    def wake(self, schedule: str) -> Schedule:
        """The state that the decider works on; Unreadable if its row is not one of ours."""
        plan = plan_of(schedule, decode_as(self.row, ScheduleRow))
        return Schedule(plan, unpack_cursor(self.cursor))

    def plainly(self, schedule: str) -> Shape | None:
        """How it fires plainly; None: it needs the decider."""
        shape = self.shape
        if shape is ...:
            shape = self.shape = shape_of(schedule, self.row)
        return shape

    def change(self, row: bytes) -> None:
        """It is another plan from now on."""
        self.row = row
        self.shape = ...

    def confirm(self, zone_data: int) -> None:
        """Its next instant is the same with these zone data: in this life nobody asks again."""
        if cursor_zone_data(self.cursor) != zone_data:
            self.cursor = pack_cursor(unpack_cursor(self.cursor)._replace(zone_data=zone_data))

    def topic(self, schedule: str) -> str | None:
        """Where it emits to; None if its row cannot be read."""
        shape = self.plainly(schedule)
        if shape is not None:
            return shape.topic
        try:
            action = decode_as(self.row, ScheduleRow).definition.action
        except Unreadable:
            return None
        return action.topic if action.work is None else topic_of(action.work, self._notes(schedule))

    def _notes(self, schedule: str) -> SubjectNotes:
        at_rest = self.home.subjects.get(subject_of(schedule))
        return NO_NOTES if at_rest is None else at_rest.subject.notes

    def __lt__(self, other: object) -> bool:
        """For heaps, where two of one id and due instant may meet: either may be first."""
        return False


class Phase(Enum):
    """How far a partition is on its way to being served."""

    RESTORING = "restoring"
    CLAIMING = "claiming"
    """Restored: our name is being written down, so that whoever comes next knows whom to fence."""
    CATCHING_UP = "catching up"
    """Claimed: commands are decided, but nothing fires before the inbox is read to its end."""
    FIRING = "firing"
    STOPPED = "stopped"
    """Something about its log is wrong; nothing is decided until an operator has looked."""


Rung = tuple[int, str, Resident | SubjectAtRest]
"""A timer that rang: when it was due, and whose it is; a subject's name ends in a slash."""


@dataclass(slots=True)
class Partition:
    """All that this process knows of one partition."""

    number: int
    owner: Owner
    residents: dict[str, Resident] = field(default_factory=dict)
    subjects: dict[str, SubjectAtRest] = field(default_factory=dict)
    """Those of which something is known beside their schedules."""
    households: Households = field(default_factory=Households)
    held: dict[str, list[Rung]] = field(default_factory=dict)
    """Timers that rang while their subject was held, by subject."""
    timers: Timers[Resident | SubjectAtRest] = field(default_factory=Timers)
    heard_until: int = NEVER
    """What was asked before this instant is decided; NEVER: whoever serves it does not ask."""
    unheard: list[Rung] = field(default_factory=list)
    """Timers of subjects that rang before enough was heard."""
    runners: dict[str, RunnerNote] = field(default_factory=dict)
    """What is known of those whose beats are in the inbox, by id."""
    answers: dict[str, Answer] = field(default_factory=dict)
    answered: deque[tuple[int, str]] = field(default_factory=deque)
    """The ids in `answers`, oldest first."""
    phase: Phase = Phase.CLAIMING
    inbox_end: int = 0
    """Firing begins when the inbox is read up to here."""

    def keep_answer(self, key: str, answer: Answer) -> None:
        """Remember what a one-shot command was told."""
        self.answers[key] = answer
        self.answered.append((answer.answered_at, key))

    def silent_runners(self, now: int) -> list[str]:
        """Ids of runners that have not been heard for so long that they need not be known."""
        return [name for name, one in self.runners.items() if one.heard_at < now - RUNNERS_KEPT]

    def outdated_answers(self, now: int) -> list[str]:
        """Ids whose answers need no longer be kept; of very many the rest is for the next batch."""
        old: list[str] = []
        for at, key in self.answered:
            if at > now - ANSWERS_KEPT or len(old) >= FORGOTTEN_AT_ONCE:
                break
            old.append(key)
        return old


def plan_of(schedule: str, row: ScheduleRow) -> Plan:
    """What a row of the public table says, compiled."""
    return Plan(
        id=schedule,
        version=row.version,
        incarnation=row.incarnation,
        created_at=row.created_at,
        changed_at=row.changed_at,
        actor=row.actor,
        definition=row.definition,
        rule=compiled(row.definition, schedule),
        pause=row.pause,
        completed=row.status is Status.COMPLETED,
        skips=row.skips,
    )


def row_of(plan: Plan) -> ScheduleRow:
    """What the public table says of a plan."""
    return ScheduleRow(
        version=plan.version,
        incarnation=plan.incarnation,
        created_at=plan.created_at,
        changed_at=plan.changed_at,
        actor=plan.actor,
        status=plan.status,
        definition=plan.definition,
        pause=plan.pause,
        skips=plan.skips,
    )
