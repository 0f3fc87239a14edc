"""
What runs in an acceptance test?

A broker and a database, and on them the programs as an operator starts them: `horae processor` and
`horae projector`, each a process with a log file. What is done to them is faults.py.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import make_conninfo
from typing_extensions import override

from horae.local import ports
from horae.local.kafka import Broker
from horae.local.postgres import Postgres
from horae.local.supervisor import RoleProcess
from projections.faults import NotBuilt
from projections.queries import Reads
from tests.acceptance.stage import SESSION, Stage
from tests.processor.cluster import await_that, fresh_cluster

__all__ = ["PARTITIONS", "PROJECTOR", "SESSION", "Servers", "Stack", "fresh_stack"]

PROJECTOR = "projector"
PARTITIONS = 6
Servers = tuple[Broker, Postgres, Path]
"""A broker, a database, and the folder of both."""


@dataclass(slots=True, kw_only=True)
class Stack(Stage):
    """Servers, topics, an empty database, and the programs that were started."""

    postgres: Postgres
    dsn: str

    def projector(self) -> RoleProcess:
        """Start the projector."""
        return self._run(PROJECTOR, "projector")

    @override
    def environment(self) -> dict[str, str]:
        """With where the views are."""
        return Stage.environment(self) | {
            "HORAE_POSTGRES_DSN": self.dsn,
            "HORAE_PROJECTOR_PORT": str(ports.choose()),
            "HORAE_PROJECTOR_CONTINUITY_SECONDS": "2",
            "HORAE_PROJECTOR_RETRY_MOST_SECONDS": "2",
        }

    def await_views(self, within: float = 60.0) -> None:
        """Return when the views show all that is in the log."""
        with Reads(self.dsn) as reads:
            ends = {
                (topic, number): end
                for topic in ("horae.events", "horae.schedules", "horae.globals")
                for number, end in self.cluster.ends(topic).items()
            }

            def shown() -> bool:
                try:
                    lags = reads.lag()
                except NotBuilt:
                    return False
                here = {(lag.topic, lag.partition): lag.next_offset for lag in lags}
                return all(here.get(place, 0) >= end for place, end in ends.items())

            await_that(shown, "the views show the whole log", within)


@contextmanager
def fresh_stack(servers: Servers, folder: Path) -> Iterator[Stack]:
    """Fresh topics and an empty database; programs log into the folder."""
    broker, postgres, _ = servers
    broker.start()
    postgres.start()
    database = f"views_{secrets.token_hex(4)}"
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {database}".encode())
    dsn = make_conninfo(postgres.dsn, dbname=database)
    with fresh_cluster(broker.bootstrap, PARTITIONS) as cluster:
        stack = Stack(broker=broker, cluster=cluster, folder=folder, postgres=postgres, dsn=dsn)
        try:
            yield stack
        finally:
            stack.end()
            broker.start()
            postgres.start()
