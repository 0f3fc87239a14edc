"""
Which instants does one definition of one schedule call for?

An incarnation on its way through the ledger: its definition, the calendar of that, and the mark up
to which every instant has its end. Nothing here asks the decider. What excludes, freezes and moves
an instant is laws.py, walking it calling.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from schemas.definition import Basis, CatchUpMode, Definition, Interval
from schemas.instants import FIRST
from streams.calendar.occurrences import NEVER, Rule, rule_for
from tests.acceptance.laws import Times, is_closed, moved

SECOND = 1_000_000
MOST = 100_000


@dataclass(slots=True)
class Life:
    """One incarnation, as far as the ledger has told."""

    schedule: str
    incarnation: int
    origin: int
    """Where an interval without an anchor counts from."""
    definition: Definition
    rule: Rule
    times: Times
    mark: int
    """Everything up to here has its end; an interval that counts from decisions does from here."""
    known: int
    """The offset in horae.globals as of the mark."""
    told: int = 0
    """The mark, as far as events say that it was moved by a calendar's change."""
    next: int = NEVER
    """What the last event says comes next."""
    fires: int = 0
    waits_until: int | None = None
    """When the next instant, which was deferred, is looked at again."""
    recomputed: list[int] = field(default_factory=list)
    """When the next instant was computed anew: it may be due at that moment."""
    paused: bool = False
    until: int | None = None
    completed: bool = False
    spent: bool = False
    """It was a one-time that is over, before it was edited."""
    missed_at: int | None = None
    """When the last missed ones were closed; what fires in the same look caught up with them."""
    waited_at: int | None = None
    """When something fired that had waited for its window."""

    @property
    def step(self) -> int:
        """How long after a decision the one instant comes; 0: instants are the calendar's."""
        first = self.definition.timings[0]
        if isinstance(first, Interval) and first.basis is Basis.AFTER_FIRE:
            return first.micros
        return 0

    @property
    def exhausted(self) -> bool:
        """Whether it has fired as often as it may."""
        limit = self.definition.max_fires
        return limit is not None and self.fires >= limit

    def instants(self, until: int) -> list[int]:
        """The rule's instants after the mark, also excluded ones."""
        start, end = self.definition.start_at, self.definition.end_at
        after = self.mark if start is None else max(self.mark, start - 1)
        until = until if end is None else min(until, end)
        if until <= after or self.exhausted:
            return []
        if self.step:
            return [self.mark + self.step] if self.mark + self.step <= until else []
        stretch = self.rule.between(after, until, MOST, self.origin)
        assert not stretch.truncated, f"{self.definition}: too many instants"
        return [tick.instant for tick in stretch.ticks]

    def called(self, until: int, offset: int) -> list[int]:
        """Those that no calendar excluded at any time since the mark."""
        return [one for one in self.instants(until) if not self.excused(one, offset)]

    def excused(self, instant: int, offset: int) -> bool:
        """Whether it was excluded at some time between the mark and that offset."""
        exclude = self.definition.exclude
        return exclude is not None and any(
            is_closed(exclude, self.definition.zone, instant, one)
            for one in self.times.between(self.known, offset)
        )

    def is_open(self, instant: int, offset: int) -> bool:
        """Whether nothing excludes it at that offset."""
        definition = self.definition
        return not is_closed(definition.exclude, definition.zone, instant, self.times.at(offset))

    def dues(self, nominal: int, offset: int) -> set[int]:
        """When an instant may be due: jitter depends on the next one, and that on calendars."""
        if not self.definition.jitter:
            return {nominal}
        offsets = {one.offset for one in self.times.between(self.known, offset)}
        if self.definition.exclude is None:
            offsets = {offset}
        following = {self._following(nominal, one) for one in offsets}
        return {moved(self.schedule, self.definition, nominal, one) for one in following} | set(
            self.recomputed
        )

    def _following(self, nominal: int, offset: int) -> int:
        """The next instant, or one that is far enough away."""
        if self.step:
            return nominal + self.step
        tick = self.rule.next_after(nominal, self.origin)
        while tick.instant < nominal + self.definition.jitter:
            if self.is_open(tick.instant, offset):
                break
            tick = self.rule.next_after(tick.instant, self.origin)
        return tick.instant

    def settle(self, last: int, decided_at: int, offset: int) -> None:
        """Everything up to `last` has its end."""
        self.mark = max(last, decided_at) if self.step else last
        self.begin(self.mark, offset)

    def begin(self, mark: int, offset: int) -> None:
        """Go on from here."""
        self.mark = self.told = mark
        self.known, self.waits_until, self.recomputed = offset, None, []


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
        *(definition.start_at, definition.end_at, definition.exclude),
    )
