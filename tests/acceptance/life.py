"""
Which instants does one definition of one schedule call for?

An incarnation on its way through the ledger: its definition, the calendar of that, and the mark up
to which every instant has its end. Nothing here asks the decider. Walking it is calling.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from schemas.definition import CatchUpMode, Definition
from schemas.instants import FIRST
from streams.calendar.occurrences import NEVER, Rule, rule_for

SECOND = 1_000_000
MOST = 100_000


@dataclass(slots=True)
class Life:
    """One incarnation, as far as the ledger has told."""

    incarnation: int
    origin: int
    """Where an interval without an anchor counts from."""
    definition: Definition
    rule: Rule
    mark: int
    """Everything up to here has its end."""
    paused: bool = False
    until: int | None = None
    completed: bool = False
    missed_at: int | None = None
    """When the last missed ones were closed; what fires in the same look caught up with them."""

    def instants(self, until: int) -> list[int]:
        """The calendar's instants after the mark."""
        start, end = self.definition.start_at, self.definition.end_at
        after = self.mark if start is None else max(self.mark, start - 1)
        until = until if end is None else min(until, end)
        if until <= after:
            return []
        stretch = self.rule.between(after, until, MOST, self.origin)
        assert not stretch.truncated, f"{self.definition}: too many instants"
        return [tick.instant for tick in stretch.ticks]


def begin_of(life: Life, here: int) -> int:
    """A one-time of the past still runs inside its lookback."""
    if not life.rule.once:
        return here
    rule = life.definition.catch_up
    patience = NEVER if rule.lookback is None else max(rule.lookback, rule.grace)
    if rule.mode is CatchUpMode.NONE:
        patience = rule.grace
    return max(here - patience - 1, FIRST)


def rule_of(schedule: str, definition: Definition) -> Rule:
    """The calendar of a definition."""
    return rule_for(definition.timings, definition.zone, definition.dst, schedule)


def timing_of(definition: Definition) -> tuple[object, ...]:
    """What an edit must change to begin anew."""
    return (
        *(definition.timings, definition.zone, definition.dst),
        *(definition.start_at, definition.end_at),
    )
