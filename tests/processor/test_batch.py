"""A batch writes everything or leaves no trace, and its order is that of the log."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.codec import decode_as
from schemas.commands import Define, Pause, Remove, Resume, Trigger
from schemas.definition import CatchUp, CatchUpMode, Hours, Once, Window
from schemas.events import (
    CommandUnchanged,
    Fired,
    Reason,
    ScheduleDefined,
    ScheduleRemoved,
    Skipped,
)
from schemas.schedule import ScheduleRow
from schemas.snapshot import Cursor, Owner
from tests.processor.desk import HOUR, HOURLY, MINUTE, NOON, SECOND, Desk, Written, desk_with, last


def places(written: list[Written]) -> list[tuple[str, bytes | None]]:
    return [(one.topic, one.key) for one in written]


def kept_by(desk: Desk) -> object:
    """All that a partition remembers."""
    partition = desk.partition
    residents = {name: (one.row, one.cursor, one.due) for name, one in partition.residents.items()}
    return (
        partition.owner,
        residents,
        dict(partition.answers),
        list(partition.answered),
        sorted((due, name) for due, name, _ in partition.timers.entries()),
    )


# ---------------------------------------------------------------------- what is written


def test_a_definition_writes_event_reply_cursor_row_and_owner() -> None:
    desk = Desk()
    desk.ask("shop/a", Define(HOURLY))
    written = desk.step()

    assert places(written) == [
        ("horae.events", b"shop/a#ScheduleDefined:0"),
        ("horae.replies", b"0.0"),
        ("horae.state", b"p|shop/a"),
        ("horae.schedules", b"shop/a"),
        ("horae.state", b"o|0"),
    ]
    row = decode_as(last(written, b"shop/a") or b"", ScheduleRow)
    cursor = decode_as(last(written, b"p|shop/a") or b"", Cursor)
    assert (row.definition, row.version, row.created_at) == (HOURLY, 0, NOON)
    assert (cursor.nominal, cursor.zone_data) == (NOON + HOUR, desk.world.zone_data)


def test_a_fire_writes_event_cursor_record_and_owner_and_no_row() -> None:
    desk = desk_with()
    written = desk.pass_time(HOUR)

    assert sorted(places(written)) == [
        ("horae.events", b"shop/a~0@2026-11-29T13:00:00Z"),
        ("horae.state", b"o|0"),
        ("horae.state", b"p|shop/a"),
        ("jobs", b"k"),
    ]
    assert written[-1].key == b"o|0"


def test_a_removal_leaves_nothing_but_tombstones() -> None:
    desk = desk_with()
    desk.ask("shop/a", Remove())
    written = desk.step()

    assert last(written, b"p|shop/a") is None
    assert last(written, b"shop/a") is None
    assert desk.partition.residents == {}
    assert desk.pass_time(3 * HOUR) == []


def test_the_owner_says_where_to_go_on() -> None:
    desk = desk_with("shop/a", "shop/b")
    owner = decode_as(last(desk.pass_time(HOUR), b"o|0") or b"", Owner)

    assert (owner.instance, owner.next_offset, owner.next_sequence, owner.written_at) == (
        *("desk-1", 2, 4),
        NOON + HOUR,
    )
    assert [record.stamp.sequence for record in desk.ledger()] == [0, 1, 2, 3]


def test_a_batch_of_timers_alone_writes_the_offset_too() -> None:
    desk = desk_with()
    desk.now += HOUR
    batch, _ = desk.draft()

    assert batch.close("desk-1") == {0: 1}


def test_nothing_to_do_writes_nothing() -> None:
    desk = desk_with()
    batch, written = desk.draft()

    assert not batch
    assert (batch.close("desk-1"), written) == ({}, [])


def test_what_a_batch_did_is_counted() -> None:
    desk = desk_with("shop/a", "shop/b")
    desk.put(b"shop/a", b"no command")
    desk.now += 3 * HOUR + 10 * MINUTE
    batch, _ = desk.draft()

    assert batch.rejected == 1
    assert batch.skipped == {Reason.MISSED: 4}
    assert list(batch.fired_due) == [NOON + 3 * HOUR] * 2


# ---------------------------------------------------------------------- no trace


@pytest.mark.parametrize("closed", [False, True])
def test_a_batch_that_is_not_kept_leaves_no_trace(closed: bool) -> None:
    desk = desk_with("shop/a", "shop/b", "shop/c")
    desk.ask("shop/a", Pause("why"), "p1")
    desk.ask("shop/b", Remove())
    desk.ask("shop/d", Define(HOURLY))
    desk.put(b"shop/a", b"no command")
    desk.now += HOUR
    before = kept_by(desk)
    due = desk.partition.timers.pop_due(desk.now, 10)
    for entry in due:
        desk.partition.timers.put(entry)
    batch, first = desk.draft()
    if closed:
        batch.close("desk-1")
    # What the loop does on an abort: the timers are put back, the overlay is forgotten.
    for entry in due:
        desk.partition.timers.put(entry)

    assert kept_by(desk) == before
    again = desk.step()
    assert again[: len(first)] == first


def test_a_batch_that_is_done_again_writes_the_same_bytes() -> None:
    desk = desk_with("shop/a", "shop/b")
    desk.ask("shop/a", Trigger(), "t1")
    desk.now += HOUR
    batch, first = desk.draft()
    batch.close("desk-1")
    for name in ("shop/a", "shop/b"):
        resident = desk.partition.residents[name]
        desk.partition.timers.put((resident.due, name, resident))

    assert desk.step() == first


# ---------------------------------------------------------------------- order


def test_commands_of_one_batch_see_each_other() -> None:
    desk = Desk()
    desk.ask("shop/a", Define(HOURLY))
    desk.ask("shop/a", Define(HOURLY))
    desk.ask("shop/a", Remove())
    desk.ask("shop/a", Define(HOURLY))
    desk.step()

    assert [type(event) for event in desk.events()] == [
        *(ScheduleDefined, CommandUnchanged, ScheduleRemoved, ScheduleDefined)
    ]
    assert [reply.version for reply in desk.replies()] == [0, 0, None, 3]
    assert desk.pass_time(HOUR) != []


def test_a_command_read_before_the_fire_wins() -> None:
    desk = desk_with()
    desk.ask("shop/a", Pause("why"))
    desk.now += HOUR
    desk.step()

    assert not [event for event in desk.events() if isinstance(event, Fired)]


def test_a_one_time_and_its_deletion_that_were_there_before_do_nothing() -> None:
    """KPR-01: both are in the log before the start; the instant lies in the past."""
    desk = Desk()
    desk.ask("shop/a", Define(replace(HOURLY, timings=(Once(NOON + MINUTE),))))
    desk.ask("shop/a", Remove())
    desk.now += HOUR
    desk.step()
    desk.pass_time(HOUR)

    assert not [event for event in desk.events() if isinstance(event, Fired | Skipped)]


def test_what_is_due_together_leaves_in_the_order_of_ids() -> None:
    """KPR-16 and POL-041: 2,000 in one second, those behind run all the same."""
    desk = Desk()
    strict = replace(HOURLY, catch_up=CatchUp(CatchUpMode.NONE))
    names = [f"shop/{n * 7_919 % 2_000:04}" for n in range(2_000)]
    for name in names:
        desk.ask(name, Define(strict))
    desk.step()
    desk.now += HOUR
    while desk.step(limit=300):
        desk.now += SECOND

    fired = [event.schedule for event in desk.events() if isinstance(event, Fired)]
    assert fired == sorted(names)


def test_a_timer_that_was_set_twice_fires_once() -> None:
    """Paused and resumed before its instant, a schedule has two entries in the heap."""
    desk = desk_with()
    desk.ask("shop/a", Pause("why"), "p")
    desk.step()
    desk.ask("shop/a", Resume("on"), "r")
    desk.step()
    desk.pass_time(HOUR)

    assert len([event for event in desk.events() if isinstance(event, Fired)]) == 1
    assert len([one for one in desk.log if one.topic == "jobs"]) == 1


def test_a_timer_that_rings_twice_in_one_batch_fires_once() -> None:
    desk = desk_with()
    desk.now += HOUR
    resident = desk.partition.residents["shop/a"]
    batch, written = desk.draft()
    batch.ring([(resident.due, "shop/a", resident)])

    assert len([one for one in written if one.topic == "jobs"]) == 1


def test_one_that_rings_too_early_rings_again() -> None:
    desk = desk_with()
    resident = desk.partition.residents["shop/a"]
    batch, written = desk.draft()
    batch.ring([(resident.due, "shop/a", resident)])
    batch.close("desk-1")
    batch.keep()

    assert [one.topic for one in written] == ["horae.state"]
    assert [one.topic for one in desk.pass_time(HOUR)].count("jobs") == 1


def test_waiting_for_a_window_is_no_lateness() -> None:
    """What counts is when it was to start; the event says when it was due."""
    desk = Desk()
    evening = Window((Hours(18 * 3600, 20 * 3600),), spread=0)
    desk.ask("shop/a", Define(replace(HOURLY, window=evening)))
    desk.step()
    desk.pass_time(HOUR)
    desk.now = NOON + 6 * HOUR
    batch, _ = desk.draft()

    assert list(batch.fired_due) == [NOON + 6 * HOUR]
