"""
What is usual at each local hour of the week, by the minutes that were seen?

Pure: rows of sixty minutes of UTC in, a profile out. Minutes are sorted into the hours of the
subject's own clock: an hour that comes twice in a night of change has all minutes of both, one that
does not come has none. Nothing here makes an object of a minute, since a profile has 43,200.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from projections.local_hours import DAY, HOUR, MINUTE, offset_at
from projections.traffic import ACTIVE, IDLE, MINUTES, NO_RATE, UNSEEN
from schemas.profiles import HOURS, HourProfile, Profile

DAYS = 30
"""Older minutes have no effect."""

_FROM_MONDAY = 72
"""Hours from the Monday before 1970 to its beginning."""
_THOUSAND = 1_000


class Hour(NamedTuple):
    """Sixty minutes of UTC."""

    begin: int
    """Seconds since 1970."""
    kinds: bytes
    rates: array[int]


class Owner(NamedTuple):
    """Whose profile it is."""

    subject: str
    zone: str
    priority: int


class _Piece(NamedTuple):
    """The minutes of an hour of UTC that lie in one hour of a local clock."""

    first: int
    end: int
    local: int
    """Local hours since 1970, which an hour that comes twice shares with itself."""


class _Seen(NamedTuple):
    """How many minutes of one local hour were seen."""

    observed: int = 0
    idle: int = 0
    active: int = 0


_NOTHING = _Seen()


def profile_of(hours: Iterable[Hour], owner: Owner, now: int) -> Profile:
    """The profile of the last 30 days before `now`, in seconds since 1970."""
    seen: dict[int, _Seen] = {}
    rates = [array("i") for _ in range(HOURS)]
    first = now - DAYS * DAY
    for hour in hours:
        begin, kinds, known = hour if _is_within(hour.begin, first, now) else _cut(hour, first, now)
        for start, end, local in pieces(owner.zone, begin):
            part = kinds[start:end]
            unseen = part.count(UNSEEN)
            if unseen == end - start:
                continue
            observed, idle, active = seen.get(local, _NOTHING)
            seen[local] = _Seen(
                observed + end - start - unseen,
                idle + part.count(IDLE),
                active + part.count(ACTIVE),
            )
            rates[(local + _FROM_MONDAY) % HOURS].extend(known[start:end])
    days = len({local // 24 for local in seen})
    halves = {local: half_of(owner.zone, local) for local in seen}
    return Profile(*owner, days, tuple(_hours(seen, halves, rates)))


def _hours(
    seen: dict[int, _Seen], halves: dict[int, int], rates: list[array[int]]
) -> Iterable[HourProfile]:
    places: dict[int, list[int]] = {}
    for local in seen:
        places.setdefault((local + _FROM_MONDAY) % HOURS, []).append(local)
    for hour, locals_ in sorted(places.items()):
        weeks = [(halves[local], seen[local]) for local in locals_]
        minutes = sum(one.observed for _, one in weeks)
        active = sum(one.active for _, one in weeks)
        known = sorted(rates[hour])
        known = known[bisect_left(known, 0) :]
        yield HourProfile(
            hour,
            nearest_rank(known, 50),
            nearest_rank(known, 95),
            (active * _THOUSAND + minutes // 2) // minutes,
            minutes,
            sum(one.observed >= half for half, one in weeks),
            sum(one.idle >= half and not one.active for half, one in weeks),
        )


def nearest_rank(ordered: list[int], percent: int) -> int | None:
    """The smallest number that at least so many percent of them do not exceed."""
    if not ordered:
        return None
    return ordered[(len(ordered) * percent + 99) // 100 - 1]


def _is_within(begin: int, first: int, now: int) -> bool:
    return first <= begin and begin + HOUR - MINUTE <= now


def _cut(hour: Hour, first: int, now: int) -> Hour:
    """Without the minutes that begin before the first instant or after now."""
    low = min(max(-((hour.begin - first) // MINUTE), 0), MINUTES)
    high = min(max((now - hour.begin) // MINUTE + 1, 0), MINUTES)
    kinds, rates = bytearray(hour.kinds), array("i", hour.rates)
    for place in (*range(low), *range(high, MINUTES)):
        kinds[place], rates[place] = UNSEEN, NO_RATE
    return Hour(hour.begin, bytes(kinds), rates)


@lru_cache(maxsize=65_536)
def pieces(zone: str, begin: int) -> tuple[_Piece, ...]:
    """Into which local hours the sixty minutes of an hour of UTC fall, in their order."""
    if offset_at(zone, begin) == offset_at(zone, begin + HOUR - MINUTE):
        local = begin + offset_at(zone, begin)
        left = (HOUR - local % HOUR) // MINUTE
        if left == MINUTES:
            return (_Piece(0, MINUTES, local // HOUR),)
        return _Piece(0, left, local // HOUR), _Piece(left, MINUTES, local // HOUR + 1)
    found: list[_Piece] = []
    for place in range(MINUTES):
        second = begin + place * MINUTE
        local = (second + offset_at(zone, second)) // HOUR
        if found and found[-1].local == local:
            found[-1] = found[-1]._replace(end=place + 1)
        else:
            found.append(_Piece(place, place + 1, local))
    return tuple(found)


@lru_cache(maxsize=65_536)
def half_of(zone: str, local: int) -> int:
    """Half as many minutes as that local hour has, the night of change considered."""
    near = (local * HOUR - offset_at(zone, local * HOUR)) // HOUR * HOUR
    around = (near + step * HOUR for step in range(-2, 3))
    length = sum(
        piece.end - piece.first
        for begin in around
        for piece in pieces(zone, begin)
        if piece.local == local
    )
    return (length + 1) // 2
