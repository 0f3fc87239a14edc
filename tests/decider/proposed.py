"""
What does a test propose for a deployment?

Windows of a week in few words, and the proposal that has them.
"""

from __future__ import annotations

from schemas.proposals import IdleWindow, Proposal, ProposalSource

HOURS = 3_600
NIGHTS = tuple(range(5))
"""Those that begin on Monday to Friday."""


def window(sleep: tuple[int, int], wake: tuple[int, int], weeks: int = 3) -> IdleWindow:
    """From a day and second of it to another, in local time."""
    (sleep_day, sleep_at), (wake_day, wake_at) = sleep, wake
    length = (wake_day * 86_400 + wake_at - sleep_day * 86_400 - sleep_at) % (7 * 86_400)
    return IdleWindow(sleep_day, sleep_at, wake_day, wake_at, length // 60, weeks, weeks)


def nights(begin: int = 22, end: int = 7, *days: int, weeks: int = 3) -> tuple[IdleWindow, ...]:
    """One for each of these days, over midnight."""
    return tuple(
        window((day, begin * HOURS), ((day + 1) % 7, end * HOURS), weeks) for day in days or NIGHTS
    )


def proposal(
    name: str, *windows: IdleWindow, zone: str = "UTC", reason: str = "quiet at night"
) -> Proposal:
    """By rules; the nights of the working week unless told otherwise."""
    found = windows or nights()
    return Proposal(name, tuple(found), zone, ProposalSource.RULES, 1_000, reason)
