"""Around every kind of change of clocks, what is excluded is gone or moved, and nothing else."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from schemas.definition import Cron, Interval
from streams.calendar.exclusions import excluding
from streams.calendar.occurrences import rule_for
from tests.calendar.asking import DAY, SECOND, Asked, places, policies
from tests.calendar.closings import closing, landed
from tests.calendar.oracle import EPOCH, examples, instants_of, zone

PARTS = 4
PLACES = 150
"""In each part, so that each zone has its turn."""
QUESTIONS = 6


@pytest.mark.parametrize("part", range(PARTS))
def test_an_expression_goes_around_closed_days_and_times(part: int) -> None:
    chance = random.Random(f"closed walls {part}")  # noqa: S311 - a seed, no secret
    for (name, around), example in zip(
        places(chance, part, PARTS, PLACES), examples(chance), strict=False
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


@pytest.mark.parametrize("part", range(PARTS))
def test_a_short_interval_loses_what_is_closed_by_the_clock_on_the_wall(part: int) -> None:
    chance = random.Random(f"closed steps {part}")  # noqa: S311 - a seed, no secret
    for name, around in places(chance, part, PARTS, PLACES // 5):
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
