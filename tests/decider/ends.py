"""
Has each occurrence ended exactly once?

Bookkeeping for random histories: every event of the decider is entered, and each entry is checked
against the calendar, instant by instant.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from schemas.definition import Definition
from schemas.events import (
    Deferred,
    Fired,
    ScheduleChanged,
    ScheduleCompleted,
    ScheduleDefined,
    ScheduleEvent,
    SchedulePaused,
    ScheduleRemoved,
    ScheduleResumed,
    Skipped,
)
from streams.calendar.occurrences import Rule
from streams.decider.evolve import compiled
from streams.decider.state import Schedule
from tests.decider.stage import NIGHTLY, SECOND

MOST = 40_000


@dataclass
class Ends:
    """What has ended so far."""

    fired: set[tuple[int, int, str | None]] = field(default_factory=set)
    """Incarnation, instant and origin of each fire."""
    ended: set[tuple[int, int]] = field(default_factory=set)
    """Incarnation and instant of each calendar occurrence that ended."""
    waiting: tuple[int, int] | None = None
    """The one that was deferred and has not ended."""
    mark: int = 0
    definition: Definition | None = None
    origin: int = 0
    paused: bool = False

    def looked(self, before: Schedule | None, events: list[ScheduleEvent], held: bool) -> None:
        """Enter what a ring led to."""
        if held or before is None:
            assert events == [], "decided under a hold, or about nothing"
        for event in events:
            assert not (self.paused and isinstance(event, Fired)), "fired while paused"
            self._enter(event)

    def asked(
        self,
        before: Schedule | None,
        events: list[ScheduleEvent],
        after: Schedule | None,
        held: bool,
        until: int,
    ) -> None:
        """Enter what a command led to; `until`: the instants that it has to settle."""
        if before is None and after is not None:
            self.origin = after.plan.created_at
        retimed = before is not None and any(
            isinstance(event, ScheduleChanged) and event.begins_at != self.mark for event in events
        )
        for event in events:
            if isinstance(event, Fired):
                assert not held, "fired under a hold"
                assert not (self.paused and event.origin is None), "fired while paused"
            if isinstance(event, SchedulePaused | ScheduleRemoved) or (
                isinstance(event, ScheduleChanged) and retimed
            ):
                over = self.paused or (before is not None and before.plan.completed)
                assert over or self._instants(self.mark, until) == [], "left unsettled"
            self._enter(event)

    def _enter(self, event: ScheduleEvent) -> None:
        match event:
            case ScheduleDefined():
                self.mark, self.definition = event.begins_at, event.definition
                self.paused = False
            case ScheduleChanged():
                self._move_on(event.begins_at)
                self.definition = event.definition
            case ScheduleResumed():
                self._move_on(event.begins_at)
                self.paused = False
            case SchedulePaused() | ScheduleCompleted():  # what an edit brings back is not paused
                self.paused = isinstance(event, SchedulePaused)
            case Fired():
                self._fire(event)
            case Skipped():
                self._end(event.incarnation, event.first, event.last, event.count)
            case Deferred():
                assert self._instants(self.mark, event.nominal) == [event.nominal]
                self.waiting = event.incarnation, event.nominal
            case _:
                pass

    def _move_on(self, begins_at: int) -> None:
        assert begins_at >= self.mark, "the mark moved back"
        self.mark = begins_at

    def _fire(self, event: Fired) -> None:
        identity = event.incarnation, event.nominal, event.origin
        assert identity not in self.fired, "fired twice"
        self.fired.add(identity)
        if event.origin is None:
            self._end(event.incarnation, event.nominal, event.nominal, 1)

    def _end(self, incarnation: int, first: int, last: int, count: int) -> None:
        """These end now: all instants since the mark, each for the first time."""
        instants = self._instants(self.mark, last)
        assert (instants[0], instants[-1], len(instants)) == (first, last, count)
        ending = {(incarnation, instant) for instant in instants}
        assert not ending & self.ended, "ended twice"
        self.ended |= ending
        self.mark = last
        if self.waiting in ending:
            self.waiting = None

    def _instants(self, after: int, until: int) -> list[int]:
        """The calendar's instants, one by one."""
        assert self.definition is not None
        rule: Rule | None = compiled(self.definition, NIGHTLY)
        assert rule is not None
        start, end = self.definition.start_at, self.definition.end_at
        after = max(after, start - 1) if start is not None else after
        until = min(until, end) if end is not None else until
        stretch = rule.between(after, until, MOST, self.origin // SECOND * SECOND)
        assert not stretch.truncated
        return [tick.instant for tick in stretch.ticks]
