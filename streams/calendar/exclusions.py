"""
Which occurrences are excluded, by whom, and what becomes of them?

Puts what a schedule excludes (its own dates, shared calendars and those they build on) into closed
wall times, and gives the schedule's rule without them. A calendar has no zone: it is asked with
wall times of the schedule. How closed times are looked up is closed_times.py; how a timing goes
around them is open_walls.py, open_ticks.py and moved_ticks.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from weakref import WeakValueDictionary

from schemas.definition import Cron, Exclude, OnExcluded
from schemas.globals import Calendar
from streams.calendar.closed_times import DAY_MICROS, ClosedTimes
from streams.calendar.cron import needs_id, read_cron
from streams.calendar.cron_ticks import CronTicks
from streams.calendar.interval import ElapsedTicks, SteppedTicks
from streams.calendar.matching import WallTimes
from streams.calendar.moved_ticks import Closing, MovedTicks
from streams.calendar.occurrences import Rule, together
from streams.calendar.once import OnceTicks
from streams.calendar.open_ticks import OpenElapsed
from streams.calendar.open_walls import OpenWalls
from streams.calendar.policy import policy_of
from streams.calendar.refusals import TimingRefused, quoted
from streams.calendar.ticks import Source
from streams.calendar.union import UnionTicks
from streams.calendar.zones import zone_clock

ITS_DATES: Final = "date"
"""Who excludes a date that the schedule names itself."""
_RECENT: Final = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Closed:
    """What a schedule excludes, ready to be asked."""

    times: ClosedTimes
    parts: tuple[tuple[str, ClosedTimes], ...]
    """What each calendar closes, by name; the schedule's own dates are `date`."""

    def why(self, wall: int) -> str | None:
        """The calendar that excludes a wall time, `date` for the schedule's own dates, or None.

        The wall time is in microseconds as if local time were UTC.
        """
        if not self.times.at(wall):
            return None
        return next(name for name, times in self.parts if times.at(wall))


def closed_by(exclude: Exclude, calendars: Mapping[str, Calendar]) -> Closed:
    """What is closed by a schedule's own dates and by calendars; the same object for equal ones."""
    return _closed(exclude.dates, tuple(_named(exclude.calendars, calendars)))


_recent: dict[tuple[int, ...], tuple[Rule, tuple[object, ...]]] = {}


def excluding(rule: Rule, exclude: Exclude, calendars: Mapping[str, Calendar]) -> Rule:
    """The rule without what is excluded; the same object for equal questions."""
    found = tuple(_named(exclude.calendars, calendars))
    # Who asks holds the same objects all the time, and a calendar of many dates is slow to compare.
    key = (id(rule), id(exclude), *(id(calendar) for _, calendar in found))
    known = _recent.get(key)
    if known is None:
        if len(_recent) >= _RECENT:
            _recent.clear()
        answer = _excluding(rule, exclude.on_excluded, _closed(exclude.dates, found))
        # What is named by its address must not go away before its name does.
        known = _recent[key] = answer, (rule, exclude, found)
    return known[0]


def check_calendar(name: str, calendar: Calendar, calendars: Mapping[str, Calendar]) -> None:
    """Refuse what excludes nothing: crons that cannot be read, and bases unknown or in a cycle."""
    for index, text in enumerate(calendar.crons):
        try:
            _read(text)
        except TimingRefused as refused:
            raise TimingRefused(f"crons[{index}]", refused.message) from None
    others = {**calendars, name: calendar}
    for index, base in enumerate(calendar.base):
        if _known(base, others) is None:
            raise TimingRefused(f"base[{index}]", f"{quoted(base)} is no calendar")
        if name == base or any(name in each.base for _, each in _named((base,), others)):
            raise TimingRefused(f"base[{index}]", f"{quoted(base)} is built on {quoted(name)}")


def _known(name: str, calendars: Mapping[str, Calendar]) -> Calendar | None:
    calendar = calendars.get(name)
    return None if calendar is None or calendar.removed else calendar


def _named(
    names: tuple[str, ...], calendars: Mapping[str, Calendar]
) -> Iterator[tuple[str, Calendar]]:
    """The calendars of these names and all that they build on, each once."""
    waiting, seen = list(reversed(names)), set()
    while waiting:
        name = waiting.pop()
        calendar = _known(name, calendars)
        if calendar is not None and name not in seen:
            seen.add(name)
            yield name, calendar
            waiting.extend(reversed(calendar.base))


@lru_cache(maxsize=1024)
def _closed(dates: tuple[int, ...], calendars: tuple[tuple[str, Calendar], ...]) -> Closed:
    parts = [(ITS_DATES, Calendar(dates=dates))] if dates else []
    parts += calendars
    crons = {name: tuple(_readable(calendar)) for name, calendar in parts}
    return Closed(
        ClosedTimes(
            [day for _, calendar in parts for day in calendar.dates],
            _any(calendar.weekdays for _, calendar in parts),
            [each for _, calendar in parts for each in calendar.yearly],
            [walls for name, _ in parts for walls in crons[name]],
        ),
        tuple(
            (name, ClosedTimes(calendar.dates, calendar.weekdays, calendar.yearly, crons[name]))
            for name, calendar in parts
        ),
    )


def _any(masks: Iterator[int]) -> int:
    together = 0
    for mask in masks:
        together |= mask
    return together


def _readable(calendar: Calendar) -> Iterator[WallTimes]:
    """The wall times of a calendar's expressions; one that cannot be read excludes nothing."""
    for text in calendar.crons:
        try:
            yield _read(text)
        except TimingRefused:
            continue


def _read(text: str) -> WallTimes:
    cron = Cron(text)
    if needs_id(cron):
        raise TimingRefused("cron", f"{quoted(text)}: a calendar has no id for H")
    return read_cron(cron)


_rules: WeakValueDictionary[object, Rule] = WeakValueDictionary()


def _excluding(rule: Rule, on_excluded: OnExcluded, closed: Closed) -> Rule:
    """Recently used ones are kept alive; any other one as long as somebody holds it."""
    if not closed.parts:
        return rule
    key = rule, on_excluded, closed
    found = _rules.get(key)
    if found is None:
        found = _rules[key] = _compile(rule, on_excluded, closed)
    return found


def _compile(rule: Rule, on_excluded: OnExcluded, closed: Closed) -> Rule:
    closing = Closing(closed.times, on_excluded, zone_clock(rule.zone), policy_of(rule.dst))
    sources = rule.source.sources if isinstance(rule.source, UnionTicks) else (rule.source,)
    opened = tuple(_opened(source, closing) for source in sources)
    return Rule(together(opened, rule.zone), rule.zone, rule.dst, once=rule.once)


def _opened(source: Source, closing: Closing) -> Source:
    """A timing without what is closed."""
    match source:
        case CronTicks(walls=WallTimes() as walls):
            return source.over(OpenWalls(walls, closing.times, closing.on_excluded))
        case ElapsedTicks() if source.step < DAY_MICROS:
            return OpenElapsed(source, closing.times, closing.clock)
        case SteppedTicks():
            closing = closing._replace(policy=source.policy)
            return MovedTicks(source, closing, walled=source.walled)
        case ElapsedTicks() | OnceTicks():
            return MovedTicks(source, closing, walled=False)
        case _:
            raise AssertionError(f"{type(source).__name__} is no timing of a rule")
