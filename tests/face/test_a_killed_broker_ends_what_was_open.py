"""
Is a transaction ended that was open when the broker was killed?

It is aborted soon after the next start, in every partition that it wrote to. If not, readers of
committed records would stand before it for ever, and a partition could never be restored again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import (
    Consumer,
    IsolationLevel,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

from horae.local import jars, ports
from horae.local.kafka import Broker
from tests.processor.cluster import await_that

pytestmark = pytest.mark.broker

PARTITIONS = 12


@pytest.fixture
def killable(tmp_path: Path) -> Iterator[Broker]:
    files = jars.provide(jars.cache_folder(otherwise=tmp_path / "cache"), lambda _here, _of: None)
    port = ports.choose()
    controller = ports.choose(besides=[port])
    broker = Broker(tmp_path / "kafka", files, port, controller, tmp_path / "kafka.log")
    broker.start()
    yield broker
    broker.kill()


OTHER_EPOCHS = {KafkaError.UNKNOWN_LEADER_EPOCH, KafkaError.FENCED_LEADER_EPOCH}
"""The client does not call these retriable, and they are over within a moment."""


def ends(admin: AdminClient, level: IsolationLevel) -> dict[int, int]:
    latest: OffsetSpec = OffsetSpec.latest()  # type: ignore[no-untyped-call]
    asked = {TopicPartition("t", number): latest for number in range(PARTITIONS)}
    answers = admin.list_offsets(asked, isolation_level=level, request_timeout=10)
    return {place.partition: one.result().offset for place, one in answers.items()}


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
    for _ in range(2):
        left_open = open_transaction(killable)
        killable.kill()
        killable.start()
        fresh = AdminClient({"bootstrap.servers": killable.bootstrap, "log_level": 0})

        def ended(admin: AdminClient = fresh) -> bool:
            try:
                uncommitted = ends(admin, IsolationLevel.READ_UNCOMMITTED)
                return ends(admin, IsolationLevel.READ_COMMITTED) == uncommitted
            except KafkaException as fault:  # it may know another epoch for a moment
                if fault.args[0].code() not in OTHER_EPOCHS and not fault.args[0].retriable():
                    raise
                return False

        await_that(ended, "nothing is open any more", 15)
        found = ends(fresh, IsolationLevel.READ_UNCOMMITTED)
        assert all(end % 2 == 0 for end in found.values()), f"a marker for each record: {found}"
        left_open.purge()


def test_a_broker_that_was_killed_is_back_soon(killable: Broker) -> None:
    killable.kill()
    began = time.monotonic()
    killable.start()

    assert time.monotonic() - began < 30
    reader = Consumer({"bootstrap.servers": killable.bootstrap, "group.id": "g", "log_level": 0})
    assert reader.list_topics(timeout=10).brokers
    reader.close()
