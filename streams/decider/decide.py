"""
What is answered to this command?

One exhaustive match: each command to the function that knows it. The answer is events, and they are
all that will ever be known of the command; a refusal is one of them. Timers ask runs.py instead.
"""

from __future__ import annotations

from typing import assert_never

from schemas.command_keys import word_of
from schemas.commands import (
    AcceptProposal,
    Asked,
    Backfill,
    CancelBackfill,
    CancelRun,
    ClaimRun,
    DeclineRun,
    Define,
    DefineApp,
    DefineDeployment,
    DismissProposal,
    EditScopes,
    HoldSubject,
    Pause,
    Propose,
    ReleaseSubject,
    Remove,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
    ReportRun,
    ReportState,
    Resume,
    Skip,
    SubjectCommand,
    Trigger,
    Unacceptable,
    Unskip,
    WithdrawProposal,
)
from schemas.events import AppDefined
from streams.decider import (
    backfill,
    by_hand,
    deployments,
    holding,
    lifecycle,
    offers,
    proposals,
    removing,
    runs,
    scoping,
    skipping,
)
from streams.decider.answers import as_it_was, refuse
from streams.decider.firing import Events
from streams.decider.state import Schedule, World

OfInstants = Skip | Unskip | Backfill | CancelBackfill | EditScopes
"""What is asked about single instants of a schedule, or what they mean."""
OfRuns = CancelRun | ClaimRun | DeclineRun
"""What is asked about one run."""
OfDeployments = (
    DefineDeployment | ReportState | Propose | AcceptProposal | DismissProposal | WithdrawProposal
)
"""What is said of a deployment, and of when it could sleep."""
Existing = Remove | Pause | Resume | Trigger | OfInstants
"""What is asked of a schedule that has to be there."""


def decide(state: Schedule | None, asked: Asked, world: World, now: int) -> Events:
    """Answer one command; `now` is the batch's wall clock, `state` the schedule it is about."""
    command = asked.command
    if isinstance(command, Unacceptable):
        return refuse(asked, command.kind, command.field, command.message, state)
    if isinstance(command, SubjectCommand):
        return _about_subject(asked, command, world, now)
    if isinstance(command, Define):
        return lifecycle.define(state, asked, command, world, now)
    if state is None:
        message = f"there is no schedule {asked.schedule}"
        return refuse(asked, word_of(command), "schedule", message)
    return _about_schedule(state, asked, command, world, now)


def _about_schedule(
    state: Schedule, asked: Asked, command: Existing, world: World, now: int
) -> Events:
    match command:
        case Remove():
            return lifecycle.remove(state, asked, world, now)
        case Pause():
            events = lifecycle.pause(state, asked, command, world, now)
            return runs.with_room_used(events, world, now)
        case Resume():
            events = lifecycle.resume(state, asked, command, world, now)
            return runs.with_room_used(events, world, now)
        case Trigger():
            return _trigger(state, asked, command, world, now)
        case _:
            return _about_instants(state, asked, command, world, now)


def _about_instants(
    state: Schedule, asked: Asked, command: OfInstants, world: World, now: int
) -> Events:
    match command:
        case Skip():
            return skipping.skip(state, asked, command, world, now)
        case Unskip():
            return skipping.unskip(state, command)
        case Backfill():
            return backfill.backfill(state, asked, command, world, now)
        case CancelBackfill():
            return backfill.cancel(state, asked, command, world)
        case EditScopes():
            return scoping.edit(state, asked, command, world, now)
        case _:
            assert_never(command)


def _about_subject(  # noqa: C901, PLR0911 - one exhaustive match
    asked: Asked, command: SubjectCommand, world: World, now: int
) -> Events:
    match command:
        case ReportRun():  # as nearly always
            return runs.report(asked, command, world, now)
        case CancelRun() | ClaimRun() | DeclineRun():
            return _about_run(asked, command, world, now)
        case HoldSubject():
            return holding.hold(asked, command, world, now)
        case ReleaseSubject():
            return holding.release(asked, command, world, now)
        case ReportActivity():
            return holding.see(asked, command, world, now)
        case RemoveSubject():
            return removing.remove_subject(asked, command, world, now)
        case RemoveTarget():
            return scoping.remove_target(asked, command, world, now)
        case DefineApp():
            is_known = world.subject.notes.app == command.app
            return (
                as_it_was(asked, "app") if is_known else (AppDefined(asked.schedule, command.app),)
            )
        case (
            DefineDeployment()
            | ReportState()
            | Propose()
            | AcceptProposal()
            | DismissProposal()
            | WithdrawProposal()
        ):
            return _about_deployment(asked, command, world, now)
        case _:
            assert_never(command)


def _about_deployment(asked: Asked, command: OfDeployments, world: World, now: int) -> Events:
    match command:
        case DefineDeployment():
            return deployments.define(asked, command, world)
        case ReportState():
            return deployments.report_state(asked, command, world)
        case Propose():
            return proposals.propose(asked, command, world, now)
        case AcceptProposal():
            return proposals.accept(asked, command, world, now)
        case DismissProposal():
            return proposals.dismiss(asked, command, world)
        case WithdrawProposal():
            return proposals.withdraw(asked, command, world)
        case _:
            assert_never(command)


def _about_run(asked: Asked, command: OfRuns, world: World, now: int) -> Events:
    match command:
        case CancelRun():
            return runs.cancel(asked, command, world, now)
        case ClaimRun():
            return runs.with_promotions(offers.claim(asked, command, world, now), world, now)
        case DeclineRun():
            return runs.with_promotions(offers.decline(asked, command, world, now), world, now)
        case _:
            assert_never(command)


def _trigger(state: Schedule, asked: Asked, command: Trigger, world: World, now: int) -> Events:
    """By hand: also while paused, but not under a hold, in a freeze or without a target."""
    refusal = by_hand.refusal(state, world, now)
    if refusal is not None:
        return refuse(asked, "trigger", *refusal, state)
    events = by_hand.triggered(state, asked, command, world, now)
    return runs.with_room_used(events, world, now)
