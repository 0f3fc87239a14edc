"""
Which broker and which database do the tests speak to?

Real ones, each started when the first test asks for it and shared by the whole session. Tests
keep out of each other's way by names of their own: topics, groups, schemas.
"""

import os
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
# Programs are started hundreds of times: what Python makes of their text is to be kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

LONGEST = (
    "acceptance/test_every_occurrence_ends_once_whatever_fails.py",
    "runner/test_a_runner_that_froze_or_died_starts_nothing_twice.py",
    "simulation/test_the_simulation_finds_what_is_broken.py",
    "acceptance/test_work_starts_at_most_once.py",
    "simulation/test_simulation.py",
    "runner/test_on_a_broker.py",
    "read_models/test_random_runs_come_out_as_they_were.py",
    "read_models/test_rows_say_what_happened.py",
    "processor/test_it_stops_and_comes_back.py",
    "processor/test_an_unknown_outcome_starts_over.py",
    "processor/test_runs_of_runners_on_a_broker.py",
    "processor/test_a_take_over_is_complete.py",
    "face/test_api_on_a_stack.py",
)
"""Files that take longest, the longest first: begun last, one would keep a worker alone."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the longest files come first, all others in their order."""
    places = {Path(__file__).parent / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(LONGEST)))


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
