"""
What if the broker forgets quiet producers, compacts what was written, or is told old times?

On a broker of its own that forgets within seconds, cleans all the time and looks for what is too
old twice a second: what takes days elsewhere happens while a test waits.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Message, Producer, TopicPartition
from typing_extensions import override

from horae.local import ports
from horae.local.kafka import Broker
from schemas.commands import Define, Remove
from schemas.definition import SECOND
from schemas.reading import command_record
from schemas.topics import (
    COMMANDS,
    EVENTS,
    REJECTED,
    REPLIES,
    SCHEDULES,
    STATE,
    TOPICS,
    Actual,
    Part,
    plan,
)
from streams.processor.collector import forget_everything
from streams.processor.transaction import Transactions
from streams.topics_outlook import AS_THE_INBOX, compare
from tests import brokers
from tests.processor.cluster import Cluster, await_that, fresh_cluster
from tests.processor.forked import forked
from tests.processor.lives import (
    each_second,
    far_ahead,
    living,
    now,
    once,
    settings_for,
    step_for,
    step_until,
    until_firing,
)

HASTY = """
transactional.id.expiration.ms=1500
transaction.remove.expired.transaction.cleanup.interval.ms=300
producer.id.expiration.ms=1500
producer.id.expiration.check.interval.ms=300
log.cleaner.backoff.ms=200
log.retention.check.interval.ms=500
log.initial.task.delay.ms=500
"""
MONTHS = 200 * 86_400_000


@dataclass(slots=True)
class HastyBroker(Broker):
    """A broker that does within seconds what others do within days."""

    @override
    def _write_settings(self) -> None:
        Broker._write_settings(self)  # no super() in a class that was made anew for its slots
        with self._settings.open("a") as settings:
            settings.write(HASTY)


@pytest.fixture(scope="module")
def hasty() -> Iterator[HastyBroker]:
    folder = Path(tempfile.mkdtemp(prefix="horae-hasty-"))
    files, jvm = brokers.needs(folder)
    port = ports.choose()
    broker = HastyBroker(
        folder=folder / "kafka",
        jars=files,
        jvm=jvm,
        port=port,
        controller_port=ports.choose(besides=[port]),
        log=folder / "kafka.log",
    )
    broker.start()
    yield broker
    broker.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def cluster(hasty: HastyBroker) -> Iterator[Cluster]:
    with fresh_cluster(hasty.bootstrap, 2) as found:
        yield found
    forget_everything()


@pytest.mark.broker
@pytest.mark.case("KAF-007")
def test_one_that_fires_after_the_broker_has_forgotten_its_producer_fires_once(
    cluster: Cluster, tmp_path: Path
) -> None:
    out = cluster.target()
    with forked(cluster, tmp_path, clock_probe=60.0) as processor:
        cluster.define(f"{cluster.subject(0)}/first", once(out, now()))
        await_that(lambda: cluster.read(out), "it has a producer")
        due = now() + 5 * SECOND
        cluster.define(f"{cluster.subject(1)}/yearly", once(out, due, value=b"yearly"))
        await_that(lambda: len(cluster.read(out)) == 2, "the yearly one fires", 30)
        await_that(lambda: now() > due + 2 * SECOND, "nothing else comes of it")
        said = processor.said()
        assert processor.stop(8) == 0

    assert re.search("producer id|Erroneous state", said), "the broker had not forgotten it"
    cluster.require_each_once(out)
    assert [one.value for one in cluster.read(out)] == [b"x", b"yearly"]


@pytest.mark.broker
@pytest.mark.case("KAF-034")
def test_compaction_removes_nothing_but_what_is_superseded(cluster: Cluster) -> None:
    out = cluster.target()
    for topic in (EVENTS, STATE, SCHEDULES):
        for name, value in (
            ("min.compaction.lag.ms", "0"),
            ("segment.ms", "500"),
            ("min.cleanable.dirty.ratio", "0.01"),
        ):
            cluster.alter(topic, name, value)
    subject = cluster.subject(0)
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        for number in range(4):
            cluster.define(f"{subject}/{number}", each_second(out))
        cluster.define(f"{subject}/gone", far_ahead(out))
        step_until(lambda: len(cluster.read(out)) >= 8, life)
        cluster.ask(f"{subject}/gone", Remove())
        step_until(lambda: len(cluster.read(out)) >= 16, life)
    stray = Transactions(settings_for(cluster), "stray")
    stray.write([(EVENTS, 0, b"aborted", b"aborted", None)])
    stray.abort()
    stray.close()
    before = {topic: _table(cluster, topic) for topic in (EVENTS, STATE, SCHEDULES)}
    ends = cluster.ends(STATE)
    assert sum(ends.values()) > 16 + len(before[STATE]), "cursors were written over and over"
    with living(cluster, "one") as life:
        until_firing(cluster, life)  # what is written now closes the segments before
        step_until(lambda: not _superseded(cluster, ends), life, within=30)
    after = {topic: _table(cluster, topic) for topic in before}

    assert before[EVENTS].items() <= after[EVENTS].items(), "every event of the ledger is there"
    assert b"aborted" not in after[EVENTS]
    assert before[SCHEDULES] == after[SCHEDULES]
    assert before[STATE].keys() == after[STATE].keys()
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        assert life.processor.serving.schedules() == 4
        fired = len(cluster.read(out))
        step_until(lambda: len(cluster.read(out)) >= fired + 4, life)
    cluster.close()
    cluster.require_each_once(out, every=SECOND)


@pytest.mark.case("KAF-034")
@pytest.mark.parametrize("topic", [one.name for one in TOPICS if one.part is Part.SCHEDULING])
def test_a_topic_that_is_cleaned_otherwise_than_planned_is_named_at_the_start(topic: str) -> None:
    planned = plan(parts=AS_THE_INBOX.parts)
    there = [Actual(one.name, one.partitions, one.settings, 1) for one in planned]
    wrong = "compact" if "delete" in _policy(there, topic) else "delete"
    there = [
        replace(one, settings={**one.settings, "cleanup.policy": wrong})
        if one.name == topic
        else one
        for one in there
    ]

    found = {
        (one.topic, one.setting): one.actual for one in compare(AS_THE_INBOX, there).differences
    }
    assert found[topic, "cleanup.policy"] == wrong
    assert {name for name, _ in found} == {topic}


@pytest.mark.broker
@pytest.mark.case("KAF-035")
def test_records_that_say_they_are_months_old_are_not_taken_for_old(cluster: Cluster) -> None:
    """The same in a topic that believes its writers is gone by then: so the broker did look."""
    keeping = {"retention.ms": "120000", "segment.ms": "1000"}
    believing = cluster.target(settings={**keeping, "message.timestamp.type": "CreateTime"})
    for topic in (COMMANDS, REJECTED, REPLIES):
        for name, wanted in keeping.items():
            cluster.alter(topic, name, wanted)
    out = cluster.target()
    schedule = f"{cluster.subject(0)}/a"
    key, value = command_record(schedule, Define(far_ahead(out)), "imported")
    old = now() // 1_000 - MONTHS
    with living(cluster) as life:
        until_firing(cluster, life)
        for _ in range(2):
            _send_dated(cluster, believing, b"k", b"v", old)
            _send_dated(cluster, COMMANDS, key, value or b"", old)
            _send_dated(cluster, COMMANDS, b"k", b"unreadable", old)
            step_for(1.2, life)
        step_until(lambda: _begin(cluster, believing) == 2, life)
        step_until(lambda: len(cluster.rejected()) == 2, life)
        step_for(1.0, life)

    for topic, count in ((COMMANDS, 4), (REJECTED, 2), (REPLIES, 2)):
        assert _begin(cluster, topic) == 0, topic
        dated = [one.timestamp()[1] for one in _messages(cluster, topic)]
        assert len(dated) == count, topic
        assert min(dated) > old + MONTHS - 60_000, topic
    assert all(one.appended_at > (old + MONTHS - 60_000) * 1_000 for one in cluster.rejected())


def _policy(there: list[Actual], topic: str) -> str:
    return next(one.settings["cleanup.policy"] for one in there if one.name == topic)


def _messages(cluster: Cluster, topic: str) -> list[Message]:
    """What a reader finds that comes only now; what was read before counts for nothing."""
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap,
            "group.id": "late-reader",
            "isolation.level": "read_committed",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 10,
            "log_level": 0,
        }
    )
    try:
        ends = cluster.ends(topic)
        consumer.assign([TopicPartition(topic, number, 0) for number, end in ends.items() if end])
        found: list[Message] = []

        def read_all() -> bool:
            found.extend(consumer.consume(10_000, 0.02))
            places = [TopicPartition(topic, number) for number, end in ends.items() if end]
            return all(at.offset >= ends[at.partition] for at in consumer.position(places))

        await_that(read_all, f"{topic} is read")
        return found
    finally:
        consumer.close()


def _table(cluster: Cluster, topic: str) -> dict[bytes, bytes]:
    """The last value of each key, without those that were removed."""
    last = {one.key(): one.value() for one in _messages(cluster, topic)}
    return {key: value for key, value in last.items() if value is not None}  # type: ignore[misc]


def _superseded(cluster: Cluster, ends: dict[int, int]) -> int:
    """How many records of horae.state before these ends have a successor there."""
    old = [
        (one.partition(), one.key())
        for one in _messages(cluster, STATE)
        if (one.offset() or 0) < ends[one.partition() or 0]
    ]
    return len(old) - len(set(old))


def _send_dated(cluster: Cluster, topic: str, key: bytes, value: bytes, at: int) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "log_level": 0})
    producer.produce(topic, value, key, 0, timestamp=at)
    assert producer.flush(10) == 0


def _begin(cluster: Cluster, topic: str) -> int:
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": "x", "log_level": 0})
    try:
        low: int = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=5)[0]
    finally:
        consumer.close()
    return low
