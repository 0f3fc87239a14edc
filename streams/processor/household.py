"""
What is in memory of a subject, and which schedules are its?

`SubjectAtRest` is what is known of a subject beside its schedules, as it rests between two looks at
it; most subjects have none. `Households` knows the schedules of each subject, and only once
somebody has asked: a million ids twice in memory would be for nothing where nobody does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from schemas.identity import subject_of
from schemas.snapshot import Run
from streams.calendar.occurrences import NEVER
from streams.decider.state import Schedule, World
from streams.decider.subject import ENDED_RUNS_KEPT, Subject

if TYPE_CHECKING:
    from streams.processor.draft import Draft
    from streams.processor.partitions import Partition

FORGOTTEN_AT_ONCE = 2_000
"""Runs that are over, or answers, for which one batch writes that they are forgotten."""
AT_ONCE = 0
"""An instant that is over, whatever the clock says."""


class SubjectAtRest:
    """One subject between two looks at it."""

    __slots__ = ("due", "home", "owed", "subject")

    shape = None
    """It never fires plainly."""

    def __init__(self, home: Partition, subject: Subject, *, owed: bool = False) -> None:
        self.home = home
        self.subject = subject
        self.owed = owed
        """It is to be looked at for a reason that it does not show itself, and was not yet."""
        self.due = AT_ONCE if owed else min(subject.looked_at(), forgotten_at(subject))

    def owe(self) -> None:
        """Have it looked at, whatever it says itself."""
        self.owed = True
        self.due = AT_ONCE

    def plainly(self, _: str) -> None:
        """It never fires plainly."""

    def topic(self, _: str) -> None:
        """What its runs write to is known once they are decided."""

    def __lt__(self, other: object) -> bool:
        """For heaps, where two of one id and due instant may meet: either may be first."""
        return False


class Households:
    """The schedules of each subject in one partition."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, set[str]] | None = None

    def of(self, subject: str, residents: Iterable[str]) -> set[str]:
        """The ids of a subject's schedules among the residents."""
        if self._known is None:
            self._known = {}
            for schedule in residents:
                self._known.setdefault(subject_of(schedule), set()).add(schedule)
        return self._known.get(subject, set())

    def came(self, schedule: str) -> None:
        """A schedule came to be."""
        if self._known is not None:
            self._known.setdefault(subject_of(schedule), set()).add(schedule)

    def went(self, schedule: str) -> None:
        """A schedule is gone."""
        if self._known is not None:
            subject = subject_of(schedule)
            left = self._known.get(subject, set())
            left.discard(schedule)
            if not left:
                self._known.pop(subject, None)


def forgotten_at(subject: Subject) -> int:
    """When the first of the runs that ended need not be known any longer."""
    first = next(subject.over.values_in_order(), None)
    return NEVER if first is None else first.since + ENDED_RUNS_KEPT


def outdated_runs(subject: Subject, now: int) -> list[Run]:
    """Runs that ended so long ago that nobody reports about them any more.

    Of very many the rest is for the next look, which is due at once.
    """
    return subject.over.until(now - ENDED_RUNS_KEPT, FORGOTTEN_AT_ONCE)


class Neighbours:
    """The schedules of one subject, as a batch sees them."""

    __slots__ = ("_draft", "_subject")

    def __init__(self, draft: Draft, subject: str) -> None:
        self._draft = draft
        self._subject = subject

    def ids(self) -> tuple[str, ...]:
        """Their ids, in order."""
        return self._draft.siblings(self._subject)

    def get(self, schedule: str) -> Schedule | None:
        """One of them."""
        return self._draft.state(schedule)


def around(world: World, draft: Draft, schedule: str) -> World:
    """The world with what is known of the subject of this schedule."""
    subject = subject_of(schedule)
    return world.around(draft.subject(subject), Neighbours(draft, subject))
