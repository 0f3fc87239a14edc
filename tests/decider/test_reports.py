"""Reports, leases and cancels decide when a run is over, and nothing else does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import CancelRun, Define, Remove, ReportRun, ReportStatus
from schemas.definition import Basis, Interval
from schemas.events import (
    CommandRefused,
    RunCancelling,
    RunNoted,
    ScheduleCompleted,
    ScheduleEvent,
    SchedulePaused,
)
from schemas.policies import Overlap, OverlapMode, Retry, Scope
from streams.decider.subject import ENDED_RUNS_KEPT
from tests.decider.house import House, outcomes, tracked
from tests.decider.stage import DAY, HOUR, MINUTE, NIGHTLY, at
from tests.decider.told import ended, house_with, ignored

FAILED = ReportStatus.FAILED
RUNNING = ReportStatus.RUNNING
CANCELLED = ReportStatus.CANCELLED
SUCCESS = ReportStatus.SUCCESS
QUEUE = Overlap(OverlapMode.QUEUE)
ALLOW = Overlap(OverlapMode.ALLOW)
THRICE = Retry(2, 10 * MINUTE, 15 * MINUTE)
AFTER_END = Interval(micros=HOUR, basis=Basis.AFTER_END)


def test_silence_ends_a_run_and_a_late_report_of_it_changes_nothing() -> None:
    """POL-036."""
    house, first = house_with(lease=MINUTE)

    over = house.wait("00:09")
    following = house.wait("00:10")
    before = house.known
    late = house.ask("00:10:05", ReportRun(first, SUCCESS, attempt=1), None)

    assert ended(over) == [(at("00:05"), "interrupted")]
    assert outcomes(following) == [(at("00:10"), "started")]
    assert ignored(late) == "the run is over already: interrupted"
    assert house.known == before


def test_whoever_is_heard_of_goes_on_for_another_lease() -> None:
    house, run = house_with(lease=2 * MINUTE)

    for minute in (6, 7, 8):
        (noted,) = house.report(f"00:{minute:02}", run, RUNNING)
        assert isinstance(noted, RunNoted)
        assert noted.lease_until == at(f"00:{minute + 2:02}")

    assert house.wait("00:09:59") == []
    assert ended(house.wait("00:10"))[0] == (at("00:05"), "interrupted")


@pytest.mark.parametrize(
    ("attempt", "when", "words"),
    [
        (1, "00:15:01", "it is about attempt 1, the run is at 2"),
        (3, "00:15:01", "it is about attempt 3, the run is at 2"),
        (None, "00:07", "attempt 1 is over already"),
    ],
)
def test_a_report_of_another_attempt_is_ignored(attempt: int | None, when: str, words: str) -> None:
    house, run = house_with("5 0 * * *", retry=THRICE)
    house.report("00:05:01", run, FAILED)
    house.wait(when)
    before = house.known

    assert ignored(house.ask(when, ReportRun(run, SUCCESS, attempt), None)) == words
    assert house.known == before


def test_a_report_of_a_run_that_waits_is_ignored() -> None:
    house, _ = house_with(overlap=QUEUE)
    house.wait("00:10")
    (waits,) = house.waiting()

    assert ignored(house.report("00:11", waits.id)) == "the run has not begun"
    assert house.waiting() == [waits]


def test_a_report_of_a_run_that_nobody_knows_is_refused() -> None:
    house, run = house_with(lease=2 * DAY)
    house.report("00:06", run)

    (unknown,) = house.report("00:07", "jr_000000000000")
    known = house.report(at("00:06") + ENDED_RUNS_KEPT - 1, run)
    (forgotten,) = house.report(at("00:06") + ENDED_RUNS_KEPT, run)

    assert isinstance(unknown, CommandRefused)
    assert ignored(known) == "the run is over already: success"
    assert isinstance(forgotten, CommandRefused)
    assert forgotten.field == "run"


def test_a_run_that_waits_or_is_between_attempts_is_over_once_it_is_cancelled() -> None:
    house, first = house_with(overlap=QUEUE, retry=THRICE)
    house.wait("00:10")
    (waits,) = house.waiting()

    one = house.ask("00:11", CancelRun(waits.id, "not needed"), None)
    house.report("00:11", first, FAILED)
    other = house.ask("00:12", CancelRun(first, "not needed"), None)

    assert ended(one) == [(at("00:10"), "cancelled")]
    assert ended(other) == [(at("00:05"), "cancelled")]
    assert outcomes(house.wait("00:15")) == [(at("00:15"), "started")]


@pytest.mark.parametrize(
    ("status", "expected"),
    [(CANCELLED, "cancelled"), (FAILED, "cancelled"), (SUCCESS, "success")],
)
def test_a_run_that_goes_on_is_asked_to_stop_and_over_when_it_says_so(
    status: ReportStatus, expected: str
) -> None:
    house, run = house_with(retry=THRICE, pause_on_failure=1)

    (asked,) = house.ask("00:06", CancelRun(run, "wrong day"), None)
    again = house.ask("00:07", CancelRun(run, "wrong day"), None)
    skipped = outcomes(house.wait("00:10"))
    over = house.report("00:11", run, status)
    late = house.ask("00:12", CancelRun(run, ""), None)

    assert isinstance(asked, RunCancelling)
    assert (asked.reason, asked.by) == ("wrong day", None)
    assert ignored(again) == "it was asked to stop already"
    assert skipped == [(at("00:10"), "overlap")]
    assert ended(over) == [(at("00:05"), expected)]
    assert ignored(late) == f"it is over already: {expected}"
    assert house.schedules[NIGHTLY].plan.pause is None


def test_whoever_was_asked_to_stop_and_says_nothing_is_not_waited_for_for_ever() -> None:
    house, run = house_with("5 0 * * *", lease=10 * MINUTE)
    house.ask("00:06", CancelRun(run, ""), None)

    assert ended(house.wait("00:15")) == [(at("00:05"), "interrupted")]


def test_a_schedule_is_paused_after_so_many_failures_in_a_row_and_not_before() -> None:
    house = House()
    house.ask("00:01", Define(tracked("*/5 * * * *", pause_on_failure=2)))
    found: list[ScheduleEvent] = []
    for minute, status in ((5, FAILED), (10, SUCCESS), (15, FAILED), (20, FAILED)):
        house.wait(f"00:{minute:02}")
        found = house.report(f"00:{minute + 1:02}", house.going()[0].id, status)
        assert (house.schedules[NIGHTLY].plan.pause is None) == (minute < 20)

    (paused,) = [one for one in found if isinstance(one, SchedulePaused)]
    assert paused.reason.endswith("ended failed (2 failures in a row)")


def test_a_schedule_that_is_over_with_what_a_failure_settles_is_not_left_paused() -> None:
    """09:00 is the second fire of two, and settled before the pause that the first one earned."""
    house = House()
    overlap = Overlap(OverlapMode.ALLOW)
    house.ask(
        "07:30", Define(tracked("0 * * * *", max_fires=2, pause_on_failure=1, overlap=overlap))
    )
    house.wait("08:00")
    found = house.report("09:00", house.going()[0].id, FAILED)

    assert [type(one) for one in found][-2:] == [SchedulePaused, ScheduleCompleted]
    assert house.schedules[NIGHTLY].plan.completed
    assert not house.world.subject.notes.insights


def test_two_that_fail_at_once_pause_once_and_settle_once() -> None:
    scopes = (Scope("rack-a"), Scope("rack-b"))
    house = House()
    definition = tracked("*/5 * * * *", timeout=5 * MINUTE, scopes=scopes, pause_on_failure=1)
    house.ask("00:01", Define(replace(definition, overlap=Overlap(OverlapMode.ALLOW))))
    house.wait("00:05")

    found = list(house.ring_subject("00:10"))

    assert [type(one).__name__ for one in found] == [
        "RunEnded", "InsightRaised", "Fired", "SchedulePaused", "InsightRaised", "RunEnded",
    ]  # fmt: skip
    assert house.wait("00:12") == []


def test_the_failures_of_a_schedule_that_is_gone_are_not_those_of_its_successor() -> None:
    house, run = house_with(pause_on_failure=1)
    house.ask("00:06", Remove())
    house.ask("00:07", Define(tracked("*/5 * * * *", pause_on_failure=1, retry=THRICE)))

    over = house.report("00:08", run, FAILED)

    assert ended(over) == [(at("00:05"), "failed")]
    assert house.schedules[NIGHTLY].plan.pause is None
    assert house.known.notes.failures == ()
