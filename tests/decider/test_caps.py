"""A subject has no more runs at once than it may, and what has no room is named."""

from __future__ import annotations

from schemas.commands import Define, Trigger
from schemas.definition import Basis, Interval
from schemas.events import (
    Reason,
    ScheduleEvent,
    Skipped,
)
from schemas.policies import Overlap, OverlapMode
from tests.decider.house import House, outcomes, tracked
from tests.decider.stage import DAY, HOUR, MINUTE, at

QUEUE = Overlap(OverlapMode.QUEUE)
ALLOW = Overlap(OverlapMode.ALLOW)
AFTER_END = Interval(micros=HOUR, basis=Basis.AFTER_END)


def test_a_subject_has_no_more_runs_at_once_than_its_cap() -> None:
    """AJ-033, AJ-034."""
    house, other = House(), House("elsewhere")
    for one in (house, other):
        one.caps(concurrent=3)
    for number in range(4):
        name = f"shop/job-{number}"
        house.ask("00:01", Define(tracked("0 5 * * *", overlap=ALLOW)), name)
    other.ask("00:01", Define(tracked("0 5 * * *")), "elsewhere/job")

    found = house.wait("05:00")
    (by_hand,) = house.ask("05:01", Trigger(), "shop/job-0")

    assert [one for _, one in outcomes(found)] == ["started"] * 3 + ["capacity"]
    assert found[-1].schedule == "shop/job-3"
    assert isinstance(found[-1], Skipped)
    assert found[-1].evidence == "3 runs of the subject go on, 3 may"
    assert isinstance(by_hand, Skipped)
    assert by_hand.reason is Reason.CAPACITY
    assert outcomes(other.wait("05:00")) == [(at("05:00"), "started")]


def test_a_queue_waits_for_the_cap_too_and_in_the_order_of_its_instants() -> None:
    house = House()
    house.caps(concurrent=1)
    house.ask("00:01", Define(tracked("0 1 * * *", overlap=QUEUE)), "shop/b")
    house.ask("00:01", Define(tracked("1 1 * * *", overlap=QUEUE)), "shop/a")
    house.ask("00:01", Define(tracked("1 1 * * *", overlap=QUEUE)), "shop/c")

    found = [one for _, one in outcomes(house.wait("01:01"))]
    order = []
    while house.going():
        (run,) = house.going()
        order.append(run.schedule)
        house.report("01:02", run.id)

    assert found == ["started", "waiting", "waiting"]
    assert order == ["shop/b", "shop/a", "shop/c"]


def test_dispatch_that_takes_seconds_does_not_move_the_grid_and_what_has_no_room_is_named() -> None:
    """POL-081."""
    house = House()
    house.caps(concurrent=1)
    grid = Interval(micros=2 * HOUR, anchor=at("00:55"))
    house.ask("00:01", Define(tracked(grid)), "shop/interval")
    house.ask("00:01", Define(tracked("0 * * * *")), "shop/hourly")

    found: list[ScheduleEvent] = []
    until = at("00:01") + 6 * DAY
    while (now := house.next_ring()) <= until:
        found += house.ring(now + 3_000_000)
        slow = (now - at("00:55")) % (2 * HOUR) == 0
        for run in house.going():
            house.report(now + (6 * MINUTE if slow else MINUTE), run.id)

    by_interval = [one for one in found if one.schedule == "shop/interval"]
    assert {(one.nominal - at("00:55")) % (2 * HOUR) for one in by_interval} == {0}  # type: ignore[union-attr]
    assert len(by_interval) == 72


def test_what_has_no_room_is_skipped_for_capacity() -> None:
    """POL-081: the worker is busy at the full hour."""
    house = House()
    house.caps(concurrent=1)
    house.ask("00:01", Define(tracked("55 0 * * *")), "shop/interval")
    house.ask("00:01", Define(tracked("0 * * * *")), "shop/hourly")

    found = house.wait("01:00")

    assert outcomes(found) == [(at("00:55"), "started"), (at("01:00"), "capacity")]
