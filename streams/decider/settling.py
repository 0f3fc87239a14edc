"""
How does the past of a schedule end before a command changes its timing?

What was due is settled under the old rule, so that no edit is retroactive: the newest of it fires
if that is not too late, the rest is withdrawn in one record. Which commands ask for that is
lifecycle.py.
"""

from __future__ import annotations

from schemas.events import Reason, ScheduleEvent, Skipped
from streams.decider import acts, firing, gates, lateness, requested
from streams.decider.agenda import agenda_of
from streams.decider.evolve import advance
from streams.decider.evolve_subject import world_after
from streams.decider.firing import Decided, Events
from streams.decider.recompute import brought_up_to_date
from streams.decider.resting import rests
from streams.decider.state import Schedule, World

MOST_SETTLED = 1_000
"""Instants within the grace that still fire before a command changes their schedule."""


def settled(state: Schedule, world: World, until: int, now: int) -> tuple[Events, Schedule]:
    """Bring the past of a schedule to its end before a command changes its timing.

    Instants due by `until` that are within the grace fire under the old rule, but only the newest
    MOST_SETTLED of them, since all this is one transaction; older ones are withdrawn in one record,
    and so is one that waits or would have to; under a hold all are withdrawn. Returns the events
    and the state after them.
    """
    if state.plan.pause is not None:
        return (), state
    anew, state = brought_up_to_date(state, world, now)
    events: list[ScheduleEvent] = [*anew]
    too_old = _too_old(state, world, until, now)
    while state.cursor.deferrals or state.cursor.due <= until:
        settled_ = _settle_oldest(state, world, (until, too_old), now)
        events += settled_
        world = world_after(world, settled_, now)
        state = advance(state, settled_[0], now, world.zone_data)
    return tuple(events), state


def _withdrawn(
    state: Schedule, world: World, now: int, until: int, evidence: str | None
) -> Skipped:
    """The same up to the next instant that was asked to be skipped, which ends by itself."""
    last = agenda_of(state.plan, world, state.cursor).due_by(until)
    last = requested.before_next(state, last)
    return lateness.skipped(state, world, now, last, Reason.WITHDRAWN, evidence)


def _too_old(state: Schedule, world: World, until: int, now: int) -> int:
    """What was due up to here is not fired any more before a change."""
    plan, cursor = state
    agenda = agenda_of(plan, world, cursor)
    late = min(until, now - plan.definition.catch_up.grace - 1)
    if cursor.due > until:
        return late
    last = agenda.due_by(until)
    first = agenda.next_tick(max(agenda.due_by(late), cursor.nominal - 1)).instant
    if first > last:
        return late
    return agenda.due_at(lateness.newest_of(agenda, first, last, MOST_SETTLED)) - 1


def _settle_oldest(state: Schedule, world: World, bounds: tuple[int, int], now: int) -> Decided:
    plan, cursor = state
    until, too_old = bounds
    if requested.is_requested(state) and not rests(plan, world):
        last = cursor.nominal
        return (lateness.skipped(state, world, now, last, Reason.REQUESTED),)
    if cursor.deferrals:
        why = "the schedule changed while it waited"
        return (_withdrawn(state, world, now, cursor.nominal, why),)
    if rests(plan, world):
        return (_withdrawn(state, world, now, until, "held"),)
    if plan.rule is None:
        return (_withdrawn(state, world, now, until, "its timing cannot be read any more"),)
    if cursor.due <= too_old:
        return (_withdrawn(state, world, now, too_old, None),)
    return _settle_in_time(state, world, until, now)


def _settle_in_time(state: Schedule, world: World, until: int, now: int) -> Decided:
    cursor = state.cursor
    why = firing.frozen_at(state, world, cursor.due)
    if why is not None:
        return (lateness.skipped(state, world, now, cursor.nominal, Reason.FREEZE, why),)
    put_off = firing.waits(state, world, now, cursor.due)
    if put_off is not None:
        return (_withdrawn(state, world, now, until, put_off.evidence),)
    skip = acts.skipped(state, world, now)
    if skip is not None:
        return (skip,)
    refusal = gates.refuses(state.plan, world)
    if refusal is not None:
        return (_withdrawn(state, world, now, until, refusal),)
    return firing.closing(firing.fired, state, world, now)
