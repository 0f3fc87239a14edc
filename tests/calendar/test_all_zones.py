"""Around every kind of change of clocks the calendar agrees with a slow second opinion."""

import random
from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache

import pytest

from schemas.definition import Cron, Dst
from streams.calendar.occurrences import NO_TICK, Rule, Span, rule_for
from streams.calendar.zones import zone_clock, zone_names
from tests.calendar.oracle import SECOND, Example, examples, expected

FROM = int(datetime(1970, 1, 2, tzinfo=UTC).timestamp())
TO = int(datetime(2040, 1, 1, tzinfo=UTC).timestamp())
DAY = 86_400
PARTS = 8
WINDOWS = 640
"""In each part; with so many questions a window they make more than 200,000 in all."""
QUESTIONS = 40


@cache
def changes() -> list[tuple[str, int]]:
    """Every zone with every second at which its clocks change."""
    found = []
    for name in sorted(zone_names()):
        clock = zone_clock(name)
        segment = clock.segment_at(FROM)
        while segment.high < TO:
            found.append((name, segment.high))
            segment = clock.segment_at(segment.high)
    return found


def windows(part: int) -> Iterator[tuple[random.Random, Example, str, Dst, int]]:
    chance = random.Random(f"windows {part}")  # noqa: S311 - a seed, no secret
    names = sorted(zone_names())[part::PARTS]
    for number, example in zip(range(WINDOWS), examples(chance), strict=False):
        name, around = chance.choice(changes())
        if number < len(names):
            # Each zone has its turn, at a change if it has any.
            name = names[number]
            own = [at for zone, at in changes() if zone == name]
            around = chance.choice(own) if own else chance.randrange(FROM, TO)
        yield chance, example, name, chance.choice(list(Dst)), around


def points(chance: random.Random, ticks: list[int], begin: int, end: int) -> list[int]:
    """Instants to ask from: anywhere, at answers, and a microsecond beside them."""
    found = [chance.randrange(begin, end) for _ in range(QUESTIONS // 2)]
    while len(found) < QUESTIONS:
        near = chance.choice(ticks) if ticks else begin
        found.append(near + chance.choice([-SECOND, -1, 0, 1, 3600 * SECOND]))
    return [point for point in found if begin <= point < end]


def check_next(rule: Rule, ticks: list[int], at: int, end: int) -> None:
    index = bisect_right(ticks, at)
    tick = rule.next_after(at)
    assert tick.instant > at
    if index < len(ticks):
        assert tick.instant == ticks[index]
    else:
        assert tick.instant > end


def check_previous(rule: Rule, ticks: list[int], at: int, begin: int) -> None:
    index = bisect_right(ticks, at)
    tick = rule.previous(at)
    if index:
        assert tick.instant == ticks[index - 1]
        assert rule.next_after(tick.instant - 1) == tick
    else:
        assert tick is NO_TICK or tick.instant <= begin


@pytest.mark.parametrize("part", range(PARTS))
def test_next_previous_between_and_span_are_right(part: int) -> None:
    for chance, example, name, dst, around in windows(part):
        rule = rule_for((Cron(example.text),), name, dst)
        # A day at each side is left to wall times that belong to another date.
        begin, end = (around - 2 * DAY) * SECOND, (around + 2 * DAY) * SECOND
        ticks = [at for at in expected(example, name, dst, around, 4) if begin < at <= end]
        told = f"{example.text!r} {name} {dst} around {around}"

        stretch = rule.between(begin, end, 10_000)
        assert [tick.instant for tick in stretch.ticks] == ticks, told
        for at in points(chance, ticks, begin, end):
            check_next(rule, ticks, at, end)
            check_previous(rule, ticks, at, begin)
            inside = ticks[bisect_right(ticks, at) :]
            span = rule.span(at, end)
            if inside:
                assert span == Span(inside[0], inside[-1], len(inside)), (told, at)
            else:
                assert span.count == 0, (told, at)


def test_there_is_a_change_to_look_at_in_most_zones() -> None:
    assert len(changes()) > 25_000
    assert len({name for name, _ in changes()}) > 400
