"""What cannot fire yet, because nobody is there to take it, is said where it is defined."""

from __future__ import annotations

from typing import Any

import pytest

from horae.cli import missing
from horae.cli.missing import (
    warn_of_missing_apps,
    warn_of_missing_deployments,
    warn_of_missing_targets,
)
from horae.client import Order
from schemas.commands import Define, Pause
from schemas.reading import read_definition
from schemas.replies import Reply, Verdict


def ordered(schedule: str, **action: Any) -> Order:
    return Order(schedule, Define(read_definition({"cron": "@daily", **action})))


def warned(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *orders: Order,
    verdict: Verdict = Verdict.ACCEPTED,
) -> str:
    monkeypatch.setattr(missing, "_topics", lambda _at, _wanted: {"there", "horae.orders.default"})
    answers = [Reply(one.schedule, "define", verdict, 0, 0, 0) for one in orders]
    warn_of_missing_targets(orders, answers, "broker:1")
    return capsys.readouterr().err


def test_a_topic_that_is_not_there_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    orders = [ordered(f"a/{i}", emit={"topic": "gone"}) for i in range(3)]

    assert warned(monkeypatch, capsys, *orders) == (
        "warning: topic 'gone' does not exist at broker:1: a/0 and 2 more cannot fire before it "
        "does\n"
    )


def test_a_pool_that_never_had_a_runner_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    order = ordered("a/b", command={"argv": ["a"], "pool": "db"})

    assert warned(monkeypatch, capsys, order) == (
        "warning: pool 'db' never had a runner at broker:1: a/b cannot fire before it does\n"
    )


@pytest.mark.parametrize(
    "order",
    {
        "a topic that is there": ordered("a/b", emit={"topic": "there"}),
        "a pool that is there": ordered("a/b", command=["a"]),
        "a pool that an app names": ordered("a/b", fresh=["a"]),
        "no definition": Order("a/b", Pause()),
    }.values(),
)
def test_nothing_is_told_of_the_rest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], order: Order
) -> None:
    assert warned(monkeypatch, capsys, order) == ""


def test_nothing_is_told_of_what_was_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    order = ordered("a/b", emit={"topic": "gone"})

    assert warned(monkeypatch, capsys, order, verdict=Verdict.REFUSED) == ""


NO_APP = (
    "warning: shop has no app: its `exec` and `fresh` cannot be done before "
    "`horae subject app shop -f FILE`\n"
)


@pytest.mark.parametrize(
    ("order", "verdict", "told"),
    {
        "no app": (
            ordered("shop/b", fresh=["a"]),
            Verdict.ACCEPTED,
            NO_APP,
        ),
        "an app": (ordered("known/b", exec=["a"]), Verdict.ACCEPTED, ""),
        "work that needs none": (ordered("shop/b", command=["a"]), Verdict.ACCEPTED, ""),
        "what was refused": (ordered("shop/b", fresh=["a"]), Verdict.REFUSED, ""),
    }.values(),
)
def test_an_app_that_nobody_described_is_told(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    order: Order,
    verdict: Verdict,
    told: str,
) -> None:
    monkeypatch.setattr(missing, "_with_app", lambda _at, _subjects: {"known"})
    answers = [Reply(order.schedule, "define", verdict, 0, 0, 0)]
    warn_of_missing_apps([order], answers, "broker:1")

    assert capsys.readouterr().err == told


NOT_REGISTERED = (
    "warning: no deployment chat is registered: nothing makes it sleep or wake before "
    "`horae deployment register chat`\n"
)


@pytest.mark.parametrize(
    ("order", "verdict", "told"),
    {
        "no deployment": (ordered("chat/b", deployment="wake"), Verdict.ACCEPTED, NOT_REGISTERED),
        "a deployment": (ordered("known/b", deployment="sleep"), Verdict.ACCEPTED, ""),
        "other work": (ordered("chat/b", command=["a"]), Verdict.ACCEPTED, ""),
        "what was refused": (ordered("chat/b", deployment="wake"), Verdict.REFUSED, ""),
    }.values(),
)
def test_a_deployment_that_nobody_registered_is_told(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    order: Order,
    verdict: Verdict,
    told: str,
) -> None:
    monkeypatch.setattr(missing, "_registered", lambda _at, _subjects: {"known"})
    answers = [Reply(order.schedule, "define", verdict, 0, 0, 0)]
    warn_of_missing_deployments([order], answers, "broker:1")

    assert capsys.readouterr().err == told
