"""
What does the next change of clocks do to a timing, in plain English?

Looks at the wall times that a zone skips or repeats within some time, and says which of a timing's
are missing, moved or come twice. How they are resolved is cron_ticks.py and wall_time.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from streams.calendar.cron_ticks import CronTicks
from streams.calendar.cron_words import MONTHS, clock_text
from streams.calendar.days import EPOCH_ORDINAL
from streams.calendar.interval import SteppedTicks
from streams.calendar.policy import Policy, Skipped
from streams.calendar.ticks import DAY_SECONDS, FIRST_SECOND, LAST_SECOND, MICROS, Source
from streams.calendar.zones import Segment, ZoneClock

SEARCHED: Final = 396 * DAY_SECONDS
"""Thirteen months."""


class Change(NamedTuple):
    """What a change of clocks does to one timing."""

    at: int
    """The second of the change."""
    words: str


def date_text(day: int, beside: int | None = None) -> str:
    """A date as 8 March 2026, without the year if it is that of the date beside it."""
    shown = date.fromordinal(day + EPOCH_ORDINAL)
    text = f"{shown.day} {MONTHS[shown.month - 1]}"
    if beside is not None and date.fromordinal(beside + EPOCH_ORDINAL).year == shown.year:
        return text
    return f"{text} {shown.year}"


def next_change(source: Source, clock: ZoneClock, after: int) -> Change | None:
    """The first change within thirteen months that moves, drops or doubles one of its instants."""
    if not isinstance(source, CronTicks | SteppedTicks) or not (source.walled and source.fixed):
        return None
    begin = min(max(after // MICROS, FIRST_SECOND), LAST_SECOND - SEARCHED)
    segment = clock.segment_at(begin)
    while segment.high < begin + SEARCHED:
        segment = clock.segment_at(segment.high)
        words = _words(source, segment, begin // DAY_SECONDS)
        if words:
            return Change(segment.low, words)
    return None


def _words(source: CronTicks | SteppedTicks, segment: Segment, today: int) -> str:
    low, _, offset, before, _ = segment
    skipped = offset > before
    begin, end = sorted((low + before, low + offset))
    walls = list(_matching(source, begin, end))
    if not walls or (not skipped and not source.policy.twice):
        return ""
    day, time = divmod(walls[0], DAY_SECONDS)
    others = " and others like it" if len(walls) > 1 else ""
    on = f"on {date_text(day, today)} the"
    if not skipped:
        return f"{on} repeated {clock_text(time)}{others} {_verb(walls, 'run')} twice"
    what = f"{on} missing {clock_text(time)}{others}"
    if source.policy.skipped is Skipped.LOST:
        return f"{what} {_verb(walls, 'do', 'does')} not run"
    runs = walls[0] + offset - before
    if source.policy.skipped is Skipped.AT_JUMP:
        runs = low + offset
    elsewhere, at = divmod(runs, DAY_SECONDS)
    where = f" on {date_text(elsewhere, today)}" if elsewhere != day else ""
    return f"{what} {_verb(walls, 'run')} at {clock_text(at)}{where}{_later(walls, source.policy)}"


def _verb(walls: list[int], many: str, one: str = "") -> str:
    return many if len(walls) > 1 else one or f"{many}s"


def _later(walls: list[int], policy: Policy) -> str:
    if len(walls) < 2 or policy.skipped is Skipped.AT_JUMP:
        return ""
    return " and later"


def _matching(source: CronTicks | SteppedTicks, begin: int, end: int) -> Iterator[int]:
    """The first two wall times of [begin, end) that the timing asks for."""
    for _ in range(2):
        wall = source.next_wall(begin, 0)
        if wall >= end:
            return
        yield wall
        begin = wall + 1
