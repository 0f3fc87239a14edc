"""
Can a service schedule with nothing but a Kafka client?

One record of JSON, put where the client's own hash puts it, makes a schedule; a null value under
the same key takes it away; and every occurrence is found in the ledger and in Postgres.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from confluent_kafka import Producer

from projections.queries import Reads
from schemas.events import Fired, ScheduleDefined, ScheduleRemoved
from schemas.identity import partition_of
from schemas.instants import parse_instant
from tests.acceptance.stack import Stack
from tests.processor.cluster import await_that

pytestmark = pytest.mark.broker

KEY = "billing/nightly"
DEFINITION = {
    "cron": "* * * * * *",
    "zone": "Europe/Berlin",
    "emit": {"topic": "billing-runs", "key": "billing", "value": {"kind": "backup"}},
}


def put(bootstrap: str, value: str | None) -> int:
    """One record with a client that knows nothing of us; the partition that it chose."""
    places: list[int] = []

    def delivered(error: Any, message: Any) -> None:
        assert error is None, error
        places.append(message.partition())

    producer = Producer({"bootstrap.servers": bootstrap})
    producer.produce("horae.commands", key=KEY, value=value, on_delivery=delivered)
    producer.flush(10)
    return places[0]


def test_a_service_in_any_language_can_schedule(stack: Stack) -> None:
    cluster = stack.cluster
    cluster.create("billing-runs", 1, {})
    stack.processor("one")
    stack.projector()

    chosen = put(stack.broker.bootstrap, json.dumps(DEFINITION))
    assert chosen != partition_of("billing", cluster.partitions), "the client hashes the whole key"
    await_that(lambda: len(cluster.read("billing-runs")) >= 3, "it fires", 30)
    put(stack.broker.bootstrap, None)
    await_that(lambda: cluster.events(ScheduleRemoved), "it is removed")
    stack.await_views()

    [defined] = cluster.events(ScheduleDefined)
    [removed] = cluster.events(ScheduleRemoved)
    assert isinstance(defined.event, ScheduleDefined)
    assert (defined.event.schedule, removed.event.schedule) == (KEY, KEY)  # type: ignore[union-attr]
    emitted = cluster.read("billing-runs")
    assert {(one.key, one.value) for one in emitted} == {(b"billing", b'{"kind":"backup"}')}
    nominals = [parse_instant((one.headers["horae-nominal"] or b"").decode()) for one in emitted]
    seconds = list(range(nominals[0], nominals[-1] + 1, 1_000_000))
    assert nominals == seconds, "each second once, in order"
    assert seconds[0] == defined.event.next

    fired = [recorded.event for recorded in cluster.events(Fired)]
    assert [event.nominal for event in fired if isinstance(event, Fired)] == nominals
    with Reads(stack.dsn) as reads:
        rows = reads.occurrences(KEY, limit=1_000).rows
        versions = reads.versions(KEY)
        assert reads.schedule(KEY) is None, "removed"
    assert [row.nominal for row in reversed(rows)] == nominals
    assert {(row.state, row.incarnation) for row in rows} == {("fired", defined.event.incarnation)}
    assert [version.change for version in versions] == ["removed", "defined"]
