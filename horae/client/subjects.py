"""
What may a program ask of a subject as a whole, or say of its runs?

A method for each command; a subject is what stands before the slash of its schedules' ids. What may
be asked of one schedule is schedules.py.
"""

from __future__ import annotations

from horae.client.orders import Asks, Order
from schemas.actions import App
from schemas.commands import (
    AcceptProposal,
    CancelRun,
    DefineApp,
    DefineDeployment,
    DismissProposal,
    HoldSubject,
    Propose,
    ReleaseSubject,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
    ReportRun,
    ReportState,
    WithdrawProposal,
)
from schemas.deployments import Deployment, DeploymentState
from schemas.proposals import Proposal
from schemas.replies import Reply


class AsksSubjects(Asks):
    """Commands about a subject; instants are microseconds of UTC."""

    def hold_subject(
        self,
        subject: str,
        reason: str = "",
        until: int | None = None,
        *,
        actions_only: bool = False,
    ) -> Reply:
        """Evaluate nothing of it until it is released, or the instant `until` has come.

        With `actions_only` that is true of its sleep and wake alone.
        """
        return self.ask(Order(subject, HoldSubject(reason, until, actions_only)))

    def release_subject(self, subject: str, reason: str = "") -> Reply:
        """Lift the hold; what was due meanwhile is late, and each schedule's catch_up decides."""
        return self.ask(Order(subject, ReleaseSubject(reason)))

    def remove_subject(self, subject: str, reason: str = "", *, cancel: bool = False) -> Reply:
        """Remove each of its schedules; what runs goes on, or is asked to stop (`cancel`)."""
        return self.ask(Order(subject, RemoveSubject(reason, cancel)))

    def remove_target(self, subject: str, target: str, reason: str = "") -> Reply:
        """A target is gone: take it out of all schedules of the subject."""
        return self.ask(Order(subject, RemoveTarget(target, reason)))

    def define_app(self, subject: str, app: App) -> Reply:
        """Let the containers of its work be made of this; what runs goes on as it is."""
        return self.ask(Order(subject, DefineApp(app)))

    def define_deployment(self, subject: str, deployment: Deployment) -> Reply:
        """Let the subject be this deployment; what it was before is replaced as a whole."""
        return self.ask(Order(subject, DefineDeployment(deployment)))

    def report_state(
        self, subject: str, state: DeploymentState, actor: str | None = None, detail: str = ""
    ) -> Reply:
        """Say in which state a deployment is now; `actor` brought it there, if not who says so."""
        return self.ask(Order(subject, ReportState(state, actor, detail)))

    def propose(self, subject: str, proposal: Proposal) -> Reply:
        """Let an admin see when a deployment could sleep; an open one gives way to it."""
        return self.ask(Order(subject, Propose(proposal)))

    def accept_proposal(self, subject: str, proposal: str, reason: str = "") -> Reply:
        """Make the schedules of a proposal, in the name of who accepts it; twice is once."""
        return self.ask(Order(subject, AcceptProposal(proposal, reason)))

    def dismiss_proposal(self, subject: str, proposal: str, reason: str = "") -> Reply:
        """Make nothing of a proposal; the same is not made again for 30 days."""
        return self.ask(Order(subject, DismissProposal(proposal, reason)))

    def withdraw_proposal(self, subject: str, proposal: str, reason: str = "") -> Reply:
        """Take a proposal back that does not fit what was measured since."""
        return self.ask(Order(subject, WithdrawProposal(proposal, reason)))

    def report_activity(self, subject: str, seen: ReportActivity) -> Reply:
        """Say what a sampler saw of it; only the newest word counts.

        Whoever knows how many requests have ended (`served`) need not know when the last one came:
        another number than before is a request.
        """
        return self.ask(Order(subject, seen))

    def report_run(self, subject: str, report: ReportRun) -> Reply:
        """Say what became of a run, or that it goes on.

        A word about a run that is over changes nothing: `unchanged`, and `message` says why.
        """
        return self.ask(Order(subject, report))

    def cancel_run(self, subject: str, run: str, reason: str = "") -> Reply:
        """Ask a run to stop; it is over when whoever does it says so. One that waits ends now."""
        return self.ask(Order(subject, CancelRun(run, reason)))
