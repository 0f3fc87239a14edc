"""
When is a wall time in real time?

One local time of a zone becomes no, one or two instants: none if it is skipped and lost, two if it
is repeated and counts twice. The matching wall times of a cron expression, which are many, are
resolved segment by segment in cron_ticks.py.
"""

from __future__ import annotations

from streams.calendar.policy import Policy, Skipped
from streams.calendar.ticks import DAY_SECONDS, MICROS, Tick
from streams.calendar.zones import Segment, ZoneClock


def wall_of(clock: ZoneClock, instant: int) -> int:
    """What a clock on the wall shows at an instant, in microseconds as if local time were UTC."""
    return instant + clock.segment_at(instant // MICROS).offset * MICROS


def resolve(clock: ZoneClock, wall: int, policy: Policy) -> tuple[Tick, ...]:
    """The ticks that a wall time asks for, in order."""
    second = wall // MICROS
    # No offset reaches a day, so the wall time cannot have come earlier than this.
    segment = clock.segment_at(second - DAY_SECONDS)
    while segment.high + segment.offset <= second:
        segment = clock.segment_at(segment.high)
    if second < segment.low + segment.offset:
        return _skipped(segment, wall, policy.skipped)
    first = Tick(wall - segment.offset * MICROS, wall, 0)
    if policy.twice and segment.high - DAY_SECONDS <= second - segment.offset:
        again = clock.segment_at(segment.high)
        if again.low + again.offset <= second:
            return first, Tick(wall - again.offset * MICROS, wall, 1)
    return (first,)


def _skipped(segment: Segment, wall: int, skipped: Skipped) -> tuple[Tick, ...]:
    if skipped is Skipped.LOST:
        return ()
    if skipped is Skipped.AT_JUMP:
        return (Tick(segment.low * MICROS, wall, 0),)
    return (Tick(wall - segment.before * MICROS, wall, 0),)
