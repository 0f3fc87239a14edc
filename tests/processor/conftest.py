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

from horae.local import ports
from streams.processor.collector import forget_everything
from tests import brokers
from tests.processor.cluster import Cluster, fresh_cluster
from tests.processor.wire import ProxiedBroker, Wire


@pytest.fixture(scope="session")
def kafka() -> Iterator[ProxiedBroker]:
    """A running broker that a test may kill, if it starts it again."""
    folder = Path(tempfile.mkdtemp(prefix="horae-processor-"))
    files, jvm = brokers.needs(folder)
    port = ports.choose()
    behind, wire = ports.choose(besides=[port]), ports.choose(besides=[port])
    kafka = ProxiedBroker(
        folder=folder / "kafka",
        jars=files,
        jvm=jvm,
        port=port,
        controller_port=ports.choose(besides=[port, behind, wire]),
        log=folder / "kafka.log",
        behind=behind,
        wire=wire,
    )
    kafka.start()
    yield kafka
    kafka.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def cluster(kafka: ProxiedBroker) -> Iterator[Cluster]:
    """Fresh topics, two partitions each; clients that the test has left are gone after it."""
    with fresh_cluster(kafka.bootstrap, 2) as found:
        yield found
    forget_everything()


@pytest.fixture
def wire(kafka: ProxiedBroker) -> Iterator[Wire]:
    """A way to the broker that a test may cut."""
    with Wire(kafka.wire, kafka.behind) as found:
        yield found
