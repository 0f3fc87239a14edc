"""
Which instants does this schedule have, and when is each of them due?

The compiled rule without excluded days, inside the definition's bounds (`start_at` and `end_at`,
both inclusive, on the nominal time), and the jitter that moves each due instant behind its nominal
one, always by less than the time to the next: what is due comes in the order of the calendar. How a
rule finds its instants is streams/calendar; what happens at one is firing.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from schemas.definition import DAY, Cron, Definition, Interval, Weekly
from schemas.made_often import made_often
from schemas.snapshot import Cursor, WallTime
from streams.calendar.exclusions import excluding
from streams.calendar.jitter import delay
from streams.calendar.occurrences import NEVER, NO_SPAN, NO_TICK, Rule, Span, Tick
from streams.calendar.policy import Policy, Skipped
from streams.calendar.wall_time import resolve, wall_of
from streams.calendar.zones import zone_clock
from streams.decider.state import NO_WALL, Plan, World

_BOTH_PASSES = Policy(Skipped.AT_JUMP, twice=True)


@made_often
@dataclass(frozen=True, slots=True)
class Agenda:
    """The instants of one schedule, as they are after its last decision."""

    schedule: str
    definition: Definition
    rule: Rule | None
    origin: int
    """Where an interval without an anchor counts from."""
    only: int | None = None
    """The one instant there is, or NEVER: the next one counts from the decision about it."""
    fires_left: int | None = None
    """After so many fires it is over."""
    counts_from_ends: bool = False
    """That decision is the one that its work is over."""
    other_zone_data: bool = False
    """What is pending was computed with other zone data than those that are installed."""

    def next_tick(self, after: int) -> Tick:
        """The first instant strictly later than `after`, or NO_TICK."""
        if self.rule is None:
            return NO_TICK
        definition = self.definition
        if definition.start_at is not None and after < definition.start_at:
            after = definition.start_at - 1
        tick = self.rule.next_after(after, self.origin)
        if definition.end_at is not None and tick.instant > definition.end_at:
            return NO_TICK
        return tick

    def outside(self, instant: int) -> Tick:
        """An instant that the calendar does not know any more, with the wall time that it had."""
        if self.rule is None or not follows_walls(self.definition):
            return Tick(instant, instant, 0)
        clock = zone_clock(self.definition.zone)
        wall = wall_of(clock, instant)
        again = resolve(clock, wall, _BOTH_PASSES)[-1]
        return Tick(instant, wall, again.second_pass if again.instant == instant else 0)

    def newest_tick(self, after: int, until: int) -> Tick:
        """The last instant in (after, until], or NO_TICK."""
        if self.only is not None:
            return Tick(self.only, self.only, 0) if after < self.only <= until else NO_TICK
        after, until = self._bounded(after, until)
        if self.rule is None or until <= after:
            return NO_TICK
        tick = self.rule.previous(until, self.origin)
        return tick if after < tick.instant <= until else NO_TICK

    def span(self, after: int, until: int) -> Span:
        """First, last and number of the instants in (after, until]."""
        if self.only is not None:
            only = self.newest_tick(after, until).instant
            return NO_SPAN if only == NEVER else Span(only, only, 1)
        after, until = self._bounded(after, until)
        if self.rule is None or until <= after:
            return NO_SPAN
        return self.rule.span(after, until, self.origin)

    def unhandled(self, after: int, turn: WallTime | None) -> Tick:
        """The first instant later than `after` whose wall time did not have its turn before.

        A wall time comes again, at another instant, when zone data or the zone itself have changed
        since: those up to the last turn are passed over (POL-054), and for a weekly timing all of
        that local date (DP-014). As long as nothing has changed there are none of them.
        """
        if turn is None or self.rule is None:
            return self.next_tick(after)
        if is_once_a_date(self.definition):
            tick = self.next_tick(after)
            while tick.wall // DAY <= turn.wall // DAY:
                tick = self.next_tick(tick.instant)
            return tick
        if follows_walls(self.definition):
            passes = resolve(zone_clock(self.definition.zone), turn.wall, _BOTH_PASSES)
            after = max(after, passes[-1 if turn.second_pass else 0].instant)
        return self.next_tick(after)

    def due_at(self, nominal: int) -> int:
        """When the instant is due: jitter moves it by a hash, the same on every host."""
        jitter = self.definition.jitter
        if not jitter or nominal == NEVER or self.rule is None:
            return nominal
        following = self.rule.next_after(nominal, self.origin).instant
        return nominal + delay(self.schedule, nominal, jitter, following)

    def due_by(self, now: int) -> int:
        """Instants up to the one that is returned are due by `now`, and no others."""
        if not self.definition.jitter or self.rule is None:
            return now
        newest = self.rule.previous(now, self.origin)
        return (
            now if self.due_at(newest.instant) <= now or newest is NO_TICK else newest.instant - 1
        )

    def restarted(self, at: int) -> Agenda:
        """The same, once a decision at that time has let the next instant count from it."""
        return self if self.only is None else replace(self, origin=at)

    def ahead(self, tick: Tick, now: int, fires: int = 0) -> tuple[int, int]:
        """The instant after this one, which is decided `now`, and when it is due; or NEVER."""
        left = self.fires_left
        if (left is not None and left <= fires) or (fires and self.counts_from_ends):
            return NEVER, NEVER  # for the latter the end of the work gives it another
        instant, wall, second_pass = tick
        later = self if self.only is None else self.restarted(max(instant, now))
        if self.other_zone_data:
            following = later.unhandled(instant, WallTime(wall, second_pass)).instant
        else:
            following = later.next_tick(instant).instant
        return following, later.due_at(following) if self.definition.jitter else following

    def exhausted(self, fires: int = 0) -> bool:
        """Whether it has fired as often as it may, once it has fired so often more."""
        return self.fires_left is not None and self.fires_left <= fires

    def _bounded(self, after: int, until: int) -> tuple[int, int]:
        definition = self.definition
        if definition.start_at is not None:
            after = max(after, definition.start_at - 1)
        if definition.end_at is not None:
            until = min(until, definition.end_at)
        return after, until


def agenda_of(plan: Plan, world: World, cursor: Cursor | None = None) -> Agenda:
    """The instants of a schedule; without a cursor none of them has had its turn."""
    definition, rule = plan.definition, plan.rule
    if definition.exclude is not None and rule is not None:
        rule = excluding(rule, definition.exclude, world.calendars)
    origin, only, left, ends = plan.origin, None, None, False
    if plan.counts_from_decisions:
        origin, only = (cursor.mark, cursor.nominal) if cursor else (origin, NEVER)
        ends = plan.counts_from_ends
    if definition.max_fires is not None:
        left = definition.max_fires - (cursor.fires if cursor else 0)
    moved = cursor is not None and cursor.zone_data != world.zone_data
    return Agenda(plan.id, definition, rule, origin, only, left, ends, moved)


def moved(nominal: int, due_at: int) -> int | None:
    """The due instant, if jitter makes it another one than the nominal instant."""
    return None if due_at == nominal else due_at


def last_turn(cursor: Cursor) -> WallTime | None:
    """The last wall time that had its turn; None: none did.

    Former releases noted the moment of its definition for a schedule without any.
    """
    if cursor.wall == NO_WALL or (cursor.wall == cursor.mark and not cursor.fires):
        return None
    return WallTime(cursor.wall, cursor.second_pass)


def is_once_a_date(definition: Definition) -> bool:
    """Whether a local date has one instant at most: weekly timings that share no day."""
    days = 0
    for timing in definition.timings:
        if not isinstance(timing, Weekly) or timing.days & days:
            return False
        days |= timing.days
    return True


def follows_walls(definition: Definition) -> bool:
    """Whether every instant stands for a wall time; elapsed time and single instants do not."""
    return all(
        isinstance(timing, Cron | Weekly) or (isinstance(timing, Interval) and not timing.micros)
        for timing in definition.timings
    )
