"""
How does what was measured of a deployment look as JSON?

Rates are requests a minute, shares from 0 to 1, instants text in UTC; hours are named by their day
and the time at which they begin, in the deployment's zone.
"""

from __future__ import annotations

from typing import Any

from horae.deployment_shown import requests_a_minute
from projections.shown_traffic import MinuteShown
from schemas.instants import format_instant
from schemas.profiles import HourProfile, Profile
from schemas.wall_times import WEEKDAYS, format_clock

_HOURS = 24
_HOUR = 3_600


def profile_json(profile: Profile) -> dict[str, Any]:
    """What is usual at each observed hour of the week."""
    return {
        "zone": profile.zone,
        "priority": profile.priority,
        "days": profile.days,
        "hours": [_hour(hour) for hour in profile.hours],
    }


def minute_json(minute: MinuteShown) -> dict[str, Any]:
    """What was seen in one minute."""
    return {
        "minute": format_instant(minute.minute),
        "kind": minute.kind,
        "rate": requests_a_minute(minute.rate),
        "samples": minute.samples,
    }


def _hour(hour: HourProfile) -> dict[str, Any]:
    day, at = divmod(hour.hour, _HOURS)
    return {
        "day": WEEKDAYS[day],
        "at": format_clock(at * _HOUR),
        "p50": requests_a_minute(hour.p50),
        "p95": requests_a_minute(hour.p95),
        "active": hour.active / 1_000,
        "minutes": hour.minutes,
        "weeks": hour.weeks,
        "idle_weeks": hour.idle_weeks,
    }
