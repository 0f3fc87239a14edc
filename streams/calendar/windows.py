"""
When is a window open?

Hours of the local day, on some days of the week, become openings in real time: from one instant to
another. The day on which it opens counts. Each edge is resolved by itself: a repeated wall time
means its first pass, a skipped one the moment of the jump, so an opening whose hours are skipped is
none. Openings that overlap or adjoin are one. What waits for an opening is left to the decider.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from schemas.definition import Hours, Window
from streams.calendar.days import FIRST_DAY, LAST_DAY
from streams.calendar.policy import Policy, Skipped
from streams.calendar.refusals import TimingRefused
from streams.calendar.ticks import (
    DAY_SECONDS,
    FIRST_SECOND,
    MICROS,
    NEVER,
)
from streams.calendar.wall_time import resolve
from streams.calendar.zones import ZoneClock, zone_clock

SEARCHED_DAYS: Final = 56
"""So far ahead is an opening looked for: hours of every week lie eight times inside."""
_LONGEST_DAYS: Final = 23
"""An opening that is not for ever is shorter: a week has a moment at which it is shut, and clocks
do not leap over that moment twice in a row."""
_BLOCK_DAYS: Final = 28
_NEAR_DAYS: Final = 4
_MARGIN_DAYS: Final = 4
_EDGE: Final = Policy(Skipped.AT_JUMP, twice=False)
_WEEK: Final = 7 * DAY_SECONDS
_ALL_DAYS: Final = 127


class Opening(NamedTuple):
    """The instants in [begins, ends)."""

    begins: int
    ends: int


ALWAYS: Final = Opening(FIRST_SECOND * MICROS, NEVER)
"""Of a window that is never shut."""


def opening(window: Window, zone: str, at: int) -> Opening | None:
    """The opening that contains an instant, or else the next one; None if there is none soon.

    Raises TimingRefused for a zone that is none.
    """
    zone_clock(zone)
    if _never_shut(window):
        return ALWAYS
    day = at // MICROS // DAY_SECONDS
    if not FIRST_DAY <= day <= LAST_DAY:
        return None
    near = _near(window, zone, day // _NEAR_DAYS)
    index = bisect_right(near.openings, at, key=_ends)
    if index < len(near.openings) and near.is_whole(near.openings[index]):
        return near.openings[index]
    openings = _around(window, zone, day // _BLOCK_DAYS)
    index = bisect_right(openings, at, key=_ends)
    if index == len(openings) or openings[index].begins > at + SEARCHED_DAYS * DAY_SECONDS * MICROS:
        return None
    return openings[index]


class _Near(NamedTuple):
    """The openings of a few days."""

    openings: tuple[Opening, ...]
    since: int
    until: int
    """What opens on other days does not reach into this span."""

    def is_whole(self, each: Opening) -> bool:
        """Whether an opening would be no other if more days had been looked at."""
        return self.since < each.begins and each.ends < self.until


@lru_cache(maxsize=4096)
def _near(window: Window, zone: str, block: int) -> _Near:
    """What nearly every question is about, at a tenth of the work."""
    first = block * _NEAR_DAYS - _MARGIN_DAYS
    last = (block + 2) * _NEAR_DAYS + _MARGIN_DAYS
    # A day before it begins in UTC a local date may begin, and what opens on it lasts a day.
    return _Near(_joined(window, zone, first, last), _day(first + 3), _day(last - 2))


def _day(day: int) -> int:
    return day * DAY_SECONDS * MICROS


@lru_cache(maxsize=1024)
def _around(window: Window, zone: str, block: int) -> tuple[Opening, ...]:
    """All openings that are asked for from the days of a block, in order."""
    first = block * _BLOCK_DAYS
    last = first + _BLOCK_DAYS + SEARCHED_DAYS + _LONGEST_DAYS
    return _joined(window, zone, first - _LONGEST_DAYS, last)


def _joined(window: Window, zone: str, first: int, last: int) -> tuple[Opening, ...]:
    """What opens on the local dates in [first, last); those that overlap or adjoin are one."""
    clock = zone_clock(zone)
    found: list[Opening] = []
    for day in range(first, last):
        # A day is left at either end of the calendar, for edges on the days beside it.
        if FIRST_DAY + 2 < day < LAST_DAY - 2:
            found += _openings(window, clock, day)
    joined: list[Opening] = []
    for each in sorted(found):
        if joined and each.begins <= joined[-1].ends:
            joined[-1] = Opening(joined[-1].begins, max(joined[-1].ends, each.ends))
        else:
            joined.append(each)
    return tuple(joined)


def _openings(window: Window, clock: ZoneClock, day: int) -> Iterator[Opening]:
    """What opens on a local date."""
    # Day 0 was a Thursday, and a bitmask begins with Monday.
    weekday = (day + 3) % 7
    for hours in window.hours:
        if hours.days >> weekday & 1:
            begins = _instant(clock, day * DAY_SECONDS + hours.opens)
            ends = _instant(clock, day * DAY_SECONDS + hours.opens + _length(hours))
            if begins < ends:
                yield Opening(begins, ends)


def _instant(clock: ZoneClock, wall: int) -> int:
    return resolve(clock, wall * MICROS, _EDGE)[0].instant


def _ends(each: Opening) -> int:
    return each.ends


def _length(hours: Hours) -> int:
    """How long it is open by the clock on the wall; up to the same time it is a whole day."""
    length = hours.closes - hours.opens
    return length if length > 0 else length + DAY_SECONDS


@lru_cache(maxsize=1024)
def _never_shut(window: Window) -> bool:
    """Whether the hours of a week leave no moment out."""
    stretches = sorted(
        (day * DAY_SECONDS + hours.opens, day * DAY_SECONDS + hours.opens + _length(hours))
        for hours in window.hours
        # Sunday's may end on Monday, so one of the week before is taken as well.
        for day in range(-1, 7)
        if hours.days >> (day % 7) & 1
    )
    covered = 0
    for begins, ends in stretches:
        if begins > covered:
            return False
        covered = max(covered, ends)
    return covered >= _WEEK


def check_window(window: Window) -> None:
    """Refuse hours that are none; those of an old record are read as they stand."""
    if not window.hours:
        raise TimingRefused("window.hours", "name at least one opening")
    for index, hours in enumerate(window.hours):
        field = f"window.hours[{index}]"
        if not 1 <= hours.days <= _ALL_DAYS:
            raise TimingRefused(f"{field}.days", "name at least one day of the week, mon to sun")
        if not (0 <= hours.opens < DAY_SECONDS and 0 <= hours.closes <= DAY_SECONDS):
            raise TimingRefused(field, "a time of day lies between 00:00 and 24:00")
        if hours.opens == hours.closes:
            raise TimingRefused(field, "it opens and closes at the same time; 00:00-24:00 is a day")
