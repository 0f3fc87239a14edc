"""
What is the state after this event?

Copies facts into a new frozen state; never checks, never argues, reads no clock. `advance` is the
part that a fire needs and touches the cursor only; `evolve` is the whole. What the facts are is
decided in decide.py and firing.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from schemas.definition import Definition, Weekly
from schemas.events import (
    ActivityNoted,
    AppDefined,
    BackfillEnded,
    BackfillProgressed,
    BackfillStarted,
    CommandRefused,
    CommandUnchanged,
    Deferred,
    DeploymentDefined,
    DeploymentStateNoted,
    Fired,
    InsightRaised,
    InsightResolved,
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalWithdrawn,
    Reason,
    RunCancelling,
    RunEnded,
    RunGranted,
    RunNoted,
    RunOffered,
    RunQueued,
    RunRetries,
    RunStarted,
    ScheduleChanged,
    ScheduleCompleted,
    ScheduleDefined,
    ScheduleEvent,
    SchedulePaused,
    ScheduleRecomputed,
    ScheduleRemoved,
    ScheduleResumed,
    Skipped,
    SkipsChanged,
    Stamp,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)
from schemas.schedule import PauseNote
from schemas.snapshot import Cursor, WallTime
from streams.calendar.occurrences import NEVER, Rule, TimingRefused, kept_rule
from streams.decider.state import NO_WALL, Plan, Schedule

BY_HAND = "trigger:"
"""How the origin of a fire by hand begins."""
OccurrenceEvent = Fired | Skipped | Deferred | ScheduleRecomputed


def advance(  # noqa: PLR0911 - one exhaustive match
    state: Schedule, event: OccurrenceEvent, now: int, zone_data: int
) -> Schedule:
    """The state after an occurrence was fired, skipped or deferred, or its instant computed anew.

    `now` is when that was decided: an interval that counts from decisions goes on from there.
    """
    plan, cursor = state
    match event:
        case Fired(origin=None):
            mark = _handled(plan, event.nominal, now)
            return Schedule(
                plan,
                Cursor(
                    mark, event.wall, event.next, event.next_due,
                    0, cursor.fires + 1, 0, zone_data, event.second_pass,
                ),
            )  # fmt: skip
        case Fired(origin=str() as origin) if not origin.startswith(BY_HAND):
            return state  # run once more by a backfill: it is no fire of the calendar's
        case Fired():
            restarts = event.next != cursor.nominal
            moved = cursor._replace(
                mark=_handled(plan, cursor.mark, now) if restarts else cursor.mark,
                nominal=event.next,
                due=event.next_due,
                fires=cursor.fires + 1,
            )
            return Schedule(plan, moved)
        case Skipped(origin=None):
            return Schedule(plan, _skipped(state, event, now, zone_data))
        case Skipped():
            return state  # beside the calendar: what is pending stays
        case Deferred():
            return Schedule(
                plan,
                cursor._replace(
                    due=event.until,
                    deferred_at=event.deferred_at,
                    deferrals=event.deferrals,
                    waiting=None if event.wall is None else WallTime(event.wall, event.second_pass),
                ),
            )
        case ScheduleRecomputed():
            return Schedule(plan, _recomputed(state, event, now, zone_data))
        case _:
            assert_never(event)


def evolve(  # noqa: C901, PLR0911 - one exhaustive match
    state: Schedule | None, event: ScheduleEvent, stamp: Stamp, zone_data: int = 0
) -> Schedule | None:
    """The state of a schedule after `event`; None: there is no such schedule."""
    match event:
        case Fired() | Skipped() | Deferred() | ScheduleRecomputed() if state is not None:
            return advance(state, event, stamp.decided_at, zone_data)
        case (
            RunEnded()  # the most frequent one first
            | CommandRefused()
            | CommandUnchanged()
            | BackfillStarted()
            | BackfillProgressed()
            | BackfillEnded()
            | RunQueued()
            | RunStarted()
            | RunOffered()
            | RunGranted()
            | RunRetries()
            | RunCancelling()
            | RunNoted()
            | SubjectHeld()
            | SubjectReleased()
            | SubjectRemoved()
            | ActivityNoted()
            | AppDefined()
            | DeploymentDefined()
            | DeploymentStateNoted()
            | ProposalMade()
            | ProposalAccepted()
            | ProposalDismissed()
            | ProposalWithdrawn()
            | InsightRaised()
            | InsightResolved()
        ):
            return state  # what they change is in evolve_subject.py
        case ScheduleDefined():
            return _defined(event, stamp, zone_data)
        case SkipsChanged() if state is not None:
            return Schedule(replace(state.plan, skips=event.skips), state.cursor)
        case ScheduleChanged() if state is not None:
            return _changed(state, event, stamp, zone_data)
        case SchedulePaused() if state is not None:
            return _paused(state, event, stamp)
        case ScheduleResumed() if state is not None:
            cursor = _from(event, zone_data, state.cursor)
            return Schedule(_by(replace(state.plan, pause=None), stamp), cursor)
        case ScheduleCompleted() if state is not None:
            cursor = state.cursor._replace(nominal=NEVER, due=NEVER)
            return Schedule(replace(state.plan, completed=True, pause=None), cursor)
        case (
            ScheduleRemoved()
            | ScheduleChanged()
            | SchedulePaused()
            | ScheduleResumed()
            | ScheduleCompleted()
            | ScheduleRecomputed()
            | SkipsChanged()
            | Fired()
            | Skipped()
            | Deferred()
        ):
            return None  # removed, or about a schedule that is not there
        case _:
            assert_never(event)


def compiled(definition: Definition, schedule: str) -> Rule | None:
    """The rule of a definition that was accepted once; None if it cannot be read any more."""
    try:
        return kept_rule(definition.timings, definition.zone, definition.dst, schedule)
    except TimingRefused:
        return None


def _defined(event: ScheduleDefined, stamp: Stamp, zone_data: int) -> Schedule:
    plan = Plan(
        id=event.schedule,
        version=event.version,
        incarnation=event.incarnation,
        created_at=stamp.decided_at,
        changed_at=stamp.decided_at,
        actor=stamp.actor,
        definition=event.definition,
        rule=compiled(event.definition, event.schedule),
    )
    nothing = Cursor(0, NO_WALL, NEVER, NEVER, 0, 0, 0, zone_data, 0)
    return Schedule(plan, _from(event, zone_data, nothing))


def _changed(state: Schedule, event: ScheduleChanged, stamp: Stamp, zone_data: int) -> Schedule:
    plan = replace(
        state.plan,
        version=event.version,
        definition=event.definition,
        rule=compiled(event.definition, event.schedule),
        completed=state.plan.completed and event.next == NEVER,
    )
    return Schedule(_by(plan, stamp), _cursor_changed(state, event, zone_data))


def _cursor_changed(state: Schedule, event: ScheduleChanged, zone_data: int) -> Cursor:
    plan, cursor = state
    before = same_walls(cursor, plan.definition, event.definition)
    if (event.begins_at, event.next) == (cursor.mark, cursor.nominal):
        kept = cursor.deferrals or plan.pause is not None
        due = event.next_due or (cursor.due if kept else event.next)
        return before._replace(due=due)
    cursor = _from(event, zone_data, before)
    if plan.pause is not None:
        rings_at = NEVER if plan.pause.until is None else plan.pause.until
        cursor = cursor._replace(nominal=NEVER, due=rings_at)
    return cursor


def same_walls(cursor: Cursor, old: Definition, new: Definition) -> Cursor:
    """The cursor without the wall time that had its turn, if that says nothing after this edit.

    It does as long as timings and zone stay, and among weekly timings whatever they are: their
    local date is over.
    """
    kept = (old.timings, old.zone, old.dst) == (new.timings, new.zone, new.dst)
    weekly = all(isinstance(timing, Weekly) for timing in (*old.timings, *new.timings))
    return cursor if kept or weekly else cursor._replace(wall=NO_WALL, second_pass=0)


def _paused(state: Schedule, event: SchedulePaused, stamp: Stamp) -> Schedule:
    note = PauseNote(event.reason, stamp.actor, event.since, event.until)
    rings_at = NEVER if event.until is None else event.until
    cursor = state.cursor._replace(nominal=NEVER, due=rings_at)
    return Schedule(_by(replace(state.plan, pause=note), stamp), cursor)


def _by(plan: Plan, stamp: Stamp) -> Plan:
    return replace(plan, changed_at=stamp.decided_at, actor=stamp.actor)


def _from(
    event: ScheduleDefined | ScheduleChanged | ScheduleResumed, zone_data: int, before: Cursor
) -> Cursor:
    """A cursor that has settled everything up to where the event begins."""
    due = event.next if event.next_due is None else event.next_due
    return Cursor(
        event.begins_at, before.wall, event.next, due,
        0, before.fires, 0, zone_data, before.second_pass,
    )  # fmt: skip


def _handled(plan: Plan, nominal: int, now: int) -> int:
    """The mark after a decision: an interval that counts from decisions goes on from it."""
    return max(nominal, now) if plan.counts_from_decisions else nominal


def _skipped(state: Schedule, event: Skipped, now: int, zone_data: int) -> Cursor:
    plan, cursor = state
    wall, second_pass = event.wall, event.second_pass
    if event.reason is Reason.WITHDRAWN:  # its wall time did not have its turn
        wall, second_pass = cursor.wall, cursor.second_pass
    return Cursor(
        _handled(plan, event.last, now), wall, event.next, event.next_due,
        0, cursor.fires, 0, zone_data, second_pass,
    )  # fmt: skip


def _recomputed(state: Schedule, event: ScheduleRecomputed, now: int, zone_data: int) -> Cursor:
    """What lies before both instants and before the decision is over, whatever changes later."""
    plan, cursor = state
    mark = cursor.mark
    if not plan.counts_from_decisions:
        mark = max(mark, min(cursor.nominal - 1, event.next - 1, now))
    return cursor._replace(mark=mark, nominal=event.next, due=event.next_due, zone_data=zone_data)
