"""
How many instants do several dense timings have together?

Equal instants count once, and a rule may have one a second for years, so nobody visits each: the
seconds of a day at a time become the bits of one integer a timing, and these are put together.
Timings at different fractions of a second never meet and are counted alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from streams.calendar.ticks import DAY_SECONDS, MICROS
from streams.calendar.zones import Segment, ZoneClock


class Dense(Protocol):
    """Instants at one fraction of a second."""

    def bits(self, segment: Segment, low: int, high: int) -> int:
        """Bit n tells whether second `low + n` has one; [low, high) lies in the segment."""

    def count(self, after: int, up_to: int) -> int:
        """How many there are in (after, up_to]."""


@dataclass(frozen=True, slots=True)
class Progression:
    """Instants a fixed number of seconds apart, both ways from `base` but none before `least`."""

    base: int
    step: int
    least: int

    def count(self, after: int, up_to: int) -> int:
        """How many there are in (after, up_to]."""
        step = self.step * MICROS
        after = max(after, self.least - 1)
        return max(0, (up_to - self.base) // step - (after - self.base) // step)

    def bits(self, segment: Segment, low: int, high: int) -> int:  # noqa: ARG002 - no clock here
        """Bit n tells whether second `low + n` has one."""
        start = max(low, self.least // MICROS)
        start += (self.base // MICROS - start) % self.step
        if start >= high:
            return 0
        found, length = 1, self.step
        while start + length < high:
            found |= found << length
            length *= 2
        return (found << (start - low)) & ((1 << (high - low)) - 1)


def count_together(
    timings: Iterable[tuple[int, Dense]], clock: ZoneClock, after: int, up_to: int
) -> int:
    """The distinct instants in (after, up_to] of timings, each with its fraction of a second."""
    meeting = defaultdict(list)
    for fraction, timing in timings:
        meeting[fraction].append(timing)
    total = 0
    for fraction, group in meeting.items():
        if len(group) == 1:
            total += group[0].count(after, up_to)
        else:
            first = (after - fraction) // MICROS + 1
            total += _count_bits(group, clock, first, (up_to - fraction) // MICROS + 1)
    return total


def _count_bits(group: Sequence[Dense], clock: ZoneClock, first: int, end: int) -> int:
    total = 0
    while first < end:
        segment = clock.segment_at(first)
        stop = min(end, segment.high, first + DAY_SECONDS)
        together = 0
        for timing in group:
            together |= timing.bits(segment, first, stop)
        total += together.bit_count()
        first = stop
    return total
