"""
How long does it take to propose sleep for 1,000 deployments, without a model?

`python -m bench.proposals [deployments]` puts profiles of all 168 hours into the views, each with
two nights or a weekend to sleep. First they are only looked through, beside a bare read of the same
rows; then all is proposed, by a processor that is a process of its own.
"""

from __future__ import annotations

import sys
import time
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.page import table
from bench.prepared import create_topics
from bench.projection import servers
from bench.rows import Row
from horae.client import Client, Order
from horae.local.supervisor import Role, RoleProcess
from horae.proposing.judging import Judge
from horae.proposing.known import look
from horae.proposing.rounds import Done, Round, carry_out
from projections.queries import Reads
from projections.versions import Connection, connect, open_serving
from schemas.commands import DefineDeployment
from schemas.deployments import Deployment, Vllm
from schemas.profiles import HOURS
from schemas.replies import Reply, Verdict
from streams.clock import SystemClock

DEPLOYMENTS = 1_000
WITHIN = 120.0
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC")
IDLE = (
    frozenset((*range(22, 31), *range(46, 55))),
    frozenset(range(5 * 24 + 18, 7 * 24)) | frozenset(range(6)),
)
"""Hours of the week: two nights, and a weekend that goes over its end."""


def fill(connection: Connection, subjects: list[str]) -> None:
    """A profile of each, as three weeks would leave it."""
    connection.execute(
        "INSERT INTO subject_notes (subject, driver, spec, priority, zone, defined_sequence,"
        " defined_at, defined_by, record)"
        " SELECT one, 'vllm', '{}', 50, 'UTC', 1, now(), 'bench', ''"
        " FROM unnest(%s::text[]) AS one",
        [subjects],
    )
    columns = "subject, hour, zone, p50, p95, active_share, minutes, weeks, idle_weeks, days"
    with connection.cursor().copy(
        f"COPY traffic_profiles ({columns}, computed_at) FROM STDIN".encode()
    ) as copy:
        for number, subject in enumerate(subjects):
            idle, zone = IDLE[number % len(IDLE)], ZONES[number % len(ZONES)]
            for hour in range(HOURS):
                seen = (0, 0, 0, 180, 3, 3) if hour in idle else (9_000, 40_000, 600, 180, 3, 0)
                copy.write_row((subject, hour, zone, *seen, 21, "2026-11-30T00:00:00Z"))
    connection.execute("ANALYZE traffic_profiles")


def register(client: Client, subjects: list[str]) -> None:
    """Let the processor know them, too."""
    known = DefineDeployment(Deployment(Vllm("http://127.0.0.1:9")))
    for reply in client.ask_many([Order(subject, known) for subject in subjects]):
        assert isinstance(reply, Reply), reply
        assert reply.verdict is Verdict.ACCEPTED, reply


def propose(dsn: str, client: Client | None) -> tuple[float, list[Done]]:
    """How long a round takes, as `horae propose` does it; without a client nothing is sent."""
    begun = time.perf_counter()
    with Reads(dsn) as reads:
        known = look(reads)
        stands = lambda schedule: reads.schedule(schedule) is not None  # noqa: E731
        one_round = Round(known, Judge(None, Decimal("0.8")), SystemClock().wall(), stands)
        done = list(carry_out(one_round, known.subjects, client))
    return time.perf_counter() - begun, done


def only_read(connection: Connection) -> float:
    """How long it takes to read the rows of all profiles, of which nothing is made."""
    begun = time.perf_counter()
    rows = connection.execute("SELECT * FROM traffic_profiles ORDER BY subject, hour").fetchall()
    assert rows
    return time.perf_counter() - begun


def run(deployments: int = DEPLOYMENTS) -> list[Row]:
    """Measure once."""
    subjects = [f"model-{number:04d}" for number in range(deployments)]
    with servers() as at, TemporaryDirectory() as name:
        create_topics(at.bootstrap)
        env = {"HORAE_BOOTSTRAP": at.bootstrap, "HORAE_LOCKS": f"{name}/locks"}
        argv = [sys.executable, "-m", "horae.cli", "processor"]
        processor = RoleProcess(Role("processor", argv, env), Path(name))
        processor.start()
        try:
            with Client(at.bootstrap, within=WITHIN) as client, connect(at.dsn) as connection:
                register(client, subjects)
                assert open_serving(connection, lambda: False) is not None
                fill(connection, subjects)
                read = only_read(connection)
                found, rehearsed = propose(at.dsn, None)
                sent, done = propose(at.dsn, client)
        finally:
            processor.stop()
    assert sum(one.finding.proposal is not None for one in rehearsed) == deployments
    for one in done:
        assert isinstance(one.reply, Reply), one.reply
        assert one.reply.verdict is Verdict.ACCEPTED, one.reply
    return [
        Row(
            name=f"what to propose for {deployments:,} deployments, found",
            value=found,
            unit="s",
            less_is_better=True,
            at_least=30.0,
            reference_name="bare read of the same profiles",
            reference=read,
            note="from the profiles in Postgres, by rules alone; nothing is sent",
        ),
        Row(
            name=f"proposals for {deployments:,} deployments, found, sent and answered",
            value=sent,
            unit="s",
            less_is_better=True,
            at_least=30.0,
            note="the same, with a command and its reply for each deployment",
        ),
    ]


if __name__ == "__main__":
    print(table(run(*map(int, sys.argv[1:]))))
