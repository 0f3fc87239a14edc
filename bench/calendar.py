"""
How long does the calendar take for one answer, beside croniter and cronsim?

`python -m bench.calendar` prints microseconds a question for a few expressions, all measured in one
run: an answer remembered, one found anew, and the two libraries' own walks over the same instants.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from croniter import croniter
from cronsim import CronSim

from schemas.definition import Cron, Dst, Interval
from schemas.instants import parse_instant
from streams.calendar.occurrences import Rule, rule_for

START = parse_instant("2026-03-01T00:00:00Z")
ROUNDS = 2_000
EXPRESSIONS = (
    ("* * * * *", "UTC"),
    ("*/5 * * * *", "Europe/Berlin"),
    ("30 2 * * *", "Europe/Berlin"),
    ("0 9 * * 1-5", "America/New_York"),
    ("15 4 1,15 * 5", "America/New_York"),
    ("0 0 29 2 *", "UTC"),
)


def micros(work: Callable[[], object], times: int, best_of: int = 3) -> float:
    """The least time that one of `times` pieces of work took, over some repetitions."""
    least = float("inf")
    for _ in range(best_of):
        begin = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - begin)
    return least / times * 1_000_000


def instants(rule: Rule, count: int) -> list[int]:
    """The instants of a rule from the start of the run on."""
    return [tick.instant for tick in rule.between(START, 1 << 62, count).ticks]


def ask(find: Callable[[int], object], points: list[int]) -> None:
    """Ask from each point."""
    for point in points:
        find(point)


def measure(expression: str, zone: str) -> tuple[float, ...]:
    """Microseconds for a remembered answer, a new one, croniter and cronsim."""
    rule = rule_for((Cron(expression),), zone, Dst.SHIFT)
    rounds = ROUNDS if "29 2" not in expression else 200
    points = instants(rule, rounds)
    few = points[:100]
    ask(rule.next_after, few)
    hit = micros(lambda: ask(rule.next_after, few * 20), 20 * len(few))
    miss = micros(lambda: rule.between(START, 1 << 62, rounds), rounds)
    begin = datetime.fromtimestamp(START // 1_000_000, ZoneInfo(zone))
    other = min(rounds, 300)
    return (
        hit,
        miss,
        micros(lambda: drain(iter_croniter(expression, begin), other), other, 1),
        micros(lambda: drain(CronSim(expression, begin), other), other, 1),
    )


def iter_croniter(expression: str, begin: datetime) -> Iterator[datetime]:
    """Croniter's own walk."""
    walk = croniter(expression, begin)
    while True:
        yield walk.get_next(datetime)


def drain(walk: Iterator[datetime], count: int) -> None:
    """Take so many."""
    for _ in islice(walk, count):
        pass


def main() -> None:
    """Print the tables."""
    print("microseconds a question; times faster than the library in brackets")
    print(
        f"{'expression':16} {'zone':17} {'again':>7} {'anew':>7} {'croniter':>16} {'cronsim':>16}"
    )
    for expression, zone in EXPRESSIONS:
        hit, miss, theirs, sims = measure(expression, zone)
        print(
            f"{expression:16} {zone:17} {hit:7.3f} {miss:7.2f}"
            f" {theirs:8.1f} ({theirs / miss:4.0f}x) {sims:8.1f} ({sims / miss:4.0f}x)"
        )
    print()
    print(f"{'other questions':42} {'microseconds':>12}")
    for name, took in others():
        print(f"{name:42} {took:12.1f}")


def others() -> Iterator[tuple[str, float]]:
    """Questions that the libraries do not answer."""
    year = int(timedelta(days=365) / timedelta(microseconds=1))
    every_second = rule_for((Cron("* * * * * *"),), "Europe/Berlin", Dst.STRICT_ONCE)
    yield (
        "span, each second for ten years",
        micros(lambda: every_second.span(START, START + 10 * year), 1),
    )
    daily = rule_for((Cron("30 2 * * *"),), "Europe/Berlin", Dst.SHIFT)
    yield "span, daily for a year", micros(lambda: daily.span(START, START + year), 1)
    yield "preview of 1,000 instants, daily", micros(lambda: instants(daily, 1_000), 1)
    leap = rule_for((Cron("0 0 29 2 *"),), "UTC", Dst.SHIFT)
    yield "preview of 1,000 instants, 29 February", micros(lambda: instants(leap, 1_000), 1)
    grid = rule_for((Interval(micros=90_000_000),), "UTC", Dst.SHIFT)
    points = list(range(START, START + 10**10, 10**7))
    yield "interval of elapsed time", micros(lambda: ask(grid.next_after, points), len(points))
    steps = rule_for((Interval(months=1),), "Europe/Berlin", Dst.SHIFT)
    yield "interval of a month", micros(lambda: ask(steps.next_after, points), len(points))
    yield (
        "rule_for, known",
        micros(
            lambda: [
                rule_for((Cron("30 2 * * *"),), "Europe/Berlin", Dst.SHIFT) for _ in range(1000)
            ],
            1000,
        ),
    )
    yield (
        "rule_for, new",
        micros(
            lambda: [
                rule_for((Cron(f"{n % 60} {n // 60} * * *"),), "Europe/Paris", Dst.SHIFT)
                for n in range(500)
            ],
            500,
            1,
        ),
    )
    yield (
        "rule_for, H for a new id",
        micros(
            lambda: [
                rule_for((Cron("H H * * *"),), "Europe/Paris", Dst.SHIFT, f"a/{n}")
                for n in range(5000)
            ],
            5000,
            1,
        ),
    )


if __name__ == "__main__":
    main()
