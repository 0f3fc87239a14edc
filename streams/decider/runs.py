"""
What becomes of a run that somebody reports about, or nobody does?

A report ends an attempt or keeps it alive; silence ends it (`interrupted`), and so does too long an
attempt; so does an offer that no runner took. What an end leads to is ending.py: another attempt,
or something for its schedule. When a run is over, others may begin (promotion.py). Which runner
gets an attempt is offers.py, what is found busy busy.py.
"""

from __future__ import annotations

from functools import partial

from schemas.commands import Asked, CancelRun, ReportRun, ReportStatus
from schemas.events import Reason, RunEnded, RunNoted, ScheduleEvent
from schemas.instants import format_instant
from schemas.run_events import Result, RunStatus
from schemas.snapshot import Run, RunPhase
from streams.decider import holding
from streams.decider.answers import refuse
from streams.decider.backfilling import work
from streams.decider.beginning import begin
from streams.decider.busy import found_busy
from streams.decider.counting_on import over
from streams.decider.ending import attempt_ended, ended, has_successor, plan_of
from streams.decider.evolve_subject import world_after
from streams.decider.firing import due
from streams.decider.giving_out import cancelling, dropped
from streams.decider.offers import not_claimed
from streams.decider.pools import LEASE
from streams.decider.promotion import MOST_AT_ONCE, promoted
from streams.decider.state import Schedule, World
from streams.decider.subject import deadline, known_run, turn, unheard_until

Events = tuple[ScheduleEvent, ...]
_ENDS: dict[ReportStatus, RunStatus] = {
    one: RunStatus(one.value) for one in ReportStatus if one is not ReportStatus.RUNNING
}
"""What a report says of the attempt that is over."""
_RUNNING, _SUCCESS, _BUSY = ReportStatus.RUNNING, RunStatus.SUCCESS, RunStatus.BUSY
_UNAVAILABLE, _GOES_ON = ReportStatus.UNAVAILABLE, RunPhase.STARTED
# Looked up once, these: of an enumeration that takes long.


def report(asked: Asked, command: ReportRun, world: World, now: int) -> Events:
    """Take in what somebody says about a run."""
    run = known_run(world.subject, command.run, now)
    if run is None:
        return refuse(asked, "report", "run", f"there is no run {command.run} of this subject")
    ignored = _ignored(run, command)
    if ignored is not None:
        return (_noted(run, command.status.value, ignored=ignored),)
    if command.status is _RUNNING:
        return (_noted(run, command.status.value, _lease(run, world, now)),)
    status = _ENDS[command.status]
    if status is _BUSY and run.phase is _GOES_ON:
        events = found_busy(run, command.detail, world, now, _result(command))
        return with_promotions(events, world, now)
    if status is not _SUCCESS and run.phase is RunPhase.CANCELLING:
        status = RunStatus.REPLACED if has_successor(run, world) else RunStatus.CANCELLED
    result = _result(command)
    events = attempt_ended(run, status, command.detail, world, now, result)
    return with_promotions(events, world, now)


def cancel(asked: Asked, command: CancelRun, world: World, now: int) -> Events:
    """Ask a run to stop; one that has not begun, or is between attempts, is over at once."""
    run = known_run(world.subject, command.run, now)
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
    events = holding.ended(f"{subject}/", world.subject, now)
    world = world_after(world, events, now)
    if world.subject.held:
        return events
    # First who may begin: nobody is dropped for waiting too long at the moment of its turn.
    for look in (promoted, partial(_all_overdue, heard), promoted, work):
        found = look(world, now)
        world = world_after(world, found, now)
        events += found
    return events


def schedule_due(state: Schedule, world: World, now: int) -> Events:
    """What is decided about a schedule whose timer rings, and who begins since that made room."""
    return with_room_used(due(state, world, now), world, now)


def with_room_used(events: Events, world: World, now: int) -> Events:
    """These events, and those about the runs that may begin, if one of these closed a run."""
    if len(events) < 2 or not any(isinstance(one, RunEnded) for one in events):
        return events  # as nearly always
    return with_promotions(events, world, now)


def with_promotions(events: Events, world: World, now: int) -> Events:
    """These events, and those about the runs that may begin after them."""
    if not world.subject.has_waiting():
        return events
    return (*events, *promoted(world_after(world, events, now), now))


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
        found = () if here is None else _overdue(here, world, heard, now)
        world = world_after(world, found, now)
        events += found
    return events


def _overdue(  # noqa: PLR0911 - one match
    run: Run, world: World, heard: int, now: int
) -> Events:
    """What becomes of a run whose time is over, without those who begin instead."""
    if deadline(run) > now:
        return ()
    match run.phase:
        case RunPhase.WAITING:
            end = dropped(run, Reason.QUEUE_TIMEOUT, f"it waited until {_at(run.until)}")
            return over(end, world, now)
        case RunPhase.RETRYING:
            plan = plan_of(run, world)
            if plan is None:
                return ended(run, RunStatus.CANCELLED, "its schedule was removed", world, now)
            return begin(run, plan, run.attempt + 1, world, now)
        case RunPhase.OFFERED if run.start_until is None or run.start_until > heard:
            return not_claimed(run, world, now)
        case RunPhase.OFFERED:
            words = f"no runner had begun it by {_at(run.start_until)}"
            return ended(run, RunStatus.EXPIRED, words, world, now)
        case _ if run.lease_until is not None and run.lease_until <= now:
            words = f"nobody reported about it until {_at(run.lease_until)}"
            return ended(run, RunStatus.INTERRUPTED, words, world, now)
        case _:
            words = f"its attempt was to be over by {_at(run.attempt_until)}"
            return attempt_ended(run, RunStatus.TIMEOUT, words, world, now)


_NOT_BEGUN = {
    RunPhase.WAITING: "the run has not begun",
    RunPhase.RETRYING: "attempt {} is over already",
    RunPhase.OFFERED: "no runner has attempt {}",
}


def _ignored(run: Run, command: ReportRun) -> str | None:
    """Why a report changes nothing."""
    is_its_own = command.runner == run.runner and command.boot == run.boot
    if is_its_own and run.phase is _GOES_ON and command.attempt in (None, run.attempt):
        return None
    if run.phase is RunPhase.ENDED:
        return f"the run is over already: {run.status}"
    if command.attempt is not None and command.attempt != run.attempt:
        return f"it is about attempt {command.attempt}, the run is at {run.attempt}"
    if run.phase in _NOT_BEGUN:
        return _NOT_BEGUN[run.phase].format(run.attempt)
    if not is_its_own:
        return "nobody has it" if run.runner is None else f"runner {run.runner} has it"
    return None


def _result(command: ReportRun) -> Result | None:
    """What was found; an attempt that ended `unavailable` has one, unlike one that never began."""
    if command.result is None and command.status is _UNAVAILABLE:
        return Result()
    return command.result


def _noted(
    run: Run, status: str, lease_until: int | None = None, ignored: str | None = None
) -> RunNoted:
    return RunNoted(
        *run.named,
        *(run.attempt, status, lease_until, ignored),
    )


def _lease(run: Run, world: World, now: int) -> int | None:
    """Until when a run need not be heard of again."""
    if run.runner is not None:
        return now + LEASE
    plan = plan_of(run, world)
    tracked = None if plan is None else plan.definition.action.tracked
    return run.lease_until if tracked is None else now + tracked.lease


def _at(instant: int | None) -> str:
    return "" if instant is None else format_instant(instant)
