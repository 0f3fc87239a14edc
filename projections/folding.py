"""
Which rows come out of a batch, each only once?

A batch is folded by key before the database sees it: of all states that one row takes in it, the
newest is kept. How records become rows is in the table files, who calls them is records.py;
what is put together from many events is run_drafts.py.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Protocol

from projections.encoding import FILE_END, FILE_HEADER
from projections.log import Record
from projections.run_drafts import AttemptDrafts, RunDrafts
from projections.traffic import HourDrafts

Order = tuple[int, int] | tuple[int, int, str]
"""What decides which of two states of a row is the newer one: a rank, then a place."""


class Rows(Protocol):
    """The rows of one table in one batch."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def file(self) -> bytes:
        """All of them as one binary COPY."""
        ...


@dataclass(slots=True)
class Folded:
    """The rows of one table in one batch, each with its order and encoded."""

    rows: dict[Hashable, tuple[Order, bytes]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def keep(self, key: Hashable, order: Order, row: bytes) -> None:
        """Take the row, unless a newer one of that key is here."""
        known = self.rows.get(key)
        if known is None or order >= known[0]:
            self.rows[key] = order, row

    def file(self) -> bytes:
        """All rows as one binary COPY."""
        return b"".join((FILE_HEADER, *(row for _, row in self.rows.values()), FILE_END))


@dataclass(frozen=True, slots=True)
class Parked:
    """A record that cannot become rows, and why."""

    record: Record
    error: str
    sqlstate: str | None


@dataclass(slots=True)
class Batch:
    """What some records come to: the rows of each table, and what is to be parked."""

    schedules: Folded = field(default_factory=Folded)
    removals: Folded = field(default_factory=Folded)
    schedule_versions: Folded = field(default_factory=Folded)
    occurrences: Folded = field(default_factory=Folded)
    audit: Folded = field(default_factory=Folded)
    runs: RunDrafts = field(default_factory=RunDrafts)
    run_attempts: AttemptDrafts = field(default_factory=AttemptDrafts)
    insights: Folded = field(default_factory=Folded)
    subjects: Folded = field(default_factory=Folded)
    runners: Folded = field(default_factory=Folded)
    holds: Folded = field(default_factory=Folded)
    calendars: Folded = field(default_factory=Folded)
    freezes: Folded = field(default_factory=Folded)
    definitions: Folded = field(default_factory=Folded)
    states: Folded = field(default_factory=Folded)
    activities: Folded = field(default_factory=Folded)
    subject_holds: Folded = field(default_factory=Folded)
    proposals: Folded = field(default_factory=Folded)
    settlements: Folded = field(default_factory=Folded)
    removed_subjects: Folded = field(default_factory=Folded)
    traffic_hours: HourDrafts = field(default_factory=HourDrafts)
    days: set[int] = field(default_factory=set)
    """Days since 1970 that need a partition of occurrences."""
    parked: list[Parked] = field(default_factory=list)

    def tables(self) -> tuple[tuple[str, Rows], ...]:
        """Each table's name and rows, in the order in which they are merged."""
        return (
            ("removals", self.removals),
            ("schedules", self.schedules),
            ("schedule_versions", self.schedule_versions),
            ("occurrences", self.occurrences),
            ("audit", self.audit),
            ("runs", self.runs),
            ("run_attempts", self.run_attempts),
            ("insights", self.insights),
            ("subjects", self.subjects),
            ("runners", self.runners),
            ("holds", self.holds),
            ("calendars", self.calendars),
            ("freezes", self.freezes),
            ("definitions", self.definitions),
            ("states", self.states),
            ("activities", self.activities),
            ("subject_holds", self.subject_holds),
            ("proposals", self.proposals),
            ("settlements", self.settlements),
            # what a removal takes away is in the tables by then
            ("removed_subjects", self.removed_subjects),
            # and what is late of before it stays out
            ("traffic_hours", self.traffic_hours),
        )
