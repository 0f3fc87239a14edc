"""
What becomes of a schedule's runs that have not begun when it changes or goes?

They are withdrawn, each with an event; those between two attempts have no further one once the
schedule is gone, and go on if it has other instants. What has begun goes on.
"""

from __future__ import annotations

from schemas.events import Reason, RunEnded, ScheduleEvent
from schemas.run_events import RunStatus
from schemas.snapshot import Run, RunPhase
from streams.decider.giving_out import dropped
from streams.decider.state import Plan, World
from streams.decider.subject import turn


def withdrawn_runs(
    plan: Plan, world: World, why: str, *, retrying: bool = True
) -> tuple[ScheduleEvent, ...]:
    """The ends of this schedule's runs that have not begun, and of those between two attempts.

    The latter go on if `retrying` is False.
    """
    events: list[ScheduleEvent] = []
    for run in sorted(world.subject.runs.values(), key=turn):
        if run.schedule != plan.id:
            continue
        if run.phase is RunPhase.WAITING:
            events.append(dropped(run, Reason.WITHDRAWN, why))
        elif run.phase is RunPhase.RETRYING and (retrying or run.started_at is None):
            events.append(_last_attempt(run, why))
    return tuple(events)


def _last_attempt(run: Run, why: str) -> RunEnded:
    if run.started_at is None:  # its target did not take it
        return dropped(run, Reason.WITHDRAWN, why)
    return RunEnded(
        *(run.schedule, run.version, run.incarnation, run.id, run.scope, run.nominal, run.origin),
        *(run.attempt, RunStatus.FAILED, run.started_at),
        detail=why,
    )
