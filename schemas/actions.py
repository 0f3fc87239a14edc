"""
What is a runner asked to do?

The work of an action that is not over when its record is written: a request, a program, a program
inside an app's container or in one of its own, a deployment's sleep and wake. None of them holds
its target: that comes from the scope, or from what is known of the subject, when it is given out.
How an order travels is orders.py; durations are integer microseconds, sizes bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from schemas.units import SECOND

DEFAULT_POOL = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """A name with its value, or with where the runner finds the value."""

    name: str
    value: str = ""
    secret: str | None = None
    """`env:<name>` or `file:<path>`, looked up by the runner; the value is never in Kafka."""


@dataclass(frozen=True, slots=True)
class Follow:
    """How the end of a task is seen that a request only began."""

    url: str
    """A template; `{task}` is the task's id."""
    task: str = "/id"
    """Where the id stands in the answer, as a JSON pointer; an empty list there is a failure."""
    status: str = "/status"
    """Where the status stands in what the url answers."""
    succeeded: tuple[str, ...] = ("success", "succeeded", "completed", "done")
    """In any case; every status that is neither of both goes on."""
    failed: tuple[str, ...] = ("failed", "failure", "error", "cancelled", "terminated")
    every: int = 2 * SECOND


@dataclass(frozen=True, slots=True)
class Http:
    """One request; what is answered with 2xx has succeeded, or goes on if it is followed.

    Url, body and header values are templates: `{scope}`, `{schedule}`, `{subject}`, `{nominal}`,
    `{run}`, `{attempt}`, `{components}`.
    """

    url: str
    method: str = "POST"
    headers: tuple[Setting, ...] = ()
    body: str | None = None
    follow: Follow | None = None
    inventory: str | None = None
    """Where the components of a scope's filter are looked up; None: the filter is passed on."""
    pool: str = DEFAULT_POOL


@dataclass(frozen=True, slots=True)
class Program:
    """One process on the runner's machine; no shell reads its arguments."""

    argv: tuple[str, ...]
    folder: str | None = None
    env: tuple[Setting, ...] = ()
    user: str | None = None
    """None: the runner's own."""
    pool: str = DEFAULT_POOL


@dataclass(frozen=True, slots=True)
class Exec:
    """One process inside the running container of the subject's app."""

    argv: tuple[str, ...]
    env: tuple[Setting, ...] = ()
    user: str | None = None
    folder: str | None = None
    pool: str | None = None
    """None: the node of the app, else the default pool."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """One process in a container of its own, made from what the subject's app is made of."""

    argv: tuple[str, ...]
    env: tuple[Setting, ...] = ()
    """Beside the app's own."""
    pool: str | None = None
    """None: the node of the app, else the default pool."""


class Verb(StrEnum):
    """What is done to a deployment; `other` keeps old readers alive."""

    OTHER = "other"
    """What a later version knows; it is never done."""
    SLEEP = "sleep"
    STOP = "stop"
    WAKE = "wake"
    START = "start"


@dataclass(frozen=True, slots=True)
class Act:
    """A deployment's sleep or stop, wake or start, through its driver (deployments.py)."""

    verb: Verb
    level: int | None = None
    """Of a sleep; None: as the driver of the deployment says."""
    pool: str | None = None
    """None: that of the deployment, else the default pool."""


Work = Http | Program | Exec | Fresh | Act


@dataclass(frozen=True, slots=True)
class Volume:
    """A folder, or a volume by name, inside a container."""

    source: str
    target: str
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class App:
    """What the containers of a subject are made of."""

    image: str
    container: str | None = None
    """The name of the one that runs; None: the one that is labelled `horae.app=<subject>`."""
    env: tuple[Setting, ...] = ()
    volumes: tuple[Volume, ...] = ()
    network: str | None = None
    """None: the container engine's own default."""
    user: str | None = None
    folder: str | None = None
    memory: int | None = None
    """Bytes; None: no limit."""
    cpus: int | None = None
    """Thousandths of one; None: no limit."""
    node: str | None = None
    """The pool whose runner reaches its containers; None: the default pool."""
