"""
What does the calendar answer with?

Instants are integer microseconds of UTC; the small records below carry them. How they come about is
occurrences.py.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

NEVER: Final = 2**63 - 1
"""The instant of an occurrence that does not come."""

MICROS: Final = 1_000_000
DAY_SECONDS: Final = 86_400
FIRST_SECOND: Final = -62_135_596_800 + DAY_SECONDS
LAST_SECOND: Final = 253_402_300_799 - DAY_SECONDS
"""Nothing recurs outside; a day is left at either end to keep local times in years 1 to 9999."""
FIRST_INSTANT: Final = FIRST_SECOND * MICROS
LAST_INSTANT: Final = LAST_SECOND * MICROS + MICROS - 1


class Tick(NamedTuple):
    """One nominal instant, and the wall time that asked for it."""

    instant: int
    wall: int
    """Naive local time as if it were UTC; of a shifted occurrence the skipped one. Timings that
    follow no wall clock (elapsed intervals, once) give the instant again."""
    second_pass: int
    """1 when the wall time came for the second time, after the clocks went back."""


NO_TICK: Final = Tick(NEVER, NEVER, 0)


def in_order(tick: Tick) -> tuple[int, int, int]:
    """A key that puts the earliest tick first; of those at one instant the latest wall time."""
    return tick.instant, -tick.wall, -tick.second_pass


class Span(NamedTuple):
    """A run of nominal instants; without any, first and last are NEVER."""

    first: int
    last: int
    count: int  # type: ignore[assignment] # a tuple's own count() is of no use here


NO_SPAN: Final = Span(NEVER, NEVER, 0)


class Stretch(NamedTuple):
    """Ticks in order; truncated when the limit cut some off."""

    ticks: tuple[Tick, ...]
    truncated: bool


class Source(Protocol):
    """The ticks of one timing."""

    fixed: bool
    """Whether the answers are the same for every origin."""

    def after(self, after: int, origin: int) -> Tick:
        """The earliest tick strictly later than `after`, or NO_TICK."""

    def until(self, until: int, origin: int) -> Tick:
        """The latest tick not later than `until`, or NO_TICK."""

    def count(self, after: int, up_to: int, origin: int) -> int:
        """How many distinct instants there are in (after, up_to]."""
