"""
What is known of a deployment, and who says so?

Somebody registers it, and whoever sees it in another state says that, and who brought it there. A
state that was told before says nothing new, unless a person says it: what a person stopped is not
started by a schedule. What may be done to it is acts.py, what its runs say of it acted.py.
"""

from __future__ import annotations

from schemas.commands import Asked, DefineDeployment, ReportState
from schemas.deployments import DeploymentState
from schemas.events import DeploymentDefined, DeploymentStateNoted, ScheduleEvent
from schemas.snapshot import Standing
from schemas.subject_events import InsightKind
from streams.calendar.occurrences import TimingRefused
from streams.calendar.zones import check_zone
from streams.decider import insights
from streams.decider.answers import as_it_was, refuse
from streams.decider.state import World

Events = tuple[ScheduleEvent, ...]
NOBODY_KNOWN = "service:unknown"
"""Who asks for something without saying who it is."""
A_PERSON = "user:"
"""How the actors begin that are people."""


def define(asked: Asked, command: DefineDeployment, world: World) -> Events:
    """Let the subject be this deployment; refused in a zone that nobody knows."""
    try:
        check_zone(command.deployment.zone)
    except TimingRefused as refusal:
        return refuse(asked, "deployment", refusal.field, refusal.message)
    if world.subject.notes.deployment == command.deployment:
        return as_it_was(asked, "deployment")
    return (DeploymentDefined(asked.schedule, command.deployment),)


def report_state(asked: Asked, command: ReportState, world: World) -> Events:
    """Take in that it is in a state, and by whose doing."""
    actor = command.actor or asked.actor
    known = None if actor == NOBODY_KNOWN else actor
    if not _is_news(world.subject.notes.standing, command.state, known):
        return as_it_was(asked, "state")
    noted = DeploymentStateNoted(asked.schedule, command.state, known, detail=command.detail)
    return (noted, *fitted(command.state, world))


def fitted(state: DeploymentState, world: World) -> tuple[ScheduleEvent, ...]:
    """What is over once it runs: that there was no room for it."""
    if state is not DeploymentState.RUNNING:
        return ()
    return insights.resolved_of_kind(world.subject, InsightKind.DOES_NOT_FIT, "it runs")


def _is_news(before: Standing | None, state: DeploymentState, actor: str | None) -> bool:
    """Whether it says another state than the last word, or that a person brought it about."""
    if (DeploymentState.UNKNOWN if before is None else before.state) is not state:
        return True
    is_a_person = actor is not None and actor.startswith(A_PERSON)
    return is_a_person and (before is None or before.actor != actor)
