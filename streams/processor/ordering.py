"""
What is told to runners?

Orders go to the topic of a pool, one for each offer; grants, denials and stops to the one runner
they concern, through horae.control, those of one subject in one partition so that they come in the
order in which they were decided. All are written in the transaction that decides them. Pure.
"""

from __future__ import annotations

from typing import NamedTuple

from schemas.actions import Act, Exec, Fresh
from schemas.codec import encode
from schemas.commands import ClaimRun
from schemas.definition import Definition
from schemas.deployments import DeploymentState
from schemas.events import (
    CommandRefused,
    Fired,
    Outcome,
    RunCancelling,
    RunGranted,
    RunNoted,
    RunOffered,
    RunStarted,
    ScheduleEvent,
)
from schemas.identity import occurrence_id, run_digest, trace_parent_of
from schemas.orders import Control, Denial, Deployed, Grant, Order, Stop
from schemas.policies import Filter
from schemas.snapshot import Run, RunPhase, SubjectNotes
from schemas.topics import CONTROL
from streams.decider.limits import timeout_of
from streams.decider.pools import topic_of
from streams.decider.state import Plan, World
from streams.decider.subject import Subject
from streams.processor.draft import Record
from streams.processor.emitting import Headers

STOP_AGAIN = "it was asked to stop before"


class Place(NamedTuple):
    """The partition of the inbox that decides, and how many there are."""

    number: int
    partitions: int


class Circumstances(NamedTuple):
    """Under which an order is written."""

    world: World
    place: Place
    trace: str | None
    """That of the command that caused it."""


def orders_for(
    event: ScheduleEvent, plan: Plan, subject: Subject, under: Circumstances
) -> list[Record]:
    """The orders that offer what begins with this event; `subject` is the one after it."""
    runs = (subject.runs.get(name) for name in _offered(event))
    return [
        _order_record(run, plan, subject.notes, under)
        for run in runs
        if run is not None and run.phase is RunPhase.OFFERED
    ]


def control_for(event: ScheduleEvent, subject: Subject, place: Place) -> list[Record]:
    """What a runner is told because of this event; `subject` is the one after it."""
    match event:
        case RunGranted():
            granted = Grant(event.run, event.attempt, event.issue, event.boot)
            return [_control(event.runner, granted, place)]
        case RunCancelling():
            return _stops(subject.runs.get(event.run), event.reason, place)
        case RunNoted(ignored=None):  # the first word may be lost with a runner's own connection
            run = subject.runs.get(event.run)
            is_stopping = run is not None and run.phase is RunPhase.CANCELLING
            return _stops(run, STOP_AGAIN, place) if is_stopping else []
        case _:
            return []


def denial_of(
    command: ClaimRun, events: tuple[ScheduleEvent, ...], later: int | None, place: Place
) -> list[Record]:
    """What a runner is told whose claim was refused; `later`: the boot that has its name now."""
    claimed = command.run, command.attempt, command.issue, command.boot
    return [
        _control(command.runner, Denial(*claimed, event.message, later), place)
        for event in events
        if isinstance(event, CommandRefused)
    ]


def _offered(event: ScheduleEvent) -> list[str]:
    match event:
        case Fired():
            return [one.run for one in event.scopes if one.outcome is Outcome.STARTED]
        case RunStarted() | RunOffered():
            return [event.run]
        case _:
            return []


def _order_record(run: Run, plan: Plan, notes: SubjectNotes, under: Circumstances) -> Record:
    definition, (world, place, trace) = plan.definition, under
    work = definition.action.work
    if work is None:
        raise ValueError(f"run {run.id} is offered, and there is no work for a runner")
    trace = trace or _trace_of(run)
    order = Order(
        run=run.id,
        attempt=run.attempt,
        issue=run.issue,
        schedule=run.schedule,
        version=plan.version,
        incarnation=run.incarnation,
        scope=run.scope,
        filter=_filter_of(plan, run.scope),
        nominal=run.nominal,
        due=run.due,
        origin=run.origin,
        decided_at=run.since,
        again_at=run.until or run.since,
        work=work,
        app=notes.app if isinstance(work, Exec | Fresh) else None,
        timeout=timeout_of(definition, world),
        trace=trace,
        deployed=_deployed(definition, notes) if isinstance(work, Act) else None,
    )
    # another offer of the same attempt lies in another partition: the first one's may be stuck
    to = (place.number + run.issue) % place.partitions
    headers: Headers = [("traceparent", trace.encode())]
    return topic_of(work, notes), to, run.id.encode(), encode(order), headers


def _deployed(definition: Definition, notes: SubjectNotes) -> Deployed | None:
    """What is known of the deployment at this moment; None: it is not registered any more."""
    if notes.deployment is None:
        return None
    return Deployed(
        notes.deployment,
        DeploymentState.UNKNOWN if notes.standing is None else notes.standing.state,
        quiet=definition.gate is not None,
        served=None if notes.activity is None else notes.activity.served,
    )


def _filter_of(plan: Plan, scope: str) -> Filter | None:
    scopes = plan.definition.scopes or ()
    return next((one.filter for one in scopes if one.target == scope), None)


def _trace_of(run: Run) -> str:
    """A trace of its own for a run that no traced command caused: always the same."""
    occurrence = occurrence_id(run.schedule, run.incarnation, run.nominal, run.origin)
    return trace_parent_of(run_digest(occurrence.encode(), run.scope.encode())).decode()


def _stops(run: Run | None, why: str, place: Place) -> list[Record]:
    if run is None or run.runner is None or run.boot is None:
        return []
    return [_control(run.runner, Stop(run.id, run.attempt, run.boot, why), place)]


def _control(runner: str, said: Control, place: Place) -> Record:
    return CONTROL, place.number, runner.encode(), encode(said), None
