"""Around every kind of change of clocks the calendar agrees with a slow second opinion."""

import random
from datetime import datetime, timedelta

import pytest

from schemas.definition import Cron, Dst, Interval
from streams.calendar.occurrences import rule_for
from tests.calendar.asking import DAY, SECOND, Asked, changes, places, policies
from tests.calendar.oracle import EPOCH, examples, expected, instants_of, zone

PARTS = 8
WINDOWS = 640
"""In each part; with so many questions a window they make more than 200,000 in all."""
QUESTIONS = 40


def ask_expressions(seed: str, part: int, windows: int, questions: int) -> int:
    """Ask for expressions around changes; how many questions there were."""
    chance = random.Random(f"{seed} {part}")  # noqa: S311 - a seed, no secret
    asked = 0
    for (name, around), example in zip(
        places(chance, part, PARTS, windows), examples(chance), strict=False
    ):
        dst = policies(chance)
        # A day at each side is left to wall times that belong to another date.
        begin, end = (around - 2 * DAY) * SECOND, (around + 2 * DAY) * SECOND
        asked += Asked(
            rule_for((Cron(example.text),), name, dst),
            [at for at in expected(example, name, dst, around, 4) if begin < at <= end],
            begin,
            end,
            told=f"{example.text!r} {name} {dst} around {around}",
        ).check(chance, questions)
    return asked


def ask_steps(seed: str, part: int, windows: int, questions: int) -> int:
    """Ask for steps of days around changes; how many questions there were."""
    chance = random.Random(f"{seed} {part}")  # noqa: S311 - a seed, no secret
    asked = 0
    for name, around in places(chance, part, PARTS, windows):
        dst, days = policies(chance), chance.choice([1, 1, 2, 3])
        # By the clock on the wall at the anchor, which lies days before and is no repeated time.
        anchor = (around - chance.randrange(9, 20) * DAY) // 1800 * 1800 + chance.choice([0, 7])
        where = zone(name)
        start = (EPOCH + timedelta(seconds=anchor)).astimezone(where).replace(tzinfo=None)
        if instants_of(start, name, Dst.LITERAL, star=True) != [anchor * SECOND]:
            continue
        found = {
            at
            for step in range(40 // days)
            for at in instants_of(start + timedelta(days=step * days), name, dst, star=False)
        }
        begin, end = (around - 5 * DAY) * SECOND, (around + 5 * DAY) * SECOND
        asked += Asked(
            rule_for((Interval(days=days, anchor=anchor * SECOND),), name, dst),
            sorted(at for at in found if begin < at <= end),
            begin,
            end,
            told=f"{days} days from {anchor} {name} {dst} around {around}",
        ).check(chance, questions)
    return asked


def match_minutes(seed: str, part: int, windows: int) -> None:
    """Walk each minute of some days and look at the clock on the wall."""
    chance = random.Random(f"{seed} {part}")  # noqa: S311 - a seed, no secret
    for (name, around), example in zip(
        places(chance, part, PARTS, windows), examples(chance), strict=False
    ):
        where = zone(name)
        begin = (around - DAY) // 60 * 60
        found = []
        for at in range(begin + 1, begin + 2 * DAY):
            # Offsets of the past have seconds, so a minute on the wall may begin at any second.
            if (at - around) % 60 and at % 60:
                continue
            wall = datetime.fromtimestamp(at, where)
            if (
                wall.second == 0
                and wall.minute in example.minutes
                and wall.hour in example.hours
                and example.on(wall.date())
            ):
                found.append(at * SECOND)
        rule = rule_for((Cron(example.text),), name, Dst.LITERAL)
        stretch = rule.between(begin * SECOND, (begin + 2 * DAY - 1) * SECOND, 10**4)
        ours = [
            tick.instant
            for tick in stretch.ticks
            if not ((tick.instant // SECOND - around) % 60 and tick.instant // SECOND % 60)
        ]
        assert ours == found, f"{example.text!r} {name} around {around}"


@pytest.mark.parametrize("part", range(PARTS))
def test_next_previous_between_and_span_are_right(part: int) -> None:
    assert ask_expressions("windows", part, WINDOWS, QUESTIONS) > WINDOWS * QUESTIONS * 0.9


@pytest.mark.parametrize("part", range(PARTS))
def test_steps_of_days_are_wall_times(part: int) -> None:
    assert ask_steps("steps", part, 75, 10) > 500


@pytest.mark.parametrize("part", range(PARTS))
def test_literal_is_what_a_walk_over_every_minute_finds(part: int) -> None:
    match_minutes("minutes", part, 75)


def test_there_is_a_change_to_look_at_in_most_zones() -> None:
    assert len(changes()) > 25_000
    assert len({name for name, _ in changes()}) > 400
