"""
How are skips that were asked for told of in a test?

An hourly schedule that was defined at half past eleven, and what became of its instants.
"""

from __future__ import annotations

from schemas.commands import Define
from schemas.events import Fired, ScheduleEvent, Skipped
from tests.decider.stage import at, rule

HOURLY = rule("0 * * * *")
NOON = ("11:30", Define(HOURLY))


def ends(events: list[ScheduleEvent]) -> list[tuple[str, int]]:
    """What became of instants: `fired` or the reason, and how many in a record."""
    found: list[tuple[str, int]] = []
    for event in events:
        if isinstance(event, Fired):
            found.append(("fired", 1))
        elif isinstance(event, Skipped):
            found.append((str(event.reason), event.count))
    return found


def times(*texts: str) -> tuple[int, ...]:
    return tuple(map(at, texts))
