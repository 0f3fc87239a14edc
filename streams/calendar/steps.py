"""
How many instants do several steady steps have together?

Elapsed intervals are arithmetic progressions, and equal instants count once. What several have in
common is a progression again, so the number is put together from theirs, taken in turns added and
taken off; combinations without an instant in question are never looked into.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from math import gcd
from typing import Final, NamedTuple, Protocol

from streams.calendar.ticks import DAY_SECONDS, MICROS

MOST_COMBINED: Final = 10
"""So many intervals may stand together in a new definition: 1,023 combinations."""

_FEW_MEETINGS: Final = 3
"""Where more combinations than this for each interval have anything in common, seconds are
counted instead."""
_CHUNK: Final = 8 * DAY_SECONDS


class Steps(NamedTuple):
    """Instants a fixed number of microseconds apart, both ways from `base`."""

    base: int
    step: int

    def within(self, after: int, up_to: int) -> int:
        """How many there are in (after, up_to]."""
        return max(0, (up_to - self.base) // self.step - (after - self.base) // self.step)

    def meeting(self, other: Steps) -> Steps | None:
        """The instants that both have, or None."""
        common = gcd(self.step, other.step)
        apart, left = divmod(other.base - self.base, common)
        if left:
            return None
        many = other.step // common
        turns = apart * pow(self.step // common, -1, many) % many
        return Steps(self.base + turns * self.step, self.step * many)

    def holds(self, other: Steps) -> bool:
        """Whether it has every instant of another one."""
        return other.step % self.step == 0 and (other.base - self.base) % self.step == 0


WHOLE_SECONDS: Final = Steps(0, MICROS)


def different(all_steps: Sequence[Steps]) -> list[Steps]:
    """The same instants without those progressions that another one holds."""
    kept: list[Steps] = []
    for each in sorted(set(all_steps), key=lambda steps: steps.step):
        if not any(other.holds(each) for other in kept):
            kept.append(each)
    return kept


class Opened(Protocol):
    """Which instants count, if not all do."""

    def measure(self, steps: Steps, after: int, up_to: int) -> int:
        """How many of some steps count in (after, up_to]."""

    def measure_seconds(self, steps: Sequence[Steps], after: int, up_to: int) -> int:
        """How many instants of steps that are whole seconds apart count in (after, up_to]."""

    def open_bits(self, low: int, high: int) -> int:
        """Bit n tells whether what comes within second `low + n`, before `high`, counts."""


def count_steps(all_steps: Sequence[Steps], after: int, up_to: int, opened: Opened | None) -> int:
    """The distinct instants in (after, up_to] that count."""
    all_steps = different(all_steps)
    if len(all_steps) > MOST_COMBINED:
        return _count_many(all_steps, after, up_to, opened)
    if opened is None:
        return sum(
            sign * common.within(after, up_to) for common, sign in _met(all_steps, after, up_to)
        )
    most = _FEW_MEETINGS * len(all_steps) if _whole_seconds_apart(all_steps) else 1 << MOST_COMBINED
    met = list(islice(_met(all_steps, after, up_to), most + 1))
    if len(met) > most:
        return opened.measure_seconds(all_steps, after, up_to)
    return sum(sign * opened.measure(common, after, up_to) for common, sign in met)


def _met(all_steps: Sequence[Steps], after: int, up_to: int) -> Iterator[tuple[Steps, int]]:
    """What each combination of steps has in common in (after, up_to], and whether it adds."""
    waiting = [(each, index, 1) for index, each in enumerate(all_steps)]
    while waiting:
        steps, index, sign = waiting.pop()
        if not steps.within(after, up_to):
            continue
        yield steps, sign
        for later in range(index + 1, len(all_steps)):
            common = steps.meeting(all_steps[later])
            if common is not None:
                waiting.append((common, later, -sign))


def _whole_seconds_apart(all_steps: Sequence[Steps]) -> bool:
    base = all_steps[0].base
    return all(not each.step % MICROS and not (each.base - base) % MICROS for each in all_steps)


def _count_many(all_steps: Sequence[Steps], after: int, up_to: int, opened: Opened | None) -> int:
    """The same for so many that only old definitions have them: as bits, some days at a time."""
    meeting = defaultdict(list)
    for each in all_steps:
        # Parts that are whole seconds apart; those at different fractions never meet.
        parts = MICROS // gcd(each.step, MICROS)
        for part in range(parts):
            steps = Steps(each.base + part * each.step, each.step * parts)
            meeting[steps.base % MICROS].append(steps)
    total = 0
    for fraction, group in meeting.items():
        if len(group) <= MOST_COMBINED:
            total += count_steps(group, after, up_to, opened)
            continue
        end = (up_to - fraction) // MICROS + 1
        for low in range((after - fraction) // MICROS + 1, end, _CHUNK):
            high = min(low + _CHUNK, end)
            found = 0
            for each in group:
                found |= second_bits(each, low, high)
            total += (found & opened.open_bits(low, high) if opened else found).bit_count()
    return total


def second_bits(steps: Steps, low: int, high: int) -> int:
    """Bit n tells whether second `low + n`, before `high`, is one of steps of whole seconds."""
    step = steps.step // MICROS
    start = (steps.base // MICROS - low) % step
    if start >= high - low:
        return 0
    found, length = 1, step
    while start + length < high - low:
        found |= found << length
        length *= 2
    return (found << start) & ((1 << (high - low)) - 1)


class DayBits:
    """The seconds of a day on which one of some steps of whole seconds comes, as bits."""

    __slots__ = ("_patterns",)

    def __init__(self, all_steps: Sequence[Steps]) -> None:
        # Each pattern begins with a bit and goes on long enough to be moved by less than a step.
        self._patterns = [
            (each.base // MICROS, each.step // MICROS, _pattern(each.step // MICROS))
            for each in all_steps
        ]

    def places(self, midnight: int) -> tuple[int, ...]:
        """How many seconds after a midnight each of them comes for the first time."""
        return tuple([(base - midnight) % step for base, step, _ in self._patterns])

    def on(self, places: tuple[int, ...]) -> int:
        """The seconds of a day on which they come at these places; bits beyond it mean nothing."""
        found = 0
        for place, (_, step, pattern) in zip(places, self._patterns, strict=True):
            if step > DAY_SECONDS:
                found |= 1 << place if place < DAY_SECONDS else 0
            else:
                found |= pattern >> (step - place) if place else pattern
        return found


def _pattern(step: int) -> int:
    if step > DAY_SECONDS:
        return 0
    return second_bits(Steps(0, step * MICROS), 0, DAY_SECONDS + step)
