"""
How many samples a second become minutes, beside a plain consumer that does the same?

The worker is a process of its own, as an operator starts it, on a log that already holds the
samples of half an hour; then single samples, each of which is a minute anew. The plain consumer
has no group that changes and reads nothing back. `python -m bench.traffic`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from confluent_kafka import Consumer, Producer, TopicPartition

from bench.page import table
from bench.prepared import PARTITIONS
from bench.rows import Row
from bench.stage import CLOCK, broker, percentile
from horae.local.supervisor import Role, RoleProcess
from schemas.codec import decode_as, encode
from schemas.identity import partition_of
from schemas.topics import SAMPLES, TRAFFIC
from schemas.traffic import Sample, TrafficMinute
from schemas.units import MINUTE, SECOND
from streams.clock import Deadline, pause
from streams.traffic.arrivals import Arrived, Look, take_in
from streams.traffic.keeping import minute_key
from streams.traffic.known import Known

DEPLOYMENTS = 500
SPAN = 30 * MINUTE
LOOK = 15 * SECOND
MANY = DEPLOYMENTS * SPAN // LOOK
AT_ONCE = 1_000
SINGLE = 200
EVERY = 0.05
WITHIN = 300.0


class Minutes:
    """What is written to horae.traffic from now on."""

    def __init__(self, bootstrap: str) -> None:
        self._consumer = Consumer(reading(bootstrap, "bench-minutes"))
        places = [TopicPartition(TRAFFIC, number) for number in range(PARTITIONS)]
        ends = [self._consumer.get_watermark_offsets(place, 10) for place in places]
        for place, edges in zip(places, ends, strict=True):
            assert edges is not None
            place.offset = edges[1]
        self._consumer.assign(places)

    def until(self, samples: int) -> dict[bytes, dict[int, int]]:
        """Return once the minutes hold so many: for each of them, when it was in the log first."""
        found: dict[bytes, dict[int, int]] = {}
        deadline = Deadline.after(WITHIN)
        while sum(map(len, found.values())) < samples:
            assert not deadline.over, f"{sum(map(len, found.values()))} of {samples} samples"
            for message in self._consumer.consume(10_000, 0.1):
                at = message.timestamp()[1] * 1_000
                seen = found.setdefault(message.key() or b"", {})
                for sample in decode_as(message.value() or b"", TrafficMinute).samples:
                    seen.setdefault(sample.sampled_at, at)
        return found

    def close(self) -> None:
        """Let go of the broker."""
        self._consumer.close()


def reading(bootstrap: str, group: str) -> dict[str, str | bool]:
    """The settings of a consumer that is told what it reads."""
    return {
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }


def write_samples(bootstrap: str) -> None:
    """Half an hour of all deployments, in the order of time."""
    producer = Producer(
        {"bootstrap.servers": bootstrap, "linger.ms": 20, "queue.buffering.max.messages": 500_000}
    )
    begun = CLOCK.wall() - SPAN
    for number in range(MANY):
        subject = f"model-{number % DEPLOYMENTS:03d}"
        at = begun + number // DEPLOYMENTS * LOOK + number % DEPLOYMENTS * LOOK // DEPLOYMENTS
        value = encode(Sample(at, number % 5, 0, number % 3, number % 3 * SECOND))
        producer.produce(SAMPLES, value, subject.encode(), partition_of(subject, PARTITIONS))
    assert producer.flush(60) == 0


@contextmanager
def worker(bootstrap: str, folder: Path) -> Iterator[None]:
    """`horae traffic`."""
    env = {"HORAE_BOOTSTRAP": bootstrap, "HORAE_TRAFFIC_LOCKS": str(folder / "locks")}
    one = RoleProcess(Role("traffic", [sys.executable, "-m", "horae.cli", "traffic"], env), folder)
    one.start()
    try:
        yield
    finally:
        one.stop()


def plain(bootstrap: str) -> float:
    """Samples a second of a consumer that puts the same minutes together; the reference."""
    consumer = Consumer(reading(bootstrap, "bench-plain"))
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all", "linger.ms": 0})
    consumer.assign([TopicPartition(SAMPLES, number, 0) for number in range(PARTITIONS)])
    known = {number: Known(since=0) for number in range(PARTITIONS)}
    taken = 0
    begun = CLOCK.monotonic()
    while taken < MANY:
        messages = consumer.consume(AT_ONCE, 0.2)
        for message in messages:
            partition, key, value = message.partition() or 0, message.key(), message.value()
            at = message.timestamp()[1] * 1_000
            found = take_in(Arrived(partition, message.offset() or 0, at, key, value), PARTITIONS)
            assert isinstance(found, Look)
            known[partition].see(*found)
        for partition, one in known.items():
            told = one.owed()
            for name, minute in told.items():
                producer.produce(TRAFFIC, encode(minute), minute_key(name), partition)
            one.wrote(dict.fromkeys(told, one.end), told)
        assert producer.flush(30) == 0
        if messages:
            consumer.commit(asynchronous=False)
        taken += len(messages)
    took = CLOCK.monotonic() - begun
    consumer.close()
    return taken * SECOND / took


def send_singly(bootstrap: str) -> None:
    """One sample after the other, each of a deployment of its own."""
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0})
    for number in range(SINGLE):
        subject = f"single-{number}"
        value = encode(Sample(CLOCK.wall(), 1, 0))
        producer.produce(SAMPLES, value, subject.encode(), partition_of(subject, PARTITIONS))
        producer.flush(10)
        pause(EVERY)


def run() -> list[Row]:
    """The rows of the table."""
    with broker() as server, TemporaryDirectory() as folder:
        write_samples(server.bootstrap)
        minutes = Minutes(server.bootstrap)
        with worker(server.bootstrap, Path(folder)):
            times = [at for seen in minutes.until(MANY).values() for at in seen.values()]
            send_singly(server.bootstrap)
            single = minutes.until(SINGLE)
        minutes.close()
        waits = sorted(at - sampled for seen in single.values() for sampled, at in seen.items())
        reference = plain(server.bootstrap)
    return [
        Row(
            name="samples into minutes, one worker",
            value=MANY * SECOND / (max(times) - min(times)),
            unit="samples/s",
            reference_name="a plain consumer",
            reference=reference,
            note=f"{MANY:,} samples of {DEPLOYMENTS} deployments that lie in the log; both write,"
            f" wait for the broker and acknowledge every {AT_ONCE:,}",
        ),
        Row(
            name="sample → its minute in the log, p95",
            value=percentile(waits, 0.95),
            unit="ms",
            less_is_better=True,
            note=f"p50 {percentile(waits, 0.5):.0f} ms, max {waits[-1] / 1000:.0f} ms, one every"
            f" {EVERY * 1_000:.0f} ms; gathered for up to 200 ms",
        ),
    ]


if __name__ == "__main__":
    print(table(run()))
