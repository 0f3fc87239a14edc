"""
Which broker do the tests of the processor speak to?

One of their own: they remove topics, freeze it and kill it. Each test has fresh topics on it.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from horae.local import jars, ports
from horae.local.kafka import Broker
from tests.processor.cluster import Cluster, fresh_cluster


@pytest.fixture(scope="session")
def kafka() -> Iterator[Broker]:
    """A running broker that a test may kill, if it starts it again."""
    folder = Path(tempfile.mkdtemp(prefix="horae-processor-"))
    files = jars.provide(jars.cache_folder(otherwise=folder / "cache"), lambda _here, _of: None)
    port = ports.choose()
    kafka = Broker(
        folder=folder / "kafka",
        jars=files,
        port=port,
        controller_port=ports.choose(besides=[port]),
        log=folder / "kafka.log",
    )
    kafka.start()
    yield kafka
    kafka.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def cluster(kafka: Broker) -> Iterator[Cluster]:
    """Fresh topics, two partitions each."""
    with fresh_cluster(kafka.bootstrap, 2) as found:
        yield found
