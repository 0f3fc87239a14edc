"""
What do the processor and the runners say to each other?

An order offers a run, or a further attempt of one, to a pool; a runner claims it with a command
(commands.py) and starts only on the grant. Grants, denials and stops go to one runner each, through
horae.control. That the claim is in the log before anything runs is DESIGN section 6.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.actions import App, Work
from schemas.deployments import Deployment, DeploymentState
from schemas.policies import Filter


@dataclass(frozen=True, slots=True)
class Deployed:
    """What a runner is told of the deployment that it acts on."""

    deployment: Deployment
    state: DeploymentState
    """The one that was told last: what is stopped is started where it is to wake."""
    quiet: bool
    """It is to be quiet: the runner looks once more right before it acts."""
    served: int | None
    """How many requests had ended when the decision was made, if that is known."""


@dataclass(frozen=True, slots=True)
class Order:
    """Work that is offered to the runners of a pool; its key is the run's id."""

    run: str
    attempt: int
    issue: int
    """Counts the offers of one attempt; only a claim of the newest is granted."""
    schedule: str
    version: int
    incarnation: int
    scope: str
    filter: Filter | None
    """Which components of the scope; None: all of it."""
    nominal: int
    due: int
    origin: str | None
    """None: the calendar; else why there is such an occurrence."""
    decided_at: int
    """When this was offered."""
    again_at: int
    """When it is offered anew if nobody has it by then."""
    work: Work
    app: App | None
    timeout: int | None
    """How long the attempt may take, microseconds; None: without limit."""
    trace: str | None = None
    deployed: Deployed | None = None
    """Of a subject that is a deployment."""


@dataclass(frozen=True, slots=True)
class Grant:
    """The runner has the attempt and is to start it."""

    run: str
    attempt: int
    issue: int
    boot: int
    """Of the runner that claimed it: another boot drops this."""


@dataclass(frozen=True, slots=True)
class Denial:
    """The claim was not taken; nothing is to be started for it."""

    run: str
    attempt: int
    issue: int
    boot: int
    why: str
    later: int | None = None
    """The boot of a later life of the same name, if that is why: this one gets nothing any more."""


@dataclass(frozen=True, slots=True)
class Stop:
    """The runner is to stop what it runs, clean up and report that."""

    run: str
    attempt: int
    boot: int
    why: str


@dataclass(frozen=True, slots=True)
class OutputChunk:
    """What a run that goes on has written since the last chunk, secrets masked."""

    run: str
    attempt: int
    sequence: int
    """From 0 in each attempt; a gap says that something was left out."""
    text: str
    at: int


Control = Grant | Denial | Stop
"""What goes through horae.control to one runner."""
