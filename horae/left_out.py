"""
Which wall times of a definition do not come, and why?

Those that the clocks leap over, where the definition says that such a one is lost, and those that
calendars or dates exclude; a whole run of them is one record. What does come is previewing.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from horae.preview_rules import Rules, clock_text
from schemas.definition import Cron, Dst, OnExcluded, Weekly
from streams.calendar.occurrences import rule_for
from streams.calendar.ticks import MICROS
from streams.calendar.zones import Segment, ZoneClock

_MOST_SEGMENTS: Final = 4_000
"""Changes of clocks that are looked at in one stretch."""
_MOST_GAP: Final = 10_000
_LOSES: Final = frozenset({Dst.LITERAL, Dst.SKIP})
"""Settings under which a wall time that the clocks leap over does not come."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Wall times that do not come, and why; naive local microseconds."""

    first: int
    last: int
    count: int
    why: str
    before: int
    """The instant before which they would have come; for the order."""


def left_out(rules: Rules, begin: int, end: int) -> Iterator[LeftOut]:
    """What does not come in (begin, end], in order."""
    found = [*_dropped_by_clocks(rules, begin, end), *_excluded(rules, begin, end)]
    yield from sorted(found, key=lambda each: (each.before, each.first))


def _excluded(rules: Rules, begin: int, end: int) -> Iterator[LeftOut]:
    """Between two that come, all that do not are one."""
    if rules.exclude is None or rules.exclude.on_excluded is not OnExcluded.DROP:
        return
    origin = rules.asked.origin
    while begin < end:
        following = min(rules.rule.next_after(begin, origin).instant, end + 1)
        span = rules.base.span(begin, following - 1, origin)
        if span.count:
            first = rules.base.next_after(span.first - 1, origin)
            last = rules.base.previous(span.last, origin)
            who = dict.fromkeys((rules.who(first), rules.who(last)))
            walls = rules.wall(first), rules.wall(last)
            yield LeftOut(*walls, span.count, f"excluded by {' and '.join(who)}", span.last)
        begin = _skip_open(rules, following, end)


def _skip_open(rules: Rules, instant: int, end: int) -> int:
    """The last of the instants from here on with nothing excluded between them."""
    origin = rules.asked.origin
    while instant < end:
        following = rules.base.next_after(instant, origin).instant
        if following > end or following != rules.rule.next_after(instant, origin).instant:
            break
        instant = following
    return instant


def _dropped_by_clocks(rules: Rules, begin: int, end: int) -> Iterator[LeftOut]:
    timings = tuple(t for t in rules.definition.timings if isinstance(t, Cron | Weekly))
    if rules.definition.dst not in _LOSES or not timings:
        return
    # Read in UTC, a rule gives the wall times themselves.
    walls = rule_for(timings, "UTC", Dst.LITERAL, rules.asked.schedule or None)
    for gap in _gaps(rules.clock, begin, end):
        low, high = ((gap.low + offset) * MICROS for offset in (gap.before, gap.offset))
        lost = [
            tick.instant
            for tick in walls.between(low - 1, high - 1, _MOST_GAP).ticks
            if rules.closed_by(tick.instant) is None
        ]
        if lost:
            leap = f"clocks leap from {clock_text(low)} to {clock_text(high)}"
            yield LeftOut(lost[0], lost[-1], len(lost), f"dropped: {leap}", gap.low * MICROS)


def _gaps(clock: ZoneClock, begin: int, end: int) -> Iterator[Segment]:
    segment = clock.segment_at(begin // MICROS)
    for _ in range(_MOST_SEGMENTS):
        if segment.high * MICROS > end:
            return
        segment = clock.segment_at(segment.high)
        if segment.offset > segment.before:
            yield segment
