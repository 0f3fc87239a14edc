"""What one schedule does is nothing to its neighbours, whatever is wrong with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.codec import decode_as, encode
from schemas.commands import Define, Pause, Remove
from schemas.definition import Once
from schemas.events import (
    Deferred,
    Fired,
)
from schemas.schedule import ScheduleRow
from streams.decider.state import Target
from streams.faults import PartitionStopped
from tests.processor.desk import HOUR, HOURLY, MINUTE, NOON, SECOND, Desk, desk_with


def test_one_bad_target_defers_its_own_and_holds_up_nobody() -> None:
    """KPR-31: 50 others fire in the same batch."""
    desk = desk_with(*(f"shop/{n}" for n in range(50)))
    bad = replace(HOURLY, action=replace(HOURLY.action, topic="jobs-gone"))
    desk.ask("shop/bad", Define(bad))
    desk.step()
    desk.targets["jobs-gone"] = Target(fault="there is no topic 'jobs-gone'")
    desk.pass_time(HOUR)

    assert len([event for event in desk.events() if isinstance(event, Fired)]) == 50
    waiting = [event for event in desk.events() if isinstance(event, Deferred)]
    assert [(one.schedule, one.evidence) for one in waiting] == [
        ("shop/bad", "there is no topic 'jobs-gone'")
    ]


def test_two_subjects_may_use_one_name() -> None:
    """POL-067: every key and every tombstone names the subject."""
    desk = desk_with("a/nightly", "b/nightly")
    desk.ask("a/nightly", Remove())
    desk.step()
    desk.pass_time(HOUR)

    fired = [event.schedule for event in desk.events() if isinstance(event, Fired)]
    assert fired == ["b/nightly"]


def test_removing_one_and_adding_another_moves_no_third() -> None:
    """POL-020: A is removed a second before it is due, B is added in that second."""
    desk = desk_with("shop/a", "shop/c")
    desk.now += HOUR - SECOND
    third = desk.partition.residents["shop/c"].due
    desk.ask("shop/a", Remove())
    desk.ask("shop/b", Define(HOURLY))
    desk.step()
    assert desk.partition.residents["shop/c"].due == third
    desk.pass_time(SECOND)

    fired = [event.schedule for event in desk.events() if isinstance(event, Fired)]
    assert fired == ["shop/b", "shop/c"]


def test_a_one_time_that_ran_stays_what_it_is_beside_others() -> None:
    """POL-056: an edit of its neighbour and a third with the same time change nothing."""
    desk = Desk()
    single = replace(HOURLY, timings=(Once(NOON + HOUR),))
    desk.ask("shop/once", Define(single))
    desk.ask("shop/cron", Define(HOURLY))
    desk.ask("shop/third", Define(HOURLY))
    desk.step()
    desk.pass_time(HOUR)
    desk.ask("shop/cron", Define(replace(HOURLY, description="edited")))
    desk.step()
    desk.pass_time(MINUTE)

    fired = sorted(event.schedule for event in desk.events() if isinstance(event, Fired))
    assert fired == ["shop/cron", "shop/once", "shop/third"]


def test_the_live_schedules_are_those_that_exist() -> None:
    """KPR-50: add a, add b, overwrite a, delete b, delete the absent c."""
    desk = Desk()
    live = []
    for name, command in (
        ("shop/a", Define(HOURLY)),
        ("shop/b", Define(HOURLY)),
        ("shop/a", Define(replace(HOURLY, description="again"))),
        ("shop/b", Remove()),
        ("shop/c", Remove()),
    ):
        desk.ask(name, command)
        desk.step()
        live.append(len(desk.partition.residents))

    assert live == [1, 2, 2, 1, 1]


def test_a_broken_schedule_does_not_run_and_spins_no_timer() -> None:
    """AJ-003 and AJ-065: the good one beside it runs; the broken one waits to be mended."""
    desk = desk_with("shop/bad", "shop/good")
    bad = desk.partition.residents["shop/bad"]
    row = decode_as(bad.row, ScheduleRow)
    lost = replace(row, definition=replace(row.definition, zone="Mars/Base"))
    bad.change(encode(lost))
    desk.pass_time(HOUR)
    assert [one.schedule for one in desk.events() if isinstance(one, Fired)] == ["shop/good"]
    assert desk.partition.timers.next_due() == NOON + 2 * HOUR

    desk.ask("shop/bad", Define(HOURLY))
    desk.step()
    desk.pass_time(HOUR)
    assert "shop/bad" in {one.schedule for one in desk.events() if isinstance(one, Fired)}


def test_a_row_that_is_none_of_ours_stops_its_partition() -> None:
    """KAF-054: a deciding reader stops at what it does not know of its own."""
    desk = desk_with()
    desk.partition.residents["shop/a"].change(b"from the future")
    desk.ask("shop/a", Pause("why"))

    with pytest.raises(PartitionStopped, match="shop/a"):
        desk.step()
