"""
What becomes of a run that somebody reports about, or nobody does?

A report ends an attempt or keeps it alive; silence ends it (`interrupted`), and so does too long an
attempt. A failed attempt is followed by another while the definition allows that. When a run is
over, others may begin (promotion.py), and what follows for its schedule is aftermath.py.
"""

from __future__ import annotations

from functools import partial

from schemas.commands import Asked, CancelRun, ReportRun, ReportStatus
from schemas.events import (
    Reason,
    RunEnded,
    RunNoted,
    RunRetries,
    ScheduleEvent,
)
from schemas.instants import format_instant
from schemas.policies import NO_RETRY
from schemas.run_events import RunStatus
from schemas.snapshot import Run, RunPhase
from streams.decider import holding
from streams.decider.aftermath import follow
from streams.decider.answers import refuse
from streams.decider.backfilling import work
from streams.decider.beginning import begin
from streams.decider.counting_on import over
from streams.decider.evolve_subject import FAILURES, world_after
from streams.decider.giving_out import cancelling, dropped, targets
from streams.decider.promotion import MOST_AT_ONCE, promoted
from streams.decider.state import Plan, World
from streams.decider.subject import ENDED_RUNS_KEPT, deadline, turn, unheard_until

Events = tuple[ScheduleEvent, ...]
_ENDS = {
    ReportStatus.SUCCESS: RunStatus.SUCCESS,
    ReportStatus.FAILED: RunStatus.FAILED,
    ReportStatus.TIMEOUT: RunStatus.TIMEOUT,
    ReportStatus.CANCELLED: RunStatus.CANCELLED,
}


def report(asked: Asked, command: ReportRun, world: World, now: int) -> Events:
    """Take in what somebody says about a run."""
    run = _known(world, command.run, now)
    if run is None:
        return refuse(asked, "report", "run", f"there is no run {command.run} of this subject")
    ignored = _ignored(run, command)
    if ignored is not None:
        return (_noted(run, command.status.value, ignored=ignored),)
    if command.status is ReportStatus.RUNNING:
        return (_noted(run, command.status.value, _lease(run, world, now)),)
    status = _ENDS[command.status]
    if run.phase is RunPhase.CANCELLING and status is not RunStatus.SUCCESS:
        status = RunStatus.REPLACED if _has_successor(run, world) else RunStatus.CANCELLED
    return with_promotions(attempt_ended(run, status, command.detail, world, now), world, now)


def cancel(asked: Asked, command: CancelRun, world: World, now: int) -> Events:
    """Ask a run to stop; one that has not begun, or is between attempts, is over at once."""
    run = _known(world, command.run, now)
    if run is None:
        return refuse(asked, "cancel", "run", f"there is no run {command.run} of this subject")
    if run.phase is RunPhase.ENDED:
        return (_noted(run, "cancel", ignored=f"it is over already: {run.status}"),)
    if run.phase is RunPhase.CANCELLING:
        return (_noted(run, "cancel", ignored="it was asked to stop already"),)
    if run.phase is RunPhase.STARTED:
        return (cancelling(run, command.reason or "cancelled by hand", None),)
    events = ended(run, RunStatus.CANCELLED, command.reason, world, now)
    return with_promotions(events, world, now)


def subject_due(world: World, subject: str, now: int) -> Events:
    """What is decided about a subject whose timer rings."""
    if world.held:
        return ()
    heard = unheard_until(world.subject, now) or 0
    events = holding.ended(f"{subject}/", world.subject.notes, now)
    world = world_after(world, events, now)
    if world.subject.held:
        return events
    # First who may begin: nobody is dropped for waiting too long at the moment of its turn.
    for look in (promoted, partial(_all_overdue, heard), promoted, work):
        found = look(world, now)
        world = world_after(world, found, now)
        events += found
    return events


def with_promotions(events: Events, world: World, now: int) -> Events:
    """These events, and those about the runs that may begin after them."""
    if not world.subject.has_waiting():
        return events
    return (*events, *promoted(world_after(world, events, now), now))


def attempt_ended(run: Run, status: RunStatus, detail: str, world: World, now: int) -> Events:
    """An attempt is over: another follows, or the run is over too."""
    if status is RunStatus.SUCCESS:
        return ended(run, status, detail, world, now)
    plan = _plan_of(run, world)
    retry = NO_RETRY if plan is None else plan.definition.retry
    again = status in FAILURES and run.phase is RunPhase.STARTED
    again = again and (plan is None or run.scope in targets(plan))
    if not again or run.attempt > retry.most:
        return ended(run, status, detail, world, now)
    wait = min(retry.backoff << min(run.attempt - 1, 40), retry.longest)
    retries = RunRetries(
        *run.named,
        *(run.attempt, status, now + wait),
        detail=detail,
    )
    return (retries,)


def ended(run: Run, status: RunStatus, detail: str, world: World, now: int) -> Events:
    """A run is over, and what follows for its schedule."""
    end = RunEnded(
        *run.named,
        *(run.attempt, status, run.started_at),
        detail=detail,
    )
    return (end, *follow(end, world, now))


def _all_overdue(heard: int, world: World, now: int) -> Events:
    """What becomes of the runs whose time is over, in the order of their turn.

    Whoever could have said something has until `heard`. Of very many the rest is for the next look,
    which is due at once: a batch is bounded.
    """
    events: Events = ()
    overdue = [
        run
        for run in world.subject.runs.values()
        if deadline(run) <= (now if run.phase is RunPhase.RETRYING else heard)
    ]
    for run in sorted(overdue, key=turn)[:MOST_AT_ONCE]:
        here = world.subject.runs.get(run.id)  # what an earlier one led to may have ended it
        found = () if here is None else _overdue(here, world, now)
        world = world_after(world, found, now)
        events += found
    return events


def _overdue(run: Run, world: World, now: int) -> Events:
    """What becomes of a run whose time is over, without those who begin instead."""
    if deadline(run) > now:
        return ()
    match run.phase:
        case RunPhase.WAITING:
            end = dropped(run, Reason.QUEUE_TIMEOUT, f"it waited until {_at(run.until)}")
            return over(end, world, now)
        case RunPhase.RETRYING:
            plan = _plan_of(run, world)
            if plan is None:
                return ended(run, RunStatus.CANCELLED, "its schedule was removed", world, now)
            return begin(run, plan, run.attempt + 1, world, now)
        case _ if run.lease_until is not None and run.lease_until <= now:
            words = f"nobody reported about it until {_at(run.lease_until)}"
            return ended(run, RunStatus.INTERRUPTED, words, world, now)
        case _:
            words = f"its attempt was to be over by {_at(run.attempt_until)}"
            return attempt_ended(run, RunStatus.TIMEOUT, words, world, now)


def _known(world: World, name: str, now: int) -> Run | None:
    """The run, unless it ended so long ago that it need not be known any longer."""
    run = world.subject.run(name)
    if run is None or (run.phase is RunPhase.ENDED and run.since <= now - ENDED_RUNS_KEPT):
        return None
    return run


def _ignored(run: Run, command: ReportRun) -> str | None:
    """Why a report changes nothing."""
    if run.phase is RunPhase.STARTED and command.attempt in (None, run.attempt):
        return None
    if run.phase is RunPhase.ENDED:
        return f"the run is over already: {run.status}"
    if command.attempt is not None and command.attempt != run.attempt:
        return f"it is about attempt {command.attempt}, the run is at {run.attempt}"
    if run.phase is RunPhase.WAITING:
        return "the run has not begun"
    if run.phase is RunPhase.RETRYING:
        return f"attempt {run.attempt} is over already"
    return None


def _noted(
    run: Run, status: str, lease_until: int | None = None, ignored: str | None = None
) -> RunNoted:
    return RunNoted(
        *run.named,
        *(run.attempt, status, lease_until, ignored),
    )


def _lease(run: Run, world: World, now: int) -> int | None:
    """Until when a run need not be heard of again."""
    plan = _plan_of(run, world)
    tracked = None if plan is None else plan.definition.action.tracked
    return run.lease_until if tracked is None else now + tracked.lease


def _plan_of(run: Run, world: World) -> Plan | None:
    """The schedule of a run, if it is still the same one."""
    state = world.siblings.get(run.schedule)
    if state is None or state.plan.incarnation != run.incarnation:
        return None
    return state.plan


def _has_successor(run: Run, world: World) -> bool:
    return any(other.behind == run.id for other in world.subject.runs.values())


def _at(instant: int | None) -> str:
    return "" if instant is None else format_instant(instant)
