"""
What is in memory of the partitions that this process owns?

A resident is a schedule as it rests between two looks at it: its packed cursor and its row's bytes,
until first needed. A partition has its residents, their timers, the answers to one-shot commands
and the owner's record. Changed only after a commit, by what batch.py kept.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import Enum

from schemas.codec import cursor_due, decode_as, unpack_cursor
from schemas.definition import HOUR
from schemas.schedule import ScheduleRow, Status
from schemas.snapshot import Answer, Owner
from streams.decider.evolve import compiled
from streams.decider.state import Plan, Schedule
from streams.processor.timers import Timers

ANSWERS_KEPT = 24 * HOUR
VOID = -1
"""The due instant of a resident that was removed: its timer is void."""


class Resident:
    """One schedule at rest."""

    __slots__ = ("cursor", "due", "plan")

    def __init__(self, plan: Plan | bytes, cursor: bytes) -> None:
        self.plan = plan
        self.cursor = cursor
        self.due = cursor_due(cursor)

    def wake(self, schedule: str) -> Schedule:
        """The state that the decider works on; Unreadable if its row is not one of ours."""
        return Schedule(self.plan_for(schedule), unpack_cursor(self.cursor))

    def plan_for(self, schedule: str) -> Plan:
        """What it is to do, read from its row at the first need."""
        plan = self.plan
        if isinstance(plan, bytes):
            plan = self.plan = plan_of(schedule, decode_as(plan, ScheduleRow))
        return plan

    def __lt__(self, other: object) -> bool:
        """For heaps, where two of one id and due instant may meet: either may be first."""
        return False


class Phase(Enum):
    """How far a partition is on its way to being served."""

    RESTORING = "restoring"
    CATCHING_UP = "catching up"
    """Restored: commands are decided, but nothing fires before the inbox is read to its end."""
    FIRING = "firing"
    STOPPED = "stopped"
    """Something about its log is wrong; nothing is decided until an operator has looked."""


@dataclass(slots=True)
class Partition:
    """All that this process knows of one partition."""

    number: int
    owner: Owner
    residents: dict[str, Resident] = field(default_factory=dict)
    timers: Timers = field(default_factory=Timers)
    answers: dict[str, Answer] = field(default_factory=dict)
    answered: deque[tuple[int, str]] = field(default_factory=deque)
    """The ids in `answers`, oldest first."""
    phase: Phase = Phase.CATCHING_UP
    inbox_end: int = 0
    """Firing begins when the inbox is read up to here."""

    def keep_answer(self, key: str, answer: Answer) -> None:
        """Remember what a one-shot command was told."""
        self.answers[key] = answer
        self.answered.append((answer.answered_at, key))

    def outdated_answers(self, now: int) -> list[str]:
        """Ids whose answers need no longer be kept."""
        old = []
        for at, key in self.answered:
            if at > now - ANSWERS_KEPT:
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
    )
