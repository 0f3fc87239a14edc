"""
Where does a schedule go on when its pause ends, and what of the pause is caught up?

As a rule it goes on from that moment, and what was due while it was paused is no occurrence. With
`on_resume`, or with the word of the command that resumes it, for that one time, the pause is judged
like any other lateness: what was due after its beginning and up to its end is a stretch of its own.
How a stretch is judged is lateness.py; that it is decided together with the resumption, firing.py.
"""

from __future__ import annotations

from schemas.definition import CatchUpMode
from schemas.events import ScheduleResumed
from streams.calendar.occurrences import NEVER
from streams.decider.agenda import Agenda, agenda_of, last_turn, moved
from streams.decider.causes import Stretch
from streams.decider.state import Plan, Schedule, World

MOST_CAUGHT_UP = 1_000
"""Instants of a pause that still run: all of them are one transaction."""


def stretch_of_pause(
    state: Schedule, world: World, at: int, override: CatchUpMode | None
) -> Stretch | None:
    """What was due during a pause that ends at that time; None: nothing of it is looked at.

    A one-time keeps its instant, and an interval that counts from the end of its work has none.
    """
    plan, cursor = state
    rule = plan.definition.catch_up
    mode = rule.on_resume if override is None else override
    single = plan.rule is not None and plan.rule.once
    if mode is CatchUpMode.NONE or single or plan.counts_from_ends or plan.pause is None:
        return None
    agenda = agenda_of(plan, world, cursor)
    if agenda.due_at(_first(state, agenda, plan.pause.since)) > at or agenda.exhausted():
        return None
    return Stretch(mode, agenda.due_by(at), min(rule.limit, MOST_CAUGHT_UP))


def going_on(
    state: Schedule, world: World, reason: str, at: int, pause: Stretch | None
) -> ScheduleResumed:
    """It goes on from `at`, or, if something of the pause is to be looked at, from its beginning.

    What was due by then but not yet at the pause comes too. An interval that counts from decisions
    counts from the resumption, unless it is late already.
    """
    plan, cursor = state
    agenda = agenda_of(plan, world, cursor)
    if pause is not None and plan.pause is not None:
        following = _first(state, agenda, plan.pause.since)
        begins_at = cursor.mark
        if not plan.counts_from_decisions:
            begins_at = max(agenda.due_by(plan.pause.since), cursor.mark)
        return _resumed(plan, reason, begins_at, (following, agenda.due_at(following)))
    begins_at = _beginning(state, agenda, at)
    agenda = agenda.restarted(begins_at)
    following = agenda.unhandled(begins_at, last_turn(cursor)).instant
    if agenda.exhausted():
        following = NEVER
    return _resumed(plan, reason, begins_at, (following, agenda.due_at(following)))


def _first(state: Schedule, agenda: Agenda, since: int) -> int:
    """The first instant that was due after a pause began, or was pending then; NEVER: none."""
    cursor = state.cursor
    return agenda.unhandled(max(agenda.due_by(since), cursor.mark), last_turn(cursor)).instant


def _beginning(state: Schedule, agenda: Agenda, at: int) -> int:
    """Where it goes on: a one-time where it was, anything else at that time."""
    plan, cursor = state
    if plan.counts_from_decisions:
        return max(at, cursor.mark)
    once = plan.rule is not None and plan.rule.once
    return cursor.mark if once else max(agenda.due_by(at), cursor.mark)


def _resumed(plan: Plan, reason: str, begins_at: int, times: tuple[int, int]) -> ScheduleResumed:
    following, due_at = times
    return ScheduleResumed(
        *(plan.id, plan.version, plan.incarnation, reason, begins_at, following),
        next_due=moved(following, due_at),
    )
