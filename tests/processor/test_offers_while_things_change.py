"""What becomes of an offer, and of who has it, by a cancel, a hold, an edit or a removal?"""

from __future__ import annotations

from dataclasses import replace

from schemas.actions import Program
from schemas.commands import (
    CancelRun,
    Define,
    HoldSubject,
    ReleaseSubject,
    Remove,
    ReportRun,
    ReportStatus,
    Trigger,
)
from schemas.definition import Emit, offering
from schemas.events import (
    RunEnded,
)
from schemas.globals import Hold
from schemas.orders import Denial, Stop
from schemas.policies import Overlap, OverlapMode, Tracking
from schemas.run_events import RunStatus
from schemas.snapshot import RunPhase
from tests.processor.desk import HOUR, MINUTE, SECOND
from tests.processor.offering import R, desk_with_order, granted, is_sound
from tests.processor.runners import HOURLY_WORK, control_in, orders_in
from tests.processor.running import runs


def test_whoever_has_it_is_told_to_stop_and_what_nobody_has_is_over_at_once() -> None:
    desk, order = desk_with_order()
    desk.ask("shop/", CancelRun(order.run))
    written = desk.step()
    end = desk.events()[-1]
    assert isinstance(end, RunEnded)
    assert end.status is RunStatus.CANCELLED
    assert control_in(written) == []

    (order,) = orders_in(desk.pass_time(HOUR))
    granted(desk, order)
    desk.ask("shop/", CancelRun(order.run, "no longer needed"))
    assert control_in(desk.step()) == [Stop(order.run, 1, 1, "no longer needed")]
    assert runs(desk)[0].phase is RunPhase.CANCELLING
    desk.put(*R.reports(order, ReportStatus.CANCELLED))
    desk.step()
    assert runs(desk) == []
    assert is_sound(desk)


def test_who_goes_on_with_what_is_to_stop_is_told_again() -> None:
    desk, order = desk_with_order()
    granted(desk, order)
    desk.ask("shop/", CancelRun(order.run))
    desk.step()
    desk.now += 12 * SECOND
    desk.put(*R.beats(order))

    assert control_in(desk.step()) == [Stop(order.run, 1, 1, "it was asked to stop before")]
    assert is_sound(desk)


def test_the_newer_run_takes_the_place_of_what_is_offered_or_waits_for_what_goes_on() -> None:
    desk, order = desk_with_order(replace(HOURLY_WORK, overlap=Overlap(OverlapMode.REPLACE)))
    desk.ask("shop/a", Trigger())
    (second,) = orders_in(desk.step())
    assert [run.id for run in runs(desk)] == [second.run]
    granted(desk, second)
    desk.ask("shop/a", Trigger())
    written = desk.step()

    assert orders_in(written) == []
    assert [type(one) for one in control_in(written)] == [Stop]
    desk.put(*R.declines(second))
    (third,) = orders_in(desk.step())
    assert [run.id for run in runs(desk)] == [third.run]
    ends = [one.status for one in desk.events() if isinstance(one, RunEnded)]
    assert ends == [RunStatus.DROPPED, RunStatus.REPLACED]
    assert order.run not in {second.run, third.run}
    assert is_sound(desk)


def test_nothing_is_granted_or_offered_under_a_hold_and_all_goes_on_after_it() -> None:
    desk, order = desk_with_order()
    desk.ask("shop/", HoldSubject("works"))
    desk.put(*R.claims(order))
    (said,) = control_in(desk.step())
    assert isinstance(said, Denial)
    assert said.why.startswith("shop is held by ")
    assert orders_in(desk.pass_time(10 * MINUTE)) == []
    desk.ask("shop/", ReleaseSubject())
    (again,) = orders_in([*desk.step(), *desk.step()])

    assert again.issue == 2
    granted(desk, again)
    assert is_sound(desk)


def test_a_hold_over_everything_does_the_same() -> None:
    desk, order = desk_with_order()
    desk.tell("hold", Hold(held=True, reason="works", actor="user:eve", at=desk.now))
    desk.put(*R.claims(order))
    (said,) = control_in(desk.step())
    assert isinstance(said, Denial)
    assert orders_in(desk.pass_time(10 * MINUTE)) == []
    desk.tell("hold", Hold(held=False, reason="", actor="user:eve", at=desk.now))

    (again,) = orders_in(desk.step())
    granted(desk, again)
    assert is_sound(desk)


def test_what_is_offered_goes_with_its_schedule_and_what_goes_on_stays() -> None:
    desk, order = desk_with_order(replace(HOURLY_WORK, overlap=Overlap(OverlapMode.ALLOW)))
    granted(desk, order)
    desk.ask("shop/a", Trigger())
    desk.step()
    desk.ask("shop/a", Remove())
    desk.step()

    (run,) = runs(desk)
    assert run.id == order.run
    desk.put(*R.reports(order))
    desk.step()
    ends = [(one.status, one.reason) for one in desk.events() if isinstance(one, RunEnded)]
    assert ends == [(RunStatus.DROPPED, "withdrawn"), (RunStatus.SUCCESS, None)]
    assert is_sound(desk)


def test_an_edit_leaves_the_offer_alone_until_the_next_one() -> None:
    desk, _ = desk_with_order()
    other = replace(HOURLY_WORK, action=offering(Program(("false",))))
    desk.ask("shop/a", Define(other))
    assert orders_in(desk.step()) == []
    (again,) = orders_in(desk.pass_time(5 * SECOND))

    assert again.work == Program(("false",))
    assert again.version != 1
    assert is_sound(desk)


def test_what_was_emitted_meanwhile_is_never_offered_as_it_was_before() -> None:
    """An edit makes an emit of the attempt, that is busy, and another edit makes an order of it."""
    desk, order = desk_with_order()
    emit = Emit("jobs", b"k", b"go", tracked=Tracking(HOUR))
    desk.ask("shop/a", Define(replace(HOURLY_WORK, action=emit)))
    desk.step()
    desk.pass_time(5 * SECOND)
    desk.ask("shop/", ReportRun(order.run, ReportStatus.BUSY, 1))
    desk.ask("shop/a", Define(HOURLY_WORK))
    desk.step()
    (again,) = orders_in(desk.pass_time(MINUTE))

    assert (again.run, again.attempt, again.issue) == (order.run, 1, 2)
    desk.put(*R.claims(order))
    (said,) = control_in(desk.step())
    assert isinstance(said, Denial)
    granted(desk, again)
    assert is_sound(desk)
