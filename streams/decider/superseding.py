"""
What does an occurrence close that is due later than others of its subject?

Where schedules say `supersedes`, the newest word counts: what is due closes the older occurrences
of these schedules that are still deferred, and their older runs that have not begun. What has begun
goes on, and is in the way as the overlap rule says.
"""

from __future__ import annotations

from collections.abc import Iterator

from schemas.events import Reason, Skipped
from schemas.instants import format_instant
from schemas.snapshot import Run, RunPhase
from streams.calendar.occurrences import NEVER
from streams.decider import lateness
from streams.decider.counting_on import Over, over
from streams.decider.evolve_subject import world_after
from streams.decider.giving_out import dropped
from streams.decider.state import Plan, Schedule, World
from streams.decider.subject import turn


def superseded_runs(plan: Plan, world: World, due: int, now: int) -> Iterator[Over]:
    """The ends of the runs that never begin because this schedule has an occurrence due then."""
    for run in sorted(filter(_has_not_begun, world.subject.runs.values()), key=turn):
        state = world.siblings.get(run.schedule)
        if run.due < due and state is not None and state.plan.definition.overlap.supersedes:
            ends = over(dropped(run, Reason.SUPERSEDED, _evidence(plan, due)), world, now)
            world = world_after(world, ends, now)
            yield ends


def superseded_occurrences(
    plan: Plan, world: World, due: int, now: int
) -> Iterator[tuple[Schedule, Skipped]]:
    """The ends of deferred occurrences of the other schedules, each with its schedule."""
    for name in world.siblings.ids():
        state = world.siblings.get(name)
        if name == plan.id or state is None or not _is_deferred(state):
            continue
        if lateness.due_of(state, world) < due:
            last, why = state.cursor.nominal, _evidence(plan, due)
            yield state, lateness.skipped(state, world, now, last, Reason.SUPERSEDED, why)


def _is_deferred(state: Schedule) -> bool:
    plan, cursor = state
    return plan.definition.overlap.supersedes and cursor.deferrals > 0 and cursor.nominal != NEVER


def _has_not_begun(run: Run) -> bool:
    waits = run.phase in {RunPhase.WAITING, RunPhase.RETRYING, RunPhase.OFFERED}
    return waits and run.started_at is None


def _evidence(plan: Plan, due: int) -> str:
    return f"{plan.id} was due after it, at {format_instant(due)}"
