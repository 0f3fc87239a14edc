"""An attempt that failed is followed by another, as often as the definition says."""

from __future__ import annotations

from dataclasses import replace

from schemas.commands import Define, ReportStatus
from schemas.definition import Basis, Interval
from schemas.events import (
    RunEnded,
    RunRetries,
    RunStarted,
)
from schemas.policies import Overlap, OverlapMode, Retry
from schemas.snapshot import RunPhase
from streams.decider.state import Target
from tests.decider.house import outcomes, tracked
from tests.decider.stage import DAY, HOUR, MINUTE, NIGHTLY, SECOND, at
from tests.decider.told import attempts, ended, house_with

FAILED = ReportStatus.FAILED
QUEUE = Overlap(OverlapMode.QUEUE)
ALLOW = Overlap(OverlapMode.ALLOW)
THRICE = Retry(2, 10 * MINUTE, 15 * MINUTE)
AFTER_END = Interval(micros=HOUR, basis=Basis.AFTER_END)


def test_a_run_between_two_attempts_is_in_the_way_of_the_next() -> None:
    """POL-038."""
    house, run = house_with(retry=Retry(1, 10 * MINUTE))

    house.report("00:06", run, FAILED)
    between = outcomes(house.wait("00:15"))
    again = house.wait("00:16")
    (over,) = house.report("00:17", run)

    assert between == [(at("00:10"), "overlap"), (at("00:15"), "overlap")]
    assert attempts(again) == [(at("00:05"), 2)]
    assert isinstance(over, RunEnded)
    assert (over.attempt, over.started_at) == (2, at("00:05"))
    assert outcomes(house.wait("00:20")) == [(at("00:20"), "started")]


def test_attempts_follow_ever_later_up_to_the_longest_wait_and_then_it_has_failed() -> None:
    house, run = house_with("5 0 * * *", retry=Retry(4, 10 * SECOND, 30 * SECOND), lease=DAY)

    waits, now = [], at("00:06")
    while house.run(run).phase is not RunPhase.ENDED:
        found = house.report(now, run, FAILED)
        waits += [one.again_at - now for one in found if isinstance(one, RunRetries)]
        now = house.next_ring() if isinstance(found[0], RunRetries) else now
        house.ring(now)

    assert waits == [10 * SECOND, 20 * SECOND, 30 * SECOND, 30 * SECOND]
    assert house.run(run).attempt == 5
    assert house.run(run).status == "failed"


def test_an_attempt_that_takes_too_long_is_followed_by_another() -> None:
    house, run = house_with("5 0 * * *", timeout=MINUTE, retry=Retry(1, MINUTE))

    found = house.wait("00:30")

    assert [(one.status, one.again_at) for one in found if isinstance(one, RunRetries)] == [
        ("timeout", at("00:07"))
    ]
    assert attempts(found) == [(at("00:05"), 2)]
    assert ended(found) == [(at("00:05"), "timeout")]
    assert house.run(run).since == at("00:08")


def test_silence_is_no_failure_and_brings_no_other_attempt() -> None:
    house, _ = house_with("5 0 * * *", lease=MINUTE, retry=THRICE, pause_on_failure=1)

    assert ended(house.wait("00:30")) == [(at("00:05"), "interrupted")]
    assert house.schedules[NIGHTLY].plan.pause is None


def test_what_begins_later_does_so_under_the_definition_that_is_then_in_force() -> None:
    house, run = house_with("5 0 * * *", retry=Retry(1, MINUTE), lease=HOUR)
    house.report("00:05:30", run, FAILED)

    house.ask("00:06", Define(tracked("5 0 * * *", retry=Retry(1, MINUTE), lease=2 * HOUR)))
    (again,) = house.wait("00:06:30")

    assert isinstance(again, RunStarted)
    assert (again.version, again.incarnation) == (2, 0)
    assert house.run(run).lease_until == at("00:06:30") + 2 * HOUR


def test_a_target_that_does_not_take_it_is_tried_again_and_then_given_up() -> None:
    house, first = house_with(overlap=QUEUE)
    house.wait("00:10")
    house.world = replace(house.world, targets={"jobs": Target(fault="the topic is gone")})

    over = house.report("00:11", first)
    waits = [one.again_at for one in house.wait("00:11:10") if isinstance(one, RunRetries)]
    house.world = replace(house.world, targets={})
    found = house.wait("00:12")

    (put_off,) = [one for one in over if isinstance(one, RunRetries)]
    assert (put_off.attempt, put_off.detail) == (0, "the topic is gone")
    assert waits == [at(f"00:11:{second:02}") for second in (3, 7, 15)]
    assert attempts(found) == [(at("00:10"), 1)]


def test_a_target_that_never_takes_it_is_given_up_at_the_end_of_the_lookback() -> None:
    house, first = house_with("5,10 0 * * *", overlap=QUEUE, lease=DAY)
    house.wait("00:10")
    house.world = replace(house.world, targets={"jobs": Target(fault="the topic is gone")})
    house.report("00:11", first)

    found = house.wait(at("00:10") + DAY + MINUTE)

    assert ended(found)[0] == (at("00:10"), "target_unavailable")
