"""
Is a transaction ended that was open when the broker was killed?

It is aborted soon after the next start, in every partition that it wrote to. If not, readers of
committed records would stand before it for ever, and a partition could never be restored again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from confluent_kafka import (
    Consumer,
    KafkaException,
    Producer,
)
from confluent_kafka.admin import AdminClient, NewTopic

from horae.local import ports
from horae.local.kafka import Broker
from streams.edges import Edges
from tests import brokers
from tests.processor.cluster import await_that

pytestmark = pytest.mark.broker

PARTITIONS = 12
PLACES = [("t", number) for number in range(PARTITIONS)]


@pytest.fixture(scope="module")
def killable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    folder = tmp_path_factory.mktemp("killable")
    files, jvm = brokers.needs(folder)
    port = ports.choose()
    controller = ports.choose(besides=[port])
    broker = Broker(folder / "kafka", files, port, controller, folder / "kafka.log", jvm=jvm)
    broker.start()
    yield broker
    broker.kill()


def open_transaction(broker: Broker) -> Producer:
    """A producer with a record in every partition, and no end."""
    producer = Producer(
        {
            "bootstrap.servers": broker.bootstrap,
            "transactional.id": "t",
            "transaction.timeout.ms": 1_000,
            "message.timeout.ms": 900,
            "log_level": 0,
        }
    )
    producer.init_transactions(10)
    producer.begin_transaction()
    for number in range(PARTITIONS):
        producer.produce("t", b"x", partition=number)
    assert producer.flush(5) == 0
    return producer


def test_what_was_open_when_the_broker_was_killed_is_ended_everywhere(killable: Broker) -> None:
    admin = AdminClient({"bootstrap.servers": killable.bootstrap, "log_level": 0})
    admin.create_topics([NewTopic("t", PARTITIONS)])["t"].result(10)
    options = {"bootstrap.servers": killable.bootstrap, "log_level": 0}
    uncommitted, committed = (Edges(options, committed=only) for only in (False, True))

    def ended() -> bool:
        try:
            return committed.ends(PLACES, 10) == uncommitted.ends(PLACES, 10)
        except KafkaException:  # its leaders may be unknown, or others, for a moment
            return False

    await_that(ended, "they answer", 15)
    for _ in range(2):
        left_open = open_transaction(killable)
        assert not ended()
        killable.kill()
        killable.start()

        await_that(ended, "nothing is open any more, and who asked before hears of it", 15)
        found = uncommitted.ends(PLACES, 10)
        assert all(end % 2 == 0 for end in found.values()), f"a marker for each record: {found}"
        left_open.purge()
    uncommitted.close()
    committed.close()


def test_a_broker_that_was_killed_is_back_soon(killable: Broker) -> None:
    killable.kill()
    began = time.monotonic()
    killable.start()

    assert time.monotonic() - began < 30
    reader = Consumer({"bootstrap.servers": killable.bootstrap, "group.id": "g", "log_level": 0})
    assert reader.list_topics(timeout=10).brokers
    reader.close()
