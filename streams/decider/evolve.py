"""
What is the state after this event?

Copies facts into a new frozen state; never checks, never argues, reads no clock. `advance` is the
part that a fire needs and touches the cursor only; `evolve` is the whole. What the facts are is
decided in decide.py and firing.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from schemas.definition import Definition
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    Deferred,
    Fired,
    ScheduleChanged,
    ScheduleCompleted,
    ScheduleDefined,
    ScheduleEvent,
    SchedulePaused,
    ScheduleRecomputed,
    ScheduleRemoved,
    ScheduleResumed,
    Skipped,
    Stamp,
)
from schemas.schedule import PauseNote
from schemas.snapshot import Cursor
from streams.calendar.occurrences import NEVER, Rule, TimingRefused, kept_rule
from streams.decider.state import Plan, Schedule

OccurrenceEvent = Fired | Skipped | Deferred


def advance(state: Schedule, event: OccurrenceEvent, zone_data: int) -> Schedule:
    """The state after an occurrence was fired, skipped or deferred."""
    plan, cursor = state
    match event:
        case Fired(origin=None):
            return Schedule(
                plan,
                Cursor(
                    event.nominal, event.wall, event.next, event.next_due,
                    0, cursor.fires + 1, 0, zone_data, event.second_pass,
                ),
            )  # fmt: skip
        case Fired():
            moved = cursor._replace(nominal=event.next, due=event.next_due, fires=cursor.fires + 1)
            return Schedule(plan, moved)
        case Skipped():
            return Schedule(
                plan,
                Cursor(
                    event.last, event.wall, event.next, event.next_due,
                    0, cursor.fires, 0, zone_data, event.second_pass,
                ),
            )  # fmt: skip
        case Deferred():
            return Schedule(
                plan,
                cursor._replace(
                    due=event.until, deferred_at=event.deferred_at, deferrals=event.deferrals
                ),
            )
        case _:
            assert_never(event)


def evolve(  # noqa: C901, PLR0911 - one exhaustive match
    state: Schedule | None, event: ScheduleEvent, stamp: Stamp, zone_data: int = 0
) -> Schedule | None:
    """The state of a schedule after `event`; None: there is no such schedule."""
    match event:
        case ScheduleDefined():
            return _defined(event, stamp, zone_data)
        case CommandRefused() | CommandUnchanged():
            return state
        case Fired() | Skipped() | Deferred() if state is not None:
            return advance(state, event, zone_data)
        case ScheduleChanged() if state is not None:
            return _changed(state, event, stamp, zone_data)
        case SchedulePaused() if state is not None:
            return _paused(state, event, stamp)
        case ScheduleResumed() if state is not None:
            cursor = _from(event.begins_at, event.next, zone_data, state.cursor)
            return Schedule(_by(replace(state.plan, pause=None), stamp), cursor)
        case ScheduleRecomputed(next=following, next_due=due) if state is not None:
            cursor = state.cursor._replace(nominal=following, due=due, zone_data=zone_data)
            return Schedule(state.plan, cursor)
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
    return Schedule(plan, _from(event.begins_at, event.next, zone_data, None))


def _changed(state: Schedule, event: ScheduleChanged, stamp: Stamp, zone_data: int) -> Schedule:
    plan = replace(
        state.plan,
        version=event.version,
        definition=event.definition,
        rule=compiled(event.definition, event.schedule),
        completed=state.plan.completed and event.next == NEVER,
    )
    cursor = state.cursor
    if (event.begins_at, event.next) != (cursor.mark, cursor.nominal):
        cursor = _from(event.begins_at, event.next, zone_data, cursor)
    if plan.pause is not None:
        cursor = cursor._replace(
            nominal=NEVER, due=NEVER if plan.pause.until is None else plan.pause.until
        )
    return Schedule(_by(plan, stamp), cursor)


def _paused(state: Schedule, event: SchedulePaused, stamp: Stamp) -> Schedule:
    note = PauseNote(event.reason, stamp.actor, event.since, event.until)
    rings_at = NEVER if event.until is None else event.until
    cursor = state.cursor._replace(nominal=NEVER, due=rings_at)
    return Schedule(_by(replace(state.plan, pause=note), stamp), cursor)


def _by(plan: Plan, stamp: Stamp) -> Plan:
    return replace(plan, changed_at=stamp.decided_at, actor=stamp.actor)


def _from(begins_at: int, nominal: int, zone_data: int, before: Cursor | None) -> Cursor:
    """A cursor that has settled everything up to `begins_at`."""
    fires = before.fires if before else 0
    return Cursor(begins_at, begins_at, nominal, nominal, 0, fires, 0, zone_data, 0)
