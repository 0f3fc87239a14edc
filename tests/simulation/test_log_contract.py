"""
Does the log in memory promise what a real broker promises?

The same tests, with the same calls of the client library, against both: only what holds for the
real one may be relied on in the simulation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import confluent_kafka
import pytest
from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from confluent_kafka import admin as real_admin
from confluent_kafka.admin import NewTopic

from horae.local.kafka import Broker
from tests.processor.cluster import await_that
from tests.simulation.consumer import Consumer
from tests.simulation.log import Log
from tests.simulation.producer import Producer
from tests.simulation.wire import LOGS

_NUMBERS = count(1)
STALE = (KafkaError.ILLEGAL_GENERATION, KafkaError.UNKNOWN_MEMBER_ID)


@dataclass(slots=True)
class Kafka:
    """A way to one kind of broker, and a topic of one partition on it."""

    library: Any
    bootstrap: str
    topic: str
    close: list[Callable[[], None]] = field(default_factory=list)
    _asking: dict[bool, Any] = field(default_factory=dict)

    def producer(self, id_: str) -> Any:
        """A transactional producer that has made itself known."""
        options = {"bootstrap.servers": self.bootstrap, "transactional.id": f"{self.topic}-{id_}"}
        made = self.library.Producer({**options, "linger.ms": 0, "log_level": 0})
        made.init_transactions(20)
        return made

    def consumer(self, *, committed: bool = True) -> Any:
        """A consumer that is in no group so far."""
        options = {
            "bootstrap.servers": self.bootstrap,
            "client.id": "reader",
            "group.id": f"{self.topic}-group",
            "isolation.level": "read_committed" if committed else "read_uncommitted",
            "auto.offset.reset": "error",
            "enable.auto.commit": False,
            "session.timeout.ms": 6_000,
            "heartbeat.interval.ms": 200,
            "log_level": 0,
        }
        made = self.library.Consumer(options)
        self.close.append(made.close)
        return made

    def member(self, others: list[Any]) -> Any:
        """A consumer that has joined the group; the others go on polling meanwhile."""
        made = self.consumer()
        nothing: dict[str, Any] = dict.fromkeys(
            ("on_assign", "on_revoke", "on_lost"), lambda *_: None
        )
        made.subscribe([self.topic], **nothing)

        def is_in() -> bool:
            for one in (made, *others):
                one.poll(0.1)
            raw: bytes = made.consumer_group_metadata()
            return int.from_bytes(raw[7:11], "little", signed=True) >= 0

        await_that(is_in, "it is in the group", within=30)
        return made

    def end(self, *, committed: bool) -> int:
        """Where the partition ends, for one of the two kinds of readers."""
        return self._edge(OFFSET_END, committed=committed)

    def beginning(self) -> int:
        """Where it begins."""
        return self._edge(OFFSET_BEGINNING, committed=False)

    def _edge(self, which: int, *, committed: bool) -> int:
        if committed not in self._asking:
            self._asking[committed] = self.consumer(committed=committed)
        asked = [TopicPartition(self.topic, 0, which)]
        try:
            [answer] = self._asking[committed].offsets_for_times(asked, 10)
        except KafkaException:  # the client has not heard of the topic so far
            return -1
        return -1 if answer.error else int(answer.offset)

    def read(self, *, committed: bool = True) -> tuple[list[bytes], int]:
        """The values that a reader finds up to its end, and what it would read next."""
        reader, here = self.consumer(committed=committed), TopicPartition(self.topic, 0, 0)
        reader.assign([here])
        end, values = self.end(committed=committed), []
        deadline = time.monotonic() + 10
        while (at := max(0, reader.position([here])[0].offset)) < end:
            assert time.monotonic() < deadline, f"it was read to {at} of {end}"
            values += [one.value() for one in reader.consume(100, 0.1)]
        return values, at

    def offsets(self, offset: int) -> list[TopicPartition]:
        return [TopicPartition(self.topic, 0, offset)]


class Contract:
    """What both of them promise."""

    def test_what_was_aborted_is_never_read(self, kafka: Kafka) -> None:
        producer = kafka.producer("a")
        for value, end in ((b"1", producer.abort_transaction), (b"2", producer.commit_transaction)):
            producer.begin_transaction()
            producer.produce(kafka.topic, value, None, 0)
            producer.flush(10)
            end(10)
        await_that(lambda: kafka.end(committed=True) == 4, "both are over")

        assert kafka.beginning() == 0
        assert kafka.read() == ([b"2"], 4)
        assert kafka.read(committed=False) == ([b"1", b"2"], 4)

    def test_an_open_transaction_hides_what_lies_behind_it(self, kafka: Kafka) -> None:
        first, second = kafka.producer("first"), kafka.producer("second")
        for producer in (first, second):
            producer.begin_transaction()
            producer.produce(kafka.topic, b"x", None, 0)
            producer.flush(10)
        second.commit_transaction(10)
        await_that(lambda: kafka.end(committed=False) == 3, "the second is over")
        hidden, stable = kafka.read(), kafka.end(committed=True)
        first.commit_transaction(10)
        await_that(lambda: kafka.end(committed=True) == 4, "the first is over")

        assert (hidden, stable) == (([], 0), 0)
        assert kafka.read() == ([b"x", b"x"], 4)

    def test_markers_take_offsets_and_a_reader_passes_them(self, kafka: Kafka) -> None:
        producer = kafka.producer("a")
        producer.begin_transaction()
        producer.produce(kafka.topic, b"1", None, 0)
        producer.commit_transaction(10)
        await_that(lambda: kafka.end(committed=True) == 2, "it is over")

        assert kafka.end(committed=False) == 2
        assert kafka.read() == ([b"1"], 2)

    def test_who_was_fenced_commits_nothing(self, kafka: Kafka) -> None:
        old = kafka.producer("same")
        old.begin_transaction()
        old.produce(kafka.topic, b"1", None, 0)
        old.flush(10)
        kafka.producer("same")
        with pytest.raises(KafkaException) as fault:
            old.commit_transaction(10)

        assert fault.value.args[0].fatal()
        assert kafka.read()[0] == []

    def test_a_former_generation_commits_no_offsets(self, kafka: Kafka) -> None:
        first = kafka.member([])
        stale = first.consumer_group_metadata()
        kafka.member([first])
        producer = kafka.producer("a")
        producer.begin_transaction()
        producer.produce(kafka.topic, b"1", None, 0)
        with pytest.raises(KafkaException) as fault:
            producer.send_offsets_to_transaction(kafka.offsets(7), stale, 10)
        producer.abort_transaction(10)

        assert fault.value.args[0].txn_requires_abort()
        assert fault.value.args[0].code() in STALE
        assert kafka.consumer().committed(kafka.offsets(0), 10)[0].offset < 0

    def test_who_never_joined_is_not_fenced_at_all(self, kafka: Kafka) -> None:
        """The trap that `Membership.require_live` keeps us out of."""
        reader = kafka.consumer()
        producer = kafka.producer("a")
        producer.begin_transaction()
        producer.produce(kafka.topic, b"1", None, 0)
        producer.send_offsets_to_transaction(kafka.offsets(7), reader.consumer_group_metadata(), 10)
        producer.commit_transaction(10)

        await_that(lambda: reader.committed(kafka.offsets(0), 10)[0].offset == 7, "it is committed")

    def test_an_offset_that_is_about_to_be_committed_is_not_told(self, kafka: Kafka) -> None:
        reader = kafka.member([])
        producer = kafka.producer("a")
        producer.begin_transaction()
        producer.produce(kafka.topic, b"1", None, 0)
        metadata = reader.consumer_group_metadata()
        producer.send_offsets_to_transaction(kafka.offsets(1), metadata, 10)
        with pytest.raises(KafkaException) as fault:
            reader.committed(kafka.offsets(0), 0.5)
        producer.commit_transaction(10)

        assert fault.value.args[0].code() in {
            KafkaError._TIMED_OUT,
            KafkaError.UNSTABLE_OFFSET_COMMIT,
        }
        await_that(lambda: reader.committed(kafka.offsets(0), 10)[0].offset == 1, "it is committed")


class InMemory:
    """The client library over the log in memory."""

    Producer = Producer
    Consumer = Consumer


class TestTheLogInMemory(Contract):
    @pytest.fixture
    def kafka(self) -> Iterator[Kafka]:
        """A log of its own."""
        log = LOGS["contract"] = Log(lambda: 0, "inbox", 1)
        log.create("inbox", 1)
        yield Kafka(InMemory, "contract", "inbox")
        del LOGS["contract"]


@pytest.mark.broker
class TestARealBroker(Contract):
    @pytest.fixture
    def kafka(self, broker: Broker) -> Iterator[Kafka]:
        """A topic of its own."""
        admin = real_admin.AdminClient({"bootstrap.servers": broker.bootstrap, "log_level": 0})
        topic = f"contract-{next(_NUMBERS)}"
        admin.create_topics([NewTopic(topic, num_partitions=1)])[topic].result(20)
        kafka = Kafka(confluent_kafka, broker.bootstrap, topic)
        await_that(lambda: kafka.end(committed=False) == 0, "the topic is there")
        yield kafka
        for close in kafka.close:
            close()
