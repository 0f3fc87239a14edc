"""Is it known of many partitions at once where they end, for both kinds of readers?"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaException

from schemas.topics import COMMANDS, STATE
from streams.edges import Edges
from tests.processor.cluster import Cluster, await_that
from tests.processor.strangers import stranger

pytestmark = pytest.mark.broker

WITHIN = 10.0


@pytest.fixture
def edges(cluster: Cluster) -> Iterator[tuple[Edges, Edges]]:
    """Who reads all, and who reads what was committed."""
    options = {"bootstrap.servers": cluster.bootstrap, "log_level": 0}
    found = Edges(options, committed=False), Edges(options, committed=True)
    yield found
    for one in found:
        one.close()


def test_an_open_transaction_hides_the_end_from_who_reads_what_was_committed(
    cluster: Cluster, edges: tuple[Edges, Edges]
) -> None:
    everything, stable = edges
    places = [(STATE, 0), (STATE, 1), (COMMANDS, 0)]
    cluster.send(b"k", b"v", topic=COMMANDS, partition=0)
    with stranger(cluster) as producer:
        producer.begin_transaction()
        producer.produce(STATE, b"v", b"k", 0)
        producer.flush(5)
        assert everything.ends(places, WITHIN) == {(STATE, 0): 1, (STATE, 1): 0, (COMMANDS, 0): 1}
        assert stable.ends(places, WITHIN) == {(STATE, 0): 0, (STATE, 1): 0, (COMMANDS, 0): 1}
        producer.abort_transaction(5)

    await_that(lambda: stable.ends(places, WITHIN)[STATE, 0] == 2, "the marker is passed")
    assert everything.beginnings(places, WITHIN) == dict.fromkeys(places, 0)


def test_a_partition_that_is_not_there_is_a_fault_and_no_number(
    cluster: Cluster, edges: tuple[Edges, Edges]
) -> None:
    for place in ((STATE, cluster.partitions), ("none", 0)):
        with pytest.raises(KafkaException):
            edges[0].ends([(STATE, 0), place], 2.0)


def test_who_asks_about_nothing_is_told_nothing(edges: tuple[Edges, Edges]) -> None:
    assert edges[0].ends([], WITHIN) == {}
