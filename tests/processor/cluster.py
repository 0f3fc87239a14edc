"""
What does a test ask of the broker?

One cluster a test, with topics of its own: records are sent the way a sender would, and read back
the way a reader would, committed or not. Processors on it are lives.py and forked.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from threading import Thread
from typing import Any

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from schemas.codec import Recorded, decode_as, decode_event, encode
from schemas.commands import Command, Define
from schemas.definition import Definition
from schemas.events import Event, Fired, Stamp
from schemas.globals import GlobalRecord
from schemas.identity import partition_of, subject_of
from schemas.reading import command_record
from schemas.rejected import Rejected
from schemas.replies import Reply
from schemas.snapshot import Owner
from schemas.topics import COMMANDS, EVENTS, GLOBALS, REJECTED, REPLIES, STATE, Part, plan
from streams.decider.worldview import KEYS
from tests.processor.found import Ends, Found, found_in

GROUP = "horae-processor"
_NUMBERS = count(1)


@dataclass(slots=True)
class Cluster:
    """A broker with fresh topics."""

    bootstrap: str
    partitions: int
    admin: AdminClient
    _producer: Producer = field(init=False)
    _readers: dict[tuple[str, str], tuple[Consumer, list[Found]]] = field(default_factory=dict)
    _ends: Ends = field(init=False)
    _made: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._ends = Ends(self.bootstrap)
        self._producer = Producer(
            {
                "bootstrap.servers": self.bootstrap,
                "linger.ms": 0,
                "log_level": 0,
                "message.max.bytes": 2_000_000,
            }
        )

    # ------------------------------------------------------------------ topics

    def target(self, *, create: bool = True, settings: Mapping[str, str] | None = None) -> str:
        """The name of a topic for emits, which is created unless told otherwise."""
        name = f"out-{next(_NUMBERS)}"
        self._made.append(name)
        if create:
            self.create(name, 1, settings or {})
        return name

    def create(self, name: str, partitions: int, settings: Mapping[str, str]) -> None:
        """Create a topic and wait until it is there."""
        wanted = NewTopic(name, num_partitions=partitions, config=dict(settings))
        self.admin.create_topics([wanted])[name].result(10)
        await_that(lambda: self._has_leaders(name), f"{name} has leaders")

    def delete(self, *names: str) -> None:
        """Delete topics and wait until they are gone."""
        for name in names:
            self._forget(name)
        for future in self.admin.delete_topics(list(names)).values():
            future.result(10)
        await_that(lambda: not set(names) & set(self.admin.list_topics(timeout=5).topics), "gone")

    def alter(self, topic: str, name: str, value: str) -> None:
        """Change one setting of a topic, and wait until the broker goes by it."""
        entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
        change = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
        for future in self.admin.incremental_alter_configs([change]).values():
            future.result(10)
        asked = ConfigResource(ResourceType.TOPIC, topic)

        def changed() -> bool:
            [answer] = self.admin.describe_configs([asked]).values()
            return bool(answer.result()[name].value == value)

        await_that(changed, f"{name} of {topic} is {value}")

    def subject(self, partition: int, number: int = 0) -> str:
        """A subject that lives in this partition."""
        names = (f"s{n}" for n in count())
        here = (name for name in names if partition_of(name, self.partitions) == partition)
        return next(name for n, name in enumerate(here) if n == number)

    # ------------------------------------------------------------------ sending

    def send(
        self,
        key: bytes | None,
        value: bytes | None,
        *,
        topic: str = COMMANDS,
        partition: int,
        headers: Sequence[tuple[str, str | bytes | None]] = (),
    ) -> int:
        """Put a record into the log; returns its offset."""
        offsets: list[int] = []

        def done(error: KafkaError | None, message: Any) -> None:
            assert error is None, error
            offsets.append(message.offset())

        self._producer.produce(
            topic, value, key, partition, on_delivery=done, headers=list(headers)
        )
        self._producer.flush(10)
        return offsets[0]

    def ask(self, schedule: str, command: Command, command_id: str = "") -> int:
        """Send a command to where it belongs; returns its offset."""
        command_id = command_id or f"c{next(_NUMBERS)}"
        key, value = command_record(schedule, command, command_id)
        home = partition_of(subject_of(schedule), self.partitions)
        return self.send(key, value, partition=home, headers=[("horae-id", command_id)])

    def define(self, schedule: str, definition: Definition, command_id: str = "") -> int:
        """Ask for a schedule."""
        return self.ask(schedule, Define(definition), command_id)

    def tell_everyone(self, record: GlobalRecord) -> int:
        """Put a record into horae.globals."""
        return self.send(KEYS[type(record)].encode(), encode(record), topic=GLOBALS, partition=0)

    # ------------------------------------------------------------------ reading

    def read(self, topic: str, *, committed: bool = True) -> list[Found]:
        """All that is in a topic up to now."""
        isolation = "read_committed" if committed else "read_uncommitted"
        consumer, found = self._readers.get((topic, isolation)) or self._reader(topic, isolation)
        ends = self.ends(topic, committed=committed)
        deadline = time.monotonic() + 10
        while any(
            at.offset < ends[at.partition] and ends[at.partition]
            for at in consumer.position([TopicPartition(topic, number) for number in ends])
        ):
            assert time.monotonic() < deadline, f"{topic} could not be read to {ends}"
            for message in consumer.consume(10_000, 0.02):
                assert message.error() is None, message.error()
                found.append(found_in(message))
        return list(found)

    def ends(self, topic: str, *, committed: bool = False) -> dict[int, int]:
        """The end offset of each partition of a topic."""
        return self._ends.of(topic, committed=committed)

    def events(self, kind: type[Event] | None = None) -> list[Recorded]:
        """The ledger, or what it holds of one kind."""
        found = [decode_event(one.value or b"") for one in self.read(EVENTS)]
        return [one for one in found if kind is None or type(one.event) is kind]

    def fired(self) -> list[tuple[Fired, Stamp]]:
        """Every fire of the ledger, with its stamp."""
        return [(one.event, one.stamp) for one in self.events() if isinstance(one.event, Fired)]

    def require_each_once(self, out: str, *, every: int | None = None) -> None:
        """Each occurrence is in the target once, has one fire in the ledger, and none is missing.

        `every`: the interval of all schedules, which leaves no gap between first and last.
        """
        # the answer to a commit may come before each partition has heard of it
        await_that(
            lambda: all(
                self.ends(topic, committed=True) == self.ends(topic) for topic in (out, EVENTS)
            ),
            "no transaction is open any more",
        )
        emitted = [one.headers["horae-occurrence"] for one in self.read(out)]
        keys = [one.key for one in self.read(EVENTS) if b"@" in (one.key or b"")]
        fired = [(one.schedule, one.nominal) for one, _ in self.fired()]
        assert len(set(fired)) == len(fired)
        assert len(set(emitted)) == len(emitted)
        assert sorted(emitted) == sorted(key for key in keys if key in set(emitted))  # type: ignore[type-var]
        assert len(fired) == len(emitted)
        for schedule in {schedule for schedule, _ in fired} if every else ():
            nominals = sorted(at for name, at in fired if name == schedule)
            assert nominals == list(range(nominals[0], nominals[-1] + 1, every or 1)), schedule

    def replies(self) -> dict[str, list[Reply]]:
        """Every reply, by the id of its command."""
        found: dict[str, list[Reply]] = {}
        for one in self.read(REPLIES):
            reply = decode_as(one.value or b"", Reply)
            found.setdefault((one.key or b"").decode(), []).append(reply)
        return found

    def rejected(self) -> list[Rejected]:
        """What could not be read."""
        return [decode_as(one.value or b"", Rejected) for one in self.read(REJECTED)]

    def owner(self, partition: int, *, committed: bool = True) -> Owner | None:
        """The last owner's record of a partition."""
        key = f"o|{partition}".encode()
        found = [one for one in self.read(STATE, committed=committed) if one.key == key]
        return decode_as(found[-1].value or b"", Owner) if found else None

    def group_offsets(self, group: str = GROUP) -> dict[int, int]:
        """What the group committed, without those that are missing."""
        reader = Consumer({"bootstrap.servers": self.bootstrap, "group.id": group, "log_level": 0})
        try:
            places = [TopicPartition(COMMANDS, number) for number in range(self.partitions)]
            found = reader.committed(places, 10)
        finally:
            reader.close()
        return {place.partition: place.offset for place in found if place.offset >= 0}

    def close(self) -> None:
        """Let go of the broker."""
        self._ends.close()
        for consumer, _ in self._readers.values():
            consumer.close()
        self._readers.clear()

    def _has_leaders(self, name: str) -> bool:
        there = self.admin.list_topics(timeout=5).topics.get(name)
        return bool(there and there.partitions) and all(
            one.leader >= 0
            for one in there.partitions.values()  # type: ignore[union-attr]
        )

    def _reader(self, topic: str, isolation: str) -> tuple[Consumer, list[Found]]:
        consumer = Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "group.id": "test-reader",
                "log_level": 0,
                "isolation.level": isolation,
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "fetch.wait.max.ms": 10,
            }
        )
        consumer.assign([TopicPartition(topic, number, 0) for number in self.ends(topic)])
        self._readers[topic, isolation] = consumer, []
        return self._readers[topic, isolation]

    def _forget(self, topic: str) -> None:
        for place in [place for place in self._readers if place[0] == topic]:
            self._readers.pop(place)[0].close()


@contextmanager
def fresh_cluster(bootstrap: str, partitions: int) -> Iterator[Cluster]:
    """A cluster whose topics are new; what it leaves behind is removed by the next one."""
    where: dict[str, Any] = {"bootstrap.servers": bootstrap, "log_level": 0}
    cluster = Cluster(bootstrap, partitions, AdminClient(where))
    try:
        there = cluster.admin.list_topics(timeout=20).topics
        if old := [name for name in there if not name.startswith("__")]:
            cluster.delete(*old)
        planned = [
            NewTopic(one.name, num_partitions=one.partitions, config=dict(one.settings))
            for one in plan(partitions=partitions, parts=tuple(Part))
        ]
        for future in cluster.admin.create_topics(planned).values():
            future.result(10)
        names = [one.topic for one in planned]
        await_that(lambda: all(cluster._has_leaders(name) for name in names), "leaders")
        yield cluster
    finally:
        cluster.close()
        # One that saw its broker be killed may wait for its own end for ever: nobody else does.
        held = [cluster.admin]
        del cluster.admin
        Thread(target=held.clear, daemon=True).start()


def await_that(condition: Callable[[], object], promise: str, within: float = 15.0) -> None:
    """Return when it holds; fail if it does not in time."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, f"not in {within:g} s: {promise}"
        time.sleep(0.02)
