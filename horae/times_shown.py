"""
How is an instant shown to whoever asks?

As the clocks of a zone show it, with their offset, and with a word where they show it twice. How a
person gives one is horae/cli/times.py.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from streams.calendar.policy import Policy, Skipped
from streams.calendar.wall_time import resolve, wall_of
from streams.calendar.zones import check_zone, zone_clock  # also sets where zone data come from

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BOTH = Policy(Skipped.LOST, twice=True)


class Clocks(NamedTuple):
    """What the clocks of a zone show at an instant."""

    local: str
    """With their offset, such as 2026-10-25T02:30:00+02:00."""
    abbreviation: str
    """Such as CEST."""
    passes: int
    """How often they show that time: 2 where they go back."""
    is_second: bool
    """Whether this is the second of both."""


def local_time(micros: int, zone: str) -> str:
    """The instant as the zone's clocks show it, with their offset."""
    return _text(_moment(micros, zone))


def clocks_at(micros: int, zone: str) -> Clocks:
    """What the zone's clocks show, and whether they show it twice."""
    moment = _moment(micros, zone)
    clock = zone_clock(check_zone(zone))
    passes = [tick.instant for tick in resolve(clock, wall_of(clock, micros), _BOTH)]
    is_second = len(passes) > 1 and micros == passes[-1]
    return Clocks(_text(moment), moment.tzname() or "", max(len(passes), 1), is_second)


def _moment(micros: int, zone: str) -> datetime:
    return (_EPOCH + timedelta(microseconds=micros)).astimezone(ZoneInfo(check_zone(zone)))


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds" if moment.microsecond else "seconds")
