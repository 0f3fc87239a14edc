"""
When does an interval go on that counts from the end of its work?

When its last open run is over, however that came: it ended, or it waited and never began. Until
then such a schedule has no instant to wait for.
"""

from __future__ import annotations

from schemas.events import RunEnded, ScheduleRecomputed
from streams.calendar.occurrences import NEVER
from streams.decider.agenda import agenda_of
from streams.decider.evolve_subject import world_after
from streams.decider.state import Plan, World

Over = tuple[RunEnded] | tuple[RunEnded, ScheduleRecomputed]


def over(end: RunEnded, world: World, now: int) -> Over:
    """The end, and the next instant of an interval that counts from it; `world` is before it."""
    state = world.siblings.get(end.schedule)
    if state is None or not _waits_for(end, state.plan):
        return (end,)  # the common case: then nobody asks what the world is after it
    following = counted_on(end, world_after(world, (end,), now), now)
    return (end,) if following is None else (end, following)


def counted_on(end: RunEnded, world: World, now: int) -> ScheduleRecomputed | None:
    """The next instant of the schedule; `world` is the one in which the run is over."""
    state = world.siblings.get(end.schedule)
    if state is None or not _waits_for(end, state.plan) or state.cursor.nominal != NEVER:
        return None
    plan, cursor = state
    if any(run.schedule == plan.id for run in world.subject.runs.values()):
        return None  # another target's work goes on
    agenda = agenda_of(plan, world, cursor)
    if agenda.exhausted():
        return None
    since = max(cursor.mark, now)  # the clock may have been put back
    following = agenda.restarted(since).next_tick(since).instant
    if following == NEVER:
        return None
    due = agenda.due_at(following)
    cause = f"run {end.run} ended"
    return ScheduleRecomputed(plan.id, plan.version, plan.incarnation, cause, following, due)


def _waits_for(end: RunEnded, plan: Plan) -> bool:
    """Whether the schedule that is there is the one of the run, and waits for its end."""
    if plan.pause is not None or plan.completed:
        return False
    return plan.counts_from_ends and plan.incarnation == end.incarnation
