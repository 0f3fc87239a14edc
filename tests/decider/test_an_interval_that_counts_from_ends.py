"""An interval may count from the end of its work, however that comes."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from schemas.commands import CancelRun, Define, Pause, ReportStatus, Trigger
from schemas.definition import Basis, CatchUp, CatchUpMode, Interval
from schemas.events import Fired
from schemas.policies import Across, Overlap, OverlapMode, Scope
from streams.calendar.occurrences import NEVER
from tests.decider.house import House, outcomes, tracked
from tests.decider.stage import DAY, HOUR, MINUTE, NIGHTLY, at
from tests.decider.told import ended

FAILED = ReportStatus.FAILED
CANCELLED = ReportStatus.CANCELLED
SUCCESS = ReportStatus.SUCCESS
QUEUE = Overlap(OverlapMode.QUEUE)
ALLOW = Overlap(OverlapMode.ALLOW)
AFTER_END = Interval(micros=HOUR, basis=Basis.AFTER_END)


def after_end(**more: Any) -> House:
    house = House()
    house.ask("00:00", Define(tracked(AFTER_END, **more)))
    house.wait("01:00")
    return house


def test_an_interval_that_counts_from_ends_drifts_by_how_long_its_work_takes() -> None:
    """POL-077, the kind that is named: so long after the end."""
    house = House()
    after_end = Interval(micros=24 * HOUR, basis=Basis.AFTER_END)
    house.ask("00:00", Define(tracked(after_end)))

    starts = []
    for _ in range(12):
        (fired,) = house.wait(house.next_ring())
        starts.append(fired.nominal)  # type: ignore[union-attr]
        assert house.schedules[NIGHTLY].cursor.nominal == NEVER
        house.report(starts[-1] + 55 * MINUTE, house.going()[0].id)

    assert {later - before for before, later in pairwise(starts)} == {24 * HOUR + 55 * MINUTE}


@pytest.mark.parametrize("status", [SUCCESS, FAILED, ReportStatus.TIMEOUT, CANCELLED])
def test_however_the_work_ends_the_interval_goes_on(status: ReportStatus) -> None:
    house = after_end()

    house.report("01:10", house.going()[0].id, status)

    assert outcomes(house.wait("02:10")) == [(at("02:10"), "started")]


def test_silence_lets_an_interval_go_on_too() -> None:
    house = after_end(lease=10 * MINUTE)

    assert ended(house.wait("01:30")) == [(at("01:00"), "interrupted")]
    assert house.schedules[NIGHTLY].cursor.nominal == at("02:10")


def test_the_last_of_several_targets_counts() -> None:
    house = after_end(scopes=(Scope("rack-a"), Scope("rack-b")), lease=DAY)
    first, second = house.going()

    house.report("01:10", first.id)
    assert house.schedules[NIGHTLY].cursor.nominal == NEVER
    house.report("01:20", second.id)

    assert house.schedules[NIGHTLY].cursor.nominal == at("02:20")


def test_of_all_that_were_missed_there_is_but_one_and_nothing_fires_before_it_is_due() -> None:
    house = after_end(catch_up=CatchUp(CatchUpMode.ALL))
    house.report("01:10", house.going()[0].id)

    (fired,) = house.ring("02:50")

    assert isinstance(fired, Fired)
    assert (fired.nominal, fired.late) == (at("02:10"), True)


@pytest.mark.parametrize("cancelled", [False, True], ids=["it waits too long", "it is cancelled"])
def test_an_interval_goes_on_when_what_waited_never_begins(*, cancelled: bool) -> None:
    house = House()
    house.caps(concurrent=1)
    house.ask("00:00", Define(tracked("59 0 * * *", lease=DAY)), "shop/long")
    overlap = Overlap(OverlapMode.QUEUE, max_wait=10 * MINUTE)
    house.ask("00:00", Define(tracked(AFTER_END, overlap=overlap)))
    house.wait("01:05")
    (waits,) = house.waiting()

    if cancelled:
        house.ask("01:10", CancelRun(waits.id, ""), None)
    house.wait("01:10")

    assert house.schedules[NIGHTLY].cursor.nominal == at("02:10")


def test_an_interval_goes_on_when_all_that_waits_for_it_gives_way_at_once() -> None:
    house = House()
    across = Overlap(OverlapMode.SKIP, across=Across.SUBJECT)
    house.ask("00:00", Define(tracked("59 23 * * *", overlap=across, lease=DAY)), "shop/long")
    house.ask("00:00", Define(tracked(AFTER_END, overlap=across)))
    house.ask("00:10", Trigger(), "shop/long")
    house.ask("00:11", Trigger(overlap=OverlapMode.QUEUE))
    house.ask("00:12", Trigger(overlap=OverlapMode.QUEUE))
    assert len(house.waiting()) == 2

    house.ask("00:13", Trigger(overlap=OverlapMode.LATEST), "shop/long")

    assert len(house.waiting()) == 1
    assert house.schedules[NIGHTLY].cursor.nominal == at("01:13")


def test_a_fire_by_hand_is_work_whose_end_counts() -> None:
    house = after_end()
    house.report("01:10", house.going()[0].id)

    house.ask("01:30", Trigger())
    assert house.schedules[NIGHTLY].cursor.nominal == NEVER
    house.report("01:40", house.going()[0].id)

    assert house.schedules[NIGHTLY].cursor.nominal == at("02:40")


def test_a_schedule_that_was_paused_counts_from_its_resumption_whatever_ends_meanwhile() -> None:
    house = after_end()
    house.ask("01:05", Pause("works"))

    over = house.report("01:10", house.going()[0].id)

    assert ended(over) == [(at("01:00"), "success")]
    assert house.schedules[NIGHTLY].cursor.nominal == NEVER
