"""
May this be done to a deployment now, by what is known of its state?

What a person stopped, or nobody knows who did, is neither woken nor started; what is being started
is there already. Only these states are trusted: of all others the runner asks the deployment
itself. What waits for a quiet moment is quiet.py.
"""

from __future__ import annotations

from typing import NamedTuple

from schemas.actions import Act, Verb
from schemas.definition import Definition
from schemas.deployments import DeploymentState
from schemas.events import Reason, RunEnded, Skipped
from schemas.instants import format_instant
from schemas.run_events import RunStatus
from schemas.snapshot import Run, Standing
from streams.decider import lateness
from streams.decider.giving_out import dropped
from streams.decider.state import Plan, Schedule, World

WAKING = (Verb.WAKE, Verb.START)
"""What brings a deployment up."""
_A_SCHEDULE = "schedule:"
"""How the actors begin that are schedules."""


class Needless(NamedTuple):
    """Why nothing is done, and by which word of whom."""

    reason: Reason
    evidence: str


def needless(plan: Plan, world: World) -> Needless | None:
    """Why a wake or start is not to happen at all; None: it may."""
    standing = world.subject.notes.standing
    if standing is None or not wakes(plan.definition):
        return None
    if standing.state is DeploymentState.STARTING:
        return Needless(Reason.ALREADY_THERE, f"it is starting; {_who(standing, 'started')}")
    if standing.state is not DeploymentState.STOPPED or _is_a_schedule(standing.stopped_by):
        return None
    return Needless(Reason.NOT_STOPPED_BY_SCHEDULE, _who(standing, "stopped"))


def skipped(state: Schedule, world: World, now: int) -> Skipped | None:
    """The end of an occurrence that is needless; None: it may happen."""
    why = needless(state.plan, world)
    if why is None:
        return None
    return lateness.skipped(state, world, now, state.cursor.nominal, *why)


def wakes(definition: Definition) -> bool:
    """Whether it brings a deployment up."""
    work = definition.action.work
    return isinstance(work, Act) and work.verb in WAKING


def not_begun(run: Run, attempt: int, why: Needless) -> RunEnded:
    """The end of a run that is needless by the time at which it would have its turn."""
    if run.started_at is None:
        return dropped(run, why.reason, why.evidence)
    status = RunStatus(why.reason.value)
    return RunEnded(
        *run._replace(attempt=attempt - 1).named,
        *(attempt - 1, status, run.started_at),
        detail=why.evidence,
    )


def _is_a_schedule(actor: str | None) -> bool:
    return actor is not None and actor.startswith(_A_SCHEDULE)


def _who(standing: Standing, done: str) -> str:
    by = "nobody knows by whom" if standing.actor is None else f"by {standing.actor}"
    return f"{done} {by}, noted {format_instant(standing.since)}"
