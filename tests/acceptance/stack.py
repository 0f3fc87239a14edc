"""
What runs in an acceptance test?

A broker and a database, and on them the programs as an operator starts them: `horae processor` and
`horae projector`, each a process with a log file. What is done to them is faults.py.
"""

from __future__ import annotations

import secrets
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from confluent_kafka import KafkaException
from psycopg.conninfo import make_conninfo

from horae.local import ports
from horae.local.kafka import Broker
from horae.local.postgres import Postgres
from horae.local.supervisor import Role, RoleProcess
from projections.faults import NotBuilt
from projections.queries import Reads
from tests.processor.cluster import GROUP, Cluster, await_that, fresh_cluster

SESSION = 2.0
"""Seconds of silence after which a processor loses its partitions."""
PROJECTOR = "projector"
PARTITIONS = 6
Servers = tuple[Broker, Postgres, Path]
"""A broker, a database, and the folder of both."""


@dataclass(slots=True)
class Stack:
    """Servers, topics, an empty database, and the programs that were started."""

    broker: Broker
    postgres: Postgres
    dsn: str
    cluster: Cluster
    folder: Path
    programs: dict[str, RoleProcess] = field(default_factory=dict)

    def processor(self, name: str) -> RoleProcess:
        """Start a processor under this name."""
        return self._run(name, "processor", "--instance", name)

    def projector(self) -> RoleProcess:
        """Start the projector."""
        return self._run(PROJECTOR, "projector")

    def _run(self, name: str, *words: str) -> RoleProcess:
        env = {
            "HORAE_BOOTSTRAP": self.broker.bootstrap,
            "HORAE_POSTGRES_DSN": self.dsn,
            "HORAE_SESSION_TIMEOUT": str(SESSION),
            "HORAE_TRANSACTION_TIMEOUT": "4",
            "HORAE_RESTORE_DEADLINE": "60",
            "HORAE_LOCKS": str(self.folder / "locks"),
            "HORAE_PROJECTOR_PORT": str(ports.choose()),
            "HORAE_PROJECTOR_CONTINUITY_SECONDS": "2",
            "HORAE_PROJECTOR_RETRY_MOST_SECONDS": "2",
        }
        role = Role(name, [sys.executable, "-m", "horae.cli", *words], env)
        program = self.programs[name] = RoleProcess(role, self.folder)
        program.start()
        return program

    def kill(self, name: str) -> None:
        """End a program as a power cut would."""
        child = self.programs[name].child
        if child is not None:
            child.kill()

    def freeze(self, name: str) -> None:
        """Let a program do nothing."""
        self._signal(name, signal.SIGSTOP)

    def thaw(self, name: str) -> None:
        """Let it go on as if no time had passed."""
        self._signal(name, signal.SIGCONT)

    def _signal(self, name: str, which: signal.Signals) -> None:
        child = self.programs[name].child
        if child is not None:
            child.signal(which)

    def stop(self, name: str, within: float = 20.0) -> int | None:
        """Ask a program to end; its exit code, None if it had to be killed."""
        child = self.programs[name].child
        assert child is not None
        return child.ended if child.stop(within=within) else None

    def end(self) -> None:
        """Nothing that was started goes on."""
        for name in self.programs:
            self.thaw(name)
            self.kill(name)

    def last_words(self, name: str, most: int = 4_000) -> str:
        """The end of what a program has logged, without what it says of a broker that is away."""
        log = self.folder / f"{name}.log"
        if not log.exists():
            return ""
        lines = log.read_text(errors="replace").splitlines(keepends=True)
        return "".join(line for line in lines if "Connect to ipv4" not in line)[-most:]

    def await_processors(self, *names: str) -> None:
        """Return when all of them share the partitions, and no others do."""

        def joined() -> bool:
            asked = self.cluster.admin.describe_consumer_groups([GROUP], request_timeout=5)
            try:
                members = asked[GROUP].result().members
            except KafkaException:  # the broker has just come back
                return False
            return sorted(one.client_id for one in members) == sorted(names) and all(
                one.assignment.topic_partitions for one in members
            )

        time.sleep(SESSION + 0.5)  # one that was killed is a member until its session has ended
        await_that(joined, f"{names} share the partitions", 60)

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
        stack = Stack(broker, postgres, dsn, cluster, folder)
        try:
            yield stack
        finally:
            stack.end()
