"""
How soon does work start that is due, and how much of it can one runner do?

A processor and a runner, each a process of its own, as an operator starts them. First single
commands, then 1,000 empty ones that are due in one instant, on 64 slots; beside them the same
command in a bare loop. `python -m bench.runs`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from confluent_kafka import Consumer, Producer, TopicPartition

from bench.page import table
from bench.prepared import PARTITIONS
from bench.rows import Row
from bench.stage import CLOCK, broker, percentile
from horae.local.supervisor import Role, RoleProcess
from schemas.actions import Program
from schemas.codec import decode_event
from schemas.commands import Define
from schemas.definition import Definition, Emit, Once
from schemas.events import RunEnded
from schemas.identity import partition_of, subject_of
from schemas.policies import Tracking
from schemas.reading import command_record
from schemas.run_events import RunStatus
from schemas.topics import COMMANDS, EVENTS, orders_topic
from schemas.units import SECOND
from streams.clock import Deadline

SLOTS = 64
AT_ONCE = 1_000
SINGLE = 200
EVERY = SECOND // 10
LEAD = 8 * SECOND
"""So that all is defined before the first is due."""
WITHIN = 180.0
EMPTY = Program(("true",))


class Ends:
    """The ends of runs, as the ledger gets them."""

    def __init__(self, bootstrap: str) -> None:
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": "bench-runs",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
            }
        )
        self._consumer.assign([TopicPartition(EVENTS, number, 0) for number in range(PARTITIONS)])

    def wait_for(self, number: int) -> list[RunEnded]:
        """The next so many; all must have succeeded."""
        found: list[RunEnded] = []
        deadline = Deadline.after(WITHIN)
        while len(found) < number:
            assert not deadline.over, f"{len(found)} of {number} runs have ended"
            for message in self._consumer.consume(1_000, 0.1):
                event = decode_event(message.value() or b"").event
                if isinstance(event, RunEnded):
                    assert event.status is RunStatus.SUCCESS, event
                    found.append(event)
        return found

    def close(self) -> None:
        """Let go of the broker."""
        self._consumer.close()


def define(bootstrap: str, names: str, instants: list[int]) -> None:
    """A schedule for each instant, each of a subject of its own."""
    producer = Producer({"bootstrap.servers": bootstrap})
    for number, at in enumerate(instants):
        schedule = f"{names}{number}/run"
        action = Emit(orders_topic(), tracked=Tracking(30 * SECOND), work=EMPTY)
        key, value = command_record(schedule, Define(Definition((Once(at),), action)), "")
        producer.produce(COMMANDS, value, key, partition_of(subject_of(schedule), PARTITIONS))
    producer.flush(30)


@contextmanager
def roles(bootstrap: str, folder: Path) -> Iterator[None]:
    """A processor, and a runner that may run the empty command."""
    env = {
        "HORAE_BOOTSTRAP": bootstrap,
        "HORAE_LOCKS": str(folder / "locks"),
        "HORAE_RUNNER_STATE": str(folder / "runners"),
        "HORAE_RUNNER_ALLOW_ACTIONS": "command",
        "HORAE_RUNNER_ALLOW_PROGRAMS": "true",
    }
    started = []
    for words in (["processor"], ["runner", "--slots", str(SLOTS)]):
        argv = [sys.executable, "-m", "horae.cli", *words]
        started.append(RoleProcess(Role(words[0], argv, env), folder))
        started[-1].start()
    try:
        yield
    finally:
        for one in started:
            one.stop()


def spawned_a_second(number: int = AT_ONCE) -> float:
    """The reference: the same command, one after the other, from a bare loop."""
    begun = CLOCK.monotonic()
    for _ in range(number):
        subprocess.run(["true"], check=True)
    return number * SECOND / (CLOCK.monotonic() - begun)


def in_a_while(lead: int = LEAD) -> int:
    """An instant that a schedule may have: a whole millisecond."""
    return (CLOCK.wall() + lead) // 1_000 * 1_000


def started_after(end: RunEnded) -> int:
    """From the due instant to the start, microseconds."""
    assert end.result is not None
    assert end.result.started_at is not None
    return end.result.started_at - end.nominal


def run() -> list[Row]:
    """The rows of the table."""
    with broker() as server, TemporaryDirectory() as folder, roles(server.bootstrap, Path(folder)):
        ends = Ends(server.bootstrap)
        # The first one goes all the way before anything is measured.
        define(server.bootstrap, "first", [in_a_while(0)])
        ends.wait_for(1)
        first = in_a_while()
        define(server.bootstrap, "single", [first + number * EVERY for number in range(SINGLE)])
        waits = sorted(started_after(end) for end in ends.wait_for(SINGLE))
        due = in_a_while()
        define(server.bootstrap, "many", [due] * AT_ONCE)
        last = max(end.result.ended_at or 0 for end in ends.wait_for(AT_ONCE) if end.result)
        ends.close()
    took = (last - due) / SECOND
    return [
        Row(
            name="due → work started, p95",
            value=percentile(waits, 0.95),
            unit="ms",
            less_is_better=True,
            at_least=400,
            aim=100,
            note=f"p50 {percentile(waits, 0.5):.0f} ms, max {waits[-1] / 1000:.0f} ms, "
            f"{SINGLE} commands, 10 a second",
        ),
        Row(
            name=f"{AT_ONCE:,} due in one instant, {SLOTS} slots of one runner: all ended",
            value=took,
            unit="s",
            less_is_better=True,
            note="offered, claimed, granted, begun, reported",
        ),
        Row(
            name="runs of an empty command by one runner",
            value=AT_ONCE / took,
            unit="/s",
            reference_name="the same command spawned in a bare loop",
            reference=spawned_a_second(),
            note="those due in one instant",
        ),
    ]


if __name__ == "__main__":
    print(table(run()))
