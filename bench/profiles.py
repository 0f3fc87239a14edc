"""
How long do the profiles of 1,000 deployments take, and how many minutes a second become rows?

`python -m bench.profiles [deployments] [minutes]` fills `traffic_hours` with 30 days in four zones,
computes all profiles as a projector does, and beside it only reads the same rows. Then it writes
rolled-up minutes into 12 partitions and projects them, beside decoding them alone.
"""

from __future__ import annotations

import sys
import time
from array import array
from collections.abc import Iterator
from contextlib import closing
from random import Random

import psutil
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from pydantic import SecretStr

from bench.page import table
from bench.projection import PARTITIONS, Cost, Servers, Stopwatch, servers
from bench.rows import Row
from projections.encoding import FILE_END, FILE_HEADER
from projections.following import Follower
from projections.log import Log
from projections.metrics import Telemetry
from projections.profiling import Pace
from projections.records import Sources
from projections.settings import ProjectorSettings
from projections.statements import statement
from projections.traffic import ACTIVE, IDLE, UNKNOWN, HourDraft, hour_row
from projections.versions import Connection, connect, open_serving
from projections.writer import Writer
from schemas.codec import decode_as, encode
from schemas.definition import MINUTE, SECOND
from schemas.identity import partition_of
from schemas.instants import format_instant, parse_instant
from schemas.traffic import MinuteKind, Sample, TrafficMinute

DEPLOYMENTS = 1_000
MINUTES = 200_000
HOURS = 30 * 24
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC")
START = parse_instant("2026-11-29T06:00:00Z")

_AT_ONCE = 10_000
_HOUR = 60 * MINUTE


def drafts() -> list[HourDraft]:
    """Some hours: asleep, awake, in between, with a hole, without a rate here and there."""
    dice = Random(7)  # noqa: S311 - no secret
    found = []
    for number in range(200):
        busy = (0, 0, 20, 70)[number % 4]
        draft = HourDraft()
        for place in range(60 if number % 9 else 40):
            kind = ACTIVE if dice.randrange(100) < busy else IDLE
            kind = UNKNOWN if dice.randrange(50) == 0 else kind
            rate = {IDLE: 0, ACTIVE: dice.randrange(400_000)}.get(kind, -1)
            draft.put(place, kind, rate, 4)
        found.append(draft)
    return found


def fill(connection: Connection, deployments: int) -> None:
    """Thirty days of each deployment, hour by hour as they would come."""
    shapes, dice = drafts(), Random(8)  # noqa: S311 - no secret
    now = connection.execute("SELECT extract(epoch FROM now())::bigint").fetchone()
    assert now is not None
    last = now[0] * SECOND // _HOUR * _HOUR
    subjects = [f"model-{number:04d}" for number in range(deployments)]
    connection.execute(
        "INSERT INTO subject_notes (subject, driver, spec, priority, zone, defined_sequence)"
        " SELECT subject, 'vllm', '{}', 50, zone, 1 FROM unnest(%s::text[], %s::text[])"
        " AS one (subject, zone)",
        (subjects, [ZONES[number % len(ZONES)] for number in range(deployments)]),
    )
    with connection.cursor().copy("COPY traffic_hours FROM STDIN (FORMAT binary)") as copy:
        copy.write(FILE_HEADER)
        for back in reversed(range(HOURS)):
            begin = last - back * _HOUR
            copy.write(b"".join(hour_row(one, begin, dice.choice(shapes)) for one in subjects))
        copy.write(FILE_END)
    connection.execute(
        "INSERT INTO traffic_subjects (subject, changed_at) SELECT subject, now()"
        " FROM subject_notes"
    )
    connection.execute("ANALYZE traffic_hours")


def compute(connection: Connection, writer: Writer, deployments: int) -> tuple[Cost, float]:
    """What all profiles took, and how long the longest slice of them held up everything else."""
    watch, longest, computed = Stopwatch(psutil.Process(connection.info.backend_pid)), 0.0, 0
    left = True
    while left:
        began = time.perf_counter()
        done = writer.compute_profiles()
        longest = max(longest, time.perf_counter() - began)
        computed, left = computed + done.subjects, done.left
    took = watch.stop()
    assert computed == deployments, computed
    rows = connection.execute("SELECT count(*) FROM traffic_profiles").fetchone()
    assert rows is not None
    assert rows[0] == deployments * 168, rows
    return took, longest


def only_read(connection: Connection, deployments: int) -> Cost:
    """What it takes to read the same rows, as numbers that nothing is made of."""
    now = connection.execute("SELECT extract(epoch FROM now())::bigint").fetchone()
    assert now is not None
    watch = Stopwatch(psutil.Process(connection.info.backend_pid))
    for number in range(deployments):
        with connection.cursor(binary=True) as cursor:
            asked = {"subject": f"model-{number:04d}", "now": now[0]}
            assert cursor.execute(statement("hours_of_profile"), asked).fetchall()
    return watch.stop()


def rolled_up(minutes: int, deployments: int) -> Iterator[tuple[int, bytes, bytes]]:
    """Partition, key and value of each minute, with four samples."""
    names = [f"model-{number:04d}" for number in range(deployments)]
    places = array("i", (partition_of(name, PARTITIONS) for name in names))
    for number in range(minutes):
        which, at = number % deployments, START + number // deployments * MINUTE
        looks = tuple(Sample(at + look * 15 * SECOND, 1, 0, 3, 900_000) for look in range(4))
        said = TrafficMinute(at, MinuteKind.ACTIVE, 200_000, 4, 0, 12, 3_600_000, looks)
        yield places[which], f"{names[which]}|{format_instant(at)}".encode(), encode(said)


def write_minutes(at: Servers, minutes: int, deployments: int) -> Sources:
    """The topics, with that many minutes."""
    sources = Sources()
    admin = AdminClient({"bootstrap.servers": at.bootstrap})
    topics = [NewTopic(name, PARTITIONS, 1) for name in (sources.schedules, sources.events)]
    topics += [NewTopic(sources.traffic, PARTITIONS, 1), NewTopic(sources.globals, 1, 1)]
    for future in admin.create_topics(topics).values():
        future.result()
    producer = Producer(
        {
            "bootstrap.servers": at.bootstrap,
            "linger.ms": 20,
            "queue.buffering.max.messages": 1_000_000,
        }
    )
    for partition, key, value in rolled_up(minutes, deployments):
        producer.produce(sources.traffic, key=key, value=value, partition=partition)
        producer.poll(0)
    producer.flush()
    return sources


def project(at: Servers, connection: Connection, writer: Writer, minutes: int) -> Cost:
    """What it takes until every minute is in a row."""
    sources = Sources()
    settings = ProjectorSettings(bootstrap=at.bootstrap, postgres_dsn=SecretStr(at.dsn))
    readers = sources.readers()
    log = Log(at.bootstrap, readers)
    telemetry = Telemetry(time.monotonic)
    with closing(log), Follower(log, writer, readers, settings, telemetry) as follower:
        watch = Stopwatch(psutil.Process(connection.info.backend_pid))
        follower.begin()
        while sum(one.next_offset for one in log.positions().values()) < minutes:
            follower.step(lambda: log.read(settings.batch_records, settings.gather_seconds))
        follower.settle()
        return watch.stop()


def only_decoded(minutes: int, deployments: int) -> float:
    """Seconds for decoding as many alone."""
    values = [value for _, _, value in rolled_up(minutes, deployments)]
    began = time.perf_counter()
    for value in values:
        decode_as(value, TrafficMinute)
    return time.perf_counter() - began


def run(deployments: int = DEPLOYMENTS, minutes: int = MINUTES) -> list[Row]:
    """Measure once."""
    with servers() as at, connect(at.dsn) as connection:
        version = open_serving(connection, lambda: False)
        assert version is not None
        readers = Sources().readers()
        writer = Writer(connection, version, readers, retention_days=None, pace=Pace())
        write_minutes(at, minutes, deployments)
        rows_of_minutes = project(at, connection, writer, minutes)
        decoded = only_decoded(minutes, deployments)
        connection.execute("TRUNCATE traffic_hours, traffic_subjects")
        fill(connection, deployments)
        computed, longest = compute(connection, writer, deployments)
        read = only_read(connection, deployments)
    here, there = computed.here / deployments * 1e3, computed.database / deployments * 1e3
    return [
        Row(
            name=f"profiles of {deployments:,} deployments, from 30 days of their minutes",
            value=computed.wall,
            unit="s",
            less_is_better=True,
            at_least=60,
            aim=30,
            reference_name="reading the same rows, each number an object",
            reference=read.wall,
            note=f"{here:.1f} ms of processor here and {there:.1f} ms in the database a deployment;"
            f" the longest slice {longest * 1e3:.0f} ms",
        ),
        Row(
            name="minutes of traffic into rows, offsets in the same transaction",
            value=minutes / rows_of_minutes.wall,
            unit="minutes/s",
            at_least=2_000,
            aim=10_000,
            reference_name="decoding them alone",
            reference=minutes / decoded,
            note=f"{rows_of_minutes.here / minutes * 1e6:.1f} µs of processor here and"
            f" {rows_of_minutes.database / minutes * 1e6:.1f} µs in the database a minute;"
            f" {deployments:,} deployments have {deployments / 60:.0f} minutes a second",
        ),
    ]


if __name__ == "__main__":
    print(table(run(*map(int, sys.argv[1:]))))
