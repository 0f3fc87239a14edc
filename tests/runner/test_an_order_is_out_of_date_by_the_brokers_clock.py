"""A runner whose machine has another time takes the orders that all others would take."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest
from typing_extensions import override

from horae.local.kafka import Broker
from schemas.codec import encode
from schemas.orders import Order
from schemas.units import HOUR, SECOND
from streams.clock import SystemClock
from streams.runner import post
from streams.runner.letters import Letter
from streams.runner.news import Inbox, Offered
from streams.runner.post import Post
from streams.runner.readers import STALE, Orders
from streams.runner.slots import Slots
from tests.processor.cluster import fresh_cluster
from tests.runner.ordered import NOON, order, program


class Message:
    """An order, as it is read."""

    def __init__(self, order: Order) -> None:
        self._value = encode(order)

    def value(self) -> bytes:
        return self._value


@pytest.mark.parametrize(("age", "taken"), [(0, 1), (STALE - 1, 1), (STALE, 0)])
def test_an_order_that_has_been_offered_anew_is_left_alone(age: int, taken: int) -> None:
    asked = order(program("true"), decided_at=NOON - 5 * SECOND, again_at=NOON)
    inbox = Inbox()
    here = Orders("default", Slots(1), inbox, lambda: NOON + age)
    consumer: Any = None
    here.take(consumer, Message(asked), Event())  # type: ignore[arg-type]

    assert list(inbox.wait(0.01)) == [Offered(asked)] * taken


@pytest.mark.broker
@pytest.mark.parametrize("wrong", [-HOUR, HOUR])
def test_what_time_it_is_says_the_broker(
    broker: Broker, monkeypatch: pytest.MonkeyPatch, wrong: int
) -> None:
    class Clock(SystemClock):
        """That of a machine that nobody looks after."""

        @override
        def wall(self) -> int:
            return super().wall() + wrong

    monkeypatch.setattr(post, "SystemClock", Clock)
    with fresh_cluster(broker.bootstrap, 2):
        sender = Post(broker.bootstrap, "node-1")
        assert sender.deliver([Letter("horae.commands", 0, b"#runner:node-1", b"")], 20)
        found, there = sender.now(), SystemClock().wall()
        sender.close(5)

    assert abs(found - there) < 60 * SECOND
