"""
How late is a fire, from its due instant to its commit?

At 1,000 and at 170 fires a second, spread evenly; and when 100,000 schedules fall due in one
instant. `python -m bench.lateness [seconds]`.
"""

from __future__ import annotations

import sys

from bench.page import table
from bench.rows import Row
from bench.stage import (
    CLOCK,
    Driven,
    broker,
    driven,
    next_minute,
    percentile,
    prepare_log,
)
from schemas.definition import SECOND

AT_ONCE = 100_000


def steady(a_second: int, seconds: int) -> list[int]:
    """The lateness of each fire of a steady load, microseconds."""
    with broker() as server:
        due = CLOCK.wall() + 10 * SECOND
        prepare_log(server.bootstrap, "spread", a_second, due)
        with driven(server.bootstrap) as found:
            found.until_firing()
            found.until(lambda: CLOCK.wall() >= due + 5 * SECOND)
            found.forget()
            end = CLOCK.wall() + seconds * SECOND
            found.until(lambda: CLOCK.wall() >= end)
            return found.lateness


def at_once(schedules: int) -> list[int]:
    """The lateness of each when all are due in one instant; the first minute only warms up."""
    with broker() as server:
        due = next_minute(30)
        prepare_log(server.bootstrap, "minute", schedules, due)
        with driven(server.bootstrap) as found:
            found.until_firing()
            _all_fire(found, schedules)
            found.forget()
            _all_fire(found, schedules)
            return found.lateness


def _all_fire(found: Driven, schedules: int) -> None:
    found.until(lambda: found.fired >= schedules)


def run(seconds: int = 60) -> list[Row]:
    """The rows of the table."""
    rows = []
    for a_second, at_least, aim in ((1_000, 250, 50), (170, 100, 35)):
        late = steady(a_second, seconds)
        note = (
            f"p50 {percentile(late, 0.5):.0f} ms, max {max(late) / 1000:.0f} ms, "
            f"{len(late):,} fires in {seconds} s"
        )
        rows.append(
            Row(
                name=f"lateness at {a_second:,} fires/s, p99",
                value=percentile(late, 0.99),
                unit="ms",
                less_is_better=True,
                at_least=at_least,
                aim=aim,
                note=note,
            )
        )
    late = at_once(AT_ONCE)
    rows.append(
        Row(
            name=f"{AT_ONCE:,} due in one instant, the last one",
            value=max(late) / SECOND,
            unit="s late",
            less_is_better=True,
            at_least=5,
            aim=1.5,
            note=f"p50 {percentile(late, 0.5):.0f} ms",
        )
    )
    return rows


if __name__ == "__main__":
    print(table(run(*map(int, sys.argv[1:]))))
