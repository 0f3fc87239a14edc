"""Whatever befalls the instants of a day, each has one end that says which and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from schemas.commands import Define
from schemas.definition import CatchUp
from schemas.events import Fired, Skipped
from streams.decider.state import Target
from tests.decider.house import House, tracked
from tests.decider.stage import HOUR, at


def test_missed_overlapped_withdrawn_and_late_ones_add_up_to_the_calendar() -> None:
    """ANC-06: all four in one day, with overlap as it is."""
    house = House()
    hourly = tracked("0 * * * *", catch_up=CatchUp(lookback=2 * HOUR), lease=24 * HOUR)
    house.ask("00:30", Define(hourly))
    house.wait("05:00")
    house.report("05:30", house.going()[0].id)
    house.ring("09:30")
    house.report("09:40", house.going()[0].id)
    house.world = replace(house.world, targets={"jobs": Target(fault="it is gone")})
    house.wait("10:00")
    house.ask("10:05", Define(replace(hourly, zone="Asia/Tokyo", description="moved")))

    ends: Counter[int] = Counter()
    told: Counter[str] = Counter()
    for event, stamp in house.history:
        if isinstance(event, Fired):
            ends[event.nominal] += 1
            told["late" if event.late else "fired"] += 1
            assert stamp.decided_at >= event.due
        elif isinstance(event, Skipped):
            told[event.reason] += event.count
            ends.update(range(event.first, event.last + 1, HOUR))

    assert told == {"fired": 1, "overlap": 4, "missed": 3, "late": 1, "withdrawn": 1}
    assert ends == dict.fromkeys(range(at("01:00"), at("10:00") + 1, HOUR), 1)
