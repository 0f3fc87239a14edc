"""
What might services ask for about work that somebody reports about?

The same made-up definitions and orders as wishes.py, with policies, and beside them skips,
backfills, edits of targets, and what is asked about subjects as a whole. Who does the work and
reports about it is worker.py; what has to come of it is laws_of_work.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from typing_extensions import override

from schemas.commands import Backfill, CancelBackfill, ReleaseSubject
from schemas.identity import subject_of
from tests.acceptance.wishes import Wish, Wishes
from tests.simulation.demands import OF_SCHEDULES, OF_SUBJECTS, drawn, policed

WORKED = "w"
"""How the subjects begin whose work is reported about."""
A_SUBJECT_HAS = 4
WORK = "jobs-work"
"""The topic that asks for it."""


def is_worked(schedule: str) -> bool:
    """Whether somebody reports about the work of this schedule, or subject and a slash."""
    return schedule.startswith(WORKED)


def names_of_work(many: int) -> list[str]:
    """Schedules, some a subject."""
    return [f"{WORKED}{n // A_SUBJECT_HAS}/n{n % A_SUBJECT_HAS}" for n in range(many)]


@dataclass(slots=True)
class Labours(Wishes):
    """What one sender asks for."""

    backfills: list[str] = field(default_factory=list)
    """Ids of those that were asked for."""

    @override
    def all_defined(self, now: int) -> Iterator[Wish]:
        """Ask for every schedule once."""
        for wish in super(Labours, self).all_defined(now):
            yield self._policed(wish)

    def released(self) -> Iterator[Wish]:
        """Let every subject go on that somebody may have held."""
        for subject in sorted({subject_of(name) for name in self.names}):
            yield self._wish(f"{subject}/", ReleaseSubject("the end"))

    @override
    def _one(self, now: int) -> Wish:
        chance, name = self.rng.random(), self.rng.choice(self.names)
        if chance < 0.25:
            return self._about_instants(name, now)
        if chance < 0.4:
            command = drawn(self.rng, OF_SUBJECTS, name, now)
            return self._wish(f"{subject_of(name)}/", command)
        return self._policed(super(Labours, self)._one(now))

    def _about_instants(self, name: str, now: int) -> Wish:
        command = drawn(self.rng, OF_SCHEDULES, name, now)
        if isinstance(command, CancelBackfill) and self.backfills:
            command = replace(command, backfill=self.rng.choice(self.backfills[-5:]))
        wish = self._wish(name, command)
        if isinstance(command, Backfill):
            self.backfills.append(wish.id)
        return wish

    def _policed(self, wish: Wish) -> Wish:
        return wish._replace(command=policed(self.rng, wish.command))
