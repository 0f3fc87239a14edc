"""
What happened to a subject as a whole?

Events whose `schedule` is the subject and a slash, with no name behind it. What happened to its
schedules is events.py, to their runs run_events.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from schemas.actions import App
from schemas.deployments import Deployment, DeploymentState


@dataclass(frozen=True, slots=True)
class SubjectHeld:
    """Nothing of it is evaluated from here on."""

    schedule: str
    reason: str
    since: int
    until: int | None
    """When the hold ends by itself."""
    actions_only: bool
    """Only its sleep and wake are held."""


@dataclass(frozen=True, slots=True)
class SubjectReleased:
    """The hold over it is lifted; what was due meanwhile is late."""

    schedule: str
    reason: str
    actions_only: bool


@dataclass(frozen=True, slots=True)
class SubjectRemoved:
    """The subject is gone, after each of its schedules was removed."""

    schedule: str
    reason: str


@dataclass(frozen=True, slots=True)
class ActivityNoted:
    """What a sampler saw of it last."""

    schedule: str
    last_request: int | None
    """When the last request came; None: none was ever seen."""
    in_flight: int
    waiting: int
    sampled_at: int
    served: int | None = None
    rate: int | None = None
    usual: int | None = None


@dataclass(frozen=True, slots=True)
class AppDefined:
    """What its containers are made of from here on."""

    schedule: str
    app: App


@dataclass(frozen=True, slots=True)
class DeploymentDefined:
    """What the deployment is from here on."""

    schedule: str
    deployment: Deployment


@dataclass(frozen=True, slots=True)
class DeploymentStateNoted:
    """A deployment is in another state, or the same one by somebody else's doing."""

    schedule: str
    state: DeploymentState
    actor: str | None
    """Who brought it there; `schedule:<id>` for what a run did; None: nobody knows."""
    run: str | None = None
    detail: str = ""


class InsightKind(StrEnum):
    """What somebody should know; `other` keeps old readers alive."""

    OTHER = "other"
    FAILING = "failing"
    """The runs of a schedule did not succeed, several in a row."""
    PAUSED = "paused"
    """A schedule was paused because of its failures."""
    NO_RUNNER = "no_runner"
    """Work expired because no runner took it."""
    DOES_NOT_FIT = "does_not_fit"
    """There was no room to wake or start a deployment."""
    HELD = "held"
    """The actions of a subject are held because one of them failed."""


@dataclass(frozen=True, slots=True)
class InsightRaised:
    """Something is so that should not stay so; not said again while it lasts."""

    schedule: str
    kind: InsightKind
    about: str
    """The schedule, or whatever it is about."""
    message: str


@dataclass(frozen=True, slots=True)
class InsightResolved:
    """It is so no longer."""

    schedule: str
    kind: InsightKind
    about: str
    message: str
