"""
What does the end of a run mean for its schedule?

After so many failures in a row it is paused, and an interval that counts from the end of its work
gets its next instant. How a run ends is runs.py.
"""

from __future__ import annotations

from schemas.events import RunEnded, ScheduleEvent, SchedulePaused, ScheduleRecomputed
from streams.calendar.occurrences import NEVER
from streams.decider.agenda import agenda_of
from streams.decider.evolve_subject import FAILURES
from streams.decider.settling import settled
from streams.decider.state import Schedule, World

Events = tuple[ScheduleEvent, ...]


def follow(end: RunEnded, world: World, now: int) -> Events:
    """The events about the schedule; `world` is the one in which the run is over."""
    state = world.siblings.get(end.schedule)
    if state is None or state.plan.pause is not None or state.plan.completed:
        return ()
    paused = _paused(end, state, world, now)
    return paused or _counted_on(end, state, world, now)


def _paused(end: RunEnded, state: Schedule, world: World, now: int) -> Events:
    most = state.plan.definition.pause_on_failure
    times = world.subject.failures(end.schedule)
    if not most or end.status not in FAILURES or times < most:
        return ()
    events, (plan, _) = settled(state, world, now, now)
    row = f" ({times} failures in a row)" if times > 1 else ""
    reason = f"run {end.run} ended {end.status}{row}"
    paused = SchedulePaused(plan.id, plan.version, plan.incarnation, reason, now, None)
    return (*events, paused)


def _counted_on(end: RunEnded, state: Schedule, world: World, now: int) -> Events:
    """The next instant of an interval that counts from the end of its work."""
    plan, cursor = state
    if not plan.counts_from_ends or cursor.nominal != NEVER:
        return ()
    if any(run.schedule == plan.id for run in (*world.subject.active(), *world.subject.waiting())):
        return ()  # another target's work goes on
    agenda = agenda_of(plan, world, cursor)
    if agenda.exhausted():
        return ()
    following = agenda.restarted(now).next_tick(now).instant
    if following == NEVER:
        return ()
    due = agenda.due_at(following)
    cause = f"run {end.run} ended"
    return (ScheduleRecomputed(plan.id, plan.version, plan.incarnation, cause, following, due),)
