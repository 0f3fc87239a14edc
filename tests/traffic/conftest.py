"""
Which broker do the tests of the traffic speak to?

One of their own, with fresh topics in each test: they kill and freeze what runs on it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from horae.local import jars, ports
from horae.local.kafka import Broker
from tests.processor.cluster import fresh_cluster
from tests.traffic.road import PARTITIONS, Road, create_topics


@pytest.fixture(scope="session")
def kafka() -> Iterator[Broker]:
    """A running broker."""
    folder = Path(tempfile.mkdtemp(prefix="horae-traffic-"))
    files = jars.provide(jars.cache_folder(otherwise=folder / "cache"), lambda _here, _of: None)
    port = ports.choose()
    kafka = Broker(
        folder / "kafka", files, port, ports.choose(besides=[port]), folder / "kafka.log"
    )
    kafka.start()
    yield kafka
    kafka.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def road(kafka: Broker, tmp_path: Path) -> Iterator[Road]:
    """Fresh topics; what a test has started on them is gone at its end."""
    with fresh_cluster(kafka.bootstrap, PARTITIONS) as cluster:
        create_topics(cluster)
        found = Road(broker=kafka, cluster=cluster, folder=tmp_path)
        try:
            yield found
        finally:
            found.end()
