"""
How long does a processor take to know a million schedules, and how long does a take-over last?

The log holds every row and cursor, and behind them the cursors of ten minutes at 5,000 fires a
second, written as fast as the broker takes them, so that its cleaner has had less time than it
would have had. The take-over kills one of two processors with -9 and waits for fires from every
partition again. `python -m bench.restore [schedules]`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from confluent_kafka import Consumer, TopicPartition

from bench.page import table
from bench.prepared import PARTITIONS, TARGET
from bench.rows import Row
from bench.stage import CLOCK, broker, driven, next_minute, prepare_log, resident_mib
from schemas.definition import HOUR, SECOND

SCHEDULES = 1_000_000
TEN_MINUTES_AT_5000 = 3_000_000
TAKE_OVER = 100_000
LONGEST = 240
"""Seconds that a round of fires may take before the bench gives up."""


def restore(schedules: int, more: int) -> tuple[float, float, float]:
    """Seconds until the first partition and until all may fire, and memory in MiB."""
    with broker() as server:
        far = CLOCK.wall() + HOUR
        prepare_log(server.bootstrap, "minute", schedules, far, more)
        with driven(server.bootstrap) as found:
            begun = CLOCK.monotonic()
            found.until(lambda: bool(found.processor.serving.firing()))
            first = (CLOCK.monotonic() - begun) / SECOND
            found.until_firing()
            return first, (CLOCK.monotonic() - begun) / SECOND, resident_mib()


def take_over(schedules: int) -> float:
    """Seconds from kill -9 of one of two processors until all partitions fire again."""
    with broker() as server, tempfile.TemporaryDirectory() as locks:
        due = next_minute(20)
        prepare_log(server.bootstrap, "minute", schedules, due)
        one, two = (_processor(server.bootstrap, locks, f"bench-{n}") for n in range(2))
        try:
            seen = _Seen(server.bootstrap, one, two)
            seen.until_fired_since(due + 60 * SECOND, schedules)
            # between two minutes nothing is due: the gap is the take-over itself
            killed_at = due + 120 * SECOND - 2 * SECOND
            seen.idle_until(killed_at)
            os.kill(one.pid, signal.SIGKILL)
            killed_at = CLOCK.wall()
            seen.until_fired_since(due + 120 * SECOND, schedules)
            return (seen.first_of_last - killed_at) / SECOND
        finally:
            for process in (one, two):
                process.kill()
                process.wait()


class _Seen:
    """What reaches the target topic."""

    def __init__(self, bootstrap: str, *processors: subprocess.Popen[bytes]) -> None:
        self._processors = processors
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": "bench-seen",
                "isolation.level": "read_committed",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
            }
        )
        self._consumer.assign([TopicPartition(TARGET, n, 0) for n in range(PARTITIONS)])
        self.first_of_last = 0
        """When the first record of the schedule that was heard last came in."""

    def until_fired_since(self, nominal: int, schedules: int) -> None:
        """Wait until every schedule has fired for this instant or a later one."""
        heard: set[bytes] = set()
        until = CLOCK.monotonic() + LONGEST * SECOND
        while len(heard) < schedules:
            if all(one.poll() is not None for one in self._processors):
                raise RuntimeError("no processor is left")
            if CLOCK.monotonic() > until:
                raise RuntimeError(f"{len(heard)} of {schedules} fired within {LONGEST} seconds")
            for message in self._consumer.consume(10_000, 0.2):
                if message.timestamp()[1] * 1000 >= nominal:
                    heard.add(message.key() or b"")
        self.first_of_last = CLOCK.wall()

    def idle_until(self, instant: int) -> None:
        """Read on until then."""
        while CLOCK.wall() < instant:
            self._consumer.consume(10_000, 0.1)


def _processor(bootstrap: str, locks: str, name: str) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "HORAE_BOOTSTRAP": bootstrap,
        "HORAE_INSTANCE": name,
        "HORAE_LOCKS": locks,
    }
    argv = [sys.executable, "-m", "horae.cli", "processor"]
    with Path(locks, f"{name}.log").open("wb") as log:
        return subprocess.Popen(argv, env=environment, stdout=log, stderr=log)


def run(schedules: int = SCHEDULES) -> list[Row]:
    """The rows of the table."""
    first, whole, memory = restore(schedules, TEN_MINUTES_AT_5000 * schedules // SCHEDULES)
    return [
        Row(
            name=f"restore of {schedules:,} schedules after ten minutes at 5,000 fires/s",
            value=whole,
            unit="s",
            less_is_better=True,
            at_least=15,
            aim=5,
            note=f"the first partition fired after {first:.1f} s; {memory:,.0f} MiB",
        ),
        Row(
            name=f"take-over after kill -9 of one of two, {TAKE_OVER:,} schedules",
            value=take_over(TAKE_OVER),
            unit="s",
            less_is_better=True,
            at_least=15,
            aim=8,
            note="until every schedule of the dead one has fired again",
        ),
    ]


if __name__ == "__main__":
    print(table(run(*map(int, sys.argv[1:]))))
