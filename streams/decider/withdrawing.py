"""
What becomes of a schedule's runs that have not begun when it changes or goes?

They are withdrawn, each with an event; those between two attempts have no further one once the
schedule is gone, and go on if it has other instants. What has begun goes on.
"""

from __future__ import annotations

from dataclasses import replace

from schemas.definition import Definition
from schemas.events import Reason, RunEnded
from schemas.run_events import RunStatus
from schemas.snapshot import Run, RunPhase
from streams.decider.giving_out import dropped, targets
from streams.decider.state import Plan, World
from streams.decider.subject import turn


def withdrawn_runs(
    plan: Plan, world: World, why: str, *, retrying: bool = True
) -> tuple[RunEnded, ...]:
    """The ends of this schedule's runs that have not begun, and of those between two attempts.

    The latter, and those that are offered to the runners, go on if `retrying` is False.
    """
    events: list[RunEnded] = []
    its = [run for run in world.subject.runs.values() if run.schedule == plan.id]
    for run in sorted(its, key=turn):
        if run.phase is RunPhase.WAITING:
            events.append(dropped(run, Reason.WITHDRAWN, why))
        elif _is_between(run) and (retrying or _is_put_off(run)):
            events.append(_last_attempt(run, why))
    return tuple(events)


def _is_between(run: Run) -> bool:
    """Whether nothing of it goes on before its next attempt begins."""
    return run.phase in {RunPhase.RETRYING, RunPhase.OFFERED}


def _is_put_off(run: Run) -> bool:
    """Whether it has not begun because its target did not take it."""
    return run.phase is RunPhase.RETRYING and run.started_at is None


def withdrawn_targets(plan: Plan, definition: Definition, world: World) -> tuple[RunEnded, ...]:
    """The same for the targets that a schedule does not have any more with this definition.

    What began for one would be taken to be about all of it: what of a target is meant stands in the
    definition.
    """
    left = targets(replace(plan, definition=definition))
    found = withdrawn_runs(plan, world, "its target was taken out of the schedule")
    return tuple(one for one in found if one.scope not in left)


def _last_attempt(run: Run, why: str) -> RunEnded:
    if run.started_at is None:  # its target did not take it
        return dropped(run, Reason.WITHDRAWN, why)
    return RunEnded(
        *run.named,
        *(run.attempt, RunStatus.FAILED, run.started_at),
        detail=why,
    )
