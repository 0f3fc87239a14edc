"""
Which hour of the local week is an instant of UTC in?

Zone data come from the tzdata package alone, as everywhere; a name that is in none counts as UTC.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from importlib.resources import files
from zoneinfo import ZoneInfo

MINUTE = 60
HOUR = 3_600
DAY = 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MONDAY = 3
"""1970-01-01 was a Thursday: day numbers 3 days later begin a week."""


@lru_cache(maxsize=1_024)
def zone_of(name: str) -> tzinfo:
    """The zone of that name."""
    try:
        with files("tzdata.zoneinfo").joinpath(*name.split("/")).open("rb") as data:
            return ZoneInfo.from_file(data, name)
    except (OSError, ValueError):
        return UTC


@lru_cache(maxsize=65_536)
def offset_at(zone: str, second: int) -> int:
    """Seconds that local clocks are ahead of UTC at a second since 1970."""
    offset = (_EPOCH + timedelta(seconds=second)).astimezone(zone_of(zone)).utcoffset()
    return 0 if offset is None else round(offset.total_seconds())


def hour_of_week(zone: str, second: int) -> int:
    """The local hour of the week of a second since 1970; 0 begins on Monday at 0:00."""
    local = second + offset_at(zone, second)
    return weekday_of(local // DAY) * 24 + local % DAY // HOUR


def weekday_of(day: int) -> int:
    """The weekday of a number of days since 1970; 0 is Monday."""
    return (day + _MONDAY) % 7


def week_of(day: int) -> int:
    """Which Monday-to-Sunday week a day is in: the ISO week, counted through the years."""
    return (day + _MONDAY) // 7
