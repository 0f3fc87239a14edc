"""Limits from the environment hold whatever a schedule says, and only where they are set."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from schemas.commands import Define, ReportStatus
from schemas.definition import CatchUp, CatchUpMode
from schemas.events import RunRetries
from schemas.globals import GlobalSettings
from schemas.policies import Overlap, OverlapMode, Retry
from streams.decider.limits import attempts_after, backoff_of, lookback_of, timeout_of
from streams.decider.state import World
from tests.decider.crew import Crew, crew_with, ends, work
from tests.decider.house import House, outcomes
from tests.decider.stage import HOUR, MINUTE, NIGHTLY, OPEN, SECOND, at, once, rule

FAILED = ReportStatus.FAILED


def limited(**limits: Any) -> World:
    settings = OPEN.settings or GlobalSettings((), 0)
    return replace(OPEN, settings=replace(settings, **limits))


@pytest.mark.parametrize(("most", "attempts"), [(0, 4), (1, 2), (3, 4), (9, 4)])
def test_a_run_has_no_more_attempts_than_anybody_may(most: int, attempts: int) -> None:
    crew, run = crew_with(work("5 0 * * *", retry=Retry(3, SECOND)))
    crew.world = limited(max_retries=most)
    crew.done("00:05", run, *[FAILED] * attempts)

    assert crew.run(run).attempt == attempts
    assert crew.run(run).status == "failed"


@pytest.mark.parametrize(
    ("limits", "waits"),
    [
        ({}, [10, 20, 30]),
        ({"retry_backoff": 15 * SECOND}, [15, 20, 30]),
        ({"retry_backoff_max": 12 * SECOND}, [10, 12, 12]),
        ({"retry_backoff": 60 * SECOND, "retry_backoff_max": 25 * SECOND}, [25, 25, 25]),
    ],
)
def test_the_wait_before_an_attempt_stays_between_the_limits(
    limits: dict[str, int], waits: list[int]
) -> None:
    crew, run = crew_with(work("5 0 * * *", retry=Retry(3, 10 * SECOND, 30 * SECOND)))
    crew.world = limited(**limits)
    found = crew.done("00:05", run, *[FAILED] * 4)
    retries = [one for one in found if isinstance(one, RunRetries)]
    said = [stamp.decided_at for one, stamp in crew.history if isinstance(one, RunRetries)]

    given = [(one.again_at - at_) // SECOND for one, at_ in zip(retries, said, strict=True)]
    assert given == waits


def test_without_limits_the_schedule_is_asked_alone() -> None:
    retry = Retry(3, SECOND)

    assert (attempts_after(retry, World()), backoff_of(retry, 2, World())) == (3, 2 * SECOND)


def test_an_attempt_may_take_as_long_as_its_schedule_says_or_everybodys_do() -> None:
    assert timeout_of(work(), OPEN) is None
    assert timeout_of(work(), World()) is None
    assert timeout_of(work(), limited(default_timeout=5 * MINUTE)) == 5 * MINUTE
    assert timeout_of(work(timeout=HOUR), limited(default_timeout=5 * MINUTE)) == HOUR


@pytest.mark.parametrize(
    ("own", "most", "expected"),
    [
        (HOUR, 0, HOUR), (HOUR, 30 * MINUTE, 30 * MINUTE), (MINUTE, HOUR, MINUTE),
        (None, 0, None), (None, HOUR, HOUR), (0, HOUR, 0),
    ],
)  # fmt: skip
def test_nothing_is_looked_back_for_longer_than_that(
    own: int | None, most: int, expected: int | None
) -> None:
    assert lookback_of(CatchUp(lookback=own), limited(catch_up_lookback=most)) == expected


def test_what_is_later_than_that_is_missed() -> None:
    house = House()
    house.world = limited(catch_up_lookback=2 * HOUR)
    house.ask("00:01", Define(rule("30 * * * *", catch_up=CatchUp(CatchUpMode.ALL, 24 * HOUR))))
    found = house.look("06:00")

    assert outcomes(found) == [(at("00:30"), "missed"), (at("04:30"), "started")]


def test_a_one_time_that_is_older_than_that_is_refused() -> None:
    house = House()
    house.world = limited(catch_up_lookback=HOUR)
    (old,) = house.ask("06:00", Define(rule(once("04:30"))))
    young, *_ = house.ask("06:00", Define(rule(once("05:30"))))

    assert type(old).__name__ == "CommandRefused"
    assert type(young).__name__ == "ScheduleDefined"


def test_what_waited_for_longer_than_that_does_not_begin() -> None:
    crew = Crew()
    overlap = Overlap(OverlapMode.QUEUE, max_wait=5 * HOUR)
    crew.ask("00:01", Define(work("5,6 0 * * *", overlap=overlap)))
    crew.wait("00:05")
    (first,) = crew.offered()
    crew.claim("00:05", first.id)
    now = at("00:05")
    while now < at("02:00"):
        now += 20 * SECOND
        crew.beat(now, first.id)
        crew.look(now)
    crew.world = limited(catch_up_lookback=HOUR)
    found = crew.says("02:00", first.id)

    assert ends(found) == [("shop", "success"), ("shop", "dropped")]
    assert crew.offered(NIGHTLY) == []
