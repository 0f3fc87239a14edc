"""
Which broker and which database do the acceptance tests speak to?

Those of the session, which a test may kill. Each test has fresh topics on the one and an empty
database on the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from horae.local.kafka import Broker
from horae.local.postgres import Postgres
from tests.acceptance.stack import Servers, Stack, fresh_stack


@pytest.fixture(scope="session")
def servers(broker: Broker, postgres: Postgres, stack_dir: Path) -> Servers:
    """A running broker, a running database, and the folder of both."""
    return broker, postgres, stack_dir


@pytest.fixture
def stack(servers: Servers, tmp_path: Path) -> Iterator[Stack]:
    """Both servers with nothing in them; what a test started is gone at its end."""
    with fresh_stack(servers, tmp_path) as found:
        yield found
