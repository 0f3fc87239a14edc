"""
What is a run after this event?

Copies facts, and checks nothing. A run is given out with its fire, or begins later; work for
runners is offered first and has begun when one was granted it. What else is known of a subject is
evolve_subject.py.
"""

from __future__ import annotations

from schemas.events import (
    Fired,
    Outcome,
    RunCancelling,
    RunGranted,
    RunNoted,
    RunOffered,
    RunQueued,
    RunRetries,
    RunStarted,
    ScheduleEvent,
    Stamp,
)
from schemas.run_events import RunStatus
from schemas.snapshot import Run, RunPhase
from streams.decider.limits import gate_of
from streams.decider.pools import LEASE, offered_for
from streams.decider.state import Plan
from streams.decider.subject import Subject

_BEGINS = Outcome.STARTED  # looked up once: of an enumeration that takes long
_GOES_ON = RunPhase.STARTED


def begun_by(plan: Plan, event: Fired, now: int) -> dict[str, Run]:
    """The runs that start with a fire, by id; those that wait have an event of their own."""
    schedule, version, incarnation, nominal, due, _, _, origin = event[:8]
    if plan.definition.action.work is not None:
        return {
            run: Run(
                run, schedule, version, incarnation, scope, nominal, due, origin, RunPhase.OFFERED,
                now, until=now + offered_for(1), issue=1,
                start_until=now + plan.definition.start_within,
            )
            for scope, run, outcome, _ in event.scopes
            if outcome is _BEGINS
        }  # fmt: skip
    lease_until, attempt_until = _limits(plan, now)
    begun = {}
    for scope, run, outcome, _ in event.scopes:
        if outcome is _BEGINS:
            begun[run] = Run(
                run, schedule, version, incarnation, scope, nominal, due, origin, _GOES_ON, now,
                1, now, None, None, None, lease_until, attempt_until,
            )  # fmt: skip
    return begun


def run_after(  # noqa: C901, PLR0911 - one match
    subject: Subject, plan: Plan | None, event: ScheduleEvent, stamp: Stamp
) -> Run | None:
    """The run that the event is about, as it is now."""
    if isinstance(event, RunQueued):
        return Run(
            *(event.run, event.schedule, event.version, event.incarnation, event.scope),
            *(event.nominal, event.due, event.origin, RunPhase.WAITING, stamp.decided_at),
            attempt=event.attempt,
            overlap=event.overlap,
            behind=event.behind,
            until=event.until,
        )
    run = subject.runs.get(event.run) if isinstance(event, _ABOUT_RUNS) else None
    if run is None:
        return None
    now = stamp.decided_at
    match event:
        case RunStarted() if plan is not None and plan.definition.action.work is not None:
            return _offered(run, event, plan, now)
        case RunStarted():
            first = now if run.started_at is None else run.started_at
            begun = in_phase(run, RunPhase.STARTED, now)
            begun = begun._replace(version=event.version, attempt=event.attempt, started_at=first)
            begun = begun._replace(issue=run.issue)  # it may be offered again: not as before
            lease_until, attempt_until = _limits(plan, now)
            return begun._replace(lease_until=lease_until, attempt_until=attempt_until)
        case RunRetries():
            return _put_off(run, event, plan, now)
        case RunCancelling():
            return run._replace(phase=RunPhase.CANCELLING, since=now)
        case RunNoted(ignored=None):
            return run._replace(lease_until=event.lease_until)
        case RunOffered():
            return _offered_again(run, event, now)
        case RunGranted():
            return _granted(run, event, now)
        case _:
            return None


_ABOUT_RUNS = (RunStarted, RunRetries, RunCancelling, RunNoted, RunOffered, RunGranted)


def _offered(run: Run, event: RunStarted, plan: Plan, now: int) -> Run:
    """The attempt is given out to the runners.

    One that was offered before, and put off, counts on and is given up when it would have been.
    """
    issue, given_up = run.issue + 1, run.start_until if run.issue else None
    return in_phase(run, RunPhase.OFFERED, now)._replace(
        version=event.version,
        attempt=event.attempt,
        until=now + offered_for(issue),
        issue=issue,
        start_until=now + plan.definition.start_within if given_up is None else given_up,
    )


def _offered_again(run: Run, event: RunOffered, now: int) -> Run:
    """Nobody has it; if it was the first attempt, it has not begun."""
    return in_phase(run, RunPhase.OFFERED, now)._replace(
        version=event.version,
        until=event.until,
        issue=event.issue,
        start_until=run.start_until,
        started_at=None if run.attempt == 1 else run.started_at,
    )


def _granted(run: Run, event: RunGranted, now: int) -> Run:
    return in_phase(run, RunPhase.STARTED, now)._replace(
        started_at=now if run.started_at is None else run.started_at,
        lease_until=now + LEASE,
        issue=event.issue,
        runner=event.runner,
        boot=event.boot,
        start_until=run.start_until,
    )


def _put_off(run: Run, event: RunRetries, plan: Plan | None, now: int) -> Run:
    """Another attempt follows, or the same one if it has not ended: then its offers count on.

    One that waits for quiet is given up as its gate says, so its next offer has all its time again.
    """
    is_busy = event.status is RunStatus.BUSY
    waits = in_phase(run, RunPhase.RETRYING, now, RunStatus.BUSY if is_busy else None)
    waits = waits._replace(attempt=event.attempt, until=event.again_at)
    if event.attempt == 0:
        waits = waits._replace(started_at=None)
    if event.attempt == run.attempt and run.phase is not RunPhase.RETRYING:
        return waits
    waits_for_quiet = is_busy and plan is not None and gate_of(plan.definition) is not None
    given_up = None if waits_for_quiet else run.start_until
    return waits._replace(issue=run.issue, start_until=given_up)


def _limits(plan: Plan | None, now: int) -> tuple[int | None, int | None]:
    """Until when an attempt that begins now must be heard of, and until when it may take."""
    if plan is None:
        return None, None
    tracked, timeout = plan.definition.action.tracked, plan.definition.timeout
    return (
        None if tracked is None else now + tracked.lease,
        None if timeout is None else now + timeout,
    )


def in_phase(run: Run, phase: RunPhase, now: int, status: RunStatus | None = None) -> Run:
    """The run in another phase, waiting for nothing so far; all at once, since it is so often."""
    return Run(
        run.id, run.schedule, run.version, run.incarnation, run.scope, run.nominal, run.due,
        run.origin, phase, now, run.attempt, run.started_at, run.overlap,
        None, None, None, None, status,
    )  # fmt: skip
