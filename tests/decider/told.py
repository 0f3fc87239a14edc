"""
What do events say about runs, as tests put it?

Instants instead of ids, one word for an end. The subject that they are about is house.py.
"""

from __future__ import annotations

from typing import Any

from schemas.commands import Define
from schemas.events import RunEnded, RunNoted, RunStarted, ScheduleEvent
from tests.decider.house import House, tracked


def begun(events: list[ScheduleEvent]) -> list[int]:
    """The instants whose runs begin after they waited, or begin another attempt."""
    return [one.nominal for one in events if isinstance(one, RunStarted)]


def attempts(events: list[ScheduleEvent]) -> list[tuple[int, int]]:
    """The same, each with the number of the attempt."""
    return [(one.nominal, one.attempt) for one in events if isinstance(one, RunStarted)]


def ended(events: list[ScheduleEvent]) -> list[tuple[int, str]]:
    """The instants whose runs are over, and how: the status, or why they never began."""
    return [
        (one.nominal, str(one.reason or one.status)) for one in events if isinstance(one, RunEnded)
    ]


def ignored(events: list[ScheduleEvent]) -> str | None:
    """Why a report, which is all there is, changed nothing."""
    (event,) = events
    assert isinstance(event, RunNoted)
    return event.ignored


def going(house: House) -> list[str]:
    """The ids of the runs that have begun and are not over."""
    return [run.id for run in house.going()]


def house_with(*timings: object, **more: Any) -> tuple[House, str]:
    """A schedule, every five minutes unless told otherwise, whose run of 00:05 goes on."""
    house = House()
    house.ask("00:01", Define(tracked(*(timings or ("*/5 * * * *",)), **more)))
    house.wait("00:05")
    (run,) = house.going()
    return house, run.id
