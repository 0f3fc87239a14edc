"""What the settings of a topic mean for emits, and for those that go elsewhere."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from confluent_kafka.admin import AdminClient

from schemas.globals import GlobalSettings
from streams.decider.state import Target, World
from streams.processor.targets import LEAST_BYTES, Targets
from streams.processor.transaction import LEAST_BATCH, Transactions

WORLD = World(settings=GlobalSettings(("*",), 0))


class Broker:
    """Describes topics by the most bytes they take."""

    def __init__(self, **topics: int) -> None:
        self._topics = topics

    def describe_configs(self, resources: list[Any], request_timeout: float) -> dict[Any, Any]:
        """The settings of these topics."""
        assert request_timeout
        return {one: SimpleNamespace(result=self._settings(one.name)) for one in resources}

    def _settings(self, topic: str) -> Any:
        most = SimpleNamespace(value=str(self._topics[topic]))
        policy = SimpleNamespace(value="delete")
        return lambda: {"max.message.bytes": most, "cleanup.policy": policy}


def prepared(**topics: int) -> Targets:
    targets = Targets(cast(AdminClient, Broker(**topics)), 1)
    targets.prepare(topics, 0, WORLD)
    return targets


@pytest.mark.parametrize("most", [0, 1, LEAST_BYTES - 1])
def test_a_topic_that_takes_no_record_of_ours_is_at_fault_and_makes_no_batch_smaller(
    most: int,
) -> None:
    targets = prepared(tiny=most, good=50_000)

    assert f"takes {most} bytes" in str(targets.seen["tiny"].fault)
    assert targets.seen["good"] == Target(max_bytes=50_000)
    assert targets.smallest == 50_000


def test_one_that_takes_the_least_is_in_order() -> None:
    targets = prepared(small=LEAST_BYTES)

    assert targets.seen["small"].fault is None
    assert targets.smallest == LEAST_BYTES


def test_batches_have_a_least_size() -> None:
    transactions = object.__new__(Transactions)
    transactions._options = {"batch.size": 1_000_000}
    transactions.fit(0)

    assert transactions._options["batch.size"] == LEAST_BATCH
