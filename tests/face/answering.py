"""
Who answers commands in the tests of the client?

A thread that accepts whatever comes and keeps it for the test to look at. What a real processor
decides is tested in tests/acceptance.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread

from confluent_kafka import Consumer, Message, Producer, TopicPartition

from schemas import codec
from schemas.replies import Reply, Verdict
from schemas.topics import COMMANDS, GLOBALS, REPLIES

REFUSED = "refused"
"""A subject whose commands are all refused."""


@dataclass(slots=True)
class Answering:
    """Accepts every command, but for one subject."""

    bootstrap: str
    seen: list[Message] = field(default_factory=list)
    stopping: Event = field(default_factory=Event)
    ready: Event = field(default_factory=Event)

    def run(self) -> None:
        """Answer until told to stop."""
        consumer = Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "log_level": 0,
                "group.id": "answering",
                "enable.auto.commit": False,
                "auto.offset.reset": "error",
            }
        )
        producer = Producer({"bootstrap.servers": self.bootstrap, "linger.ms": 1, "log_level": 0})
        consumer.assign(
            [
                TopicPartition(topic, partition, consumer.get_watermark_offsets(place)[1])
                for topic in (COMMANDS, GLOBALS)
                for partition in consumer.list_topics(topic).topics[topic].partitions
                for place in [TopicPartition(topic, partition)]
            ]
        )
        self.ready.set()
        while not self.stopping.is_set():
            message = consumer.poll(0.05)
            if message is not None and message.error() is None:
                self.seen.append(message)
                self.answer(message, producer)
                producer.poll(0)
        producer.flush(5)
        consumer.close()

    def answer(self, message: Message, producer: Producer) -> None:
        """Send the reply to where a processor would."""
        key = (message.key() or b"").decode()
        schedule, _, kind = key.partition("#")
        refused = schedule.startswith(REFUSED)
        reply = Reply(
            schedule=schedule,
            command=kind.partition(":")[0] or "define",
            verdict=Verdict.REFUSED if refused else Verdict.ACCEPTED,
            decided_at=1,
            partition=message.partition() or 0,
            offset=message.offset() or 0,
            version=message.offset(),
            field="zone" if refused else None,
            message="no such zone" if refused else None,
        )
        producer.produce(
            REPLIES,
            partition=message.partition() or 0,
            key=headers_of(message)["horae-id"],
            value=codec.encode(reply),
        )


@contextmanager
def answering(bootstrap: str) -> Iterator[Answering]:
    """Somebody answers for the length of the block."""
    found = Answering(bootstrap)
    thread = Thread(target=found.run, name="answering")
    thread.start()
    try:
        assert found.ready.wait(20)
        yield found
    finally:
        found.stopping.set()
        thread.join(20)


def headers_of(message: Message) -> dict[str, bytes]:
    """The headers of a record by name."""
    pairs: list[tuple[str, bytes]] = list(message.headers() or [])  # type: ignore[arg-type]
    return dict(pairs)
