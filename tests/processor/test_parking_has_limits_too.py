"""
What if what cannot be read cannot be parked either, or is far larger than it looks?

A record that horae.rejected does not take whole is parked as a reference; without that topic its
partition stops and the record stays where it is. What unpacks to hundreds of megabytes is parked
like anything else, and neither ends the process nor holds up the partition.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from confluent_kafka import Producer

from schemas.rejected import KEPT_BYTES
from schemas.topics import COMMANDS, MAX_MESSAGE_BYTES, REJECTED, Part, plan
from streams.processor.unpacking import SMALL_FETCHES
from tests.processor.cluster import Cluster, await_that
from tests.processor.forked import Forked, forked
from tests.processor.lives import living, now, once, step_until, until_firing

pytestmark = pytest.mark.broker

UNPACKED = 200_000_000
ROOM = 1_000
"""Megabytes that a processor may take at most while it meets one such record."""


@pytest.mark.case("KAF-051")
def test_what_is_too_large_to_be_parked_is_parked_as_a_reference(cluster: Cluster) -> None:
    out = cluster.target()
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.alter(REJECTED, "max.message.bytes", "20000")
        offset = cluster.send(b"k" * 1_000, b"x" * 900_000, partition=0)
        cluster.define(f"{cluster.subject(0)}/a", once(out, now()))
        step_until(lambda: cluster.read(out), life)
        assert life.firing == {0, 1}
        assert life.aborts("ParkingRefused") == 1

    [kept] = cluster.rejected()
    assert (kept.topic, kept.partition, kept.offset) == (COMMANDS, 0, offset)
    assert (kept.key, kept.value, kept.size) == (None, None, 900_000)
    assert kept.error


@pytest.mark.case("KAF-051")
def test_without_a_place_to_park_the_partition_stops_loudly_and_the_record_is_not_lost(
    cluster: Cluster,
) -> None:
    out = cluster.target()
    with living(cluster, "one", transaction_timeout=2.0) as life:
        until_firing(cluster, life)
        cluster.delete(REJECTED)
        offset = cluster.send(b"k", b"hello", partition=0)
        step_until(lambda: life.processor.serving.stopped, life, within=30)
        cluster.define(f"{cluster.subject(1)}/b", once(out, now()))
        step_until(lambda: cluster.read(out), life)
        assert life.firing == {1}
        wrong = life.processor.reporter.health()
        assert REJECTED in wrong["partition 0"]
        assert cluster.group_offsets().get(0, 0) <= offset
    [planned] = [
        one for one in plan(partitions=2, parts=(Part.SCHEDULING,)) if one.name == REJECTED
    ]
    cluster.create(REJECTED, planned.partitions, planned.settings)
    with living(cluster, "one") as life:
        step_until(cluster.rejected, life)

    [kept] = cluster.rejected()
    assert (kept.offset, kept.value) == (offset, b"hello")


@pytest.mark.case("KAF-053")
@pytest.mark.parametrize("codec", ["zstd", "lz4", pytest.param("gzip", marks=pytest.mark.chaos)])
def test_a_little_that_unpacks_to_hundreds_of_megabytes_is_parked_and_survived(
    cluster: Cluster, tmp_path: Path, codec: str
) -> None:
    out = cluster.target()
    key = f"{cluster.subject(0)}/huge".encode()
    with forked(cluster, tmp_path) as processor:
        offset = _send_packed(cluster, codec, [(key, b"{" + b" " * UNPACKED)])
        cluster.define(f"{cluster.subject(0)}/a", once(out, now()))
        await_that(lambda: cluster.read(out), "the partition goes on", 30)
        peak = _peak(processor)
        assert processor.stop(8) == 0

    assert peak < ROOM
    assert "starting over" not in processor.said()
    [kept] = cluster.rejected()
    assert (kept.partition, kept.offset) == (0, offset)
    assert len(kept.value or b"") <= KEPT_BYTES
    assert re.search("unpack|Decompression", kept.error)


def test_a_batch_that_cannot_be_unpacked_is_passed_over_whole_and_nothing_behind_it(
    cluster: Cluster,
) -> None:
    out = cluster.target()
    subject = cluster.subject(0)
    big = SMALL_FETCHES["receive.message.max.bytes"] // 4
    with living(cluster) as life:
        until_firing(cluster, life)
        batch = [(f"{subject}/{n}".encode(), b" " * big) for n in range(11)]
        first = _send_packed(cluster, "zstd", batch)
        cluster.define(f"{subject}/a", once(out, now(), value=b"a"))
        cluster.define(f"{subject}/b", once(out, now(), value=b"b"))
        step_until(lambda: len(cluster.read(out)) == 2, life, within=30)

    [kept] = cluster.rejected()
    assert kept.offset == first + 10
    assert f"offsets {first} to {first + 10}" in kept.error


def _send_packed(cluster: Cluster, codec: str, records: list[tuple[bytes, bytes]]) -> int:
    """Put these into partition 0 as one batch; the first one's offset."""
    producer = Producer(
        {
            "bootstrap.servers": cluster.bootstrap,
            "message.max.bytes": 1_000_000_000,
            "batch.size": 1_000_000_000,
            "linger.ms": 500,
            "compression.type": codec,
            "log_level": 0,
        }
    )
    offsets: list[int] = []

    def done(error: object, message: object) -> None:
        assert error is None, error
        offsets.append(message.offset())  # type: ignore[attr-defined]

    for key, value in records:
        assert len(value) > MAX_MESSAGE_BYTES
        producer.produce(COMMANDS, value, key, 0, on_delivery=done)
    assert producer.flush(30) == 0
    return min(offsets)


def _peak(processor: Forked) -> int:
    """The most memory that it ever had, in megabytes."""
    status = Path(f"/proc/{processor.pid}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) // 1024
