"""
Which broker do the tests of runners speak to?

One of their own, whose topics are fresh in each test: they freeze and kill what runs on it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from horae.local import ports
from horae.local.kafka import Broker
from tests import brokers
from tests.acceptance.stage import Stage
from tests.processor.cluster import fresh_cluster

PARTITIONS = 4


@pytest.fixture(scope="session")
def kafka() -> Iterator[Broker]:
    """A running broker that a test may kill, if it starts it again."""
    folder = Path(tempfile.mkdtemp(prefix="horae-runner-"))
    files, jvm = brokers.needs(folder)
    port = ports.choose()
    controller = ports.choose(besides=[port])
    kafka = Broker(folder / "kafka", files, port, controller, folder / "kafka.log", jvm=jvm)
    kafka.start()
    yield kafka
    kafka.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def stage(kafka: Broker, tmp_path: Path) -> Iterator[Stage]:
    """Fresh topics; what a test has started on them is gone at its end."""
    with fresh_cluster(kafka.bootstrap, PARTITIONS) as cluster:
        found = Stage(broker=kafka, cluster=cluster, folder=tmp_path)
        try:
            yield found
        finally:
            found.end()
