"""
Which broker and which database do the acceptance tests speak to?

A stack of their own, whose servers a test may kill if it starts them again. Each test has fresh
topics on the one and an empty database on the other.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from horae.local import ports
from horae.local.kafka import Broker
from horae.local.postgres import Postgres
from tests import brokers
from tests.acceptance.stack import Servers, Stack, fresh_stack


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """A running broker, a running database, and the folder of both."""
    folder = Path(tempfile.mkdtemp(prefix="horae-acceptance-"))
    folder.chmod(0o711)  # as root, the database runs as another user, who has to walk through here
    files, jvm = brokers.needs(folder)
    port = ports.choose()
    controller = ports.choose(besides=[port])
    broker = Broker(folder / "kafka", files, port, controller, folder / "kafka.log", jvm=jvm)
    postgres = Postgres(
        folder / "postgres",
        ports.choose(besides=[port, controller]),
        secrets.token_urlsafe(16),
        folder / "postgres.log",
    )
    try:
        broker.start()
        postgres.start()
        yield broker, postgres, folder
    finally:
        broker.kill()
        postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def stack(servers: Servers, tmp_path: Path) -> Iterator[Stack]:
    """Both servers with nothing in them; what a test started is gone at its end."""
    with fresh_stack(servers, tmp_path) as found:
        yield found
