"""Around every kind of change of clocks, what is excluded is gone or moved, and nothing else."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from schemas.definition import Cron, Interval, Once, Timing, Weekly
from streams.calendar.exclusions import excluding
from streams.calendar.occurrences import rule_for
from tests.calendar.asking import DAY, SECOND, Asked, places, policies
from tests.calendar.closings import closing, landed
from tests.calendar.oracle import EPOCH, examples, instants_of, zone

PARTS = 4
PLACES = 150
"""In each part, so that each zone has its turn."""
QUESTIONS = 6


def ask_expressions(seed: str, part: int, count: int) -> None:
    """Ask for expressions near changes, with calendars put together by chance."""
    chance = random.Random(f"{seed} {part}")  # noqa: S311 - a seed, no secret
    for (name, around), example in zip(
        places(chance, part, PARTS, count), examples(chance), strict=False
    ):
        dst, middle = policies(chance), datetime.fromtimestamp(around, UTC).date()
        exclude, calendars, closed = closing(chance, middle)
        walls = landed(example, middle, 4, closed, exclude.on_excluded)
        found = {at for wall in walls for at in instants_of(wall, name, dst, star=example.star)}
        begin, end = (around - 2 * DAY) * SECOND, (around + 2 * DAY) * SECOND
        Asked(
            excluding(rule_for((Cron(example.text),), name, dst), exclude, calendars),
            sorted(at for at in found if begin < at <= end),
            begin,
            end,
            told=f"{example.text!r} {name} {dst} around {around} {exclude} {calendars}",
        ).check(chance, QUESTIONS)


def ask_intervals(seed: str, part: int, count: int) -> None:
    """Ask for intervals that are shorter than a day."""
    chance = random.Random(f"{seed} {part}")  # noqa: S311 - a seed, no secret
    for name, around in places(chance, part, PARTS, count):
        middle = datetime.fromtimestamp(around, UTC).date()
        exclude, calendars, closed = closing(chance, middle)
        step = chance.choice([60 * SECOND, 3600 * SECOND, chance.randrange(10**9, DAY * SECOND)])
        anchor = chance.choice([None, 0, chance.randrange(around * SECOND)])
        origin = chance.randrange((around - 3 * DAY) * SECOND, around * SECOND)
        begin, end = (around - 2 * DAY) * SECOND, (around + 2 * DAY) * SECOND
        rule = rule_for((Interval(micros=step, anchor=anchor),), name, policies(chance))
        where, ticks = zone(name), []
        for tick in rule.between(begin, end, 10**5, origin).ticks:
            seen = (EPOCH + timedelta(microseconds=tick.instant)).astimezone(where)
            if not closed(seen.replace(tzinfo=None)):
                ticks.append(tick.instant)
        Asked(
            excluding(rule, exclude, calendars), ticks, begin, end, origin, f"{step} {name}"
        ).check(chance, QUESTIONS)


def ask_unions(seed: str, count: int) -> None:
    """Ask for unions of all kinds, which have what each of their timings has."""
    chance = random.Random(seed)  # noqa: S311 - a seed, no secret
    for (name, around), example in zip(
        places(chance, 0, 60, count), examples(chance), strict=False
    ):
        middle = datetime.fromtimestamp(around, UTC).date()
        exclude, calendars, _ = closing(chance, middle)
        dst, origin = policies(chance), chance.randrange((around - 9 * DAY), around) * SECOND
        timings: list[Timing] = [
            Cron(example.text),
            Interval(micros=chance.choice([600, 3600, 7 * 61]) * SECOND, anchor=0),
            Interval(micros=chance.randrange(600 * SECOND, DAY * SECOND)),
            Interval(days=1, anchor=(around + chance.randrange(DAY)) * SECOND),
            Interval(days=1, micros=chance.choice([0, 0, 3600 * SECOND])),
            Interval(micros=chance.choice([24, 25]) * 3600 * SECOND),
            Weekly(chance.randrange(1, 128), chance.randrange(24) * 1800),
            Once((around + chance.randrange(-DAY, DAY)) * SECOND),
            Cron("0 0,1,2,3 * * *"),
        ]
        some = tuple(chance.sample(timings, chance.choice([1, 2, 2, 3, 5])))
        begin, end = (around - 3 * DAY) * SECOND, (around + 3 * DAY) * SECOND
        ticks: set[int] = set()
        for timing in some:
            rule = excluding(rule_for((timing,), name, dst), exclude, calendars)
            ticks |= {tick.instant for tick in rule.between(begin, end, 10**4, origin).ticks}
        Asked(
            excluding(rule_for(some, name, dst), exclude, calendars),
            sorted(ticks),
            begin,
            end,
            origin,
            f"{some} {name} {dst} {around} {exclude} {calendars}",
        ).check(chance, QUESTIONS)


@pytest.mark.parametrize("part", range(PARTS))
def test_an_expression_goes_around_closed_days_and_times(part: int) -> None:
    ask_expressions("closed walls", part, PLACES)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_short_interval_loses_what_is_closed_by_the_clock_on_the_wall(part: int) -> None:
    ask_intervals("closed steps", part, PLACES // 5)


def test_a_union_has_what_each_of_its_timings_has() -> None:
    ask_unions("closed unions", 60)
