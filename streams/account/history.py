"""
What was in force when, and what became of one instant?

One schedule's events, read for the sake of one instant: definitions, pauses and holds over time,
everything that happened to the occurrence of that instant, and its neighbours. Only these are kept,
so that a long ledger can be read. Which class the instant has is classing.py's, its words are the
faces'.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from schemas.definition import MINUTE, Definition
from schemas.events import (
    BackfillStarted,
    Deferred,
    Event,
    Fired,
    ScheduleChanged,
    ScheduleCompleted,
    ScheduleDefined,
    SchedulePaused,
    ScheduleRemoved,
    ScheduleResumed,
    Skipped,
    SkipsChanged,
    Stamp,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)
from schemas.run_events import OfRun
from streams.decider.resting import is_action

NEAR = MINUTE
"""What was fired by hand so close to an instant is told with it."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """One version of the definition, and how it came to be and to end."""

    version: int
    incarnation: int
    definition: Definition
    begins_at: int
    """Only instants later than this are its occurrences."""
    since: Stamp
    created_at: int
    """When the incarnation began: where an interval without an anchor counts from."""
    until: Stamp | None = None
    """The edit or the removal that ended it."""
    is_removed: bool = False
    completed: Stamp | None = None


@dataclass(frozen=True, slots=True)
class Rest:
    """A pause of the schedule, or a hold over its subject."""

    reason: str
    since: int
    until: int | None
    """When it was to end by itself."""
    by: Stamp
    ended: Stamp | None = None
    ends_at: int | None = None
    """Up to here it counts; None: it is still so."""

    def covers(self, instant: int) -> bool:
        """Whether an instant lies in it."""
        return self.since < instant and (self.ends_at is None or instant <= self.ends_at)


@dataclass(frozen=True, slots=True)
class Kept:
    """An event and its stamp."""

    event: Event
    stamp: Stamp


@dataclass(slots=True)
class History:
    """One schedule's past, as far as it concerns one instant."""

    schedule: str
    instant: int
    chapters: list[Chapter] = field(default_factory=list)
    pauses: list[Rest] = field(default_factory=list)
    holds: list[Rest] = field(default_factory=list)
    """Over its subject."""
    action_holds: list[Rest] = field(default_factory=list)
    """Over the actions of its subject alone."""
    deferrals: list[Kept] = field(default_factory=list)
    ends: list[Kept] = field(default_factory=list)
    """Of the occurrence; more than one only if something is wrong."""
    by_hand: list[Kept] = field(default_factory=list)
    """Fires of the same instant by backfills, and triggers near it."""
    runs: list[Kept] = field(default_factory=list)
    """What happened to the runs of all these."""
    requests: list[Kept] = field(default_factory=list)
    """Skips and backfills that name the instant."""
    before: Kept | None = None
    """The last end of an earlier instant."""
    after: Kept | None = None
    """The first end of a later one."""
    first: Stamp | None = None
    """The first event that the ledger has of this schedule."""
    last: Stamp | None = None

    def take(self, event: Event, stamp: Stamp) -> None:
        """The following event of the schedule, or of its subject."""
        self.first, self.last = self.first or stamp, stamp
        match event:
            case ScheduleDefined() | ScheduleChanged():
                self._begin(event, stamp)
            case ScheduleRemoved() | ScheduleCompleted():
                self._close(event, stamp)
            case SchedulePaused() | ScheduleResumed():
                self._pause(event, stamp)
            case SubjectHeld() | SubjectReleased() | SubjectRemoved():
                self._hold(event, stamp)
            case Fired() | Skipped() | Deferred():
                self._occurrence(event, stamp)
            case _:
                self._other(event, stamp)

    def in_force(self) -> Chapter | None:
        """The definition whose instant it is, or would have been: None before the first one."""
        versions = {_version(kept) for kept in self.ends + self.deferrals}
        for chapter in reversed(self.chapters):
            if versions and chapter.version in versions:
                return chapter
        known = [one for one in self.chapters if one.since.decided_at <= self.instant]
        early = [one for one in self.chapters if one.begins_at < self.instant]
        found = known or early
        return found[-1] if found else None

    def paused(self) -> Rest | None:
        """The pause in which the instant lies."""
        return _covering(self.pauses, self.instant)

    def held(self) -> Rest | None:
        """The hold over its subject in which the instant lies, or over the actions if it is one."""
        over_all, chapter = _covering(self.holds, self.instant), self.in_force()
        if over_all is not None or chapter is None or not is_action(chapter.definition):
            return over_all
        return _covering(self.action_holds, self.instant)

    # ------------------------------------------------------------------ what is kept

    def _begin(self, event: ScheduleDefined | ScheduleChanged, stamp: Stamp) -> None:
        created = stamp.decided_at
        if self.chapters and isinstance(event, ScheduleChanged):
            created = self.chapters[-1].created_at
            self._end_chapter(stamp, removed=False)
        self.chapters.append(
            Chapter(
                *(event.version, event.incarnation, event.definition, event.begins_at, stamp),
                created_at=created,
            )
        )

    def _close(self, event: ScheduleRemoved | ScheduleCompleted, stamp: Stamp) -> None:
        if isinstance(event, ScheduleCompleted):
            if self.chapters:
                self.chapters[-1] = replace(self.chapters[-1], completed=stamp)
            return
        self._end_chapter(stamp, removed=True)
        self._end_rest(self.pauses, stamp, stamp.decided_at)

    def _end_chapter(self, stamp: Stamp, *, removed: bool) -> None:
        if self.chapters:
            self.chapters[-1] = replace(self.chapters[-1], until=stamp, is_removed=removed)

    def _pause(self, event: SchedulePaused | ScheduleResumed, stamp: Stamp) -> None:
        if isinstance(event, ScheduleResumed):
            self._end_rest(self.pauses, stamp, event.begins_at)
            return
        self._end_rest(self.pauses, stamp, stamp.decided_at)
        self.pauses.append(Rest(event.reason, event.since, event.until, stamp))

    def _hold(self, event: SubjectHeld | SubjectReleased | SubjectRemoved, stamp: Stamp) -> None:
        if isinstance(event, SubjectRemoved):
            self._end_rest(self.holds, stamp, stamp.decided_at)
            self._end_rest(self.action_holds, stamp, stamp.decided_at)
            return
        holds = self.action_holds if event.actions_only else self.holds
        self._end_rest(holds, stamp, stamp.decided_at)
        if isinstance(event, SubjectHeld):
            holds.append(Rest(event.reason, event.since, event.until, stamp))

    def _end_rest(self, rests: list[Rest], stamp: Stamp, ends_at: int) -> None:
        if rests and rests[-1].ended is None:
            rests[-1] = replace(rests[-1], ended=stamp, ends_at=ends_at)

    def _occurrence(self, event: Fired | Skipped | Deferred, stamp: Stamp) -> None:
        kept = Kept(event, stamp)
        first, last = span_of(event)
        if isinstance(event, Deferred):
            if first == self.instant:
                self.deferrals.append(kept)
        elif event.origin is not None:
            is_near = event.origin.startswith("trigger:") and abs(first - self.instant) < NEAR
            if is_near or first == self.instant:
                self.by_hand.append(kept)
        elif first <= self.instant <= last:
            self.ends.append(kept)
        elif last < self.instant:
            self.before = kept
        elif self.after is None:
            self.after = kept

    def _other(self, event: Event, stamp: Stamp) -> None:
        match event:
            case OfRun() if event.nominal == self.instant or self._is_by_hand(event):
                self.runs.append(Kept(event, stamp))
            case SkipsChanged() if self.instant in event.skips:
                self.requests.append(Kept(event, stamp))
            case BackfillStarted() if self.instant in event.instants:
                self.requests.append(Kept(event, stamp))
            case _:
                pass

    def _is_by_hand(self, event: OfRun) -> bool:
        return any(getattr(kept.event, "origin", None) == event.origin for kept in self.by_hand)


def span_of(event: Fired | Skipped | Deferred) -> tuple[int, int]:
    """The first and the last instant that an event is about."""
    return (
        (event.first, event.last) if isinstance(event, Skipped) else (event.nominal, event.nominal)
    )


def _version(kept: Kept) -> int:
    return int(getattr(kept.event, "version", -1))


def _covering(rests: list[Rest], instant: int) -> Rest | None:
    return next((one for one in rests if one.covers(instant)), None)
