"""
What is known of a subject after this event?

Copies facts, like evolve.py does for schedules, and checks nothing. An untracked fire leaves
nothing to be known: its work is over when it is written. Of deployments and of what is proposed for
them evolve_deployments.py knows.
"""

from __future__ import annotations

from dataclasses import replace

from schemas.events import (
    ActivityNoted,
    AppDefined,
    BackfillEnded,
    BackfillProgressed,
    BackfillStarted,
    Fired,
    InsightRaised,
    InsightResolved,
    RunEnded,
    ScheduleEvent,
    ScheduleRemoved,
    Stamp,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)
from schemas.run_events import RunStatus
from schemas.snapshot import (
    Activity,
    BackfillNote,
    FailureCount,
    Insight,
    PastHold,
    RunPhase,
    SubjectHold,
    SubjectNotes,
)
from streams.calendar.occurrences import NEVER
from streams.decider.evolve import evolve
from streams.decider.evolve_deployments import notes_after
from streams.decider.evolve_runs import begun_by, in_phase, run_after
from streams.decider.state import Plan, Schedule, Siblings, World
from streams.decider.subject import NO_NOTES, Subject

FAILURES = frozenset({RunStatus.FAILED, RunStatus.TIMEOUT})
"""Ends that count towards `pause_on_failure`."""
UNSUCCESSFUL = FAILURES | {
    RunStatus.CONTAINER_NOT_RUNNING,
    RunStatus.UNAVAILABLE,
    RunStatus.INTERRUPTED,
    RunStatus.EXPIRED,
}
"""Ends that nobody wished for."""
_ENDED = RunPhase.ENDED  # looked up once: of an enumeration that takes long
_SUCCESS = RunStatus.SUCCESS


def evolve_subject(
    subject: Subject, plan: Plan | None, event: ScheduleEvent, stamp: Stamp
) -> Subject:
    """The subject after the event; `plan` is that of the event's schedule before it."""
    if isinstance(event, Fired):
        if plan is None or plan.definition.action.tracked is None:
            return subject
        begun = begun_by(plan, event, stamp.decided_at)
        return Subject(subject.notes, {**subject.runs, **begun}, subject.over) if begun else subject
    if isinstance(event, RunEnded):
        return _after_end(subject, plan, event, stamp.decided_at)
    run = run_after(subject, plan, event, stamp)
    runs = subject.runs if run is None else {**subject.runs, run.id: run}
    notes = _notes_after(subject.notes, event, stamp)
    if runs is subject.runs and notes is subject.notes:
        return subject
    return Subject(notes, runs, subject.over)


def _after_end(subject: Subject, plan: Plan | None, event: RunEnded, now: int) -> Subject:
    """The subject with a run less that goes on or waits, and one more that is over."""
    runs, over = subject.runs, subject.over
    run = runs.get(event.run)
    if run is not None:
        runs = {**runs}
        del runs[run.id]
        over = over.and_then(in_phase(run, _ENDED, now, event.status))
    notes = subject.notes
    if notes.backfills:
        notes = _going_on(notes, now)
    if plan is not None and plan.incarnation == event.incarnation:  # not of one that is gone
        notes = _counted(notes, event)
    if run is None and notes is subject.notes:
        return subject
    return Subject(notes, runs, over)


class _Moved:
    """The siblings of a world, some of them as events leave them."""

    __slots__ = ("_before", "_states")

    def __init__(self, before: Siblings, states: dict[str, Schedule | None]) -> None:
        self._before = before
        self._states = states

    def with_(self, states: dict[str, Schedule | None]) -> _Moved:
        """The same, some more of them changed; however often, it is one step to the world's."""
        return _Moved(self._before, self._states | states)

    def ids(self) -> tuple[str, ...]:
        """Their ids, in order."""
        ids = set(self._before.ids())
        for schedule, state in self._states.items():
            (ids.discard if state is None else ids.add)(schedule)
        return tuple(sorted(ids))

    def get(self, schedule: str) -> Schedule | None:
        """One of them."""
        if schedule in self._states:
            return self._states[schedule]
        return self._before.get(schedule)


def world_after(world: World, events: tuple[ScheduleEvent, ...], now: int) -> World:
    """The world as these events leave the subject and its schedules, for what follows from them.

    Who caused them is not known here; nothing that is decided depends on it. A schedule whose work
    nobody reports about is left as it was by a fire: nothing follows from that for others.
    """
    stamp = Stamp(now, 0, None, world.globals_offset, 0, "")
    subject = world.subject
    states: dict[str, Schedule | None] = {}
    for event in events:
        name = event.schedule
        state = states[name] if name in states else world.siblings.get(name)
        plan = None if state is None else state.plan
        subject = evolve_subject(subject, plan, event, stamp)
        if isinstance(event, Fired) and (plan is None or plan.definition.action.tracked is None):
            continue
        after = evolve(state, event, stamp, world.zone_data)
        if after is not state:
            states[name] = after
    if states:
        before = world.siblings
        moved = before.with_(states) if isinstance(before, _Moved) else _Moved(before, states)
        return world.around(subject, moved)
    return world if subject is world.subject else world.around(subject, world.siblings)


def _notes_after(  # noqa: C901, PLR0911, PLR0912 - one match
    notes: SubjectNotes, event: ScheduleEvent, stamp: Stamp
) -> SubjectNotes:
    match event:
        case ScheduleRemoved(schedule=schedule):
            failures = tuple(one for one in notes.failures if one.schedule != schedule)
            backfills = tuple(one for one in notes.backfills if one.schedule != schedule)
            if (failures, backfills) == (notes.failures, notes.backfills):
                return notes
            return replace(notes, failures=failures, backfills=backfills)
        case SubjectHeld():
            hold = SubjectHold(event.reason, stamp.actor, event.since, event.until)
            field = "actions_hold" if event.actions_only else "hold"
            return replace(notes, **{field: hold})  # type: ignore[arg-type]
        case SubjectReleased(actions_only=True):
            return _going_on(replace(notes, actions_hold=None), stamp.decided_at)
        case SubjectReleased():
            past = notes.hold and PastHold(notes.hold.since, stamp.decided_at)
            lifted = replace(notes, hold=None, past_hold=past or notes.past_hold)
            return _going_on(lifted, stamp.decided_at)
        case SubjectRemoved():
            return NO_NOTES
        case ActivityNoted():
            activity = Activity(
                *(event.last_request, event.in_flight, event.waiting, event.sampled_at),
                *(event.served, event.rate, event.usual),
            )
            return replace(notes, activity=activity)
        case BackfillStarted():
            begun = BackfillNote(
                *(event.id, event.schedule, event.instants, len(event.instants)),
                *(event.overlap, stamp.actor, stamp.decided_at),
            )
            return replace(notes, backfills=(*notes.backfills, begun))
        case BackfillProgressed():
            return _progressed(notes, event, stamp.decided_at)
        case BackfillEnded():
            left = tuple(one for one in notes.backfills if one.id != event.id)
            return replace(notes, backfills=left)
        case AppDefined():
            return replace(notes, app=event.app)
        case InsightRaised():
            raised = Insight(event.kind, event.about, event.message, stamp.decided_at)
            return replace(notes, insights=(*notes.insights, raised))
        case InsightResolved():
            about = event.kind, event.about
            others = tuple(one for one in notes.insights if (one.kind, one.about) != about)
            return replace(notes, insights=others)
        case _:
            return notes_after(notes, event, stamp)


def _counted(notes: SubjectNotes, event: RunEnded) -> SubjectNotes:
    """A failure more, or none in a row any longer; other ends say nothing."""
    if event.status is _SUCCESS and not notes.failures:
        return notes  # as nearly always
    others = tuple(one for one in notes.failures if one.schedule != event.schedule)
    if event.status is _SUCCESS:
        return notes if others == notes.failures else replace(notes, failures=others)
    if event.status not in UNSUCCESSFUL:
        return notes
    none = FailureCount(event.schedule, 0)
    _, times, row = next((one for one in notes.failures if one.schedule == event.schedule), none)
    times += event.status in FAILURES
    return replace(notes, failures=(*others, FailureCount(event.schedule, times, row + 1)))


def _progressed(notes: SubjectNotes, event: BackfillProgressed, now: int) -> SubjectNotes:
    backfills = tuple(
        replace(
            one,
            instants=one.instants[len(one.instants) - (one.total - event.done) :],
            again_at=now if event.again_at is None else event.again_at,
        )
        if one.id == event.id
        else one
        for one in notes.backfills
    )
    return replace(notes, backfills=backfills)


def _going_on(notes: SubjectNotes, now: int) -> SubjectNotes:
    """What a backfill waits for without a time may have come."""
    if all(one.again_at != NEVER for one in notes.backfills):
        return notes
    backfills = tuple(
        replace(one, again_at=now) if one.again_at == NEVER else one for one in notes.backfills
    )
    return replace(notes, backfills=backfills)
