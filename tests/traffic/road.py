"""
What runs on a broker in a test of the traffic, and what is in its log?

`horae traffic` as an operator starts it, each a process with a log file, samples as services send
them, and every minute computed from them here, by other code than the product's.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from confluent_kafka import Consumer, Producer, TopicPartition

from horae.local.supervisor import RoleProcess
from schemas.codec import decode_as, encode
from schemas.identity import partition_of
from schemas.instants import format_instant
from schemas.topics import SAMPLES, TRAFFIC, Part, plan
from schemas.traffic import MinuteKind, Sample, TrafficMinute
from schemas.units import HOUR, MINUTE
from tests.acceptance.stage import SESSION, Stage
from tests.processor.cluster import Cluster, await_that
from tests.processor.found import Found, found_in

PARTITIONS = 4
GROUP = "horae-traffic"

Seen = dict[tuple[str, int], dict[int, Sample]]
"""The samples of each minute, by their instants."""


def create_topics(cluster: Cluster) -> None:
    """The topics of samples and minutes."""
    there = cluster.admin.list_topics(timeout=5).topics
    for one in plan(partitions=cluster.partitions, parts=(Part.TRAFFIC,)):
        if one.name not in there:
            cluster.create(one.name, one.partitions, one.settings)


@dataclass(slots=True, kw_only=True)
class Road(Stage):
    """A broker, topics, and workers."""

    _sender: Producer | None = field(default=None)
    _begun_at: dict[str, int] = field(default_factory=dict)
    """How long the log of each worker was when it was started last."""

    def worker(self, name: str, **settings: str) -> RoleProcess:
        """Start a worker under this name."""
        chosen = {"SESSION_TIMEOUT": str(SESSION), "WATCH": "0.5", "GATHER": "0.1"} | settings
        env = {f"HORAE_TRAFFIC_{name}": value for name, value in chosen.items()}
        env["HORAE_TRAFFIC_LOCKS"] = str(self.folder / "traffic-locks")
        self._begun_at[name] = len(self.last_words(name, most=1 << 30))
        return self._run(name, "traffic", "--instance", name, env=env)

    def await_serving(self, name: str, within: float = 60.0) -> None:
        """Return when a worker has been told which partitions are its."""
        begun = self._begun_at[name]
        await_that(
            lambda: ": partitions " in self.last_words(name, most=1 << 30)[begun:],
            f"{name} has its partitions",
            within,
        )

    def send(self, subject: str, *samples: Sample) -> None:
        """Put samples into the log, in this order."""
        producer = self._producer()
        home = partition_of(subject, self.cluster.partitions)
        for sample in samples:
            while True:
                try:
                    producer.produce(SAMPLES, encode(sample), subject.encode(), home)
                except BufferError:
                    producer.poll(0.1)
                else:
                    break

    def flush(self) -> None:
        """Return when the broker has all that was sent."""
        assert self._producer().flush(60) == 0

    def samples(self) -> list[Found]:
        """All records of the log of samples."""
        return self._read(SAMPLES)

    def minutes(self) -> dict[bytes, TrafficMinute]:
        """The last record of each minute, as a view would see them."""
        found = {one.key: one.value for one in self._read(TRAFFIC)}
        return {
            key: decode_as(value, TrafficMinute) for key, value in found.items() if key and value
        }

    def await_minutes(self, within: float = 60.0) -> None:
        """Return when every minute in the log is what its samples make it."""
        self.flush()
        expected = minutes_of(self.samples())
        deadline = time.monotonic() + within
        while (found := self.minutes()) != expected:
            if time.monotonic() > deadline:
                wrong = [key for key in expected if found.get(key) != expected[key]]
                more = sorted(set(found) - set(expected))
                assert not wrong, (len(wrong), wrong[0], found.get(wrong[0]), expected[wrong[0]])
                assert not more, more
            time.sleep(0.2)

    def await_read(self, within: float = 60.0) -> None:
        """Return when the group has acknowledged all samples."""
        self.flush()

        def read() -> bool:
            ends = self.cluster.ends(SAMPLES)
            done = self._acknowledged()
            return all(done.get(number, 0) >= end for number, end in ends.items() if end)

        await_that(read, "all samples are acknowledged", within)

    def _acknowledged(self) -> Mapping[int, int]:
        reader = Consumer({"bootstrap.servers": self.broker.bootstrap, "group.id": GROUP})
        try:
            places = [TopicPartition(SAMPLES, number) for number in range(self.cluster.partitions)]
            return {one.partition: one.offset for one in reader.committed(places, 10)}
        finally:
            reader.close()

    def _producer(self) -> Producer:
        if self._sender is None:
            self._sender = Producer({"bootstrap.servers": self.broker.bootstrap, "linger.ms": 5})
        return self._sender

    def _read(self, topic: str) -> list[Found]:
        """All records of a topic, partition by partition, in their order."""
        consumer = Consumer(
            {
                "bootstrap.servers": self.broker.bootstrap,
                "group.id": "test-road",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
            }
        )
        ends = self.cluster.ends(topic)
        places = [TopicPartition(topic, number, 0) for number in ends]
        consumer.assign(places)
        found: list[Found] = []
        deadline = time.monotonic() + 60
        while any((one.offset or 0) < ends[one.partition] for one in consumer.position(places)):
            if all(end == 0 for end in ends.values()):
                break
            found += [found_in(message) for message in consumer.consume(10_000, 0.1)]
            if sum(ends.values()) <= len(found):
                break
            assert time.monotonic() < deadline
        consumer.close()
        return sorted(found, key=lambda one: (one.partition, one.offset))


def minutes_of(records: Iterable[Found]) -> dict[bytes, TrafficMinute]:
    """Every minute that these records make, by its key."""
    seen: Seen = {}
    for record in records:
        sample = decode_as(record.value or b"", Sample)
        if -MINUTE <= record.appended_at - sample.sampled_at <= HOUR:
            subject = (record.key or b"").decode()
            minute = sample.sampled_at - sample.sampled_at % MINUTE
            # Whoever was there first stays.
            seen.setdefault((subject, minute), {}).setdefault(sample.sampled_at, sample)
    return {
        f"{subject}|{format_instant(minute)}".encode(): _minute(minute, list(found.values()))
        for (subject, minute), found in seen.items()
    }


def _minute(minute: int, samples: list[Sample]) -> TrafficMinute:
    """The same as the product's, in other words."""
    samples.sort(key=lambda sample: sample.sampled_at)
    mean_in_flight = Fraction(sum(sample.in_flight for sample in samples), len(samples))
    waiting = sum(sample.waiting for sample in samples)
    knowing = [sample.finished for sample in samples if sample.finished is not None]
    finished = sum(knowing) if knowing else None
    taking = [sample.micros for sample in samples if sample.micros is not None]
    micros = sum(taking) if taking else None
    timed = [one for one in samples if one.finished is not None and one.micros is not None]
    ended, took = sum(one.finished or 0 for one in timed), sum(one.micros or 0 for one in timed)
    rate: int | None = None
    if mean_in_flight or waiting or finished:
        kind = MinuteKind.ACTIVE
        if not mean_in_flight:
            rate = finished * 1000 if finished else None
        elif ended and took:
            seconds = Fraction(took, ended * 1_000_000)
            rate = int(mean_in_flight / seconds * 60 * 1000)
    elif len(knowing) == len(samples):
        kind, rate = MinuteKind.IDLE, 0
    else:
        kind = MinuteKind.UNKNOWN
    return TrafficMinute(
        minute=minute,
        kind=kind,
        rate=rate,
        in_flight=sum(sample.in_flight for sample in samples),
        waiting=waiting,
        finished=finished,
        micros=micros,
        samples=tuple(samples),
    )
