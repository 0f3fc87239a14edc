"""
What is a deployment, and how is it reached?

A subject that sleeps and wakes: its driver, which a runner has for it, its priority and zone, where
its traffic is measured, and the state that was last told of it. What a schedule does to it is
`Act` in actions.py; what a sampler sees of it is traffic.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from schemas.actions import Setting, Verb

USUAL_PRIORITY = 50


class DeploymentState(StrEnum):
    """What a deployment is doing; symbols are only ever added."""

    UNKNOWN = "unknown"
    """Nobody has said so yet."""
    RUNNING = "running"
    ASLEEP = "asleep"
    STOPPED = "stopped"
    STARTING = "starting"
    """Somebody is at it: nothing is done to it before it is over."""


LEADS_TO: Final[Mapping[Verb, DeploymentState]] = {
    Verb.SLEEP: DeploymentState.ASLEEP,
    Verb.STOP: DeploymentState.STOPPED,
    Verb.WAKE: DeploymentState.RUNNING,
    Verb.START: DeploymentState.RUNNING,
}
"""In which state each act leaves it."""


@dataclass(frozen=True, slots=True)
class Vllm:
    """A server that speaks the endpoints of vLLM for sleep, wake and health.

    It is stopped and started as a container, or by a program; if neither is named it is not.
    """

    url: str
    headers: tuple[Setting, ...] = ()
    level: int = 1
    """Of its sleep: 1 keeps the weights in memory, 2 drops them."""
    container: str | None = None
    start: tuple[str, ...] = ()
    """The argv of a program."""
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """One request of an `HttpDriver`; what is answered with 2xx is done, or true."""

    path: str
    """Behind the driver's url."""
    method: str = "POST"
    body: str | None = None


@dataclass(frozen=True, slots=True)
class HttpDriver:
    """A control plane of somebody's own; what has no call here cannot be done."""

    url: str
    headers: tuple[Setting, ...] = ()
    sleep: Call | None = None
    stop: Call | None = None
    wake: Call | None = None
    start: Call | None = None
    fits: Call | None = None
    """Asked before a wake and a start; 409 and 507 say that it does not fit. None: it does."""
    state: Call | None = None
    """Answers with JSON that holds the state; None: it is not asked."""
    state_at: str = "/state"
    """Where, as a JSON pointer."""


@dataclass(frozen=True, slots=True)
class ContainerDriver:
    """A container: paused for a sleep, stopped for a stop."""

    name: str | None = None
    """None: the one that is labelled `horae.deployment=<subject>`."""


Driver = Vllm | HttpDriver | ContainerDriver


@dataclass(frozen=True, slots=True)
class Metrics:
    """Where the traffic of a deployment is read, and what the numbers are called there."""

    url: str
    headers: tuple[Setting, ...] = ()
    in_flight: str = "vllm:num_requests_running"
    waiting: str = "vllm:num_requests_waiting"
    seconds: str = "vllm:e2e_request_latency_seconds_sum"
    """How long all finished requests together took."""
    finished: str = "vllm:e2e_request_latency_seconds_count"
    """How many there were."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """What is known of a deployment that does not change by itself."""

    driver: Driver
    priority: int = USUAL_PRIORITY
    """0 to 100; from 90 on nothing is proposed by rules alone."""
    zone: str = "UTC"
    """In which its traffic is looked at."""
    metrics: Metrics | None = None
    """None: whoever knows sends its samples."""
    pool: str | None = None
    """Whose runners reach it; None: the default pool."""
