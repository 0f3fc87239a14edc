"""
What becomes of a schedule's runs that have not begun when it changes or goes?

They are withdrawn, each with an event; those between two attempts have no further one. What has
begun goes on.
"""

from __future__ import annotations

from schemas.events import Reason, RunEnded, ScheduleEvent
from schemas.run_events import RunStatus
from schemas.snapshot import RunPhase
from streams.decider.giving_out import dropped
from streams.decider.state import Plan, World
from streams.decider.subject import turn


def withdrawn_runs(plan: Plan, world: World, why: str) -> tuple[ScheduleEvent, ...]:
    """The ends of this schedule's runs that have not begun, or wait for another attempt."""
    events: list[ScheduleEvent] = []
    for run in sorted(world.subject.runs.values(), key=turn):
        if run.schedule != plan.id:
            continue
        if run.phase is RunPhase.WAITING:
            events.append(dropped(run, Reason.WITHDRAWN, why))
        elif run.phase is RunPhase.RETRYING:
            events.append(
                RunEnded(
                    *(run.schedule, run.version, run.incarnation, run.id, run.scope, run.nominal),
                    *(run.origin, run.attempt, RunStatus.FAILED, run.started_at),
                    detail=why,
                )
            )
    return tuple(events)
