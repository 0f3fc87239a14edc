"""
Does a rule answer every kind of question as a list of instants says?

The list is made by somebody else: by a slow second opinion, or by another walker.
"""

import random
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

from schemas.definition import Dst
from streams.calendar.occurrences import NO_TICK, Rule, Span, Tick
from streams.calendar.zones import zone_clock, zone_names

SECOND = 1_000_000
DAY = 86_400
FROM = int(datetime(1970, 1, 2, tzinfo=UTC).timestamp())
TO = int(datetime(2040, 1, 1, tzinfo=UTC).timestamp())


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


@cache
def changes_of(name: str) -> list[int]:
    """The seconds at which one zone's clocks change."""
    return [at for zone, at in changes() if zone == name]


def places(chance: random.Random, part: int, parts: int, count: int) -> Iterator[tuple[str, int]]:
    """Zones with a second each, nearly always one at which the clocks change."""
    names = sorted(zone_names())[part::parts]
    for number in range(count):
        if number < len(names):
            # Each zone has its turn, at a change if it has any.
            own = changes_of(names[number])
            yield names[number], chance.choice(own) if own else chance.randrange(FROM, TO)
        else:
            yield chance.choice(changes())


@dataclass(frozen=True)
class Asked:
    """A rule, and all of its instants in (begin, end]."""

    rule: Rule
    ticks: list[int]
    begin: int
    end: int
    origin: int = 0
    told: str = ""

    def check(self, chance: random.Random, questions: int) -> int:
        """Ask for all, and in every way from some points; from how many."""
        stretch = self.rule.between(self.begin, self.end, 100_000, self.origin)
        assert [tick.instant for tick in stretch.ticks] == self.ticks, self.told
        points = self.points(chance, questions)
        for at in points:
            self.check_next(at)
            self.check_previous(at)
            self.check_span(at)
        return len(points)

    def points(self, chance: random.Random, count: int) -> list[int]:
        """Instants to ask from: anywhere, at answers, and a microsecond beside them."""
        found = [chance.randrange(self.begin, self.end) for _ in range(count // 2)]
        while len(found) < count:
            near = chance.choice(self.ticks) if self.ticks else self.begin
            found.append(near + chance.choice([-SECOND, -1, 0, 1, 3600 * SECOND]))
        return [point for point in found if self.begin <= point < self.end]

    def check_next(self, at: int) -> None:
        """Strictly later, the same from wherever it is asked, and not gone before it is due."""
        index = bisect_right(self.ticks, at)
        tick = self.rule.next_after(at, self.origin)
        assert tick.instant > at
        if index < len(self.ticks):
            assert tick.instant == self.ticks[index], (self.told, at)
        else:
            assert tick.instant > self.end, (self.told, at)
        if tick is not NO_TICK:
            assert self.rule.next_after(tick.instant - 1, self.origin) == tick
            assert self.rule.next_after((at + tick.instant) // 2, self.origin) == tick

    def check_previous(self, at: int) -> None:
        """Back to where next came from."""
        index = bisect_right(self.ticks, at)
        tick = self.rule.previous(at, self.origin)
        if index:
            assert tick.instant == self.ticks[index - 1], (self.told, at)
            assert self.rule.next_after(tick.instant - 1, self.origin) == tick
        else:
            assert tick is NO_TICK or tick.instant <= self.begin, (self.told, at)

    def check_span(self, at: int) -> None:
        """First, last and count are those of the list."""
        inside = self.ticks[bisect_right(self.ticks, at) :]
        span = self.rule.span(at, self.end, self.origin)
        if inside:
            assert span == Span(inside[0], inside[-1], len(inside)), (self.told, at)
        else:
            assert span.count == 0, (self.told, at)


def policies(chance: random.Random) -> Dst:
    """One of all policies."""
    return chance.choice(list(Dst))


def stepped(rule: Rule, after: int, up_to: int, origin: int) -> list[Tick]:
    """Its ticks, each asked for from the one before."""
    found = []
    tick = rule.next_after(after, origin)
    while tick.instant <= up_to:
        assert tick.instant > after
        found.append(tick)
        after = tick.instant
        tick = rule.next_after(after, origin)
    return found
