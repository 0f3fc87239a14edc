"""
How many events a second become rows, beside a bare COPY of the same rows?

`python -m bench.projection [events]` starts a broker and a database in a folder of its own, writes
fires of 20,000 schedules into 12 partitions, projects them as the projector does, and copies the
same rows once more, encoded beforehand, into an equal table. Prints a row of a markdown table.
"""

from __future__ import annotations

import secrets
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from pydantic import SecretStr

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
class Measured:
    """One run."""

    events: int
    seconds: float
    busy: float
    """Seconds of processor time of the projector's process."""
    copy_seconds: float

    def row(self) -> str:
        """As a row of a markdown table."""
        rate, reference = self.events / self.seconds, self.events / self.copy_seconds
        return (
            f"| projection | {rate:,.0f} events/s | {self.busy / self.events * 1e6:.1f} µs of"
            f" processor an event | bare COPY {reference:,.0f} rows/s | {rate / reference:.2f} |"
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


def project(at: Servers, sources: Sources, events: int) -> tuple[float, float]:
    """Seconds, and seconds of processor, until every event is a row."""
    settings = ProjectorSettings(bootstrap=at.bootstrap, postgres_dsn=SecretStr(at.dsn))
    readers = sources.readers()
    with connect(at.dsn) as connection:
        version = open_serving(connection, lambda: False)
        assert version is not None
        writer = Writer(connection, version, readers, retention_days=None)
        log = Log(at.bootstrap, readers)
        telemetry = Telemetry(time.monotonic)
        with closing(log), Follower(log, writer, readers, settings, telemetry) as follower:
            began, busy = time.perf_counter(), time.process_time()
            follower.begin()
            while done(log, sources) < events:
                follower.step(lambda: log.read(settings.batch_records, settings.gather_seconds))
            follower.settle()
            took = time.perf_counter() - began, time.process_time() - busy
        count = connection.execute("SELECT count(*) FROM occurrences").fetchone()
        assert count == (events,), count
    return took


def done(log: Log, sources: Sources) -> int:
    """How many events were read."""
    positions = log.positions()
    return sum(at.next_offset for place, at in positions.items() if place.topic == sources.events)


def copy_rows(at: Servers, sources: Sources, events: int) -> float:
    """Seconds for a bare COPY of the same rows, in batches of the same size."""
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
        began = time.perf_counter()
        for file in files:
            with connection.cursor().copy("COPY occurrences FROM STDIN (FORMAT binary)") as copy:
                copy.write(file)
        return time.perf_counter() - began


def main() -> None:
    """Measure once and print the row."""
    events = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    with servers() as at:
        sources = write_ledger(at.bootstrap, events)
        seconds, busy = project(at, sources, events)
        copy_seconds = copy_rows(at, sources, events)
    print(Measured(events, seconds, busy, copy_seconds).row())


if __name__ == "__main__":
    main()
