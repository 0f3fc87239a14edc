"""
Which zones are there, and how do their clocks stand?

Zone data come from the tzdata package alone, never from the host, so every host gives the same
answer. A zone's time is cut into segments of constant offset. When clocks change is changes.py;
what a gap or a fold means for an occurrence is cron_ticks.py.
"""

from __future__ import annotations

import zoneinfo
from bisect import bisect_right
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

import tzdata  # type: ignore[import-untyped] # it has no types

from streams.calendar.changes import Change, Changes, first_second
from streams.calendar.refusals import TimingRefused, quoted
from streams.calendar.ticks import DAY_SECONDS

# The one place that decides where zoneinfo looks: nowhere on the host.
zoneinfo.reset_tzpath(())

_MEANS_NOTHING = frozenset({"Factory", "localtime", "posixrules"})
_FAR: Final = 1 << 50
_EPOCH_ORDINAL: Final = date(1970, 1, 1).toordinal()
_LAST_YEAR: Final = 9999
_KEPT_YEARS: Final = 600


def tzdata_version() -> str:
    """The release of the zone data in use, for example `2026c`."""
    return str(tzdata.IANA_VERSION)


def zone_data_number() -> int:
    """The release as a number that grows, small enough for a cursor: 2026c is 26 * 32 + 3."""
    year, letter = tzdata_version()[:4], tzdata_version()[4:5]
    return (int(year) - 2000) * 32 + (ord(letter) - ord("a") + 1 if letter else 0)


@cache
def zone_names() -> frozenset[str]:
    """Every name that a schedule may use: the package's list without those that name no place."""
    listed = files("tzdata").joinpath("zones").read_text(encoding="ascii").split()
    return frozenset(listed) - _MEANS_NOTHING


def check_zone(name: str) -> str:
    """Give the name back, or refuse it; the only validator of zone names."""
    if name not in zone_names():
        hint = _similar(name)
        wanted = f"did you mean {hint}?" if hint else "wanted is one like Europe/Berlin or UTC"
        raise TimingRefused(
            "zone", f"{quoted(name)} is no zone of the IANA list ({tzdata_version()}); {wanted}"
        )
    return name


def _similar(name: str) -> str:
    return next((known for known in zone_names() if known.casefold() == name.casefold()), "")


class Segment(NamedTuple):
    """A stretch of constant offset: seconds of UTC in [low, high)."""

    low: int
    high: int
    offset: int
    before: int
    """The offset until `low`."""
    calm: int
    """From here on no wall time of the segment is repeated and no skipped one made good."""


class ZoneClock:
    """The segments of one zone, for any second of UTC."""

    def __init__(self, name: str) -> None:
        self._changes = changes = Changes(check_zone(name))
        first = changes.first_offset
        listed = list(changes.listed)
        self._rule_from = _FAR
        if changes.goes_on:
            self._rule_from = self._bridge(listed)
        self._segments = _segments([(-_FAR, first), *listed])
        if changes.goes_on:
            self._segments.pop()
        self._lows = [segment.low for segment in self._segments]
        self._by_year: dict[int, list[Segment]] = {}

    def segment_at(self, second: int) -> Segment:
        """The segment in which a second lies."""
        if second < self._rule_from:
            return self._segments[bisect_right(self._lows, second) - 1]
        year = date.fromordinal(second // DAY_SECONDS + _EPOCH_ORDINAL).year
        for segment in self._by_year.get(year) or self._year(year):
            if second < segment.high:
                return segment
        raise AssertionError(f"year {year} of the zone has a hole")

    def _bridge(self, listed: list[Change]) -> int:
        """Append to the list what the rule says of two more years and one change beyond."""
        last = self._changes.listed_to
        year = date.fromordinal(last // DAY_SECONDS + _EPOCH_ORDINAL).year
        for later in (year, year + 1):
            listed.extend(change for change in self._changes.by_rule(later) if change[0] > last)
        listed.append(self._changes.by_rule(year + 2)[0])
        return first_second(year + 2)

    def _year(self, year: int) -> list[Segment]:
        if len(self._by_year) >= _KEPT_YEARS:
            self._by_year.clear()
        rule = self._changes.by_rule
        # A change's own segment needs the offset before it, so two of the year before are taken.
        changes = [*rule(year - 1)[-2:], *rule(year)]
        changes += rule(year + 1)[:1] if year < _LAST_YEAR else [(_FAR, changes[0][1])]
        found = self._by_year[year] = _segments(changes)[1:-1]
        return found


def _segments(changes: list[Change]) -> list[Segment]:
    """What lies between the changes; the last one lasts for ever."""
    found = []
    before = changes[0][1]
    for index, (low, offset) in enumerate(changes):
        high = changes[index + 1][0] if index + 1 < len(changes) else _FAR
        # The data know no change that follows another within the length of either, so the repeated
        # and the made-good wall times of a change end before the next; a test holds them to it.
        found.append(Segment(low, high, offset, before, low + abs(offset - before)))
        before = offset
    return found


@cache
def zone_clock(name: str) -> ZoneClock:
    """The clock of a zone, shared by everyone who asks."""
    return ZoneClock(name)
