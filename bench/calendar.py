"""
How long does the calendar take for one answer, beside croniter, cronsim and APScheduler?

Microseconds a question for a few expressions, all measured in one run: an answer remembered, one
found anew, and the libraries' own walks over the same instants. Then previews, the nastiest rules
there are, and what a million schedules of 100,000 different rules ask for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger
from croniter import croniter
from cronsim import CronSim

from bench.page import number, table
from bench.rows import Row
from schemas.definition import Cron, Dst, Interval
from schemas.instants import parse_instant
from streams.calendar.occurrences import Rule, rule_for
from streams.processor.collector import forget_everything, settle
from tests.calendar import nasty

START = parse_instant("2026-03-01T00:00:00Z")
ROUNDS = 2_000
NASTY = 1_000
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
    """Microseconds for a remembered answer, a new one, croniter, cronsim and APScheduler."""
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
        micros(lambda: drain(iter_apscheduler(expression, begin, zone), other), other, 1),
    )


def iter_apscheduler(expression: str, begin: datetime, zone: str) -> Iterator[datetime]:
    """APScheduler's walk; it counts weekdays from Monday, which costs it the same."""
    trigger, found = CronTrigger.from_crontab(expression, ZoneInfo(zone)), None
    while True:
        found = trigger.get_next_fire_time(found, found or begin)
        yield found


def iter_croniter(expression: str, begin: datetime) -> Iterator[datetime]:
    """Croniter's own walk."""
    walk = croniter(expression, begin)
    while True:
        yield walk.get_next(datetime)


def drain(walk: Iterator[datetime], count: int) -> None:
    """Take so many."""
    for _ in islice(walk, count):
        pass


def run() -> list[Row]:
    """The answers beside croniter's, and questions that croniter does not answer."""
    rows = []
    for expression, zone in EXPRESSIONS:
        hit, miss, theirs, sims, schedulers = measure(expression, zone)
        rows.append(
            Row(
                name=f"next instant of `{expression}`, {zone}",
                value=miss,
                unit="µs",
                less_is_better=True,
                reference_name="croniter",
                reference=theirs,
                ratio_at_least=5,
                note=f"cronsim {number(sims)}; APScheduler {number(schedulers)};"
                f" asked again {number(hit)}",
            )
        )
    return rows + list(others())


def others() -> Iterator[Row]:
    """Questions that the libraries do not answer."""
    year = int(timedelta(days=365) / timedelta(microseconds=1))
    for name, expression, zone, bound in (
        ("daily", "31 2 * * *", "Europe/Berlin", 10),
        ("29 February", "1 0 29 2 *", "UTC", 50),
    ):
        fresh = rule_for((Cron(expression),), zone, Dst.SHIFT)
        took = micros(lambda rule=fresh: instants(rule, 1_000), 1, 1) / 1_000  # type: ignore[misc]
        yield Row(
            name=f"preview of 1,000 instants, {name}",
            value=took,
            unit="ms",
            less_is_better=True,
            at_least=bound,
            aim=10,
        )
    yield worst(NASTY)
    every_second = rule_for((Cron("* * * * * *"),), "Europe/Berlin", Dst.STRICT_ONCE)
    spanned = micros(lambda: every_second.span(START, START + 10 * year), 1)
    yield _answer("first, last and count of each second of ten years", spanned)
    both = rule_for((Cron("* * * * * *"), Cron("*/7 * 8-18 * * 1-5")), "Europe/Berlin", Dst.SHIFT)
    spanned = micros(lambda: both.span(START, START + year), 1)
    yield _answer("the same of two dense timings together, a year", spanned)
    daily = rule_for((Cron("30 2 * * *"),), "Europe/Berlin", Dst.SHIFT)
    spanned = micros(lambda: daily.span(START, START + year), 1)
    yield _answer("first, last and count of each day of a year", spanned)
    points = list(range(START, START + 10**10, 10**7))
    for name, timing in (
        ("an interval of elapsed time", Interval(micros=90_000_000)),
        ("an interval of a month", Interval(months=1)),
    ):
        rule = rule_for((timing,), "Europe/Berlin", Dst.SHIFT)
        took = micros(lambda rule=rule: ask(rule.next_after, points), len(points))  # type: ignore[misc]
        yield _answer(f"next instant of {name}", took)
    yield _answer("a rule that is known", micros(lambda: _rules(["30 2 * * *"] * 1_000), 1_000))
    anew = [f"{n % 60} {n // 60} * * *" for n in range(500)]
    yield _answer("a rule that is new", micros(lambda: _rules(anew), len(anew), 1))
    hashed = micros(lambda: _rules(["H H * * *"] * 5_000, "a/{}"), 5_000, 1)
    yield _answer("a rule with `H`, for a new id", hashed)


def worst(count: int) -> Row:
    """The longest answer of all that nasty rules give, each asked for the first time."""
    longest, of = 0.0, ""
    for index, (rule, origin, told) in enumerate(nasty.rules("bench", count)):
        at = nasty.PLACES[index % len(nasty.PLACES)]
        # As in the processor, what the rules before have left is never walked by the collector:
        # that takes longer than any answer and is none of this one's work.
        settle()
        for name, work in (
            ("next", lambda rule=rule, origin=origin, at=at: rule.next_after(at, origin)),
            ("previous", lambda rule=rule, origin=origin, at=at: rule.previous(at, origin)),
            (
                "first, last and count of five years",
                lambda rule=rule, origin=origin: rule.span(
                    nasty.NOW - 5 * nasty.YEAR, nasty.NOW, origin
                ),
            ),
        ):
            took = micros(work, 1, 1) / 1_000
            if took > longest:
                longest, of = took, f"{name} of {told.partition(' Exclude')[0][:80]}"
    forget_everything()
    return Row(
        name=f"the longest answer of {count} adversarial rules",
        value=longest,
        unit="ms",
        less_is_better=True,
        at_least=50,
        note=of.replace("|", "/"),
    )


def _rules(expressions: list[str], schedule: str = "") -> None:
    for number_of, expression in enumerate(expressions):
        rule_for((Cron(expression),), "Europe/Paris", Dst.SHIFT, schedule.format(number_of))


def _answer(name: str, took: float) -> Row:
    return Row(name=name, value=took, unit="µs", less_is_better=True)


if __name__ == "__main__":
    print(table(run()))
