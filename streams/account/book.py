"""
What is known of one schedule on its way through the ledger, and which instants were passed over?

The fold of its events by the decider's own evolve, the mark up to which every instant has its
class, and the stretches between events: excluded, outside of the bounds, paused, or left out. What
each event means is life.py, what is left at the end remaining.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schemas.events import ScheduleEvent, Stamp
from streams.account.classing import Finding, Span, Tally, Verdict
from streams.account.expected import called_for, split
from streams.account.worlds import Worlds
from streams.calendar.occurrences import NEVER
from streams.decider.evolve import evolve
from streams.decider.state import Schedule, World

LOST = "the ledger begins later than its definition"


@dataclass(slots=True)
class Book:
    """The account of one schedule."""

    schedule: str
    worlds: Worlds
    span: Span
    report: Callable[[Finding], None]
    tally: Tally
    is_lost: bool = False
    """What was before the ledger begins is not known."""
    state: Schedule | None = None
    known: int = -1
    """The offset of horae.globals as of the mark."""
    passed: int = -NEVER
    """Instants up to here had their wall time's turn under other zone data."""

    @property
    def mark(self) -> int:
        """Everything up to here has its class."""
        return -NEVER if self.state is None else max(self.state.cursor.mark, self.passed)

    @property
    def calendars(self) -> tuple[str, ...]:
        """The calendars that its exclusions name."""
        exclude = self.state.plan.definition.exclude if self.state is not None else None
        return exclude.calendars if exclude is not None else ()

    def gap(self, after: int, until: int, stamp: Stamp) -> None:
        """What lies before an event: excluded, outside of the bounds, or left out."""
        state = self.state
        after, until = self.span.clip(after, until)
        if state is None or until <= after or state.plan.counts_from_decisions:
            return
        left = called_for(state, self.worlds_until(stamp), after, until)
        if left.number:
            why = f"it has no end; the next event is about a later one (sequence {stamp.sequence})"
            self.find(left.first, stamp, why, left.number)
        found = split(state, after, until)
        self.tally.add(Verdict.EXCLUDED, found.inside - left.number)
        self.tally.add(Verdict.OUTSIDE, found.outside)

    def pass_over(self, verdict: Verdict, until: int, world: World) -> None:
        """Class what is left up to some instant, after which others are in force."""
        state = self.state
        after, until = self.span.clip(self.mark, until)
        if state is None or until <= after:
            return
        called = called_for(state, [world], after, until).number
        found = split(state, after, until)
        self.tally.add(verdict, called)
        self.tally.add(Verdict.EXCLUDED, found.inside - called)
        self.tally.add(Verdict.OUTSIDE, found.outside)

    def worlds_until(self, stamp: Stamp) -> list[World]:
        """All worlds from the mark to the decision."""
        return self.worlds.between(self.known, stamp.globals_offset, self.calendars)

    def evolve(self, event: ScheduleEvent, stamp: Stamp) -> None:
        """Let the schedule be what the event says."""
        self.state = evolve(self.state, event, stamp, self.worlds.zone_data)
        self.known = stamp.globals_offset

    def find(self, at: int, stamp: Stamp, why: str, count: int = 1) -> None:
        """Something that nothing explains."""
        if not (self.span.covers(at) or self.span.covers(stamp.decided_at)):
            return
        place = stamp.partition, stamp.sequence
        self.report(Finding(self.schedule, at, why, count, *place, self._excuse()))

    def _excuse(self) -> str:
        if self.worlds.are_forgotten(self.calendars, self.known, self.span.now):
            return "what its calendars said then is forgotten"
        return LOST if self.is_lost and self.state is None else ""
