"""
How many events a second become rows, beside a bare COPY of the same rows?

`python -m bench.projection [events]` starts a broker and a database in a folder of its own, writes
fires of 20,000 schedules into 12 partitions, projects them as the projector does, and copies the
same rows once more, encoded beforehand, into an equal table.
"""

from __future__ import annotations

import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from pydantic import SecretStr

from bench.page import table
from bench.rows import Row
from horae.local import jars, ports
from horae.local.kafka import Broker
from horae.local.postgres import Postgres
from projections.days import attach
from projections.following import Follower
from projections.log import Log, Position
from projections.metrics import Telemetry
from projections.records import Sources, fold
from projections.settings import ProjectorSettings
from projections.statements import statement
from projections.versions import connect, open_serving
from projections.writer import Writer
from schemas.codec import encode_event
from schemas.definition import MINUTE, SECOND
from schemas.events import Fired, Outcome, ScopeResult, Stamp
from schemas.identity import occurrence_id, partition_of, run_id, subject_of
from schemas.instants import parse_instant

EVENTS = 400_000
SCHEDULES = 20_000
PARTITIONS = 12
START = parse_instant("2026-11-29T06:00:00Z")


@dataclass(frozen=True, slots=True)
class Servers:
    """A real broker and a real database."""

    bootstrap: str
    dsn: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What a piece of work took: seconds on the wall, and of processor on either side."""

    wall: float
    here: float
    database: float


@dataclass(slots=True)
class Stopwatch:
    """Measures from its making on."""

    backend: psutil.Process
    began: float = field(default_factory=time.perf_counter)
    here: float = field(default_factory=time.process_time)
    database: float = field(init=False)

    def __post_init__(self) -> None:
        self.database = self._database()

    def stop(self) -> Cost:
        """What it took."""
        return Cost(
            time.perf_counter() - self.began,
            time.process_time() - self.here,
            self._database() - self.database,
        )

    def _database(self) -> float:
        times = self.backend.cpu_times()
        return times.user + times.system


def row(events: int, projected: Cost, copied: Cost) -> Row:
    """The result as a row of the table of numbers."""
    here, there = projected.here / events * 1e6, projected.database / events * 1e6
    return Row(
        name="events into rows, offsets in the same transaction",
        value=events / projected.wall,
        unit="events/s",
        at_least=25_000,
        aim=50_000,
        reference_name="bare COPY of the same rows",
        reference=events / copied.wall,
        note=f"{here:.1f} µs of processor here and {there:.1f} µs in the database an event;"
        f" the COPY {copied.database / events * 1e6:.1f} µs there",
    )


@contextmanager
def servers() -> Iterator[Servers]:
    """Both servers, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="horae-bench-") as name:
        folder = Path(name)
        folder.chmod(0o711)  # as root, the database runs as another user
        port = ports.choose()
        broker = Broker(
            folder=folder / "kafka",
            jars=jars.provide(
                jars.cache_folder(otherwise=folder / "cache"), lambda _here, _of: None
            ),
            port=port,
            controller_port=ports.choose(besides=[port]),
            log=folder / "kafka.log",
        )
        postgres = Postgres(
            folder=folder / "postgres",
            port=ports.choose(),
            password=secrets.token_urlsafe(16),
            log=folder / "postgres.log",
        )
        broker.start()
        postgres.start()
        try:
            yield Servers(broker.bootstrap, postgres.dsn)
        finally:
            broker.kill()
            postgres.stop()


def fires(events: int) -> Iterator[tuple[int, bytes, bytes]]:
    """Partition, key and value of each event: every schedule fires each minute, 3 ms late."""
    sequences = [0] * PARTITIONS
    for number in range(events):
        job = number % SCHEDULES
        schedule = f"tenant-{job % 2_000:04d}/report-{job:06d}"
        nominal = START + number // SCHEDULES * MINUTE
        subject = subject_of(schedule)
        partition = partition_of(subject, PARTITIONS)
        sequences[partition] += 1
        incarnation = 100 + job
        occurrence = occurrence_id(schedule, incarnation, nominal)
        work = (ScopeResult(subject, run_id(occurrence, subject), Outcome.STARTED),)
        event = Fired(
            *(schedule, incarnation, incarnation, nominal, nominal, nominal, 0, None, False, work),
            *(nominal + MINUTE, nominal + MINUTE),
        )
        decided_at = nominal + 3_000 + job // 2_000 * SECOND // 100
        stamp = Stamp(decided_at, partition, None, 4, sequences[partition], "system")
        yield partition, occurrence.encode(), encode_event(event, stamp)


def write_ledger(bootstrap: str, events: int) -> Sources:
    """The topics, with that many fires in the ledger."""
    sources = Sources()
    admin = AdminClient({"bootstrap.servers": bootstrap})
    topics = [
        NewTopic(sources.schedules, PARTITIONS, 1),
        NewTopic(sources.events, PARTITIONS, 1),
        NewTopic(sources.globals, 1, 1),
        NewTopic(sources.traffic, PARTITIONS, 1),
    ]
    for future in admin.create_topics(topics).values():
        future.result()
    producer = Producer(
        {"bootstrap.servers": bootstrap, "linger.ms": 20, "queue.buffering.max.messages": 1_000_000}
    )
    for partition, key, value in fires(events):
        producer.produce(sources.events, key=key, value=value, partition=partition)
        producer.poll(0)
    producer.flush()
    return sources


def project(at: Servers, sources: Sources, events: int) -> Cost:
    """What it takes until every event is a row."""
    settings = ProjectorSettings(bootstrap=at.bootstrap, postgres_dsn=SecretStr(at.dsn))
    readers = sources.readers()
    with connect(at.dsn) as connection:
        version = open_serving(connection, lambda: False)
        assert version is not None
        writer = Writer(connection, version, readers, retention_days=None)
        log = Log(at.bootstrap, readers)
        telemetry = Telemetry(time.monotonic)
        with closing(log), Follower(log, writer, readers, settings, telemetry) as follower:
            watch = Stopwatch(psutil.Process(connection.info.backend_pid))
            follower.begin()
            while done(log, sources) < events:
                follower.step(lambda: log.read(settings.batch_records, settings.gather_seconds))
            follower.settle()
            took = watch.stop()
        count = connection.execute("SELECT count(*) FROM occurrences").fetchone()
        assert count == (events,), count
    return took


def done(log: Log, sources: Sources) -> int:
    """How many events were read."""
    positions = log.positions()
    return sum(at.next_offset for place, at in positions.items() if place.topic == sources.events)


def copy_rows(at: Servers, sources: Sources, events: int) -> Cost:
    """What it takes for a bare COPY of the same rows, in batches of the same size."""
    files: list[bytes] = []
    days: set[int] = set()
    readers = sources.readers()
    with closing(Log(at.bootstrap, readers)) as log:
        log.start({place: Position(extent.start) for place, extent in log.extents().items()})
        read = 0
        while read < events:
            records = log.read(ProjectorSettings().batch_records, 1.0)
            read += len(records)
            batch = fold(records, readers)
            days |= batch.days
            files.append(batch.occurrences.file())
    with connect(at.dsn) as connection:
        connection.execute("CREATE SCHEMA bare")
        connection.execute("SET search_path TO bare")
        connection.execute(statement("create_tables"))
        for day in days:
            attach(connection, day)
        watch = Stopwatch(psutil.Process(connection.info.backend_pid))
        for file in files:
            with connection.cursor().copy("COPY occurrences FROM STDIN (FORMAT binary)") as copy:
                copy.write(file)
        return watch.stop()


def run(events: int = EVENTS) -> list[Row]:
    """Measure once."""
    with servers() as at:
        sources = write_ledger(at.bootstrap, events)
        projected = project(at, sources, events)
        copied = copy_rows(at, sources, events)
    return [row(events, projected, copied)]


if __name__ == "__main__":
    print(table(run(*map(int, sys.argv[1:]))))
