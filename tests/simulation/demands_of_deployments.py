"""
What may be asked for about a deployment?

Acts instead of other work for runners, what is told of a deployment and seen of it, and proposals
with what somebody makes of them. Everything is drawn from the Random of the act.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from schemas.actions import Act, Verb
from schemas.commands import (
    AcceptProposal,
    Command,
    Define,
    DefineDeployment,
    DismissProposal,
    Propose,
    ReleaseSubject,
    ReportActivity,
    ReportState,
    WithdrawProposal,
)
from schemas.definition import offering
from schemas.deployments import Deployment, DeploymentState, Vllm
from schemas.policies import Across, Gate, Overlap, OverlapMode
from schemas.proposals import IdleWindow, Proposal, ProposalSource

SECOND = 1_000_000
MODEL = Deployment(Vllm("http://127.0.0.1:8000"))
STATES = (*DeploymentState, DeploymentState.STOPPED, DeploymentState.STOPPED)
ACTORS = (None, "user:42", "service:deployer", "schedule:s1/a", "service:unknown")
VERBS = (Verb.SLEEP, Verb.SLEEP, Verb.WAKE, Verb.WAKE, Verb.STOP, Verb.START)
PROPOSALS = 2
QUIET = Gate(5 * SECOND, 20 * SECOND, 3 * SECOND, 30 * SECOND)


def for_deployments(rng: Random, command: Command) -> Command:
    """Let most of what is work for runners act on a deployment."""
    if not isinstance(command, Define) or command.definition.action.work is None:
        return command
    if rng.random() < 0.25:
        return command
    verb = rng.choice(VERBS)
    down = verb in {Verb.SLEEP, Verb.STOP}
    found = replace(
        command.definition,
        action=offering(Act(verb)),
        scopes=None,
        gate=QUIET if down and rng.random() < 0.8 else None,
        hold_on_failure=verb in {Verb.SLEEP, Verb.WAKE} and rng.random() < 0.7,
    )
    if rng.random() < 0.7:
        rule = Overlap(OverlapMode.QUEUE, across=Across.SUBJECT, supersedes=True)
        found = replace(found, overlap=rule)
    return replace(command, definition=found)


def told(rng: Random, now: int) -> Command:
    """What somebody says of a deployment, or of a proposal for it."""
    kind = rng.random()
    if kind < 0.1:
        return DefineDeployment(replace(MODEL, priority=rng.choice((50, 50, 90))))
    if kind < 0.4:
        return ReportState(rng.choice(STATES), rng.choice(ACTORS))
    if kind < 0.5:
        return ReleaseSubject("looked at it")
    if kind < 0.7:
        return Propose(_proposal(rng))
    name = f"p{rng.randint(1, PROPOSALS)}"
    if kind < 0.93:
        return AcceptProposal(name)
    return DismissProposal(name) if rng.random() < 0.5 else WithdrawProposal(name, str(now))


def seen(rng: Random, now: int, served: int) -> ReportActivity:
    """What a sampler sees; mostly nobody who uses it."""
    busy = rng.random() < 0.1
    count = rng.choice((served, served, served, served, None, 0, served + 1))
    return ReportActivity(int(busy), 0, now - rng.choice((0, 0, 3)) * SECOND, None, count)


def _proposal(rng: Random) -> Proposal:
    """Of one window that begins within the hour, or any other."""
    number = rng.randint(1, PROPOSALS)
    window = IdleWindow(0, 43_200 + number * 600, 0, 46_800 + number * 600, 60, 3, 3)
    every_day = tuple(window._replace(sleep_day=day, wake_day=day) for day in range(7))
    return Proposal(f"p{number}", every_day, "UTC", ProposalSource.RULES, 1_000)
