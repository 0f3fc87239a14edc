"""
What does a test of the views start from?

A database of its own on the session's server, topics of its own on the session's broker, and a
projector in a thread that can be stopped and started again.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from threading import Event
from time import monotonic
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from pydantic import SecretStr

from horae.local.kafka import Broker
from horae.local.postgres import Postgres
from projections.faults import NotBuilt
from projections.log import Log
from projections.metrics import Telemetry
from projections.projector import run
from projections.queries import Reads
from projections.records import Sources
from projections.settings import ProjectorSettings
from tests.read_models.ledger import Ledger

PATIENCE = 30.0


@pytest.fixture
def database(postgres: Postgres) -> Iterator[str]:
    """The DSN of an empty database."""
    name = f"views_{secrets.token_hex(4)}"
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    yield make_conninfo(postgres.dsn, dbname=name)
    with psycopg.connect(postgres.dsn, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def ledger(broker: Broker) -> Ledger:
    """Fresh topics."""
    tag = secrets.token_hex(4)
    sources = Sources(*(f"{tag}.{name}" for name in ("schedules", "events", "globals", "traffic")))
    made = Ledger(broker.bootstrap, sources)
    made.create()
    return made


@dataclass(slots=True)
class Views:
    """A projector over a test's topics and database, and what it made of them."""

    settings: ProjectorSettings
    ledger: Ledger
    telemetry: Telemetry = field(default_factory=lambda: Telemetry(monotonic))
    reads: Reads = field(init=False)

    def __post_init__(self) -> None:
        self.reads = Reads(self.dsn)

    @property
    def dsn(self) -> str:
        return self.settings.postgres_dsn.get_secret_value()

    @contextmanager
    def projecting(self, telemetry: Telemetry | None = None) -> Iterator[Future[None]]:
        """A projector runs inside; one that stopped with a fault raises it at the end."""
        stop = Event()
        telemetry = telemetry or self.telemetry
        with ThreadPoolExecutor(1) as thread:
            running = thread.submit(
                run, self.settings, stop.is_set, sources=self.ledger.sources, telemetry=telemetry
            )
            try:
                yield running
            finally:
                stop.set()
            running.result(PATIENCE)

    def project(self) -> None:
        """Project what there is, and stop."""
        with self.projecting() as running:
            self.await_caught_up(running)

    def await_caught_up(self, running: Future[None] | None = None) -> None:
        """Return once every committed record is in the tables."""
        ends = self.ledger_ends()

        def caught_up() -> bool:
            if running is not None and running.done():
                running.result()
            return self.offsets().items() >= ends.items()

        await_that(caught_up)

    def offsets(self) -> dict[tuple[str, int], int]:
        try:
            return {(lag.topic, lag.partition): lag.next_offset for lag in self.reads.lag()}
        except (NotBuilt, psycopg.Error):  # not there yet is as good as not read yet
            return {}

    def ledger_ends(self) -> dict[tuple[str, int], int]:
        sources = self.ledger.sources
        names = (sources.schedules, sources.events, sources.globals, sources.traffic)
        with closing(Log(self.ledger.bootstrap, names)) as log:
            return {(p.topic, p.partition): e.end for p, e in log.extents().items()}

    def rows(self, query: str) -> list[Any]:
        """Rows of the serving version's tables."""
        with psycopg.connect(self.dsn) as connection:
            (schema,) = connection.execute(
                "SELECT 'horae_v' || version FROM horae.serving"
            ).fetchone() or ("",)
            connection.execute(f"SET search_path TO {schema}".encode())
            return connection.execute(query.encode()).fetchall()


@pytest.fixture
def views(database: str, ledger: Ledger) -> Iterator[Views]:
    """A projector that can be run."""
    settings = ProjectorSettings(
        bootstrap=ledger.bootstrap,
        postgres_dsn=SecretStr(database),
        gather_seconds=0.05,
        beat_seconds=0.2,
        continuity_seconds=0.5,
        retry_first_seconds=0.1,
    )
    made = Views(settings, ledger)
    yield made
    made.reads.close()


def await_that(happens: Callable[[], bool]) -> None:
    until = monotonic() + PATIENCE
    while not happens():
        assert monotonic() < until, "it did not happen in time"
        Event().wait(0.05)
