"""
Which runner gets an attempt that was offered, and when is it offered again?

The first claim of the newest offer gets it, and only then does anything start: that is what makes a
start happen once at most (DESIGN section 6). What nobody claims in time, or whoever got it gives
back, is offered again. What a runner says of a run that it has is runs.py, its beats are beats.py.
"""

from __future__ import annotations

from schemas.commands import Asked, ClaimRun, DeclineRun
from schemas.events import RunGranted, RunNoted, RunOffered, ScheduleEvent
from schemas.run_events import RunStatus
from schemas.snapshot import Run, RunPhase
from schemas.subject_events import InsightKind
from streams.decider import gates
from streams.decider.answers import refuse
from streams.decider.beginning import begin, otherwise
from streams.decider.ending import ended, has_successor, plan_of
from streams.decider.insights import resolved
from streams.decider.pools import offered_for
from streams.decider.resting import held_by
from streams.decider.state import Plan, World
from streams.decider.subject import known_run

Events = tuple[ScheduleEvent, ...]


def claim(asked: Asked, command: ClaimRun, world: World, now: int) -> Events:
    """Give the attempt to the runner, or say why not; it has been told if it has it already."""
    run = known_run(world.subject, command.run, now)
    if run is None:
        return _refused(asked, "claim", f"there is no run {command.run} of this subject")
    why = _stale(command, world)
    if why is None and _has(run, command):
        return (_noted(run, "claim", "the runner has it already"),)
    why = why or _not_offered(run, command) or _held(run, world)
    if why is not None:
        return _refused(asked, "claim", why)
    instead = _instead(run, world, now)
    if instead:
        return (*_refused(asked, "claim", "it is not to begin any more"), *instead)
    granted = RunGranted(*run.named, *(run.attempt, command.issue, command.runner, command.boot))
    known = f"runner {command.runner} has run {run.id}"
    return (granted, *resolved(world.subject, run.schedule, InsightKind.NO_RUNNER, known))


def decline(asked: Asked, command: DeclineRun, world: World, now: int) -> Events:
    """Offer what its runner gives back once more; what was to stop is over."""
    run = known_run(world.subject, command.run, now)
    if run is None:
        return _refused(asked, "decline", f"there is no run {command.run} of this subject")
    why = _stale(command, world)
    if why is None and not _has(run, command):
        why = f"runner {command.runner} does not have attempt {command.attempt} by that offer"
    if why is not None:
        return _refused(asked, "decline", why)
    words = f"runner {command.runner} gave it back: {command.why}"
    if run.phase is RunPhase.CANCELLING:
        stopped = RunStatus.REPLACED if has_successor(run, world) else RunStatus.CANCELLED
        return ended(run, stopped, words, world, now)
    return offered_again(run, words, world, now)


def not_claimed(run: Run, world: World, now: int) -> Events:
    """Offer once more what nobody took."""
    return offered_again(run, "no runner claimed it in time", world, now)


def offered_again(run: Run, why: str, world: World, now: int) -> Events:
    """The next offer of the same attempt, under the definition that is in force by now.

    None while somebody holds it, or its pool takes no order.
    """
    plan = plan_of(run, world)
    if plan is None:
        return ended(run, RunStatus.CANCELLED, "its schedule was removed", world, now)
    is_work = plan.definition.action.work is not None
    if not is_work or held_by(plan, world) is not None or gates.refuses(plan, world):
        return begin(run, plan, run.attempt, world, now)
    instead = otherwise(run, plan, run.attempt, world, now)
    return instead or (_offer(run, plan, why, now),)


def _instead(run: Run, world: World, now: int) -> Events:
    """What becomes of an attempt that was offered, if it is not to begin by now."""
    plan = plan_of(run, world)
    return () if plan is None else otherwise(run, plan, run.attempt, world, now)


def _offer(run: Run, plan: Plan, why: str, now: int) -> RunOffered:
    issue = run.issue + 1
    return RunOffered(
        *(run.schedule, plan.version, run.incarnation, run.id, run.scope, run.nominal, run.origin),
        *(run.attempt, issue, now + offered_for(issue), why),
    )


def _stale(command: ClaimRun | DeclineRun, world: World) -> str | None:
    """Why nothing that this runner asks is listened to any more."""
    note = world.runners.get(command.runner)
    if note is None or note.boot < command.boot:
        return None
    if note.boot > command.boot:
        return f"runner {command.runner} has begun a later life"
    if note.leaving and isinstance(command, ClaimRun):
        return f"runner {command.runner} is leaving"
    return None


def _has(run: Run, command: ClaimRun | DeclineRun) -> bool:
    """Whether the runner has this attempt by this very offer."""
    asked = command.attempt, command.issue, command.runner, command.boot
    going = run.phase in {RunPhase.STARTED, RunPhase.CANCELLING}
    return going and (run.attempt, run.issue, run.runner, run.boot) == asked


def _not_offered(run: Run, command: ClaimRun) -> str | None:
    if run.phase is RunPhase.ENDED:
        return f"the run is over already: {run.status}"
    if run.phase is not RunPhase.OFFERED:
        return "the run is not offered now"
    if (run.attempt, run.issue) != (command.attempt, command.issue):
        there = f"attempt {run.attempt}, offer {run.issue}"
        return f"the claim is of attempt {command.attempt}, offer {command.issue}; it is at {there}"
    return None


def _held(run: Run, world: World) -> str | None:
    plan = plan_of(run, world)
    return "its schedule was removed" if plan is None else held_by(plan, world)


def _refused(asked: Asked, word: str, why: str) -> Events:
    return refuse(asked, word, "run", why)


def _noted(run: Run, status: str, ignored: str) -> RunNoted:
    return RunNoted(*run.named, *(run.attempt, status, None, ignored))
