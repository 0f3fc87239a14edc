"""
What is read from the views about deployments, their traffic, and what is proposed for them?

One frozen record for each kind of row, as API, command line, sampler and proposals get it; instants
are microseconds of UTC, rates thousandths of a request a minute. Their siblings are shown.py and
shown_runs.py, how they are asked for is traffic_queries.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from schemas.codec import decode_event
from schemas.deployments import Deployment
from schemas.events import DeploymentDefined
from schemas.proposals import IdleWindow


@dataclass(frozen=True, slots=True)
class DeploymentShown:
    """A deployment as it was told last."""

    subject: str
    record: bytes
    state: str
    """unknown, running, asleep, stopped or starting."""
    state_actor: str | None
    state_since: int | None
    """When that was said."""
    state_run: str | None
    """The run that brought it there, if one did."""
    state_detail: str | None
    stopped_by: str | None
    """Who stopped it last; None: nobody knows, or nobody did."""
    last_request: int | None
    in_flight: int | None
    """None: nobody has sampled it."""
    waiting: int | None
    sampled_at: int | None
    served: int | None
    rate: int | None
    usual: int | None
    held_reason: str | None
    held_by: str | None
    held_since: int | None
    """None: the subject is not held."""
    held_until: int | None
    actions_held_reason: str | None
    actions_held_by: str | None
    actions_held_since: int | None
    """None: its sleep and wake are not held."""
    actions_held_until: int | None
    defined_at: int
    defined_by: str

    @property
    def deployment(self) -> Deployment:
        """What it is, as it was registered."""
        return deployment_in(self.record)


class Sampled(NamedTuple):
    """What a sampler has to know of a deployment."""

    subject: str
    deployment: Deployment
    served: int | None
    """How many requests its server had finished at the last look; None: that is not known."""
    sampled_at: int | None


@dataclass(frozen=True, slots=True)
class ProposalShown:
    """A proposal, and what became of it."""

    subject: str
    id: str
    status: str
    """open, accepted, dismissed or withdrawn."""
    windows: tuple[IdleWindow, ...]
    zone: str
    source: str
    """model or rules."""
    confidence: int
    """Thousandths."""
    reason: str
    prompt: str
    answer: str
    proposed_at: int
    proposed_by: str
    settled_at: int | None
    settled_by: str | None
    settled_reason: str | None
    schedules: tuple[str, ...]
    """Those that were made of it."""


class MinuteShown(NamedTuple):
    """What was seen of a deployment in one minute."""

    minute: int
    kind: str
    """unknown, idle or active."""
    rate: int | None
    samples: int


def deployment_in(record: bytes) -> Deployment:
    """The deployment that an event has registered."""
    event = decode_event(record).event
    if not isinstance(event, DeploymentDefined):
        raise TypeError(f"{type(event).__name__} registers no deployment")
    return event.deployment
