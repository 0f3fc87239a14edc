"""
Which broker do the tests of runners speak to?

That of the session, with fresh topics in each test: they freeze and kill what runs on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from horae.local.kafka import Broker
from tests.acceptance.stage import Stage
from tests.processor.cluster import fresh_cluster

PARTITIONS = 4


@pytest.fixture
def kafka(broker: Broker) -> Broker:
    """A running broker that a test may kill."""
    broker.start()
    return broker


@pytest.fixture
def stage(kafka: Broker, tmp_path: Path) -> Iterator[Stage]:
    """Fresh topics; what a test has started on them is gone at its end."""
    with fresh_cluster(kafka.bootstrap, PARTITIONS) as cluster:
        found = Stage(broker=kafka, cluster=cluster, folder=tmp_path)
        try:
            yield found
        finally:
            found.end()
            kafka.start()
