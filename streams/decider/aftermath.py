"""
What does the end of a run mean for its schedule?

What somebody should know about it is raised or resolved (insights.py), and a deployment is in
another state, or held (acted.py). After so many failures in a row it is paused; if not, an interval
that counts from the end of its work goes on (counting_on.py). How a run ends is ending.py.
"""

from __future__ import annotations

from schemas.actions import Act
from schemas.events import RunEnded, ScheduleEvent, SchedulePaused
from schemas.subject_events import InsightKind
from streams.decider import acted, firing, insights
from streams.decider.counting_on import counted_on
from streams.decider.evolve_subject import FAILURES, UNSUCCESSFUL, world_after
from streams.decider.settling import settled
from streams.decider.state import Schedule, World

Events = tuple[ScheduleEvent, ...]


def follow(end: RunEnded, world: World, now: int) -> Events:
    """The events about the schedule; `world` is before the end."""
    state = world.siblings.get(end.schedule)
    if state is None or state.plan.incarnation != end.incarnation:
        return ()
    plan = state.plan
    is_told = end.status in UNSUCCESSFUL or bool(world.subject.notes.insights)
    is_told = is_told or isinstance(plan.definition.action.work, Act)
    if not plan.definition.pause_on_failure and not plan.counts_from_ends and not is_told:
        return ()  # the common case: then nobody asks what the world is after it
    world = world_after(world, (end,), now)
    told = (*insights.after_end(end, plan, world), *acted.after_end(end, plan, world, now))
    if plan.pause is not None or plan.completed:
        return told
    world = world_after(world, told, now)  # what is held by this end fires no more before a pause
    paused = _paused(end, state, world, now)
    if paused:
        return (*told, *paused)
    following = counted_on(end, world, now)
    return told if following is None else (*told, following)


def _paused(end: RunEnded, state: Schedule, world: World, now: int) -> Events:
    most = state.plan.definition.pause_on_failure
    times = world.subject.failures(end.schedule)
    if not most or end.status not in FAILURES or times < most:
        return ()
    events, state = settled(state, world, now, now)
    plan = state.plan
    row = f" ({times} failures in a row)" if times > 1 else ""
    reason = f"run {end.run} ended {end.status}{row}"
    paused = SchedulePaused(plan.id, plan.version, plan.incarnation, reason, now, None)
    if firing.is_exhausted(state, world):  # a pause would only put off that it is over
        return (*events, paused, firing.completed(plan))
    known = insights.raised(world.subject, plan.id, InsightKind.PAUSED, reason)
    return (*events, paused, *known)
