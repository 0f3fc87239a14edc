"""
When does a schedule occur next, before, and how often in between?

The door of the calendar: compiles timings into rules, shares equal rules, and remembers answers,
since a million schedules ask a few thousand rules the same questions. How one timing finds its
ticks is left to cron_ticks.py, interval.py, weekly.py and once.py; which of them are excluded is
exclusions.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Final, assert_never
from weakref import WeakValueDictionary

from schemas.definition import Cron, Dst, Interval, Once, Timing, Weekly
from schemas.instants import FIRST, LAST
from streams.calendar.cron import needs_id, read_cron, settled
from streams.calendar.cron_ticks import CronTicks
from streams.calendar.interval import ElapsedTicks, SteppedTicks
from streams.calendar.once import OnceTicks
from streams.calendar.policy import policy_of
from streams.calendar.refusals import TimingRefused, quoted
from streams.calendar.steps import MOST_COMBINED
from streams.calendar.ticks import (
    DAY_SECONDS,
    MICROS,
    NEVER,
    NO_SPAN,
    NO_TICK,
    Source,
    Span,
    Stretch,
    Tick,
)
from streams.calendar.union import UnionTicks
from streams.calendar.weekly import WeeklyTicks, check_weekly
from streams.calendar.zones import zone_clock

__all__ = [
    "NEVER",
    "NO_SPAN",
    "NO_TICK",
    "Rule",
    "Span",
    "Stretch",
    "Tick",
    "TimingRefused",
    "kept_rule",
    "rule_for",
]

_REMEMBERED: Final = 128
"""Answers a rule keeps: schedules that share it ask around the same instant, so few are enough."""
_MOST_TIMINGS: Final = 64
_MOST_YEARS: Final = 1_000
_LONGEST: Final = (_MOST_YEARS * 12, _MOST_YEARS * 366, _MOST_YEARS * 366 * DAY_SECONDS * MICROS)
"""An interval's months, days and microseconds."""


class Rule:
    """The compiled union of timings in a zone."""

    __slots__ = ("__weakref__", "_memo", "dst", "fixed", "once", "source", "zone")

    def __init__(self, source: Source, zone: str, dst: Dst, *, once: bool) -> None:
        self.source = source
        self.zone = zone
        self.dst = dst
        self.fixed = source.fixed
        """Whether the instants are the same whatever the origin."""
        self._memo: dict[int, Tick] = {}
        self.once = once
        """Whether every timing is a single instant."""

    def next_after(self, after: int, origin: int = 0) -> Tick:
        """The earliest tick strictly later than `after`, or NO_TICK."""
        if not self.fixed:
            return self.source.after(after, origin)
        tick = self._memo.get(after)
        if tick is None:
            if len(self._memo) >= _REMEMBERED:
                self._memo.clear()
            tick = self._memo[after] = self.source.after(after, origin)
        return tick

    def previous(self, until: int, origin: int = 0) -> Tick:
        """The latest tick not later than `until`, or NO_TICK."""
        return self.source.until(until, origin)

    def between(self, after: int, up_to: int, limit: int, origin: int = 0) -> Stretch:
        """The ticks in (after, up_to], oldest first, at most `limit` of them."""
        find = self.source.after
        ticks: list[Tick] = []
        tick = find(after, origin)
        while tick.instant <= up_to and tick is not NO_TICK:
            if len(ticks) >= limit:
                return Stretch(tuple(ticks), truncated=True)
            ticks.append(tick)
            tick = find(tick.instant, origin)
        return Stretch(tuple(ticks), truncated=False)

    def span(self, after: int, up_to: int, origin: int = 0) -> Span:
        """First, last and number of the instants in (after, up_to], without visiting each."""
        first = self.source.after(after, origin).instant
        if first > up_to or first == NEVER:
            return NO_SPAN
        last = self.source.until(up_to, origin).instant
        return Span(first, last, self.source.count(after, up_to, origin))


def rule_for(
    timings: tuple[Timing, ...], zone: str, dst: Dst, schedule_id: str | None = None
) -> Rule:
    """The rule of new timings, the same object for equal ones; refuses what makes no sense.

    The id is asked for by `H` alone.
    """
    for index, timing in enumerate(timings):
        with _naming(timings, index):
            _check_new(timing)
    _check_together(timings)
    return kept_rule(timings, zone, dst, schedule_id)


def kept_rule(
    timings: tuple[Timing, ...], zone: str, dst: Dst, schedule_id: str | None = None
) -> Rule:
    """The rule of timings that were taken once, perhaps when more was allowed than now."""
    for index, timing in enumerate(timings):
        if isinstance(timing, Cron) and needs_id(timing):
            with _naming(timings, index):
                settled_one = settled(timing, schedule_id)
            timings = (*timings[:index], settled_one, *timings[index + 1 :])
    return _rule(timings, zone, dst)


_rules: WeakValueDictionary[object, Rule] = WeakValueDictionary()


@lru_cache(maxsize=4096)
def _rule(timings: tuple[Timing, ...], zone: str, dst: Dst) -> Rule:
    """Recently used rules are kept alive here; any other one as long as somebody holds it."""
    key = (timings, zone, dst)
    rule = _rules.get(key)
    if rule is None:
        rule = _rules[key] = _compile(timings, zone, dst)
    return rule


def _compile(timings: tuple[Timing, ...], zone: str, dst: Dst) -> Rule:
    zone_clock(zone)
    if not 1 <= len(timings) <= _MOST_TIMINGS:
        raise TimingRefused(
            "timings", f"there are {len(timings)}; allowed are 1 to {_MOST_TIMINGS}"
        )
    sources = []
    for index, timing in enumerate(timings):
        with _naming(timings, index):
            sources.append(_source(timing, zone, dst))
    once = all(isinstance(timing, Once) for timing in timings)
    return Rule(together(tuple(sources), zone), zone, dst, once=once)


def together(sources: tuple[Source, ...], zone: str) -> Source:
    """One source of all instants."""
    return sources[0] if len(sources) == 1 else UnionTicks(sources, zone_clock(zone))


def _check_together(timings: tuple[Timing, ...]) -> None:
    """What many intervals have in common takes long to count; old definitions may have more."""
    elapsed = [each for each in timings if isinstance(each, Interval) and _is_elapsed(each)]
    if len(elapsed) > MOST_COMBINED:
        raise TimingRefused(
            "timings",
            f"{len(elapsed)} are intervals of elapsed time; allowed are {MOST_COMBINED} together",
        )


def _is_elapsed(interval: Interval) -> bool:
    return not interval.months and not interval.days


@contextmanager
def _naming(timings: tuple[Timing, ...], index: int) -> Iterator[None]:
    """Say which timing is refused, if there are several."""
    try:
        yield
    except TimingRefused as refused:
        if len(timings) == 1:
            raise
        raise refused.under(f"timings[{index}].") from None


def _source(timing: Timing, zone: str, dst: Dst) -> Source:
    match timing:
        case Cron():
            return _cron(timing, zone, dst)
        case Interval():
            return _interval(timing, zone, dst)
        case Once(at):
            _check_instant("once.at", at)
            return OnceTicks(at)
        case Weekly():
            return WeeklyTicks(timing, zone_clock(zone), policy_of(dst))
        case _:
            assert_never(timing)


def _cron(cron: Cron, zone: str, dst: Dst) -> Source:
    walls = read_cron(cron)
    ticks = CronTicks(walls, zone_clock(zone), policy_of(dst, star=walls.star))
    # The calendar repeats itself after 400 years, and no search looks further.
    if ticks.after(0) is NO_TICK and ticks.until(0) is NO_TICK:
        raise TimingRefused("cron", f"{quoted(cron.expression)} never comes in {zone}")
    return ticks


def _interval(interval: Interval, zone: str, dst: Dst) -> Source:
    parts = (interval.months, interval.days, interval.micros)
    if min(parts) < 0 or max(parts) <= 0:
        raise TimingRefused("interval.every", "an interval must be longer than nothing")
    if max(parts[:2]) == 0 and interval.micros < MICROS:
        raise TimingRefused("interval.every", "the shortest interval is one second")
    if interval.anchor is not None:
        _check_instant("interval.anchor", interval.anchor)
    if interval.months or interval.days:
        return SteppedTicks(interval, zone_clock(zone), policy_of(dst))
    return ElapsedTicks(interval)


def _check_new(timing: Timing) -> None:
    if isinstance(timing, Weekly):
        check_weekly(timing)
    if isinstance(timing, Interval):
        parts = zip((timing.months, timing.days, timing.micros), _LONGEST, strict=True)
        if any(part > longest for part, longest in parts):
            raise TimingRefused("interval.every", f"the longest interval is {_MOST_YEARS} years")


def _check_instant(field: str, instant: int) -> None:
    if not FIRST <= instant <= LAST:
        raise TimingRefused(field, f"{instant} microseconds lie outside of the years 1 to 9999")
