"""
What is known of a subject beside its schedules?

Its runs, who holds it, what a sampler saw of it, how often its work failed in a row, its backfills
under way: `Subject` is the fold of their events (evolve_subject.py). What is decided from it is
overlap.py, runs.py, holding.py, quiet.py and backfill.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter

from schemas.definition import DAY, SECOND
from schemas.made_often import made_often
from schemas.snapshot import Insight, Run, RunPhase, SubjectNotes
from schemas.subject_events import InsightKind
from streams.calendar.occurrences import NEVER
from streams.decider.ended import Ended

ENDED_RUNS_KEPT = DAY
"""A report of a run that is over is known as late for so long; after that the run is unknown."""
NO_NOTES = SubjectNotes()
_phase = attrgetter("phase")
_WAITING, _ENDED = RunPhase.WAITING, RunPhase.ENDED  # looked up once: that takes long


@made_often
@dataclass(frozen=True, slots=True)
class Subject:
    """A subject as of its last event."""

    notes: SubjectNotes = NO_NOTES
    runs: Mapping[str, Run] = field(default_factory=dict)
    """By id: those that are not over. Their order says nothing."""
    over: Ended = field(default_factory=Ended)
    """Those that ended within the last day."""

    def run(self, name: str) -> Run | None:
        """The run of this id, also one that is over."""
        return self.runs.get(name) or self.over.get(name)

    def has_waiting(self) -> bool:
        """Whether one waits for its turn."""
        return _WAITING in map(_phase, self.runs.values())

    def waiting(self) -> list[Run]:
        """Those that wait for their turn, in the order in which it comes."""
        return sorted(
            (one for one in self.runs.values() if one.phase is RunPhase.WAITING), key=turn
        )

    def active(self) -> list[Run]:
        """Those that have begun and are not over, in the order in which they were due."""
        begun = (one for one in self.runs.values() if one.phase is not RunPhase.WAITING)
        return sorted(begun, key=turn)

    def failures(self, schedule: str) -> int:
        """How many runs of a schedule failed, one after the other."""
        return next((one.times for one in self.notes.failures if one.schedule == schedule), 0)

    def unsuccessful(self, schedule: str) -> int:
        """How many runs of a schedule did not succeed, one after the other."""
        found = (one.unsuccessful for one in self.notes.failures if one.schedule == schedule)
        return next(found, 0)

    def insight(self, kind: InsightKind, about: str) -> Insight | None:
        """The open insight of this kind about a schedule."""
        known = (one for one in self.notes.insights if (one.kind, one.about) == (kind, about))
        return next(known, None)

    @property
    def held(self) -> bool:
        """Nothing of it is evaluated."""
        return self.notes.hold is not None

    def looked_at(self) -> int:
        """When something about it is decided by itself; NEVER: not before something is asked.

        While it is held that is the end of the hold, whatever else falls due.
        """
        notes = self.notes
        if notes.hold is not None:
            return _end(notes.hold.until)
        return min(
            (
                *map(deadline, self.runs.values()),
                NEVER if notes.actions_hold is None else _end(notes.actions_hold.until),
                *(one.again_at or 0 for one in notes.backfills),
            )
        )


NOBODY = Subject()
"""A subject of which nothing is known."""


def restored(notes: SubjectNotes, runs: Iterable[Run]) -> Subject:
    """A subject from what was kept of it."""
    by_end = sorted(runs, key=lambda run: (run.since, run.id))
    going = {run.id: run for run in by_end if run.phase is not RunPhase.ENDED}
    return Subject(notes, going, Ended.of(run for run in by_end if run.phase is RunPhase.ENDED))


def known_run(subject: Subject, name: str, now: int) -> Run | None:
    """The run, unless it ended so long ago that it need not be known any longer."""
    run = subject.run(name)
    if run is None or (run.phase is _ENDED and run.since <= now - ENDED_RUNS_KEPT):
        return None
    return run


def turn(run: Run) -> tuple[int, str, int, str, str]:
    """What orders runs: when they were due, then schedule id, and then always the same way."""
    return run.due, run.schedule, run.since, run.scope, run.id


def deadline(run: Run) -> int:
    """When a run is looked at by itself; NEVER: only when something else happens."""
    phase = run.phase  # asked of every run at each look at its subject: no match statement
    if phase is RunPhase.STARTED:
        lease, attempt = run.lease_until, run.attempt_until
        if attempt is None:
            return NEVER if lease is None else lease
        return attempt if lease is None else min(lease, attempt)
    if phase is RunPhase.WAITING or phase is RunPhase.RETRYING:
        return _end(run.until)
    if phase is RunPhase.CANCELLING:  # it has until its lease ends to clean up
        return _end(run.lease_until)
    if phase is RunPhase.OFFERED:
        return min(_end(run.until), _end(run.start_until))
    return NEVER


def unheard_until(subject: Subject, now: int) -> int | None:
    """Up to when nobody was heard of, as far as that decides anything at `now`; None: it does not.

    The first deadline that somebody could have met, or the whole second that is over: so far every
    report must have been read before. Those that follow within the second are for the next look.
    """
    awaited = (run for run in subject.runs.values() if run.phase is not RunPhase.RETRYING)
    first = min(map(deadline, awaited), default=NEVER)
    return None if first > now else max(first, now // SECOND * SECOND)


def _end(instant: int | None) -> int:
    return NEVER if instant is None else instant
