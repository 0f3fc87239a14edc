"""
Which ticks does a definition have in a stretch of time, before and after what it excludes?

Compiles a definition for one look at it, and knows for each tick the wall time that asked for it
and who excludes that. What becomes of the ticks is previewing.py, what does not come left_out.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from schemas.definition import Basis, Cron, Definition, Interval, Weekly
from schemas.globals import Calendar
from streams.calendar.exclusions import closed_by, excluding
from streams.calendar.occurrences import NO_TICK, Rule, Tick, rule_for
from streams.calendar.ticks import LAST_INSTANT, MICROS
from streams.calendar.wall_time import wall_of
from streams.calendar.zones import ZoneClock, zone_clock


@dataclass(frozen=True, slots=True)
class Asked:
    """A definition and the stretch (after, up_to] that is looked at."""

    definition: Definition
    schedule: str
    """Its id: jitter, spreading and `H` are made from it."""
    after: int
    up_to: int = LAST_INSTANT
    limit: int = 10
    calendars: Mapping[str, Calendar] = field(default_factory=dict)
    backwards: bool = False
    """The last ones up to `up_to` instead of the first ones after `after`."""
    origin: int = 0
    """Where an interval without an anchor counts from."""


class Rules:
    """A definition, compiled for one look at it."""

    def __init__(self, asked: Asked) -> None:
        definition = asked.definition
        self.asked = asked
        self.definition = definition
        self.clock: ZoneClock = zone_clock(definition.zone)
        self.base: Rule = rule_for(
            definition.timings, definition.zone, definition.dst, asked.schedule or None
        )
        self.rule = self.base
        self.exclude = definition.exclude
        if self.exclude is not None:
            self.rule = excluding(self.base, self.exclude, asked.calendars)
        self._walled = any(_follows_walls(timing) for timing in definition.timings)
        self._elapsed = not all(_follows_walls(timing) for timing in definition.timings)

    def ticks(self) -> tuple[list[Tick], bool]:
        """The ticks of the stretch, oldest first, and whether there are more."""
        asked = self.asked
        if not asked.backwards:
            found = self.rule.between(asked.after, asked.up_to, asked.limit, asked.origin)
            return list(found.ticks), found.truncated and not counts_from_fires(self.definition)
        ticks: list[Tick] = []
        tick = self.rule.previous(asked.up_to, asked.origin)
        while tick is not NO_TICK and tick.instant > asked.after:
            if len(ticks) >= asked.limit:
                return ticks[::-1], True
            ticks.append(tick)
            tick = self.rule.previous(tick.instant - 1, asked.origin)
        return ticks[::-1], False

    def follows(self, tick: Tick) -> bool:
        """Whether the tick is of a timing that follows the clock on the wall."""
        return self._walled and not (self._elapsed and tick.wall == tick.instant)

    def wall(self, tick: Tick) -> int:
        """What the clock on the wall shows for it, or would have shown."""
        return tick.wall if self.follows(tick) else wall_of(self.clock, tick.instant)

    def who(self, tick: Tick) -> str:
        """What excludes it, in words."""
        who = self.closed_by(self.wall(tick))
        return "its own dates" if who in (None, "date") else str(who)

    def closed_by(self, wall: int) -> str | None:
        """The calendar that excludes a wall time, `date` for the definition's own dates."""
        if self.exclude is None:
            return None
        return closed_by(self.exclude, self.asked.calendars).why(wall)


def counts_from_fires(definition: Definition) -> bool:
    """Whether only the next instant is known, since the one after it counts from its fire."""
    return any(
        isinstance(timing, Interval) and timing.basis is not Basis.GRID
        for timing in definition.timings
    )


def _follows_walls(timing: object) -> bool:
    return isinstance(timing, Cron | Weekly) or (
        isinstance(timing, Interval) and bool(timing.months or timing.days) and not timing.micros
    )


def clock_text(wall: int) -> str:
    """The time of day of a wall time."""
    minutes, second = divmod(wall // MICROS % 86_400, 60)
    text = f"{minutes // 60:02d}:{minutes % 60:02d}"
    return f"{text}:{second:02d}" if second else text
