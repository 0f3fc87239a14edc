"""Where schedules say so, the newest word about a subject closes what still waits of older ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Command, Define, Pause, Remove, ReportStatus, Trigger
from schemas.definition import CatchUp
from schemas.events import Deferred, Fired, RunEnded, RunStarted, ScheduleCompleted, Skipped
from schemas.globals import Freeze
from schemas.policies import Across, Overlap, OverlapMode
from streams.decider.state import Target
from tests.decider.house import TRACKED, House, outcomes, tracked
from tests.decider.stage import HOUR, at
from tests.decider.told import begun, ended

RULE = Overlap(OverlapMode.QUEUE, across=Across.SUBJECT, supersedes=True)
SLEEP, WAKE, OTHER = "shop/sleep", "shop/wake", "shop/other"


def house_where_sleep_waits(end_at: int | None = None) -> House:
    """Sleep is due at 22:00 and its topic takes nothing; wake is due at 22:30 and gets through."""
    house = House()
    catch_up = CatchUp(lookback=HOUR)
    definition = tracked("0 22 * * *", overlap=RULE, catch_up=catch_up, end_at=end_at)
    definition = replace(definition, action=replace(TRACKED, topic="jobs-asleep"))
    house.ask("21:00", Define(definition), SLEEP)
    house.ask("21:00", Define(tracked("30 22 * * *", overlap=RULE)), WAKE)
    house.world = replace(house.world, targets={"jobs-asleep": Target(fault="it is gone")})
    assert isinstance(house.wait("22:00")[0], Deferred)
    return house


def test_what_is_due_closes_what_is_still_deferred() -> None:
    house = house_where_sleep_waits()

    found = [one for one in house.wait("22:30") if not isinstance(one, Deferred)]

    fired, skipped = found
    assert isinstance(fired, Fired)
    assert isinstance(skipped, Skipped)
    assert (fired.schedule, skipped.schedule) == (WAKE, SLEEP)
    assert (skipped.first, skipped.reason) == (at("22:00"), "superseded")
    assert skipped.evidence == "shop/wake was due after it, at 2026-06-01T22:30:00Z"
    assert skipped.deferrals > 0
    assert house.schedules[SLEEP].cursor.nominal == at("06-02T22:00")


def test_a_schedule_whose_last_occurrence_is_closed_is_completed() -> None:
    house = house_where_sleep_waits(end_at=at("23:00"))

    found = house.wait("22:30")

    assert [one.schedule for one in found if isinstance(one, ScheduleCompleted)] == [SLEEP]
    assert house.schedules[SLEEP].plan.completed


def test_what_waits_in_a_queue_is_closed_and_only_what_has_begun_is_in_the_way() -> None:
    house = House()
    for minute, name in enumerate((SLEEP, WAKE, OTHER)):
        house.ask("21:00", Define(tracked(f"{minute} 22 * * *", overlap=RULE)), name)

    found = house.wait("22:02")
    (first,) = house.going()
    over = house.report("22:03", first.id)

    assert [one for _, one in outcomes(found)] == ["started", "waiting", "waiting"]
    assert ended(found) == [(at("22:01"), "superseded")]
    assert ended(over) == [(at("22:00"), "success")]
    assert begun(over) == [at("22:02")]


@pytest.mark.parametrize("who", [SLEEP, WAKE])
def test_both_must_say_so(who: str) -> None:
    house = house_where_sleep_waits()
    definition = house.schedules[who].plan.definition
    house.ask("22:10", Define(replace(definition, overlap=replace(RULE, supersedes=False))), who)

    found = house.wait("22:30")

    assert any(isinstance(one, Fired) and one.schedule == WAKE for one in found)
    assert house.schedules[SLEEP].cursor.deferrals > 0


def test_what_does_not_happen_closes_nothing() -> None:
    house = house_where_sleep_waits()
    house.wait("22:29:59")
    freeze = Freeze(("shop",), at("22:30"), at("22:30") + 1, "works")
    house.world = replace(house.world, freezes={"works": freeze})

    found = [one for one in house.look("22:30") if not isinstance(one, Deferred)]

    assert [one.schedule for one in found] == [WAKE]
    assert outcomes(found) == [(at("22:30"), "freeze")]
    assert house.schedules[SLEEP].cursor.deferrals > 0


def test_what_is_older_or_due_at_the_same_instant_closes_nothing() -> None:
    house = House()
    for name in (SLEEP, WAKE):
        house.ask("21:00", Define(tracked("0 22 * * *", overlap=RULE)), name)
    house.ask("21:00", Define(tracked("50 21 * * *", overlap=RULE)), OTHER)

    found = house.wait("22:00")

    assert [one for _, one in outcomes(found)] == ["started", "waiting", "waiting"]
    assert ended(found) == []


def test_a_fire_by_hand_is_the_newest_word_too() -> None:
    house = house_where_sleep_waits()

    found = house.ask("22:10", Trigger(), WAKE)

    assert [type(one) for one in found] == [Fired, Skipped]
    assert house.schedules[SLEEP].cursor.deferrals == 0


def test_a_run_that_was_never_taken_counts_as_waiting() -> None:
    house = House()
    definition = tracked("1 22 * * *", overlap=RULE)
    for name, minute in ((SLEEP, 0), (OTHER, 30)):
        house.ask("21:00", Define(tracked(f"{minute} 22 * * *", overlap=RULE)), name)
    house.ask(
        "21:00",
        Define(replace(definition, action=replace(TRACKED, topic="jobs-asleep"))),
        WAKE,
    )
    house.wait("22:01")
    house.world = replace(house.world, targets={"jobs-asleep": Target(fault="it is gone")})
    (first,) = house.going()
    house.report("22:02", first.id)

    found = house.wait("22:30")

    ends = [one for one in found if isinstance(one, RunEnded)]
    assert [(one.schedule, one.reason) for one in ends] == [(WAKE, "superseded")]
    assert outcomes(found) == [(at("22:30"), "started")]


def test_an_older_run_that_goes_on_is_left_alone() -> None:
    house = House()
    house.ask("21:00", Define(tracked("0 22 * * *", overlap=RULE)), SLEEP)
    house.ask("21:00", Define(tracked("1 22 * * *", overlap=RULE)), WAKE)
    house.wait("22:01")
    (first,) = house.going()

    over = house.report("22:02", first.id, ReportStatus.FAILED)

    assert ended(over) == [(at("22:00"), "failed")]
    assert [one.schedule for one in over if isinstance(one, RunStarted)] == [WAKE]


def test_who_waited_behind_what_is_closed_begins_instead() -> None:
    """What had not begun made room when it was closed, and no run ends that others wait for."""
    house = House()
    rule = replace(RULE, supersedes=False)
    house.ask("21:00", Define(tracked("0,30 22 * * *", overlap=RULE)), SLEEP)
    house.ask("21:00", Define(tracked("5 22 * * *", overlap=rule)), OTHER)
    house.wait("22:05")
    (first,) = house.going()
    (waits,) = house.waiting()
    house.report("22:29:30", first.id, ReportStatus.BUSY)
    fire, closed, queued, begins = house.wait("22:30")

    assert isinstance(fire, Fired)
    assert isinstance(closed, RunEnded)
    assert closed.run == first.id
    assert type(queued).__name__ == "RunQueued"
    assert isinstance(begins, RunStarted)
    assert (begins.run, begins.schedule) == (waits.id, OTHER)


@pytest.mark.parametrize(
    "command", [Pause(), Remove(), Define(tracked("5 23 * * *", overlap=RULE))]
)
def test_what_fires_before_a_command_changes_its_schedule_closes_what_waits_too(
    command: Command,
) -> None:
    """The command is read before the timer rings: what it settles is as new a word."""
    house = house_where_sleep_waits()
    house.wait(at("22:30") - 1)

    fired, skipped, *_ = house.ask("22:30", command, WAKE)

    assert isinstance(fired, Fired)
    assert isinstance(skipped, Skipped)
    assert (fired.schedule, skipped.schedule) == (WAKE, SLEEP)
    assert (skipped.first, skipped.reason) == (at("22:00"), "superseded")
    assert house.schedules[SLEEP].cursor.nominal == at("06-02T22:00")


def test_what_does_not_fire_before_a_command_closes_nothing() -> None:
    house = house_where_sleep_waits()
    house.wait(at("22:30") - 1)
    gone = {**house.world.targets, "jobs": Target(fault="it is gone, too")}
    house.world = replace(house.world, targets=gone)

    events = house.ask("22:30", Pause(), WAKE)

    assert [one.schedule for one in events if isinstance(one, Skipped)] == [WAKE]
    assert house.schedules[SLEEP].cursor.deferrals > 0
