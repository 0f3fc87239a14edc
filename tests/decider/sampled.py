"""
How does time pass for a subject that a sampler looks at?

A house whose schedule has a gate and is due at 22:00 unless told otherwise, single samples, and
time that passes with a sample each 15 seconds.
"""

from __future__ import annotations

from schemas.commands import Define, ReportActivity
from schemas.definition import Definition
from schemas.events import ScheduleEvent
from schemas.policies import Gate
from tests.decider.house import House
from tests.decider.stage import SECOND, at, rule

SAMPLES = 15 * SECOND
GATE = Gate()


def sleep(*timings: str, gate: Gate = GATE, **more: object) -> Definition:
    """Due at 22:00 unless told otherwise."""
    return rule(*(timings or ("0 22 * * *",)), gate=gate, **more)  # type: ignore[arg-type]


def house(definition: Definition | None = None) -> House:
    found = House()
    found.ask("21:30", Define(definition or sleep()))
    return found


def sample(
    found: House,
    when: str,
    last: str | None = None,
    *,
    in_flight: int = 0,
    waiting: int = 0,
) -> None:
    request = None if last is None else at(last)
    found.ask(when, ReportActivity(in_flight, waiting, at(when), request), None)


def live(
    found: House, since: str, until: str, busy_until: str = "00:00"
) -> list[tuple[int, ScheduleEvent]]:
    """Time passes with a sample each 15 s; up to a time a request is in each of them."""
    events: list[tuple[int, ScheduleEvent]] = []
    last: int | None = None
    for now in range(at(since), at(until) + 1, SAMPLES):
        last = now if now <= at(busy_until) else last
        found.ask(now, ReportActivity(0, 0, now, last), None)
        before = len(found.history)
        found.wait(now)
        events += [(stamp.decided_at, event) for event, stamp in found.history[before:]]
    return events


def numbers(last: str, in_flight: int = 0, waiting: int = 0, sampled: str = "22:00:00") -> str:
    request = last if last == "never" else f"2026-06-01T{last}Z"
    return (
        f"last request {request}, {in_flight} in flight, {waiting} waiting, "
        f"sampled 2026-06-01T{sampled}Z"
    )
