"""
How many fires a second does one processor sustain, exactly once, beside a bare producer?

A million schedules fall due at one instant, again and again. The reference writes the same records
(same topics, keys, sizes and headers) in transactions of the same size and does nothing else.
`python -m bench.fires [schedules] [minutes]`.
"""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass

from confluent_kafka import Producer

from bench.page import table
from bench.prepared import PARTITIONS, TARGET
from bench.rows import Row
from bench.stage import (
    CLOCK,
    Driven,
    broker,
    driven,
    next_minute,
    prepare_log,
    resident_mib,
)
from schemas.definition import MINUTE, SECOND
from schemas.topics import EVENTS, STATE
from streams.processor.transaction import producer_options
from streams.settings import ProcessorSettings

SCHEDULES = 1_000_000
MINUTES = 2
BATCH = 10_000


@dataclass(frozen=True, slots=True)
class Minute:
    """All schedules fired once."""

    fires: int
    seconds: float
    last_late: float

    @property
    def rate(self) -> float:
        """Fires a second."""
        return self.fires / self.seconds


def one_minute(found: Driven, schedules: int, due: int) -> Minute:
    """Let everything that is due at `due` fire."""
    found.forget()
    found.until(lambda: CLOCK.wall() >= due)
    found.until(lambda: found.fired >= schedules or CLOCK.wall() > due + 58 * SECOND)
    return Minute(found.fired, (CLOCK.wall() - due) / SECOND, max(found.lateness) / SECOND)


def measure(schedules: int, minutes: int) -> tuple[list[Minute], float, float, float]:
    """Each minute, the seconds of the restore, and memory after it and at the end in MiB."""
    with broker() as server:
        due = next_minute(20 + schedules / 15_000)
        prepare_log(server.bootstrap, "minute", schedules, due)
        gc.collect()
        with driven(server.bootstrap) as found:
            begun = CLOCK.monotonic()
            found.until_firing()
            restored = (CLOCK.monotonic() - begun) / SECOND
            at_rest = resident_mib()
            measured = [one_minute(found, schedules, due + n * MINUTE) for n in range(minutes)]
            return measured, restored, at_rest, resident_mib()


def bare(fires: int) -> float:
    """The same records by a bare transactional producer: fires a second."""
    with broker() as server:
        settings = ProcessorSettings.model_validate({"bootstrap": server.bootstrap})
        producer = Producer(producer_options(settings, "bare"))
        producer.init_transactions(30)
        key, event, cursor, value = b"k" * 55, b"e" * 190, b"c" * 59, b"v" * 75
        headers: list[tuple[str, str | bytes | None]] = [
            (f"horae-header-{number}", b"h" * 30) for number in range(6)
        ]
        begun = CLOCK.monotonic()
        for first in range(0, fires, BATCH):
            producer.begin_transaction()
            for number in range(first, min(first + BATCH, fires)):
                producer.produce(EVENTS, event, key, number % PARTITIONS)
                producer.produce(STATE, cursor, key, number % PARTITIONS)
                producer.produce(TARGET, value, key, headers=headers)
            producer.commit_transaction(30)
        return fires / ((CLOCK.monotonic() - begun) / SECOND)


def run(schedules: int = SCHEDULES, minutes: int = MINUTES) -> list[Row]:
    """The rows of the table."""
    reference = bare(min(schedules, 300_000))
    measured, restored, at_rest, at_end = measure(schedules, minutes)
    first, last = measured[0], measured[-1]
    resident = f"{schedules:,} schedules resident"
    return [
        Row(
            name="fires sustained, exactly once, one process",
            value=last.rate,
            unit="fires/s",
            at_least=40_000,
            aim=80_000,
            reference_name="bare transactional producer, same records",
            reference=reference,
            ratio_at_least=0.3,
            note=f"{resident}, each fired {minutes} times",
        ),
        Row(
            name="the same right after a restore",
            value=first.rate,
            unit="fires/s",
            note="each schedule is read from its row for the first time",
        ),
        Row(
            name="memory after the restore",
            value=at_rest,
            unit="MiB",
            less_is_better=True,
            at_least=1_229,
            aim=700,
            note=resident,
        ),
        Row(
            name="memory after every schedule fired",
            value=at_end,
            unit="MiB",
            less_is_better=True,
            at_least=1_229,
            note=f"{resident}, measured in the benching process",
        ),
        Row(name="restore of a fresh log", value=restored, unit="s", less_is_better=True),
    ]


if __name__ == "__main__":
    print(table(run(*map(int, sys.argv[1:]))))
