"""What waits for an earlier run begins in its turn, or never, and says why."""

from __future__ import annotations

from schemas.commands import Define, ReportStatus, Trigger
from schemas.definition import Basis, CatchUp, Interval
from schemas.events import (
    Reason,
    RunCancelling,
    RunEnded,
    ScheduleEvent,
)
from schemas.policies import Across, Full, Overlap, OverlapMode, Retry
from schemas.run_events import RunStatus
from tests.decider.house import House, outcomes, tracked
from tests.decider.stage import DAY, HOUR, MINUTE, at
from tests.decider.told import begun, ended, going, house_with

CANCELLED = ReportStatus.CANCELLED
QUEUE = Overlap(OverlapMode.QUEUE)
ALLOW = Overlap(OverlapMode.ALLOW)
AFTER_END = Interval(micros=HOUR, basis=Basis.AFTER_END)


def many_triggers(overlap: Overlap, count: int = 50) -> tuple[House, list[ScheduleEvent]]:
    """So many fires by hand, a second apart, beside the first of them."""
    house = House()
    house.ask("00:01", Define(tracked("0 5 * * *", overlap=overlap)))
    events: list[ScheduleEvent] = []
    for number in range(count):
        events += house.ask(at("01:00") + number * 1_000_000, Trigger())
    return house, events


def test_one_waits_and_begins_when_the_run_before_it_ends() -> None:
    """POL-030."""
    house = House()
    queue = Overlap(OverlapMode.QUEUE, limit=1)
    house.ask("00:01", Define(tracked("*/5 * * * *", overlap=queue)))

    found = outcomes(house.wait("00:26"))
    first = house.going()[0]
    begins = begun(house.report("00:27", first.id))
    house.report("00:29", house.going()[0].id)

    assert [(at("00:05"), "started"), (at("00:10"), "waiting")] == found[:2]
    assert [(at(one), "buffer_full") for one in ("00:15", "00:20", "00:25")] == found[2:]
    assert begins == [at("00:10")]
    assert outcomes(house.wait("00:30")) == [(at("00:30"), "started")]


def test_two_wait_the_next_is_dropped_and_all_begin_in_order() -> None:
    """POL-031."""
    house, first = house_with(overlap=Overlap(OverlapMode.QUEUE, limit=2))

    found = outcomes(house.wait("00:20"))
    second = begun(house.report("00:22", first))
    third = begun(house.report("00:23", going(house)[0]))
    house.report("00:24", going(house)[0])

    assert [one for _, one in found] == ["waiting", "waiting", "buffer_full"]
    assert (second, third) == ([at("00:10")], [at("00:15")])
    assert outcomes(house.wait("00:25")) == [(at("00:25"), "started")]


def test_the_newest_takes_the_place_of_what_was_asked_to_stop_and_only_once_it_has() -> None:
    """POL-033, AJ-031."""
    house, first = house_with(overlap=Overlap(OverlapMode.REPLACE))

    second = house.wait("00:10")
    third = house.wait("00:15")
    still_going = going(house)
    over = house.report("00:16", first, CANCELLED)

    assert [one.run for one in second if isinstance(one, RunCancelling)] == [first]
    assert ended(third) == [(at("00:10"), "superseded")]
    assert not any(isinstance(one, RunCancelling) for one in third)
    assert still_going == [first]
    assert ended(over) == [(at("00:05"), "replaced")]
    assert begun(over) == [at("00:15")]
    assert over.index(next(one for one in over if isinstance(one, RunEnded))) == 0
    assert ended(house.report("00:17", going(house)[0])) == [(at("00:15"), "success")]


def test_what_only_waits_for_its_next_attempt_is_replaced_at_once() -> None:
    overlap = Overlap(OverlapMode.REPLACE)
    house, first = house_with(overlap=overlap, retry=Retry(3, 10 * MINUTE))
    house.caps(concurrent=1)
    house.report("00:06", first, ReportStatus.FAILED)

    found = house.wait("00:10")

    assert outcomes(found) == [(at("00:10"), "started")]
    assert ended(found) == [(at("00:05"), "replaced")]
    assert len(house.going()) == 1


def test_what_is_to_stop_may_clean_up_for_as_long_as_it_is_heard_of() -> None:
    house, first = house_with(overlap=Overlap(OverlapMode.REPLACE), timeout=6 * MINUTE)

    quiet = house.wait("00:14")
    still_going = going(house)
    over = house.report("00:14", first, CANCELLED)

    assert [type(one) for one in quiet if isinstance(one, RunEnded)] == []
    assert still_going == [first]
    assert begun(over) == [at("00:10")]


def test_of_fifty_the_first_and_the_newest_run() -> None:
    """IT-098: queue-latest."""
    house, events = many_triggers(Overlap(OverlapMode.LATEST))

    newest = begun(house.report("01:02", going(house)[0]))

    assert [why for _, why in ended(events)] == ["superseded"] * 48
    assert newest == [at("01:00") + 49 * 1_000_000]
    assert house.waiting() == []


def test_of_fifty_that_wait_all_run_in_order() -> None:
    """IT-098: queue-all."""
    house, _ = many_triggers(Overlap(OverlapMode.QUEUE, limit=50))

    order: list[int] = []
    while house.going():
        (run,) = house.going()
        order.append(run.nominal)
        house.report("01:02", run.id)

    assert order == [at("01:00") + number * 1_000_000 for number in range(50)]


def test_of_fifty_the_first_is_replaced_by_the_newest() -> None:
    """IT-098: replace."""
    house, events = many_triggers(Overlap(OverlapMode.REPLACE))

    over = house.report("01:02", going(house)[0], CANCELLED)

    assert sum(isinstance(one, RunCancelling) for one in events) == 1
    assert [one for _, one in ended(over)] == ["replaced"]
    assert begun(over) == [at("01:00") + 49 * 1_000_000]


def test_the_oldest_of_a_full_queue_makes_room_for_each_newer_one() -> None:
    """IT-099, with a limit of 20 instead of 2,048; how many it were is counted by reason."""
    house, events = many_triggers(Overlap(OverlapMode.QUEUE, limit=20, full=Full.OLDEST))

    assert ended(events) == [
        (at("01:00") + number * 1_000_000, "buffer_full") for number in range(1, 30)
    ]
    assert [run.nominal for run in house.waiting()] == [
        at("01:00") + number * 1_000_000 for number in range(30, 50)
    ]


def test_what_waits_without_a_rule_of_its_own_follows_the_one_in_force() -> None:
    """ANC-01."""
    house = House()
    house.ask("00:01", Define(tracked("0 5 * * *", overlap=Overlap())))
    house.ask("01:00", Trigger())
    house.ask("01:01", Trigger(overlap=OverlapMode.QUEUE))
    house.ask("01:01:30", Define(tracked("0 5 * * *", overlap=QUEUE)))
    house.ask("01:02", Trigger())
    house.ask("01:03", Trigger())

    dropped = house.ask("01:04", Define(tracked("0 5 * * *", overlap=Overlap())))

    assert ended(dropped) == [(at("01:02"), "overlap"), (at("01:03"), "overlap")]
    assert [run.nominal for run in house.waiting()] == [at("01:01")]
    assert begun(house.report("01:05", going(house)[0])) == [at("01:01")]


def test_what_waits_begins_when_an_edit_lets_it() -> None:
    house, _ = house_with(overlap=QUEUE)
    house.wait("00:15")

    edited = house.ask("00:16", Define(tracked("*/5 * * * *", overlap=ALLOW)))

    assert begun(edited) == [at("00:10"), at("00:15")]
    assert len(house.going()) == 3


def test_one_at_a_time_across_the_subject_in_the_order_of_schedule_ids() -> None:
    house = House()
    rule = Overlap(OverlapMode.QUEUE, across=Across.SUBJECT)
    for name in ("shop/c", "shop/a", "shop/b"):
        house.ask("00:01", Define(tracked("0 1 * * *", overlap=rule)), name)
    house.wait("01:00")

    order = []
    while house.going():
        (run,) = house.going()
        order.append(run.schedule)
        house.report("01:02", run.id)

    assert order == ["shop/a", "shop/b", "shop/c"]


def test_a_run_too_old_for_the_catch_up_rule_is_missed_when_its_turn_comes() -> None:
    """ANC-02: measured from its due instant, and not before its turn."""
    house = House()
    queue = Overlap(OverlapMode.QUEUE, limit=2, max_wait=10 * HOUR)
    catch_up = CatchUp(lookback=HOUR)
    house.ask("00:01", Define(tracked("0 1-2 * * *", overlap=queue, catch_up=catch_up, lease=DAY)))
    house.wait("02:00")
    (first,) = going(house)
    assert house.wait("04:59") == []

    found = house.report("05:00", first)

    assert ended(found) == [(at("01:00"), "success"), (at("02:00"), "missed")]
    assert begun(found) == []
    assert house.waiting() == []


def test_what_waits_too_long_is_dropped_with_the_reason() -> None:
    house, _ = house_with(overlap=Overlap(OverlapMode.LATEST, max_wait=3 * MINUTE))

    found = house.wait("00:13")

    assert outcomes(found) == [(at("00:10"), "waiting")]
    assert ended(found) == [(at("00:10"), "queue_timeout")]
    assert [one.status for one in found if isinstance(one, RunEnded)] == [RunStatus.DROPPED]


def test_reasons_of_runs_that_never_began_are_told() -> None:
    house, _ = house_with(overlap=Overlap(OverlapMode.LATEST))

    found = house.wait("00:15")

    (end,) = [one for one in found if isinstance(one, RunEnded)]
    assert (end.reason, end.started_at) == (Reason.SUPERSEDED, None)
    assert end.detail.endswith("came after it")
