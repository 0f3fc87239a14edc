"""
What does the end of an act mean for its deployment?

A sleep, stop, wake or start that succeeded leaves it in another state, by the doing of its
schedule; one that found it so already says what nobody had said. For which there was no room
somebody is told of, and nothing else follows. A sleep or wake that failed holds all of them until
somebody releases that: what a half-done one leaves nobody knows.
"""

from __future__ import annotations

from schemas.actions import Act, Verb
from schemas.deployments import LEADS_TO, DeploymentState
from schemas.events import DeploymentStateNoted, RunEnded, ScheduleEvent, SubjectHeld
from schemas.identity import subject_of
from schemas.run_events import RunStatus
from schemas.snapshot import Standing
from schemas.subject_events import InsightKind
from streams.decider import insights
from streams.decider.deployments import A_PERSON, fitted
from streams.decider.state import Plan, World

Events = tuple[ScheduleEvent, ...]
HOLDING = frozenset(
    {RunStatus.FAILED, RunStatus.TIMEOUT, RunStatus.UNAVAILABLE, RunStatus.INTERRUPTED}
)
"""Ends after which nobody knows what was done of a sleep or wake."""
CHANGED = "its schedule was changed before the run ended"


def after_end(end: RunEnded, plan: Plan, world: World, now: int) -> Events:
    """What follows from the end of a run; `world` is the one after it."""
    definition, subject = plan.definition, world.subject
    work = definition.action.work
    if not isinstance(work, Act):
        return ()
    found = _state(end, work.verb if end.version == plan.version else None, world)
    if end.status is RunStatus.SUCCESS and not found[1:]:
        why = f"run {end.run} succeeded"
        return (*found, *insights.resolved(subject, plan.id, InsightKind.DOES_NOT_FIT, why))
    if end.status is RunStatus.DOES_NOT_FIT:
        why = f"run {end.run}: {end.detail or 'there is no room for it'}"
        return insights.raised(subject, plan.id, InsightKind.DOES_NOT_FIT, why)
    if definition.hold_on_failure and end.status in HOLDING:
        return _held(end, plan, world, now)
    return found


def _state(end: RunEnded, verb: Verb | None, world: World) -> Events:
    """In which state it is known to be now, if that is news.

    Without a verb the schedule has changed since the run was given out, and what it did may be
    anything: nobody knows its state before somebody looks.
    """
    standing = world.subject.notes.standing
    known = DeploymentState.UNKNOWN if standing is None else standing.state
    state, actor, detail = known if verb is None else LEADS_TO.get(verb, known), None, ""
    if end.status is RunStatus.SUCCESS and verb is None:
        state, detail = DeploymentState.UNKNOWN, CHANGED
    elif end.status is RunStatus.SUCCESS:
        actor = f"schedule:{end.schedule}"
    elif end.status is RunStatus.NOT_STOPPED_BY_SCHEDULE:
        state = DeploymentState.STOPPED
    elif end.status is not RunStatus.ALREADY_THERE:
        return ()
    is_old = actor is None and not _is_news(state, known)
    if is_old or _has_a_later_word(end, state, standing):
        return ()
    noted = DeploymentStateNoted(f"{subject_of(end.schedule)}/", state, actor, end.run, detail)
    return (noted, *fitted(state, world))


def _is_news(state: DeploymentState, known: DeploymentState) -> bool:
    """Whether what a runner found is not known; what is stopped is as good as asleep."""
    asleep, stopped = DeploymentState.ASLEEP, DeploymentState.STOPPED
    return state is not known and (state, known) != (asleep, stopped)


def _has_a_later_word(end: RunEnded, state: DeploymentState, standing: Standing | None) -> bool:
    """Whether a person said, since the run began, in which state it is: that counts.

    What somebody saw starting was on its way to what is found now.
    """
    if standing is None or standing.actor is None or not standing.actor.startswith(A_PERSON):
        return False
    if (standing.state, state) == (DeploymentState.STARTING, DeploymentState.RUNNING):
        return False
    return end.started_at is not None and standing.since >= end.started_at


def _held(end: RunEnded, plan: Plan, world: World, now: int) -> Events:
    """No sleep and no wake before somebody has looked; whatever is held so stays so."""
    about = f"{plan.subject}/"
    why = f"run {end.run} of {plan.id} ended {end.status}"
    why = f"{why}: {end.detail}" if end.detail else why
    before = world.subject.notes.actions_hold
    events: Events = insights.raised(world.subject, plan.id, InsightKind.HELD, why)
    if before is not None and before.until is None:
        return events
    since = now if before is None else before.since
    return (SubjectHeld(about, why, since, None, actions_only=True), *events)
