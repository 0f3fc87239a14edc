"""
What is a backfill tried on?

An hourly schedule that was defined at half past eleven, and the six hours that run once more.
"""

from __future__ import annotations

from schemas.commands import Backfill, Define
from schemas.definition import Definition
from schemas.events import Fired, ScheduleEvent
from tests.decider.house import House
from tests.decider.stage import at, rule

HOURLY = rule("0 * * * *")
SIX = Backfill(at("05:00"), at("10:00"))


def times(*texts: str) -> tuple[int, ...]:
    return tuple(map(at, texts))


def house_of(definition: Definition = HOURLY) -> House:
    house = House()
    house.ask("11:30", Define(definition))
    return house


def once_more(events: list[ScheduleEvent]) -> list[int]:
    """The instants that ran once more, in their order."""
    return [one.nominal for one in events if isinstance(one, Fired) and one.origin is not None]
