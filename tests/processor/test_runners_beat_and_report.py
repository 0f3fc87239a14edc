"""What do beats, later lives and reports of runners come to, on the desk?"""

from __future__ import annotations

from dataclasses import replace

from schemas.commands import (
    ReportStatus,
    Trigger,
)
from schemas.events import (
    RunEnded,
    RunNoted,
    RunRetries,
    RunStarted,
)
from schemas.orders import Denial
from schemas.policies import Overlap, OverlapMode, Retry
from schemas.run_events import RunStatus
from schemas.snapshot import RunPhase
from tests.processor.desk import HOUR, MINUTE, SECOND
from tests.processor.offering import R, desk_with_order, granted, is_sound, kinds
from tests.processor.runners import HOURLY_WORK, Runner, control_in, orders_in
from tests.processor.running import runs


def test_a_beat_renews_the_lease_and_not_every_beat_is_an_event() -> None:
    desk, order = desk_with_order()
    granted(desk, order)
    since = desk.now
    for _ in range(30):
        desk.now += 3 * SECOND
        desk.put(*R.beats(order))
        desk.step()

    (run,) = runs(desk)
    assert run.phase is RunPhase.STARTED
    assert run.lease_until is not None
    assert run.lease_until > desk.now + 15 * SECOND
    assert kinds(desk).count(RunNoted) == (desk.now - since) // (12 * SECOND)
    assert is_sound(desk)


def test_what_a_living_runner_does_not_list_is_interrupted() -> None:
    desk, order = desk_with_order()
    granted(desk, order)
    for _ in range(31):
        desk.now += SECOND
        desk.put(*R.beats())
        desk.step()

    end = desk.events()[-1]
    assert isinstance(end, RunEnded)
    assert end.status is RunStatus.INTERRUPTED
    assert is_sound(desk)


def test_a_later_life_ends_what_the_earlier_one_had_and_is_the_only_one_heard() -> None:
    desk, order = desk_with_order(replace(HOURLY_WORK, retry=Retry(3)))
    granted(desk, order)
    desk.put(*R.later().beats())
    desk.put(*R.reports(order))
    desk.put(*R.beats(order))
    desk.step()

    end, noted = desk.events()[-2:]
    assert isinstance(end, RunEnded)
    assert (end.status, end.detail) == (RunStatus.INTERRUPTED, "runner node-1 began a later life")
    assert isinstance(noted, RunNoted)
    assert runs(desk) == []
    (order,) = orders_in(desk.pass_time(HOUR))
    desk.put(*R.claims(order))
    assert control_in(desk.step()) == [
        Denial(order.run, 1, 1, 1, "runner node-1 has begun a later life", R.later().boot)
    ]
    granted(desk, order, R.later())
    assert is_sound(desk)


def test_a_runner_that_leaves_gets_nothing_more_and_keeps_what_it_has() -> None:
    desk, order = desk_with_order(replace(HOURLY_WORK, overlap=Overlap(OverlapMode.ALLOW)))
    granted(desk, order)
    desk.ask("shop/a", Trigger())
    (other,) = orders_in(desk.step())
    desk.put(*R.beats(order, leaving=True))
    desk.put(*R.claims(other))
    written = desk.step()

    assert control_in(written) == [Denial(other.run, 1, 1, 1, "runner node-1 is leaving")]
    desk.put(*R.reports(order))
    desk.step()
    assert [run.id for run in runs(desk)] == [other.run]
    assert is_sound(desk)


def test_only_the_runner_that_has_it_is_heard() -> None:
    desk, order = desk_with_order()
    granted(desk, order)
    before = runs(desk)
    desk.put(*Runner("node-2").reports(order, ReportStatus.FAILED))
    desk.put(*R.later().reports(order, ReportStatus.FAILED))
    desk.step()

    assert runs(desk) == before
    noted = [one.ignored for one in desk.events() if isinstance(one, RunNoted)]
    assert noted == ["runner node-1 has it"] * 2
    assert is_sound(desk)


def test_another_attempt_is_offered_anew() -> None:
    desk, order = desk_with_order(replace(HOURLY_WORK, retry=Retry(2, 10 * SECOND)))
    granted(desk, order)
    desk.put(*R.reports(order, ReportStatus.UNAVAILABLE, "no image"))
    desk.step()
    retries = desk.events()[-1]
    assert isinstance(retries, RunRetries)
    assert (retries.status, retries.attempt) == (RunStatus.UNAVAILABLE, 1)
    (again,) = orders_in(desk.pass_time(10 * SECOND))

    assert (again.attempt, again.issue) == (2, 1)
    assert kinds(desk)[-1] is RunStarted
    granted(desk, again)
    desk.put(*R.reports(again))
    desk.step()
    end = desk.events()[-1]
    assert isinstance(end, RunEnded)
    assert (end.status, end.attempt) == (RunStatus.SUCCESS, 2)
    assert is_sound(desk)


def test_what_is_busy_is_tried_again_and_no_attempt_is_counted() -> None:
    desk, order = desk_with_order()
    granted(desk, order)
    desk.put(*R.reports(order, ReportStatus.BUSY, "requests in flight"))
    desk.step()
    (again,) = orders_in(desk.pass_time(MINUTE))

    assert (again.attempt, again.issue) == (1, 2), "no claim of the first offer may be granted"
    desk.put(*R.claims(order))
    assert isinstance(control_in(desk.step())[0], Denial)
    granted(desk, again)
    assert is_sound(desk)


def test_what_is_busy_for_too_long_is_over() -> None:
    desk, order = desk_with_order(replace(HOURLY_WORK, start_within=150 * SECOND))
    while runs(desk):
        granted(desk, order)
        desk.put(*R.reports(order, ReportStatus.BUSY))
        for order in orders_in([*desk.step(), *desk.pass_time(MINUTE)]):  # noqa: B007
            pass

    end = desk.events()[-1]
    assert isinstance(end, RunEnded)
    assert (end.status, end.attempt) == (RunStatus.BUSY, 1)
    assert is_sound(desk)
