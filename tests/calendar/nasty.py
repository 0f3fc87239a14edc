"""
Which rules are the worst to ask?

Sparse, contradictory and dense ones, huge unions, exclusions that leave hardly anything, far years,
every zone. The same ones for a seed, for tests that count work and benches that take the time.
"""

import random
from collections.abc import Iterator
from typing import NamedTuple

from schemas.definition import Cron, Dst, Exclude, Interval, Once, OnExcluded, Timing, Weekly
from schemas.globals import Calendar, YearlyRange
from streams.calendar.exclusions import excluding
from streams.calendar.occurrences import Rule, TimingRefused, rule_for
from streams.calendar.zones import zone_names

SECOND = 1_000_000
DAY = 86_400 * SECOND
YEAR = 366 * DAY
NOW = 1_780_000_000 * SECOND
PLACES = (NOW, NOW, NOW, 0, 4 * 10**15, -(6 * 10**16), 2 * 10**17, 250 * 10**15)
CRONS = (
    *(
        "0 0 29 2 *",
        "0 0 30 2 *",
        "0 0 31 4,6,9,11 *",
        "0 0 29 2 1",
        "0 0 29W 2 */2",
        "0 0 * 2 1#5",
    ),
    *(
        "* * * * * *",
        "*/59 */59 */23 * * *",
        "0 0 0 29 2 ? 2096",
        "0 0 0 1 1 ? 1970",
        "59 59 23 31 12 ? 2099",
    ),
    *(
        "0 2 29 2 0#5",
        "30 2 L-30 * *",
        "15 9 * * *",
        "0 * * * *",
        "*/7 8-18 LW * *",
        "1 1 1 1 *",
        "0 0 31 1 5L",
    ),
)
CLOSED = (
    *(
        "* * * * *",
        "*/2 * * * *",
        "1-59/2 * * * *",
        "* 0-22 * * *",
        "0-58 * * * *",
        "* * 1-28 * *",
        "15 9 * * *",
    ),
    *("* * * 1-11 *", "* * * * 1-6", "* * 29 2 *", "0 0 * * *", "* * * * * * 2026-2050"),
)
PRIMES = (61, 67, 71, 73, 79, 83, 89, 97, 101, 103)


class Nasty(NamedTuple):
    """A rule, where it counts from, and what it is."""

    rule: Rule
    origin: int
    told: str


def rules(seed: str, count: int) -> Iterator[Nasty]:
    """So many rules that the door lets in."""
    chance = random.Random(seed)  # noqa: S311 - a seed, no secret
    names = sorted(zone_names())
    made = 0
    while made < count:
        timings = union(chance)
        zone, dst = names[made % len(names)], chance.choice(list(Dst))
        try:
            rule = rule_for(timings, zone, dst)
        except TimingRefused:
            continue
        made += 1
        told = f"{timings} {zone} {dst}"
        if chance.random() < 0.7:
            exclude, calendars = closing(chance)
            rule = excluding(rule, exclude, calendars)
            told = f"{told} {exclude} {calendars}"
        yield Nasty(rule, NOW - chance.choice([0, DAY, 9 * YEAR]), told)


def union(chance: random.Random) -> tuple[Timing, ...]:
    """One timing, some, or as many as may be."""
    size = chance.choice([1, 1, 1, 2, 3, 10])
    if size == 10:
        return tuple(
            Interval(
                micros=prime * chance.choice([SECOND, 1_001_000, 60 * SECOND]),
                anchor=chance.randrange(DAY),
            )
            for prime in PRIMES
        )
    return tuple(timing(chance) for _ in range(size))


def timing(chance: random.Random) -> Timing:
    """One that is sparse, dense, or anything between."""
    anchor = NOW - 50 * YEAR
    day = chance.choice([DAY, 25 * DAY // 24, DAY + 120 * SECOND])
    short = chance.choice([SECOND, 1_001_000, 7 * SECOND, 3600 * SECOND])
    choices: list[Timing] = [
        Cron(chance.choice(CRONS)),
        Cron(chance.choice(CRONS)),
        Interval(micros=short),
        Interval(micros=day, anchor=anchor),
        Interval(days=chance.choice([1, 2, 400]), anchor=chance.choice([None, 0])),
        Interval(months=chance.choice([1, 13, 12_000]), micros=chance.choice([0, 1])),
        Once(chance.choice([NOW, 0, 4 * 10**15])),
        Weekly(chance.randrange(1, 128), chance.randrange(86_400)),
    ]
    return chance.choice(choices)


def closing(chance: random.Random) -> tuple[Exclude, dict[str, Calendar]]:
    """Calendars that close nearly everything, in chains and cycles."""
    today = NOW // DAY
    names = [f"c{number}" for number in range(chance.choice([1, 2, 30]))]
    calendars = {
        name: Calendar(
            dates=tuple(range(today - 900, today + 900)) if chance.random() < 0.2 else (),
            weekdays=chance.choice([0, 0, 96, 127, 126]),
            yearly=(YearlyRange(102, 1231),) if chance.random() < 0.2 else (),
            crons=tuple(chance.sample(CLOSED, chance.choice([0, 1, 2, 8]))),
            base=(chance.choice(names),),
        )
        for name in names
    }
    return Exclude(tuple(names), (today,), chance.choice(list(OnExcluded))), calendars
