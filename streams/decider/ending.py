"""
What follows when an attempt of a run is over, or the run is?

A failed attempt is followed by another while the definition and the limits for everyone allow that;
what the end of a run means for its schedule is aftermath.py. Who says that it is over is runs.py,
or nobody who should.
"""

from __future__ import annotations

from schemas.events import RunEnded, RunRetries, ScheduleEvent
from schemas.policies import NO_RETRY
from schemas.run_events import Result, RunStatus
from schemas.snapshot import Run, RunPhase
from streams.decider.aftermath import follow
from streams.decider.evolve_subject import FAILURES
from streams.decider.giving_out import targets
from streams.decider.limits import attempts_after, backoff_of
from streams.decider.state import Plan, World

Events = tuple[ScheduleEvent, ...]
TRIED_AGAIN = FAILURES | {RunStatus.CONTAINER_NOT_RUNNING, RunStatus.UNAVAILABLE}
"""Ends of an attempt that may be followed by another."""
_SUCCESS = RunStatus.SUCCESS  # looked up once: of an enumeration that takes long


def attempt_ended(
    run: Run, status: RunStatus, detail: str, world: World, now: int, result: Result | None = None
) -> Events:
    """An attempt is over: another follows, or the run is over too."""
    if status is _SUCCESS:
        return ended(run, status, detail, world, now, result)
    plan = plan_of(run, world)
    retry = NO_RETRY if plan is None else plan.definition.retry
    again = status in TRIED_AGAIN and run.phase is RunPhase.STARTED
    again = again and (plan is None or run.scope in targets(plan))
    if not again or run.attempt > attempts_after(retry, world):
        return ended(run, status, detail, world, now, result)
    wait = backoff_of(retry, run.attempt, world)
    return (
        RunRetries(*run.named, *(run.attempt, status, now + wait), detail=detail, result=result),
    )


def ended(
    run: Run, status: RunStatus, detail: str, world: World, now: int, result: Result | None = None
) -> Events:
    """A run is over, and what follows for its schedule."""
    end = RunEnded(  # of all events about runs the most frequent one: no `*run.named`
        run.schedule, run.version, run.incarnation, run.id, run.scope, run.nominal, run.origin,
        run.attempt, status, run.started_at, detail, None, result,
    )  # fmt: skip
    return (end, *follow(end, world, now))


def plan_of(run: Run, world: World) -> Plan | None:
    """The schedule of a run, if it is still the same one."""
    state = world.siblings.get(run.schedule)
    if state is None or state.plan.incarnation != run.incarnation:
        return None
    return state.plan


def has_successor(run: Run, world: World) -> bool:
    """Whether another run waits for the end of this very one."""
    return any(other.behind == run.id for other in world.subject.runs.values())
