"""
Is there a method for each command, and does it ask for just that?

Without a broker; that a command arrives is test_client.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import pytest
from typing_extensions import override

from horae.client import Order
from horae.client.orders import Wish
from horae.client.schedules import AsksSchedules
from horae.client.subjects import AsksSubjects
from schemas.actions import App
from schemas.commands import (
    AcceptProposal,
    Backfill,
    CancelBackfill,
    CancelRun,
    ClaimRun,
    DeclineRun,
    Define,
    DefineApp,
    DefineDeployment,
    DismissProposal,
    EditScopes,
    HoldSubject,
    Pause,
    Propose,
    ReleaseSubject,
    Remove,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
    ReportRun,
    ReportState,
    ReportStatus,
    Resume,
    ScopeEdit,
    Skip,
    Trigger,
    Unskip,
    WithdrawProposal,
)
from schemas.definition import CatchUpMode, Cron, Definition, Emit
from schemas.deployments import ContainerDriver, Deployment, DeploymentState
from schemas.identity import IdFault
from schemas.policies import OverlapMode, Scope
from schemas.proposals import IdleWindow, Proposal, ProposalSource
from schemas.reading import command_record, read_command
from schemas.replies import Reply, Verdict

DAILY = Definition((Cron("@daily"),), Emit("t"))
ONCE_MORE = Backfill(1, 2, reason="lost")
SEEN = ReportActivity(1, 0, 5, None, 7, 3_000, 400_000)
SAID = ReportRun("jr_1", ReportStatus.FAILED, 2, "exit 1")
LLAMA = Deployment(ContainerDriver())
NIGHT = Proposal(
    "p", (IdleWindow(0, 79_200, 1, 27_900, 600, 3, 3),), "UTC", ProposalSource.RULES, 1_000
)
RACK = Scope("rack-a")


class Noting(AsksSchedules, AsksSubjects):
    """Writes down what it is asked to send."""

    def __init__(self) -> None:
        self.orders: list[Order] = []

    @override
    def ask(self, order: Order) -> Reply:
        self.orders.append(order)
        return Reply(order.about, "", Verdict.ACCEPTED, 0, 0, 0)


ASKED: dict[str, tuple[Callable[[Noting], Reply], str, Wish]] = {
    "define": (lambda c: c.define("a/b", DAILY, 3), "a/b", Define(DAILY, 3)),
    "remove": (lambda c: c.remove("a/b"), "a/b", Remove()),
    "pause": (lambda c: c.pause("a/b", "r", 5), "a/b", Pause("r", 5)),
    "resume": (lambda c: c.resume("b", "r"), "b/b", Resume("r")),
    "resume with what was missed": (
        lambda c: c.resume("a/b", catch_up=CatchUpMode.ALL),
        "a/b",
        Resume("", CatchUpMode.ALL),
    ),
    "trigger": (lambda c: c.trigger("a/b", "r"), "a/b", Trigger("r")),
    "trigger at any rate": (
        lambda c: c.trigger("a/b", force=True, overlap=OverlapMode.QUEUE),
        "a/b",
        Trigger("", force=True, overlap=OverlapMode.QUEUE),
    ),
    "skip some": (lambda c: c.skip("a/b", count=2), "a/b", Skip(2)),
    "skip one": (lambda c: c.skip("a/b", instant=5, reason="r"), "a/b", Skip(None, 5, "r")),
    "unskip": (lambda c: c.unskip("a/b", 5), "a/b", Unskip(5)),
    "backfill": (lambda c: c.backfill("a/b", ONCE_MORE), "a/b", ONCE_MORE),
    "cancel a backfill": (
        lambda c: c.cancel_backfill("a/b", "x", "r"),
        "a/b",
        CancelBackfill("x", "r"),
    ),
    "add scopes": (
        lambda c: c.add_scopes("a/b", [RACK], "r"),
        "a/b",
        EditScopes(ScopeEdit.ADD, (RACK,), "r"),
    ),
    "update scopes": (
        lambda c: c.update_scopes("a/b", [RACK]),
        "a/b",
        EditScopes(ScopeEdit.UPDATE, (RACK,)),
    ),
    "remove scopes": (
        lambda c: c.remove_scopes("a/b", ["rack-a"]),
        "a/b",
        EditScopes(ScopeEdit.REMOVE, (RACK,)),
    ),
    "hold": (
        lambda c: c.hold_subject("a", "r", 5, actions_only=True),
        "a/",
        HoldSubject("r", 5, actions_only=True),
    ),
    "release": (lambda c: c.release_subject("a/", "r"), "a/", ReleaseSubject("r")),
    "remove a subject": (
        lambda c: c.remove_subject("a", "r", cancel=True),
        "a/",
        RemoveSubject("r", cancel=True),
    ),
    "remove a target": (
        lambda c: c.remove_target("a", "rack-a", "r"),
        "a/",
        RemoveTarget("rack-a", "r"),
    ),
    "define an app": (lambda c: c.define_app("a", App("app:1")), "a/", DefineApp(App("app:1"))),
    "define a deployment": (
        lambda c: c.define_deployment("a", LLAMA),
        "a/",
        DefineDeployment(LLAMA),
    ),
    "report a state": (
        lambda c: c.report_state("a", DeploymentState.STOPPED, "user:ada", "by hand"),
        "a/",
        ReportState(DeploymentState.STOPPED, "user:ada", "by hand"),
    ),
    "propose": (lambda c: c.propose("a", NIGHT), "a/", Propose(NIGHT)),
    "accept": (lambda c: c.accept_proposal("a", "p", "r"), "a/", AcceptProposal("p", "r")),
    "dismiss": (lambda c: c.dismiss_proposal("a", "p", "r"), "a/", DismissProposal("p", "r")),
    "withdraw": (lambda c: c.withdraw_proposal("a", "p", "r"), "a/", WithdrawProposal("p", "r")),
    "report an activity": (lambda c: c.report_activity("a", SEEN), "a/", SEEN),
    "report a run": (lambda c: c.report_run("a", SAID), "a/", SAID),
    "cancel a run": (lambda c: c.cancel_run("a", "jr_1", "r"), "a/", CancelRun("jr_1", "r")),
}


@pytest.mark.parametrize(("ask", "about", "command"), ASKED.values(), ids=ASKED.keys())
def test_a_method_asks_for_what_it_says(
    ask: Callable[[Noting], Reply], about: str, command: Wish
) -> None:
    client = Noting()

    assert ask(client).schedule == about
    [order] = client.orders
    assert order.command == command
    assert read_command(*command_record(about, order.command, order.id)) == (about, command)


def test_no_command_is_without_a_method_but_those_of_runners() -> None:
    asked = {type(command) for _, _, command in ASKED.values()}

    assert asked == set(get_args(Wish)) - {ClaimRun, DeclineRun}


@pytest.mark.parametrize(
    "order", [Order("a/b", ReleaseSubject()), Order("a#", Pause()), Order("a/", Pause())]
)
def test_a_name_that_cannot_be_asked_this_is_refused(order: Order) -> None:
    with pytest.raises(IdFault):
        _ = order.about
