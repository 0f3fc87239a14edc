"""
Does the express lane write what the decider would have written, to the byte?

The same schedule rings twice in batches of its own: once as it is, once with its plain way taken
from it. What reaches the transaction and what stays in memory must be equal.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.binary import long_bytes
from schemas.codec import encode, pack_cursor
from schemas.definition import (
    HOUR,
    MINUTE,
    SECOND,
    Basis,
    Cron,
    Definition,
    Emit,
    Exclude,
    Hours,
    Interval,
    Once,
    Timing,
    Weekly,
    Window,
)
from schemas.globals import Freeze, GlobalSettings
from schemas.plain_bytes import Counted
from schemas.schedule import PauseNote, ScheduleRow, Status
from schemas.snapshot import Cursor, Owner
from streams.calendar.occurrences import rule_for
from streams.decider.state import Target, World
from streams.processor.batch import Batch
from streams.processor.partitions import Partition, Resident

NOW = 1_795_987_720_317_058
CREATED = NOW - 40 * 24 * HOUR
SCHEDULE = "billing/nightly"
Written = list[tuple[str, int, bytes | None, bytes | None, object]]

WEEKLY = Weekly(127, 22 * 3600 + 28 * 60)
"""The minute that has just begun, an hour ahead of UTC."""
TIMINGS: dict[str, tuple[tuple[Timing, ...], str]] = {
    "each minute": ((Cron("* * * * *"),), "UTC"),
    "each minute where clocks change": ((Cron("* * * * *"),), "Europe/Berlin"),
    "by its hash": ((Cron("H/5 * * * *"),), "America/New_York"),
    "a grid from its creation": ((Interval(micros=7 * SECOND),), "UTC"),
    "an anchored grid": ((Interval(micros=10 * SECOND, anchor=0),), "UTC"),
    "each day of the week": ((WEEKLY,), "Europe/Berlin"),
    "two timings": ((Cron("* * * * *"), Interval(micros=90 * SECOND, anchor=0)), "Asia/Tokyo"),
}
ACTIONS = {
    "key and value": Emit("jobs", key=b"billing", value=b"go"),
    "no key": Emit("jobs", value=b"\0\xff"),
    "no value": Emit("jobs", key=b""),
    "nothing": Emit("jobs"),
    "much": Emit("jobs", key=b"k" * 200, value=b"v" * 20_000),
    "headers, one of them ours": Emit(
        "jobs", value=b"go", headers=(("a", b"1"), ("horae-run", b"another"), ("b", None))
    ),
}


def row(definition: Definition, **changed: object) -> ScheduleRow:
    given = {"status": Status.ENABLED, "pause": None, **changed}
    return ScheduleRow(
        *(41, 7, CREATED, CREATED, "service:billing", given["status"], definition, given["pause"])  # type: ignore[arg-type]
    )


def cursor_of(definition: Definition, age: int, deferrals: int) -> Cursor:
    """Everything is settled but the newest instant that is at least so old, and what follows."""
    rule = rule_for(definition.timings, definition.zone, definition.dst, SCHEDULE)
    origin = CREATED // SECOND * SECOND
    newest = rule.previous(NOW - age, origin)
    before = rule.previous(newest.instant - 1, origin)
    return Cursor(
        before.instant, before.wall, newest.instant, newest.instant,
        NOW - age if deferrals else 0, 3, deferrals, 6, before.second_pass,
    )  # fmt: skip


def rung(kept: ScheduleRow, cursor: Cursor, world: World, *, plainly: bool) -> tuple[object, ...]:
    """What one ring writes and leaves in memory; the last: whether it took the express lane."""
    partition = Partition(3, Owner("me", 50, "topic", 0, 900, 12, NOW - HOUR))
    resident = Resident(partition, encode(kept), pack_cursor(cursor))
    partition.residents[SCHEDULE] = resident
    if not plainly:
        resident.shape = None
    written: Written = []
    batch = Batch(world, NOW, written.extend, 12)
    batch.ring([(cursor.due, SCHEDULE, resident)])
    lane = bool(batch._drafts[3].plain)
    batch.close("me")
    batch.keep()
    order = sorted(written, key=lambda one: (one[0], one[2] or b""))
    return order, resident.cursor, resident.row, resident.due, batch.fired_due, lane


def world(**targets: Target) -> World:
    limits = GlobalSettings(emit_topics=("*",), at=0)
    return World(settings=limits, globals_offset=12, targets=targets, zone_data=6)


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS.keys())
@pytest.mark.parametrize("timing", TIMINGS.values(), ids=TIMINGS.keys())
@pytest.mark.parametrize("age", [0, 30 * SECOND])
def test_both_ways_write_the_same(
    timing: tuple[tuple[Timing, ...], str], action: Emit, age: int
) -> None:
    definition = Definition(timing[0], action, timing[1])
    kept, cursor = row(definition), cursor_of(definition, age, 0)

    *express, lane = rung(kept, cursor, world(jobs=Target()), plainly=True)
    *decided, other = rung(kept, cursor, world(jobs=Target()), plainly=False)

    assert (lane, other) == (NOW - cursor.due <= MINUTE, False)
    assert express == decided


FREEZE = Freeze(("other",), NOW - HOUR, NOW + HOUR)
EVERY_MINUTE = Definition((Cron("* * * * *"),), Emit("jobs", value=b"go"))
NOT_PLAIN = {
    "late": (row(EVERY_MINUTE), 5 * MINUTE, 0, world()),
    "deferred before": (row(EVERY_MINUTE), 30 * SECOND, 2, world()),
    "its topic is forbidden": (row(EVERY_MINUTE), 0, 0, World(globals_offset=12)),
    "its topic is away": (row(EVERY_MINUTE), 0, 0, world(jobs=Target(fault="away"))),
    "its topic wants a key": (row(EVERY_MINUTE), 0, 0, world(jobs=Target(needs_key=True))),
    "its topic takes less": (row(EVERY_MINUTE), 0, 0, world(jobs=Target(max_bytes=1_000))),
    "in a freeze": (row(EVERY_MINUTE), 0, 0, replace(world(), freezes={"f": FREEZE})),
    "computed with other zone data": (row(EVERY_MINUTE), 0, 0, replace(world(), zone_data=7)),
    "moved by jitter": (row(replace(EVERY_MINUTE, jitter=1)), 0, 0, world()),
    "in a window": (
        row(replace(EVERY_MINUTE, window=Window((Hours(0, 86_400),)))),
        *(0, 0, world()),
    ),
    "limited": (row(replace(EVERY_MINUTE, max_fires=9)), 0, 0, world()),
    "without some days": (row(replace(EVERY_MINUTE, exclude=Exclude(dates=(1,)))), 0, 0, world()),
    "counted from decisions": (
        row(replace(EVERY_MINUTE, timings=(Interval(micros=7 * SECOND, basis=Basis.AFTER_FIRE),))),
        *(0, 0, world()),
    ),
    "bounded": (
        row(Definition((Cron("* * * * *"),), Emit("jobs"), end_at=NOW + HOUR)),
        *(0, 0, world()),
    ),
    "paused": (
        row(EVERY_MINUTE, status=Status.PAUSED, pause=PauseNote("why", "user:ann", NOW, None)),
        *(0, 0, world()),
    ),
}


@pytest.mark.parametrize("case", NOT_PLAIN.values(), ids=NOT_PLAIN.keys())
def test_what_is_not_plain_is_left_to_the_decider(
    case: tuple[ScheduleRow, int, int, World],
) -> None:
    kept, age, deferrals, around = case
    cursor = cursor_of(kept.definition, age, deferrals)

    *express, lane = rung(kept, cursor, around, plainly=True)
    *decided, _ = rung(kept, cursor, around, plainly=False)

    assert not lane
    assert express == decided


def test_a_single_instant_is_left_to_the_decider() -> None:
    kept = row(Definition((Once(NOW - SECOND),), Emit("jobs", value=b"go")))
    cursor = Cursor(NOW - HOUR, NOW - HOUR, NOW - SECOND, NOW - SECOND, 0, 0, 0, 6, 0)

    *express, lane = rung(kept, cursor, world(), plainly=True)
    *decided, _ = rung(kept, cursor, world(), plainly=False)

    assert not lane
    assert express == decided


@given(st.integers(0, 1 << 40))
def test_numbers_that_are_counted_up_are_written_as_any_others(number: int) -> None:
    assert Counted()[number >> 6][number & 63] == long_bytes(number)


def test_an_instant_that_its_rule_does_not_name_is_left_to_the_decider() -> None:
    """An edit of a weekly timing's zone may have passed over the first one."""
    cursor = cursor_of(EVERY_MINUTE, 0, 0)
    earlier = cursor._replace(mark=cursor.mark - MINUTE)

    *express, lane = rung(row(EVERY_MINUTE), earlier, world(), plainly=True)
    *decided, _ = rung(row(EVERY_MINUTE), earlier, world(), plainly=False)

    assert not lane
    assert express == decided
