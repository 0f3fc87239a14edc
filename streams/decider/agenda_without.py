"""
Which instants does a schedule have without those that were asked to be skipped?

What is left of an agenda when the catch-up rule chooses among late instants: none that was asked to
be skipped takes the place of one that was missed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields

from typing_extensions import override

from schemas.made_often import made_often
from streams.calendar.occurrences import NO_SPAN, Span, Tick
from streams.decider.agenda import Agenda


@made_often
@dataclass(frozen=True, slots=True)
class Remaining(Agenda):
    """An agenda without some of its instants."""

    left_out: frozenset[int] = frozenset()

    # Methods are called by the name of their class: `super()` does not find a class with slots.
    @override
    def next_tick(self, after: int) -> Tick:
        """The first instant strictly later than `after`, or NO_TICK."""
        tick = Agenda.next_tick(self, after)
        while tick.instant in self.left_out:
            tick = Agenda.next_tick(self, tick.instant)
        return tick

    @override
    def newest_tick(self, after: int, until: int) -> Tick:
        """The last instant in (after, until], or NO_TICK."""
        tick = Agenda.newest_tick(self, after, until)
        while tick.instant in self.left_out:
            tick = Agenda.newest_tick(self, after, tick.instant - 1)
        return tick

    @override
    def span(self, after: int, until: int) -> Span:
        """First, last and number of the instants in (after, until]."""
        count = Agenda.span(self, after, until).count
        count -= sum(after < one <= until for one in self.left_out)
        if count <= 0:
            return NO_SPAN
        first, last = self.next_tick(after).instant, self.newest_tick(after, until).instant
        return Span(first, last, count)


def without(agenda: Agenda, skips: Iterable[int]) -> Agenda:
    """The same agenda without these instants, as far as they are some of it."""
    there = frozenset(one for one in skips if agenda.next_tick(one - 1).instant == one)
    if not there:
        return agenda
    same = {one.name: getattr(agenda, one.name) for one in fields(Agenda)}
    return Remaining(**same, left_out=there)
