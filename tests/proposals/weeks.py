"""Which weeks are proposals tried on?"""

from __future__ import annotations

from collections.abc import Iterable

from schemas.profiles import HOURS, HourProfile, Profile
from streams.proposals.stretches import HOUR, Stretch


def week(
    *idle: tuple[int, int],
    weeks: int = 3,
    idle_weeks: int | None = None,
    days: int = 21,
    priority: int = 50,
    zone: str = "UTC",
    subject: str = "llama",
) -> Profile:
    """A profile that is idle in these hours (from, so many) and active in all others."""
    quiet = {hour % HOURS for begin, count in idle for hour in range(begin, begin + count)}
    found = weeks if idle_weeks is None else idle_weeks
    hours = [an_hour(hour, weeks, found if hour in quiet else 0) for hour in range(HOURS)]
    return profile_of(hours, days=days, priority=priority, zone=zone, subject=subject)


def an_hour(hour: int, weeks: int, idle_weeks: int) -> HourProfile:
    active = 0 if idle_weeks == weeks else 600
    return HourProfile(hour, 0, 0 if active == 0 else 9_000, active, weeks * 60, weeks, idle_weeks)


def profile_of(
    hours: Iterable[HourProfile],
    *,
    days: int = 21,
    priority: int = 50,
    zone: str = "UTC",
    subject: str = "llama",
) -> Profile:
    return Profile(subject, zone, priority, days, tuple(hours))


def stretch(minutes: int, *, weeks: int = 3, begin: int = 22 * HOUR) -> Stretch:
    """A stretch that was idle in each of its weeks."""
    return Stretch(begin, minutes, weeks, weeks, always=True)
