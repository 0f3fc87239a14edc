"""
When does a weekly timing occur?

One wall time on some days of the week, at most once for each local date: a repeated wall time comes
in its first pass only, whatever is said about changes of clocks. A skipped one is lost or made good
as the wall time of any cron expression is (cron_ticks.py).
"""

from __future__ import annotations

from typing import Final

from schemas.definition import Weekly
from streams.calendar.clock_times import clock_times
from streams.calendar.cron_ticks import CronTicks
from streams.calendar.days import DayFields, days_of
from streams.calendar.matching import WallTimes
from streams.calendar.policy import Policy
from streams.calendar.refusals import TimingRefused
from streams.calendar.ticks import DAY_SECONDS
from streams.calendar.zones import ZoneClock

_MONTHS: Final = tuple(range(1, 13))
_NO_YEARS: Final = ()
"""Without any day it never comes, and no search for one needs to look at a year."""
ALL_DAYS: Final = 127


class WeeklyTicks(CronTicks):
    """The ticks of one weekly timing in one zone."""

    __slots__ = ()

    def __init__(self, weekly: Weekly, clock: ZoneClock, policy: Policy) -> None:
        super().__init__(weekly_walls(weekly), clock, policy._replace(twice=False))


def weekly_walls(weekly: Weekly) -> WallTimes:
    """The wall times of a weekly timing; raises TimingRefused if its time is none of a day."""
    if not 0 <= weekly.at < DAY_SECONDS:
        raise TimingRefused("weekly.at", f"{weekly.at} is no second of a day; 0 to 86399 are")
    # A bitmask begins with Monday, cron counts from Sunday.
    weekdays = frozenset((day + 1) % 7 for day in range(7) if weekly.days >> day & 1)
    hour, rest = divmod(weekly.at, 3600)
    return WallTimes(
        days=days_of(
            DayFields(frozenset(), weekdays, both=False),
            _MONTHS,
            None if weekdays else _NO_YEARS,
        ),
        times=clock_times((hour,), (rest // 60,), (rest % 60,)),
        star=False,
    )


def check_weekly(weekly: Weekly) -> None:
    """Refuse days that are none; an old record with such a mask is read as the days it has."""
    if not 1 <= weekly.days <= ALL_DAYS:
        raise TimingRefused("weekly.days", "name at least one day of the week, mon to sun")
