"""However many runs of a subject wait or go on, one look at it takes no more than a look at each.

Calls are counted, not seconds: twice as many runs may cost about twice as many, and no more.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from schemas.commands import Define, RemoveSubject, Trigger
from schemas.policies import Across, Overlap, OverlapMode
from tests.decider.house import House, tracked
from tests.decider.stage import DAY, HOUR, at

FEW, MANY = 40, 160
QUEUE = Overlap(OverlapMode.QUEUE, max_wait=2 * HOUR)
BY_SUBJECT = Overlap(OverlapMode.QUEUE, limit=1_000, max_wait=2 * HOUR, across=Across.SUBJECT)
ALLOW = Overlap(OverlapMode.ALLOW)


def calls_of(what: Callable[[], object]) -> int:
    """How many functions are called, and generators resumed."""
    calls = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(count)
    try:
        what()
    finally:
        sys.setprofile(None)
    return calls


def crowd(runs: int, overlap: Overlap, cap: int = 0) -> House:
    """A subject with so many runs, in pairs of one that goes on and one that wants to."""
    house = House()
    house.caps(concurrent=cap)
    for number in range(runs // 2):
        name = f"shop/job-{number}"
        house.ask("00:01", Define(tracked("0 5 * * *", lease=DAY, overlap=overlap)), name)
        for _ in range(2):
            house.ask("00:02", Trigger(), name)
    return house


@pytest.mark.parametrize(
    "overlap", [QUEUE, BY_SUBJECT, ALLOW], ids=["queue", "one of the subject", "allow"]
)
def test_a_report_costs_no_more_than_a_look_at_each_run(overlap: Overlap) -> None:
    def cost(runs: int) -> int:
        house = crowd(runs, overlap)
        return calls_of(lambda: house.report("00:03", house.going()[0].id))

    assert cost(MANY) < cost(FEW) * MANY / FEW * 1.5


def test_who_waits_for_room_is_counted_once() -> None:
    def cost(runs: int) -> int:
        house = crowd(runs, QUEUE, cap=2)
        return calls_of(lambda: house.report("00:03", house.going()[0].id))

    assert cost(MANY) < cost(FEW) * MANY / FEW * 1.5


def test_many_may_begin_at_once() -> None:
    def cost(runs: int) -> int:
        house = crowd(runs, QUEUE, cap=2)
        house.caps(concurrent=0)
        return calls_of(lambda: house.ring_subject("00:03"))

    assert cost(MANY) < cost(FEW) * MANY / FEW * 1.5


def test_many_are_dropped_at_once() -> None:
    def cost(runs: int) -> int:
        house = crowd(runs, QUEUE)
        return calls_of(lambda: house.ring_subject(at("02:02")))

    assert cost(MANY) < cost(FEW) * MANY / FEW * 1.5


def test_a_subject_goes_with_all_that_is_its() -> None:
    def cost(runs: int) -> int:
        house = crowd(runs, ALLOW)
        return calls_of(lambda: house.ask("00:03", RemoveSubject("moved", cancel=True), None))

    assert cost(3 * MANY) < cost(FEW) * 3 * MANY / FEW * 1.5
