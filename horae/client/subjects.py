"""
What may a program ask of a subject as a whole, or say of its runs?

A method for each command; a subject is what stands before the slash of its schedules' ids. What may
be asked of one schedule is schedules.py.
"""

from __future__ import annotations

from horae.client.orders import Asks, Order
from schemas.actions import App
from schemas.commands import (
    CancelRun,
    DefineApp,
    HoldSubject,
    ReleaseSubject,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
    ReportRun,
)
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

    def report_activity(self, subject: str, seen: ReportActivity) -> Reply:
        """Say what a sampler saw of it; only the newest word counts."""
        return self.ask(Order(subject, seen))

    def report_run(self, subject: str, report: ReportRun) -> Reply:
        """Say what became of a run, or that it goes on.

        A word about a run that is over changes nothing: `unchanged`, and `message` says why.
        """
        return self.ask(Order(subject, report))

    def cancel_run(self, subject: str, run: str, reason: str = "") -> Reply:
        """Ask a run to stop; it is over when whoever does it says so. One that waits ends now."""
        return self.ask(Order(subject, CancelRun(run, reason)))
