"""What does a worker take in, what does it leave aside, and how does it end?"""

from __future__ import annotations

import json
import time
from http.client import HTTPConnection

import pytest

from horae.local import ports
from schemas.codec import encode
from schemas.identity import partition_of
from schemas.instants import format_instant
from schemas.topics import SAMPLES
from schemas.traffic import Sample
from schemas.units import HOUR, SECOND
from streams.traffic.minutes import minute_at, minute_of
from tests.processor.cluster import await_that
from tests.traffic.road import PARTITIONS, Road

pytestmark = pytest.mark.broker


def now() -> int:
    return time.time_ns() // 1_000


def key_of(subject: str, sample: Sample) -> bytes:
    return f"{subject}|{format_instant(minute_at(sample.sampled_at))}".encode()


def test_samples_in_json_count_and_what_cannot_be_read_stops_nobody(road: Road) -> None:
    port = ports.choose()
    road.worker("a", PORT=str(port))
    sample = Sample(now() // SECOND * SECOND, 2, 1, 3, 4_500_000)
    late = Sample(now() - 2 * HOUR, 1, 0)
    home = partition_of("chat", PARTITIONS)
    text = {
        "sampled_at": format_instant(sample.sampled_at),
        "in_flight": 2,
        "waiting": 1,
        "finished": 3,
        "micros": 4_500_000,
    }
    for value in (b"no sample", b'{"in_flight": -1}', encode(late), json.dumps(text).encode()):
        road.cluster.send(b"chat", value, topic=SAMPLES, partition=home)
    away = (home + 1) % PARTITIONS
    road.cluster.send(b"code", encode(sample), topic=SAMPLES, partition=away)
    misplaced = partition_of("code", PARTITIONS) != away

    expected = {key_of("chat", sample): minute_of([sample])}
    expected[key_of("code", sample)] = minute_of([sample])
    await_that(lambda: road.minutes() == expected, "both minutes are there", 60)
    rejected = road.cluster.rejected()
    assert [(one.topic, one.partition, one.offset) for one in rejected] == [
        (SAMPLES, home, 0),
        (SAMPLES, home, 1),
    ]
    numbers = asked(port, "/metrics")
    assert 'horae_traffic_left_out_total{reason="late"} 1.0' in numbers
    assert f"horae_traffic_forwarded_total {float(misplaced)}" in numbers
    assert json.loads(asked(port, "/healthz"))["healthy"]
    road.await_read()


def test_a_worker_goes_on_after_the_broker_was_gone(road: Road) -> None:
    road.worker("a")
    road.send("chat", *[Sample(now() - n * SECOND, 1, 0) for n in range(50)])
    road.await_minutes()

    road.broker.kill()
    time.sleep(1)
    road.broker.start()
    road.send("chat", *[Sample(now() - n * SECOND, 1, 0) for n in range(50)])
    road.flush()

    # Either it holds out, or it ends with a code that whoever started it can see.
    if road.programs["a"].pid is None:
        road.worker("a")
    road.await_read()
    road.await_minutes()


def test_a_name_that_is_taken_is_said(road: Road) -> None:
    road.worker("a")
    road.await_serving("a")
    road.programs["first"] = road.programs["a"]

    road.worker("a")

    await_that(lambda: road.programs["a"].pid is None, "it ends", 30)
    child = road.programs["a"].child
    assert child is not None
    assert child.ended not in (0, None)
    assert "is called 'a' already" in road.last_words("a")


def asked(port: int, path: str) -> str:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        return connection.getresponse().read().decode()
    finally:
        connection.close()
