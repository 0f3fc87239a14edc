"""
Which broker and which database do the tests speak to?

Real ones, each started when the first test asks for it and shared by the whole session. Tests
keep out of each other's way by names of their own: topics, groups, schemas.
"""

import secrets
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from horae.local import ports
from horae.local.kafka import Broker
from horae.local.postgres import Postgres
from tests import brokers, profiles

profiles.load()


@pytest.fixture(scope="session")
def stack_dir() -> Iterator[Path]:
    """A fresh folder for all the data of this session."""
    folder = Path(tempfile.mkdtemp(prefix="horae-tests-"))
    # As root, the database runs as another user, who has to walk through here.
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def broker(stack_dir: Path) -> Iterator[Broker]:
    """A running broker: `.bootstrap`, `.pid`, `.kill()`, `.start()`."""
    files, jvm = brokers.needs(stack_dir)
    port = ports.choose()
    broker = Broker(
        folder=stack_dir / "kafka",
        jars=files,
        jvm=jvm,
        port=port,
        controller_port=ports.choose(besides=[port]),
        log=stack_dir / "logs" / "kafka.log",
    )
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture(scope="session")
def postgres(stack_dir: Path) -> Iterator[Postgres]:
    """A running database: `.dsn`, `.pid`, `.kill()`, `.start()`."""
    postgres = Postgres(
        folder=stack_dir / "postgres",
        port=ports.choose(),
        password=secrets.token_urlsafe(16),
        log=stack_dir / "logs" / "postgres.log",
    )
    postgres.start()
    yield postgres
    postgres.stop()
