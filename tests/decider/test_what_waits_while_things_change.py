"""Edits, removals, pauses and holds leave nothing waiting that nobody knows of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define, Pause, Remove, ReportStatus
from schemas.definition import Basis, Interval
from schemas.events import (
    RunStarted,
)
from schemas.policies import Overlap, OverlapMode, Retry
from schemas.snapshot import RunPhase
from streams.calendar.occurrences import NEVER
from tests.decider.house import TRACKED, House, outcomes, tracked
from tests.decider.stage import DAY, EMIT, HOUR, MINUTE, at, rule
from tests.decider.told import attempts, begun, ended, house_with

FAILED = ReportStatus.FAILED
QUEUE = Overlap(OverlapMode.QUEUE)
ALLOW = Overlap(OverlapMode.ALLOW)
THRICE = Retry(2, 10 * MINUTE, 15 * MINUTE)
AFTER_END = Interval(micros=HOUR, basis=Basis.AFTER_END)


def test_an_edit_of_the_timing_withdraws_what_waits_with_one_event_each() -> None:
    house, first = house_with(overlap=QUEUE, retry=THRICE)
    house.wait("00:15")
    house.report("00:16", first, FAILED)

    found = house.ask("00:17", Define(tracked("*/7 * * * *", overlap=QUEUE, retry=THRICE)))

    assert ended(found) == [(at("00:10"), "withdrawn"), (at("00:15"), "withdrawn")]
    assert house.waiting() == []
    assert [run.phase for run in house.going()] == [RunPhase.RETRYING]


def test_an_edit_of_anything_else_keeps_what_waits_with_the_new_payload() -> None:
    house, first = house_with(overlap=QUEUE)
    house.wait("00:10")

    other = replace(tracked("*/5 * * * *", overlap=QUEUE), action=replace(TRACKED, value=b"new"))
    (changed,) = house.ask("00:11", Define(other))
    (_, begins) = house.report("00:12", first)

    assert isinstance(begins, RunStarted)
    assert begins.version == changed.version  # type: ignore[union-attr]
    assert begins.nominal == at("00:10")


def test_what_waits_of_work_that_nobody_reports_about_any_more_is_given_out_and_over() -> None:
    house, first = house_with(overlap=QUEUE)
    house.wait("00:10")

    found = house.ask("00:11", Define(rule("*/5 * * * *", emit=EMIT)))
    late = house.report("00:12", first)

    assert attempts(found) == [(at("00:10"), 1)]
    assert ended(found) == [(at("00:10"), "success")]
    assert ended(late) == [(at("00:05"), "success")]
    assert outcomes(house.wait("00:15")) == [(at("00:15"), "started")]
    assert house.going() == []


def test_with_a_schedule_goes_what_has_not_begun_and_what_has_is_still_reported() -> None:
    house, first = house_with(overlap=QUEUE, retry=THRICE)
    house.wait("00:10")

    found = house.ask("00:11", Remove())
    over = house.report("00:12", first, FAILED)

    assert ended(found) == [(at("00:10"), "withdrawn")]
    assert ended(over) == [(at("00:05"), "failed")]
    assert house.schedules == {}


def test_a_removal_ends_what_was_between_two_attempts() -> None:
    house, first = house_with(retry=THRICE)
    house.report("00:06", first, FAILED)

    assert ended(house.ask("00:07", Remove())) == [(at("00:05"), "failed")]
    assert house.next_ring() == NEVER


def test_who_waited_for_what_is_removed_begins() -> None:
    house = House()
    house.caps(concurrent=1)
    house.ask("00:01", Define(tracked("5 0 * * *", retry=THRICE)), "shop/a")
    house.ask("00:01", Define(tracked("6 0 * * *", overlap=QUEUE)), "shop/b")
    house.wait("00:05")
    house.report("00:05:30", house.going()[0].id, FAILED)
    house.wait("00:06")

    found = house.ask("00:07", Remove(), "shop/a")

    assert attempts(found) == [(at("00:06"), 1)]


def test_what_waits_begins_although_its_schedule_is_paused() -> None:
    house, first = house_with(overlap=QUEUE)
    house.wait("00:10")
    house.ask("00:11", Pause("works"))

    assert attempts(house.report("00:12", first)) == [(at("00:10"), 1)]


@pytest.mark.parametrize("report_at", ["00:11", "01:30"])
def test_what_waits_when_everything_is_held_gets_its_turn_when_that_ends(report_at: str) -> None:
    house, first = house_with("*/5 0 * * *", overlap=QUEUE, lease=DAY)
    house.wait("00:10")
    house.tell_hold("00:11")

    over = house.report(report_at, first)
    meanwhile = house.ring_subject("01:59")
    house.lift_hold()
    found = house.ring_subject("02:00")

    assert ended(over) == [(at("00:05"), "success")]
    assert begun(over) == []
    assert meanwhile == []
    assert attempts(found) == [(at("00:10"), 1)]
