"""
What is usual for a deployment at each hour of the week?

Counted from its minutes of the last 30 days (projections/profiles.py), in its own zone. Proposals
are made from this, and the sampler tells how unusual the present is. Rates are thousandths of a
request a minute, shares thousandths.
"""

from __future__ import annotations

from typing import NamedTuple

HOURS = 168
"""Of a week; 0 is Monday from 0:00 to 1:00 local time."""


class HourProfile(NamedTuple):
    """One local hour of the week; hours in which nothing was observed have none."""

    hour: int
    p50: int | None
    """None: no minute has a rate."""
    p95: int | None
    active: int
    """The share of observed minutes with requests."""
    minutes: int
    """Observed ones."""
    weeks: int
    """Weeks in which at least half of the hour was observed."""
    idle_weeks: int
    """Those in which half of it was proven idle and none of it active."""


class Profile(NamedTuple):
    """What was measured of a deployment."""

    subject: str
    zone: str
    priority: int
    days: int
    """Local dates with an observed minute."""
    hours: tuple[HourProfile, ...]
    """In their order."""
