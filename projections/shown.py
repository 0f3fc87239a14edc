"""
What is read from the views?

One frozen record for each kind of row, as API and command line get it; instants are microseconds of
UTC. How they are asked for is queries.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from schemas.codec import decode_as, decode_event
from schemas.definition import Definition
from schemas.events import ScheduleChanged, ScheduleDefined
from schemas.identity import occurrence_id
from schemas.schedule import ScheduleRow

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some rows, and where the next ones are."""

    rows: tuple[T, ...]
    following: str | None
    """Give this as `after` to get the next page; None: this was the last one."""


@dataclass(frozen=True, slots=True)
class ScheduleShown:
    """A schedule as it is now."""

    schedule: str
    subject: str
    version: int
    incarnation: int
    status: str
    created_at: int
    changed_at: int
    actor: str
    zone: str
    description: str
    definition: dict[str, Any]
    pause_reason: str | None
    pause_actor: str | None
    paused_since: int | None
    paused_until: int | None
    record: bytes
    last_nominal: int | None
    last_state: str | None
    last_reason: str | None
    last_decided_at: int | None
    next: int | None
    """The nominal instant that is looked at next, as the ledger last said; None while paused."""
    next_due: int | None
    """When that one is due: later than `next` by its jitter, its window or a deferral."""

    @property
    def rule(self) -> Definition:
        """The definition as it was written."""
        return decode_as(self.record, ScheduleRow).definition

    @property
    def skips(self) -> tuple[int, ...]:
        """The nominal instants that were asked to be skipped and are still to come."""
        asked = decode_as(self.record, ScheduleRow).skips
        return tuple(one for one in asked if self.next is None or one >= self.next)


@dataclass(frozen=True, slots=True)
class VersionShown:
    """One version of a schedule."""

    schedule: str
    version: int
    incarnation: int
    previous_version: int | None
    change: str
    """defined, changed or removed."""
    definition: dict[str, Any] | None
    begins_at: int | None
    next: int | None
    next_due: int | None
    decided_at: int
    actor: str
    command_id: str | None
    partition: int
    sequence: int
    cause_offset: int | None
    record: bytes

    @property
    def rule(self) -> Definition | None:
        """The definition as it was written; a removal has none."""
        event = decode_event(self.record).event
        return event.definition if isinstance(event, ScheduleDefined | ScheduleChanged) else None


@dataclass(frozen=True, slots=True)
class OccurrenceShown:
    """What became of an occurrence, or of an unbroken run of them."""

    schedule: str
    nominal: int
    incarnation: int
    origin: str
    """Empty: the calendar."""
    last: int
    count: int
    version: int
    state: str
    """fired, skipped or deferred."""
    reason: str | None
    due: int | None
    late: bool
    lateness: int
    """Microseconds from due (a skip: from its first nominal instant) to the decision."""
    decided_at: int
    wall: int | None
    second_pass: int | None
    scopes: list[dict[str, Any]] | None
    next: int | None
    next_due: int | None
    deferred_at: int | None
    deferrals: int
    until: int | None
    evidence: str | None
    actor: str
    command_id: str | None
    partition: int
    sequence: int
    cause_offset: int | None
    globals_offset: int

    @property
    def id(self) -> str:
        """The occurrence's id; that of the first one of a run."""
        return occurrence_id(self.schedule, self.incarnation, self.nominal, self.origin or None)


@dataclass(frozen=True, slots=True)
class AuditShown:
    """Something that was asked or changed, and what became of it."""

    log_partition: int
    log_offset: int
    schedule: str | None
    outcome: str
    command: str | None
    decided_at: int
    actor: str
    reason: str | None
    field: str | None
    version: int | None
    incarnation: int | None
    next: int | None
    next_due: int | None
    until: int | None
    command_id: str | None
    trace: str | None
    partition: int
    sequence: int
    cause_offset: int | None
    globals_offset: int


@dataclass(frozen=True, slots=True)
class HoldShown:
    """A hold, in force or lifted."""

    name: str
    held: bool
    reason: str
    actor: str
    since: int
    command_id: str | None


@dataclass(frozen=True, slots=True)
class CalendarShown:
    """A shared calendar, also one that is gone."""

    name: str
    removed: bool
    content: dict[str, Any]
    """As a person writes it: dates, weekdays, yearly, crons, base, description."""
    description: str
    actor: str
    changed_at: int
    command_id: str | None
    version: int
    """The offset of its record in horae.globals."""


@dataclass(frozen=True, slots=True)
class FreezeShown:
    """A freeze: to come, in force, over or lifted."""

    name: str
    lifted: bool
    subjects: list[str]
    begins_at: int
    ends_at: int
    reason: str
    actor: str
    changed_at: int
    command_id: str | None
    version: int
    """The offset of its record in horae.globals."""


@dataclass(frozen=True, slots=True)
class ParkedShown:
    """A record that could not become rows."""

    topic: str
    log_partition: int
    log_offset: int
    error: str
    sqlstate: str | None
    size: int
    parked_at: int
