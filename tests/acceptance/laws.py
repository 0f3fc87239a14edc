"""
What do jitter, windows, exclusions and freezes say of one moment?

Worked out here with nothing but the definition, the records of horae.globals and the zones of the
standard library, in the plainest way there is. The decider is not asked, nor is streams/calendar.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase
from functools import lru_cache
from hashlib import blake2b
from zoneinfo import ZoneInfo

from schemas.definition import Definition, Exclude, Window
from schemas.globals import Calendar, Freeze
from streams.processor.globals import Told

SECOND = 1_000_000
DAY = 86_400 * SECOND
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - of a clock on the wall
MINUTES = re.compile(r"([0-9,]+) \* \* \* \*")


@dataclass(frozen=True, slots=True)
class Everyone:
    """The shared calendars and freezes after one record of horae.globals."""

    offset: int = -1
    calendars: Mapping[str, Calendar] = field(default_factory=dict)
    freezes: Mapping[str, Freeze] = field(default_factory=dict)


class Times:
    """What held for everyone, by the offset in horae.globals that a stamp names."""

    def __init__(self, told: Iterable[Told]) -> None:
        self._all = [Everyone()]
        for one in told:
            self._all.append(_after(self._all[-1], one))

    @property
    def newest(self) -> int:
        return self._all[-1].offset

    def at(self, offset: int) -> Everyone:
        return self._all[self._index(offset)]

    def between(self, first: int, last: int) -> list[Everyone]:
        """All that held at some time between two offsets."""
        low, high = sorted((self._index(first), self._index(last)))
        return self._all[low : high + 1]

    def _index(self, offset: int) -> int:
        return bisect_right(self._all, offset, key=lambda one: one.offset) - 1


def _after(before: Everyone, told: Told) -> Everyone:
    name = told.name.partition("/")[2]
    calendars, freezes = dict(before.calendars), dict(before.freezes)
    match told.record:
        case Calendar(removed=True):
            calendars.pop(name, None)
        case Calendar() as calendar:
            calendars[name] = calendar
        case Freeze(lifted=True):
            freezes.pop(name, None)
        case Freeze() as freeze:
            freezes[name] = freeze
        case _:
            pass
    return Everyone(told.offset, calendars, freezes)


@lru_cache(maxsize=100_000)
def wall_of(zone: str, instant: int) -> int:
    """What a clock on the wall shows, in microseconds as if local time were UTC."""
    seconds, rest = divmod(instant, SECOND)
    local = datetime.fromtimestamp(seconds, UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    return (local - EPOCH) // timedelta(seconds=1) * SECOND + rest


def is_closed(exclude: Exclude | None, zone: str, instant: int, everyone: Everyone) -> bool:
    """Whether an instant is excluded, by a schedule's own dates or by a calendar."""
    if exclude is None:
        return False
    wall = wall_of(zone, instant)
    if wall // DAY in exclude.dates:
        return True
    left, seen = list(exclude.calendars), set()
    while left:
        name = left.pop()
        calendar = everyone.calendars.get(name)
        if calendar is None or name in seen:
            continue
        seen.add(name)
        left += calendar.base
        if wall // DAY in calendar.dates or any(_matches(one, wall) for one in calendar.crons):
            return True
    return False


def _matches(expression: str, wall: int) -> bool:
    """The only kind that clerks.py uses: some minutes of every hour."""
    found = MINUTES.fullmatch(expression)
    assert found is not None
    return wall // (60 * SECOND) % 60 in {int(one) for one in found[1].split(",")}


def is_open(window: Window, zone: str, instant: int) -> bool:
    """Whether a window that opens every day is open."""
    second = wall_of(zone, instant) // SECOND % 86_400
    return any(
        one.opens <= second < one.closes
        if one.opens < one.closes
        else second >= one.opens or second < one.closes
        for one in window.hours
    )


def is_frozen(everyone: Everyone, schedule: str, instant: int) -> bool:
    """Whether a freeze holds up this schedule at that time."""
    subject = schedule.partition("/")[0]
    return any(
        one.begins_at <= instant < one.ends_at
        and any(fnmatchcase(subject, pattern) for pattern in one.subjects)
        for one in everyone.freezes.values()
    )


def moved(schedule: str, definition: Definition, nominal: int, following: int) -> int:
    """When an instant is due: jitter is a hash of the id and the instant."""
    room = min(definition.jitter, following - nominal)
    if room <= 0:
        return nominal
    text = f"jitter\0{schedule}\0{nominal}".encode()
    return nominal + int.from_bytes(blake2b(text, digest_size=8).digest(), "big") % room
