"""A fire is waited for in the ledger only if the reply tells of one."""

from __future__ import annotations

from typing import Self

import pytest
from typing_extensions import override

from horae.api import desk
from horae.api.desk import KafkaDesk
from horae.client import Order
from horae.tail import Stretch
from schemas.commands import Trigger
from schemas.replies import Reply, Verdict

OCCURRENCE = "a/b~2@trigger:c.9"


class Silent:
    """A ledger in which nothing comes, and that counts how often it was read."""

    reads = 0

    def __init__(self, *_: object) -> None: ...

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def read(self, _within: float) -> Stretch:
        Silent.reads += 1
        return Stretch((), caught_up=True)


class Answered(KafkaDesk):
    """A desk whose orders all get the same reply."""

    verdict: Verdict

    @override
    def ask(self, order: Order) -> Reply:
        return Reply(order.about, "trigger", self.verdict, 0, 0, 9, occurrence=OCCURRENCE)


@pytest.mark.parametrize(("verdict", "looks"), [(Verdict.SKIPPED, False), (Verdict.ACCEPTED, True)])
def test_the_ledger_is_read_for_a_fire_alone(
    monkeypatch: pytest.MonkeyPatch, verdict: Verdict, *, looks: bool
) -> None:
    monkeypatch.setattr(desk, "Tail", Silent)
    monkeypatch.setattr(Silent, "reads", 0)
    asked = Answered("nowhere:1", within=1.0, most=1)
    asked.verdict = verdict

    answered = asked.fire(Order("a/b", Trigger()), patience=0.01)

    assert (answered.reply.verdict, answered.fired) == (verdict, None)
    assert (Silent.reads > 0) is looks
