"""
Does work for a runner start on its grant alone?

On the desk: an order for each offer, a claim and its answer, the report, and what is found again
after a restart. On a broker it is test_runs_of_runners_on_a_broker.py.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.actions import App, Exec, Fresh, Program, Work
from schemas.codec import encode
from schemas.commands import (
    Define,
    DefineApp,
    RemoveSubject,
)
from schemas.definition import Definition, offering
from schemas.events import (
    CommandRefused,
    Fired,
    InsightRaised,
    RunEnded,
    RunGranted,
    RunNoted,
    RunOffered,
)
from schemas.globals import GlobalSettings
from schemas.orders import Denial, Grant, Order
from schemas.policies import Filter, FilterKind, Scope
from schemas.run_events import Result, RunStatus
from schemas.snapshot import RunPhase
from streams.decider.evolve import compiled
from streams.decider.state import Plan, Target
from streams.processor.partitions import row_of
from streams.processor.shape import shape_of
from tests.processor.desk import HOUR, MINUTE, NOON, SECOND, Desk
from tests.processor.offering import R, desk_with_order, granted, is_sound, kinds
from tests.processor.runners import HOURLY_WORK, Runner, control_in, orders_in
from tests.processor.running import runs


def test_what_is_due_is_offered_to_the_pool_and_has_not_begun() -> None:
    desk, order = desk_with_order()
    (run,) = runs(desk)

    assert (run.phase, run.issue, run.started_at) == (RunPhase.OFFERED, 1, None)
    assert (run.until, run.start_until) == (desk.now + 5 * SECOND, desk.now + HOUR)
    assert order == Order(
        run.id, 1, 1, "shop/a", 1, 1, "shop", None, run.nominal, run.due, None,
        desk.now, desk.now + 5 * SECOND, Program(("true",)), None, None, order.trace,
    )  # fmt: skip
    assert is_sound(desk)


def test_the_claim_is_answered_by_a_grant_in_the_same_batch_and_by_no_reply() -> None:
    desk, order = desk_with_order()
    desk.now += SECOND
    written = granted(desk, order)
    (run,) = runs(desk)

    assert (run.phase, run.runner, run.boot) == (RunPhase.STARTED, R.id, R.boot)
    assert (run.started_at, run.lease_until) == (desk.now, desk.now + 30 * SECOND)
    assert [one.topic for one in written] == ["horae.events", "horae.control", *["horae.state"] * 2]
    assert is_sound(desk)


def test_it_is_over_when_its_runner_says_so_and_the_result_is_kept() -> None:
    desk, order = desk_with_order()
    granted(desk, order)
    result = Result(0, "done\n", cut=False, reference="4711", started_at=desk.now)
    desk.put(*R.reports(order, result=result))
    desk.step()

    end = desk.events()[-1]
    assert isinstance(end, RunEnded)
    assert (end.status, end.result) == (RunStatus.SUCCESS, result)
    assert runs(desk) == []
    assert is_sound(desk)


@pytest.mark.parametrize("other", [Runner("node-2"), R])
def test_only_the_first_claim_is_granted(other: Runner) -> None:
    """A second copy of the first one (ANC-15) is told nothing: its grant is on its way."""
    desk, order = desk_with_order()
    desk.put(*R.claims(order))
    desk.put(*other.claims(order))
    written = desk.step()

    mine, theirs = control_in(written, R.id), control_in(written, "node-2")
    assert mine == [Grant(order.run, 1, 1, 1)]
    assert kinds(desk).count(RunGranted) == 1
    if other is R:
        assert theirs == []
        assert kinds(desk)[-1] is RunNoted
    else:
        assert theirs == [Denial(order.run, 1, 1, 1, "the run is not offered now")]
    assert is_sound(desk)


def test_what_nobody_claims_is_offered_again_ever_later_and_elsewhere() -> None:
    desk, order = desk_with_order(partitions=4)
    waits: list[int] = []
    places = [1]
    while len(waits) < 7:
        before = desk.now
        (run,) = runs(desk)
        assert run.until is not None
        written = desk.pass_time(run.until - desk.now)
        (order,) = orders_in(written)
        waits.append((desk.now - before) // SECOND)
        places += [one.partition for one in written if one.topic.startswith("horae.orders")]

    assert waits == [5, 10, 20, 40, 60, 60, 60]
    assert places == [1, 2, 3, 0, 1, 2, 3, 0]
    assert order.issue == 8
    assert is_sound(desk)


def test_a_claim_of_an_older_offer_starts_nothing() -> None:
    desk, order = desk_with_order()
    desk.pass_time(5 * SECOND)
    desk.put(*R.claims(order))
    written = desk.step()

    (said,) = control_in(written)
    assert isinstance(said, Denial)
    assert said.why == "the claim is of attempt 1, offer 1; it is at attempt 1, offer 2"
    assert runs(desk)[0].phase is RunPhase.OFFERED
    assert is_sound(desk)


def test_what_no_runner_begins_in_time_is_over_and_somebody_should_know() -> None:
    desk, _ = desk_with_order(replace(HOURLY_WORK, start_within=12 * SECOND))
    while runs(desk):
        desk.pass_time(SECOND)

    *_, end, insight = desk.events()
    assert isinstance(end, RunEnded)
    assert (end.status, end.started_at) == (RunStatus.EXPIRED, None)
    assert desk.now == end.nominal + 12 * SECOND
    assert isinstance(insight, InsightRaised)
    assert (insight.schedule, insight.kind, insight.about) == ("shop/", "no_runner", "shop/a")
    assert is_sound(desk)


def test_what_is_given_back_is_offered_again_at_once() -> None:
    desk, order = desk_with_order()
    granted(desk, order)
    desk.put(*R.declines(order, "the slot is gone"))
    (again,) = orders_in(desk.step())
    (run,) = runs(desk)

    assert (again.attempt, again.issue) == (1, 2)
    assert (run.phase, run.runner, run.started_at) == (RunPhase.OFFERED, None, None)
    granted(desk, again, Runner("node-2"))
    assert is_sound(desk)


def test_nobody_gives_back_what_somebody_else_has() -> None:
    desk, order = desk_with_order()
    granted(desk, order)
    before = runs(desk)
    desk.put(*Runner("node-2").declines(order))
    desk.put(*R.later().declines(order))
    written = desk.step()

    assert runs(desk) == before
    assert [one for one in written if one.topic == "horae.control"] == []
    assert kinds(desk)[-2:] == [CommandRefused, CommandRefused]
    assert is_sound(desk)


def test_a_pool_is_that_of_the_work_or_of_the_node_of_the_app() -> None:
    app = App("shop:1", node="rack-7")
    works: tuple[Work, ...] = (
        Exec(("true",)),
        Fresh(("true",)),
        Fresh(("true",), pool="big"),
        Program(("true",)),
    )
    desk = Desk()
    desk.ask("shop/", DefineApp(app))
    for name, work in zip("abcd", works, strict=True):
        desk.ask(f"shop/{name}", Define(replace(HOURLY_WORK, action=offering(work))))
    desk.step()
    written = [one for one in desk.pass_time(HOUR) if one.topic.startswith("horae.orders.")]

    pools = [one.topic.removeprefix("horae.orders.") for one in written]
    assert pools == ["rack-7", "rack-7", "big", "default"]
    assert [one.app for one in orders_in(written)] == [app, app, app, None]
    assert is_sound(desk)


def test_an_app_is_known_from_its_first_word_until_its_subject_goes() -> None:
    desk = Desk()
    for app in (App("shop:1"), App("shop:1"), App("shop:2")):
        desk.ask("shop/", DefineApp(app))
    desk.step()
    assert [one.verdict for one in desk.replies()] == ["accepted", "unchanged", "accepted"]
    assert desk.partition.subjects["shop"].subject.notes.app == App("shop:2")
    assert is_sound(desk)
    desk.ask("shop/", RemoveSubject())
    desk.step()
    assert "shop" not in desk.partition.subjects


def test_an_order_is_never_a_plain_fire() -> None:
    plan = _planned(replace(HOURLY_WORK, action=replace(HOURLY_WORK.action, tracked=None)))

    assert shape_of("shop/a", encode(row_of(plan))) is None


def _planned(definition: Definition) -> Plan:
    return Plan("shop/a", 1, 1, NOON, NOON, "", definition, compiled(definition, "shop/a"))


def test_an_order_says_what_of_its_target_is_meant_and_how_long_it_may_take() -> None:
    some = Filter(FilterKind.TYPES, ("Compute",))
    scopes = (Scope("rack-a", some), Scope("rack-b"))
    desk = Desk()
    desk.tell("settings", GlobalSettings(("jobs*",), desk.now, default_timeout=5 * MINUTE))
    desk.ask("shop/a", Define(replace(HOURLY_WORK, scopes=scopes)))
    desk.ask("shop/b", Define(replace(HOURLY_WORK, timeout=MINUTE)))
    desk.step()
    orders = orders_in(desk.pass_time(HOUR))

    found = [(one.scope, one.filter, one.timeout) for one in orders]
    assert found == [
        ("rack-a", some, 5 * MINUTE), ("rack-b", None, 5 * MINUTE), ("shop", None, MINUTE),
    ]  # fmt: skip
    assert is_sound(desk)


def test_without_a_topic_of_its_pool_it_waits_like_any_other_target() -> None:
    desk = Desk()
    desk.ask("shop/a", Define(HOURLY_WORK))
    desk.step()
    words = "topic 'horae.orders.default' does not exist"
    desk.targets = {"horae.orders.default": Target(fault=words)}
    assert orders_in(desk.pass_time(HOUR)) == []
    assert Fired not in kinds(desk)
    desk.targets = {}
    (order,) = orders_in(desk.pass_time(MINUTE))

    granted(desk, order)
    assert is_sound(desk)


def test_an_offer_waits_while_its_topic_is_gone() -> None:
    desk, _ = desk_with_order()
    words = "topic 'horae.orders.default' does not exist"
    desk.targets = {"horae.orders.default": Target(fault=words)}
    assert orders_in(desk.pass_time(5 * SECOND)) == []
    desk.targets = {}
    (again,) = orders_in(desk.pass_time(2 * SECOND))

    assert (again.attempt, again.issue) == (1, 2)
    assert RunOffered not in kinds(desk)
    assert is_sound(desk)
