"""
What becomes of a run whose subject is found busy when it is to begin, or right before it acts?

It goes back to waiting, and its gate is asked anew before it is offered again: as often as the gate
looks, with one event at most for each look, and no longer than the occurrence itself would have
waited for quiet. So is whatever is done to a deployment after it waited behind other runs, or for a
runner: it was quiet when it was decided, and need not be any more.
"""

from __future__ import annotations

from schemas.actions import Act
from schemas.definition import MINUTE, Definition
from schemas.events import RunRetries, ScheduleEvent
from schemas.instants import format_instant
from schemas.run_events import Result, RunStatus
from schemas.snapshot import Run, RunPhase
from streams.calendar.windows import opening
from streams.decider.ending import ended, plan_of
from streams.decider.limits import gate_of
from streams.decider.quiet import look_at, next_look
from streams.decider.state import Plan, World
from streams.decider.waiting import UNBOUNDED_RETRIES

Events = tuple[ScheduleEvent, ...]
BUSY_FOR = MINUTE
"""What was found busy is tried again after so long, if its schedule has no gate that says."""


def found_busy(run: Run, detail: str, world: World, now: int, result: Result | None) -> Events:
    """Somebody says that it was: try the same attempt later, if it is not given up by then."""
    plan = plan_of(run, world)
    again_at = None if plan is None else _again_at(run, plan, now)
    if again_at is None:
        return ended(run, RunStatus.BUSY, detail, world, now, result)
    status = (run.attempt - 1, RunStatus.BUSY, again_at)
    return (RunRetries(*run.named, *status, detail=detail, result=result),)


def put_off(run: Run, plan: Plan, attempt: int, world: World, now: int) -> Events:
    """What becomes of an attempt that is to begin while its subject is busy; nothing: it begins.

    Of a look that came long after the limit, as after an outage, it does not matter what it sees.
    """
    gate = gate_of(plan.definition)
    if gate is None or not _is_asked(run, plan.definition):
        return ()
    found = look_at(plan.definition, world.subject.notes, now)
    ends_at = _given_up_at(run, plan, gate.max_wait)
    was_put_off = run.phase is RunPhase.RETRYING
    is_late = plan.definition.gate is not None and was_put_off
    is_late = is_late and now - ends_at > plan.definition.catch_up.grace
    if found.busy is None and not is_late:
        return ()
    if now >= ends_at:
        words = f"it waited until {format_instant(ends_at)}; " if is_late else ""
        run = run._replace(attempt=attempt)
        return ended(run, RunStatus.BUSY, words + found.evidence, world, now)
    looked_at = run.until if was_put_off and run.until is not None else now
    again_at = min(next_look(looked_at, gate.look, now), ends_at)
    status = (attempt - 1, RunStatus.BUSY, again_at)
    return (RunRetries(*run.named, *status, detail=found.evidence),)


def _is_asked(run: Run, definition: Definition) -> bool:
    """Whether its gate is asked anew: a fire by hand asks none before it was found busy."""
    if run.status is RunStatus.BUSY:
        return True
    return run.origin is None and isinstance(definition.action.work, Act)


def _again_at(run: Run, plan: Plan, now: int) -> int | None:
    """When the next look is; None: it is given up."""
    gate = gate_of(plan.definition)
    if gate is not None:
        ends_at = _given_up_at(run, plan, gate.max_wait)
        return min(now + gate.look, ends_at) if now < ends_at else None
    given_up = run.due + UNBOUNDED_RETRIES if run.start_until is None else run.start_until
    return now + BUSY_FOR if now + BUSY_FOR < given_up else None


def _given_up_at(run: Run, plan: Plan, wait: int) -> int:
    """How long quiet is waited for: from when it was due, or its window opened after that."""
    window, zone = plan.definition.window, plan.definition.zone
    found = None if window is None else opening(window, zone, run.due)
    if window is None or found is None or found.begins <= run.due:
        return run.due + wait
    return found.begins + min(window.spread, found.ends - found.begins) + wait
