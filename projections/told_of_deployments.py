"""
What does an event about a deployment, or a proposal for one, tell the audit?

The state and who brought it about, or the proposal's id, stand in the reason. Samples tell nothing.
"""

from __future__ import annotations

from typing import assert_never

from schemas.deployments import ContainerDriver, Deployment, HttpDriver, Vllm
from schemas.events import (
    DeploymentDefined,
    DeploymentStateNoted,
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalWithdrawn,
)

AboutDeployments = (
    DeploymentDefined
    | DeploymentStateNoted
    | ProposalMade
    | ProposalAccepted
    | ProposalDismissed
    | ProposalWithdrawn
)

_DRIVERS = {Vllm: "vllm", HttpDriver: "http", ContainerDriver: "container"}
_NOBODY = "nobody knows by whom"


def words_of_deployment(event: AboutDeployments) -> tuple[str, tuple[str, ...], str | None]:
    """The outcome, what stands in the reason, and the command that asked for it."""
    match event:
        case DeploymentDefined():
            return "deployment_defined", (_driver(event.deployment),), "deployment"
        case DeploymentStateNoted():
            by = f"by {event.actor}" if event.actor else _NOBODY
            words = (f"{event.state.value} {by}", event.run or "", event.detail)
            return "deployment_state", words, None if event.run else "state"
        case ProposalMade():
            made = event.proposal
            words = (made.id, f"{made.source.value}, {len(made.windows)} windows", made.reason)
            return "proposal_made", words, "propose"
        case ProposalAccepted():
            words = (event.proposal, ", ".join(event.schedules), event.reason)
            return "proposal_accepted", words, "accept"
        case ProposalDismissed():
            return "proposal_dismissed", (event.proposal, event.reason), "dismiss"
        case ProposalWithdrawn():
            return "proposal_withdrawn", (event.proposal, event.reason), "withdraw"
        case _:
            assert_never(event)


def _driver(deployment: Deployment) -> str:
    kind = driver_of(deployment)
    return f"{kind}, priority {deployment.priority}, {deployment.zone}"


def driver_of(deployment: Deployment) -> str:
    """Its kind in a word: vllm, http or container."""
    return _DRIVERS[type(deployment.driver)]
