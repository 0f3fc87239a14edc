"""
In which stretches of its week was a deployment idle?

Hours that were idle in at least nine of ten observed weeks, put together where they follow each
other; a stretch may go over the week's end. Whether one is worth a sleep is candidates.py.
"""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from schemas.profiles import HOURS, HourProfile, Profile

HOUR = 60
WEEK = HOURS * HOUR


class Stretch(NamedTuple):
    """Minutes of the week in which nothing came; 0 is Monday 0:00, local time."""

    begin: int
    minutes: int
    weeks: int
    """The fewest weeks in which one of its hours was observed."""
    idle_weeks: int
    """The fewest in which one of them was idle."""
    always: bool
    """Every hour of it was idle in each week in which it was observed."""

    def holds(self, begin: int, minutes: int) -> bool:
        """Whether these minutes lie in it as a whole."""
        return (begin - self.begin) % WEEK + minutes <= self.minutes


def is_idle(hour: HourProfile) -> bool:
    """Whether the hour was idle in at least 90 % of the weeks in which it was observed."""
    return hour.weeks > 0 and hour.idle_weeks * 10 >= hour.weeks * 9


def stretches_of(profile: Profile) -> tuple[Stretch, ...] | None:
    """All stretches by their beginnings; None: every hour of the week is idle, so none ends."""
    idle = {hour.hour: hour for hour in profile.hours if is_idle(hour)}
    if len(idle) == HOURS:
        return None
    # Begun behind an hour that is not idle, no stretch is cut where the week ends.
    first = next(hour for hour in range(HOURS) if hour not in idle)
    turn = [(first + step) % HOURS for step in range(HOURS)]
    runs = [list(run) for good, run in groupby(turn, idle.__contains__) if good]
    return tuple(sorted(_stretch([idle[hour] for hour in run]) for run in runs))


def _stretch(hours: list[HourProfile]) -> Stretch:
    return Stretch(
        begin=hours[0].hour * HOUR,
        minutes=len(hours) * HOUR,
        weeks=min(hour.weeks for hour in hours),
        idle_weeks=min(hour.idle_weeks for hour in hours),
        always=all(hour.idle_weeks == hour.weeks for hour in hours),
    )
