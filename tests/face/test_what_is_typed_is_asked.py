"""
Does each command of the command line ask for what was typed, and show what it was told?

A client that only writes down takes the place of the real one; that commands arrive is
test_cli_on_broker.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from typing_extensions import override

from horae.cli import asking, events
from horae.client import Order
from horae.client.orders import Asks, Wish
from schemas.actions import App
from schemas.commands import (
    CancelRun,
    DefineApp,
    EditScopes,
    HoldSubject,
    ReleaseSubject,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
    ReportRun,
    ReportStatus,
    Resume,
    ScopeEdit,
    Skip,
    Trigger,
    Unskip,
)
from schemas.definition import CatchUpMode
from schemas.instants import parse_instant
from schemas.policies import Filter, FilterKind, OverlapMode, Scope
from schemas.replies import Reply, Verdict
from streams.clock import SystemClock
from tests.face.typed import run

NOON = "2027-01-01T12:00:00Z"
AT_NOON = parse_instant(NOON)
HOUR = 3_600_000_000
RUN = "jr_abcdefghijkl"
ACCEPTED = Reply("a/b", "trigger", Verdict.ACCEPTED, AT_NOON, 3, 77, 5, 5)


class Noting(Asks):
    """Writes down what it is asked to send."""

    def __init__(self) -> None:
        self.orders: list[Order] = []
        self.reply = ACCEPTED

    @override
    def ask(self, order: Order) -> Reply:
        self.orders.append(order)
        return self.reply


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Noting:
    found = Noting()

    @contextmanager
    def alone() -> Iterator[Noting]:
        yield found

    monkeypatch.setattr(asking, "asking", alone)
    return found


TYPED: dict[str, tuple[str, str, Wish]] = {
    "resume": ("schedule resume b -r done", "b/b", Resume("done")),
    "resume with what was missed": (
        "schedule resume a/b --catch-up latest",
        "a/b",
        Resume("", CatchUpMode.LATEST),
    ),
    "trigger": ("schedule trigger a/b", "a/b", Trigger()),
    "trigger at any rate": (
        "schedule trigger a/b --force --overlap queue -r now",
        "a/b",
        Trigger("now", force=True, overlap=OverlapMode.QUEUE),
    ),
    "skip some": ("schedule skip a/b --next 3 -r move", "a/b", Skip(3, None, "move")),
    "skip one": (f"schedule skip a/b --at {NOON}", "a/b", Skip(None, AT_NOON)),
    "unskip": ("schedule unskip a/b", "a/b", Unskip()),
    "unskip one": (f"schedule unskip a/b --at {NOON} -r x", "a/b", Unskip(AT_NOON, "x")),
    "add scopes": (
        "schedule scopes add a/b r1 r2 --type compute --type switch -r new",
        "a/b",
        EditScopes(
            ScopeEdit.ADD,
            tuple(Scope(r, Filter(FilterKind.TYPES, ("compute", "switch"))) for r in ("r1", "r2")),
            "new",
        ),
    ),
    "update scopes": (
        "schedule scopes update a/b r1 --id n7",
        "a/b",
        EditScopes(ScopeEdit.UPDATE, (Scope("r1", Filter(FilterKind.IDS, ("n7",))),)),
    ),
    "remove scopes": (
        "schedule scopes remove a/b r1 r2",
        "a/b",
        EditScopes(ScopeEdit.REMOVE, (Scope("r1"), Scope("r2"))),
    ),
    "hold": (
        f"subject hold a -r move --until {NOON}",
        "a/",
        HoldSubject("move", AT_NOON),
    ),
    "hold sleep and wake": (
        "subject hold a/ --actions-only",
        "a/",
        HoldSubject(actions_only=True),
    ),
    "release": ("subject release a -r moved", "a/", ReleaseSubject("moved")),
    "remove a subject": (
        "subject remove a --cancel -r sold",
        "a/",
        RemoveSubject("sold", cancel=True),
    ),
    "remove a target": ("subject remove-target a r1", "a/", RemoveTarget("r1")),
    "an activity": (
        f"subject activity a --in-flight 2 --waiting 1 --last-request {NOON} --sampled-at {NOON}",
        "a/",
        ReportActivity(2, 1, AT_NOON, AT_NOON),
    ),
    "a sign of life": (
        f"runs report a {RUN} running",
        "a/",
        ReportRun(RUN, ReportStatus.RUNNING),
    ),
    "the end of an attempt": (
        f"runs report a {RUN} failed --attempt 2 --detail full",
        "a/",
        ReportRun(RUN, ReportStatus.FAILED, 2, "full"),
    ),
    "a cancel": (f"runs cancel a {RUN} -r hangs", "a/", CancelRun(RUN, "hangs")),
}


@pytest.mark.parametrize(("line", "about", "command"), TYPED.values(), ids=TYPED.keys())
def test_what_is_typed_is_what_is_asked(
    client: Noting, line: str, about: str, command: Wish
) -> None:
    code, out, err = run(*line.split())

    assert (code, err) == (0, "")
    assert out == "a/b: trigger accepted, version 5\n"
    assert [(order.about, order.command) for order in client.orders] == [(about, command)]


@pytest.mark.parametrize("line", [line for line, _, _ in TYPED.values()], ids=TYPED.keys())
def test_a_program_gets_the_reply_as_json(client: Noting, line: str) -> None:
    client.reply = replace(ACCEPTED, message="2 instants, as x.77")
    code, out, _ = run(*line.split(), "-o", "json")

    found = json.loads(out)
    assert (code, found["verdict"], found["version"]) == (0, "accepted", 5)
    assert found["message"] == "2 instants, as x.77"


def test_a_sample_without_times_was_taken_now_and_lengths_of_time_go_back(client: Noting) -> None:
    begin = SystemClock().wall()
    run("subject", "activity", "a", "--in-flight", "0", "--last-request", "1h")

    [order] = client.orders
    seen = order.command
    assert isinstance(seen, ReportActivity)
    assert seen.last_request is not None
    assert begin <= seen.sampled_at <= SystemClock().wall()
    assert seen.last_request == seen.sampled_at - HOUR


def test_an_app_stands_in_a_file(client: Noting) -> None:
    run("subject", "app", "a", "-f", "-", stdin="image: shop:1\n")

    assert [(one.about, one.command) for one in client.orders] == [("a/", DefineApp(App("shop:1")))]


def test_targets_may_stand_in_a_file(client: Noting, tmp_path: Path) -> None:
    file = tmp_path / "racks.yaml"
    file.write_text("- r1\n- {target: r2, ids: [n1, n2]}\n")

    code, _, _ = run("schedule", "scopes", "update", "a/b", "-f", str(file))

    [order] = client.orders
    assert code == 0
    assert order.command == EditScopes(
        ScopeEdit.UPDATE, (Scope("r1"), Scope("r2", Filter(FilterKind.IDS, ("n1", "n2"))))
    )


def test_a_trigger_that_was_skipped_says_what_stood_in_the_way_and_ends_with_1(
    client: Noting,
) -> None:
    client.reply = replace(ACCEPTED, verdict=Verdict.SKIPPED, message="jr_7 runs since noon")
    code, out, err = run("schedule", "trigger", "a/b")

    assert (code, out) == (1, "")
    assert err == "a/b: trigger skipped: jr_7 runs since noon\n"


def test_a_reply_about_a_subject_names_it_as_it_was_typed(client: Noting) -> None:
    client.reply = replace(ACCEPTED, schedule="a/", command="remove_target", message=None)
    _, out, _ = run("subject", "remove-target", "a", "rack-1")

    assert out.startswith("a: remove target accepted")


LONG = "y" * 5_000
WRONG: dict[str, tuple[list[str], str]] = {
    "a skip of nothing": (["schedule", "skip", "a/b"], "give either --next N or --at WHEN"),
    "a skip of both": (
        ["schedule", "skip", "a/b", "--next", "1", "--at", NOON],
        "give either --next N or --at WHEN",
    ),
    "a skip of none": (["schedule", "skip", "a/b", "--next", "0"], "--next: must be at least 1"),
    "a skip of too many": (["schedule", "skip", "a/b", "--next", "1001"], "--next: at most 1,000"),
    "a skip at no instant": (["schedule", "skip", "a/b", "--at", "soon"], "--at: "),
    "a skip of no schedule": (["schedule", "skip", "a/", "--next", "1"], "an id is subject/name"),
    "an unskip at no instant": (["schedule", "unskip", "a/b", "--at", "soon"], "--at: "),
    "a catch-up that is none": (
        ["schedule", "resume", "a/b", "--catch-up", "some"],
        "--catch-up",
    ),
    "an overlap that is none": (["schedule", "trigger", "a/b", "--overlap", "x"], "--overlap"),
    "no target": (["schedule", "scopes", "add", "a/b"], "TARGET: name at least one"),
    "two kinds of filters": (
        ["schedule", "scopes", "add", "a/b", "r", "--type", "t", "--id", "i"],
        "--id: not together with --type",
    ),
    "a file beside targets": (
        ["schedule", "scopes", "add", "a/b", "r", "-f", "x.yaml"],
        "--file stands alone",
    ),
    "a target twice": (["schedule", "scopes", "add", "a/b", "r", "r"], "is there twice"),
    "an empty type": (
        ["schedule", "scopes", "add", "a/b", "r", "--type", " "],
        "scopes[0].types[0]: must not be empty",
    ),
    "a schedule for a subject": (["subject", "hold", "a/b"], "stands before the slash"),
    "a hold until no instant": (["subject", "hold", "a", "--until", "soon"], "--until: "),
    "a long reason": (["subject", "release", "a", "-r", LONG], "--reason: has 4096 bytes at most"),
    "no target to remove": (["subject", "remove-target", "a", " "], "TARGET: must not be empty"),
    "no activity": (["subject", "activity", "a"], "--in-flight"),
    "less than none": (
        ["subject", "activity", "a", "--in-flight", "-1"],
        "--in-flight: must be at least 0",
    ),
    "a status that is none": (["runs", "report", "a", RUN, "done"], "done"),
    "an attempt that is none": (
        ["runs", "report", "a", RUN, "failed", "--attempt", "0"],
        "--attempt: must be at least 1",
    ),
    "a run without name": (["runs", "cancel", "a", ""], "RUN: must not be empty"),
}


@pytest.mark.parametrize(("arguments", "why"), WRONG.values(), ids=WRONG.keys())
def test_what_cannot_be_meant_is_not_sent_and_ends_with_2(
    client: Noting, arguments: list[str], why: str
) -> None:
    code, out, err = run(*arguments)

    assert (code, out, client.orders) == (2, "", [])
    assert why in err


def test_a_file_with_no_list_is_named(client: Noting) -> None:
    code, _, err = run(
        "schedule", "scopes", "add", "a/b", "-f", "-", stdin="target: r1\n---\ntarget: r2\n"
    )

    assert (code, client.orders) == (1, [])
    assert "standard input: wanted is one list of targets" in err


@pytest.mark.parametrize(
    ("typed", "meant"), [("a/b", "a/b"), ("b", "b/b"), ("a/", "a/"), ("a/b/", "a/b/")]
)
def test_the_tail_shows_a_schedule_or_what_concerns_its_subject(typed: str, meant: str) -> None:
    assert events._about(typed) == meant
