"""
Does a topic of orders that takes none hold up anybody else?

Whoever sets up a pool by hand may make its topic too narrow or too small, or take it away while it
is in use: what was to be offered there waits, and says why; all other pools have their orders.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.actions import Program
from schemas.commands import Define
from schemas.definition import SECOND, Once, offering
from schemas.events import Deferred, Reason
from schemas.orders import Order
from schemas.topics import orders_topic
from streams.processor.targets import FRESH, LARGEST_ORDER
from tests.processor.cluster import Cluster
from tests.processor.lives import far_ahead, living, now, step_for, step_until, until_firing
from tests.processor.runners import orders_in

pytestmark = pytest.mark.broker

BAD: dict[str, tuple[int, dict[str, str], str]] = {
    "too narrow": (1, {}, "has 1 partitions, and the inbox 2"),
    "too small": (2, {"max.message.bytes": "50000"}, f"and an order may have {LARGEST_ORDER}"),
}
"""How the topic is set up, and what is said of it."""


def ask(cluster: Cluster, schedule: str, pool: str, due: int) -> None:
    action = offering(Program(("true",), pool=pool))
    cluster.ask(schedule, Define(replace(far_ahead("out"), timings=(Once(due),), action=action)))


def orders(cluster: Cluster, pool: str = "default") -> list[Order]:
    return orders_in(cluster.read(orders_topic(pool)))


@pytest.mark.parametrize("what", BAD)
def test_a_pool_that_cannot_take_every_order_is_waited_for_alone(
    cluster: Cluster, what: str
) -> None:
    partitions, settings, said = BAD[what]
    cluster.create(orders_topic("bad"), partitions, settings)
    with living(cluster) as life:
        until_firing(cluster, life)
        ask(cluster, f"{cluster.subject(0)}/bad", "bad", now() + SECOND)
        for number in range(6):
            ask(cluster, f"{cluster.subject(number % 2, number)}/ok", "default", now() + SECOND)
        step_until(lambda: cluster.events(Deferred), life)
        step_until(lambda: len({one.run for one in orders(cluster)}) == 6, life)

    assert orders(cluster, "bad") == []
    deferred = [one.event for one in cluster.events() if isinstance(one.event, Deferred)]
    assert {one.reason for one in deferred} == {Reason.TARGET_UNAVAILABLE}
    assert said in str(deferred[0].evidence)


def test_a_pool_that_is_taken_away_and_made_too_narrow_while_it_is_in_use_stops_nobody(
    cluster: Cluster,
) -> None:
    cluster.create(orders_topic("bad"), 2, {})
    with living(cluster) as life:
        until_firing(cluster, life)
        ask(cluster, f"{cluster.subject(0)}/first", "bad", now())
        step_until(lambda: orders(cluster, "bad"), life)
        cluster.delete(orders_topic("bad"))
        cluster.create(orders_topic("bad"), 1, {})
        # Still believed to be in order: the broker's refusal is what tells.
        ask(cluster, f"{cluster.subject(0)}/second", "bad", now())
        ask(cluster, f"{cluster.subject(1)}/ok", "default", now() + 2 * SECOND)
        step_until(lambda: orders(cluster), life, within=FRESH / SECOND / 2)
        step_for(1, life)
        assert life.processor.serving.stopped == {}
