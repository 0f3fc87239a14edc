"""Who may have another pending instant is found without a ring, little by little, and only once."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from schemas.codec import pack_cursor, unpack_cursor
from schemas.commands import Define, Remove
from schemas.cursor_bytes import cursor_zone_data
from schemas.definition import Exclude
from schemas.events import Fired, ScheduleRecomputed
from schemas.globals import Calendar
from schemas.topics import STATE
from streams.calendar.zones import zone_data_number
from streams.faults import PartitionStopped
from streams.processor import rechecks
from streams.processor.partitions import Phase
from streams.processor.rechecks import Rechecks
from tests.processor.desk import HOUR, HOURLY, MINUTE, NOON, Desk, desk_with

TODAY = (date(2026, 11, 29) - date(1970, 1, 1)).days
OPEN_TODAY = replace(HOURLY, exclude=Exclude(("feasts",)))


def desk_of(count: int = 1, base: str = "") -> Desk:
    """A desk with schedules that exclude what `feasts` names, and one that excludes nothing."""
    desk = Desk()
    if base:
        desk.tell(f"calendar/{base}", Calendar())
    desk.tell("calendar/feasts", Calendar(base=(base,) if base else ()))
    desk.ask("shop/free", Define(HOURLY))
    for number in range(count):
        desk.ask(f"shop/{number}", Define(OPEN_TODAY))
    desk.step()
    return desk


def recomputed(desk: Desk) -> list[str]:
    return [one.schedule for one in desk.events() if isinstance(one, ScheduleRecomputed)]


def feast(desk: Desk, name: str = "feasts") -> None:
    desk.tell(f"calendar/{name}", Calendar(dates=(TODAY,), at=desk.now))


@pytest.mark.parametrize("base", ["", "moon"])
def test_a_changed_calendar_moves_those_that_mention_it(base: str) -> None:
    """Also if they mention one that builds on it."""
    desk = desk_of(base=base)
    feast(desk, base or "feasts")
    desk.pass_time(MINUTE)
    desk.pass_time(HOUR)

    assert recomputed(desk) == ["shop/0"]
    fired = [one.schedule for one in desk.events() if isinstance(one, Fired)]
    assert fired == ["shop/free"]


def test_an_instant_that_became_an_earlier_one_is_not_missed() -> None:
    desk = desk_of()
    feast(desk)
    desk.pass_time(MINUTE)
    desk.tell("calendar/feasts", Calendar(at=desk.now))
    desk.pass_time(MINUTE)
    desk.now = NOON + HOUR
    desk.step()

    assert recomputed(desk) == ["shop/0", "shop/0"]
    assert {one.schedule for one in desk.events() if isinstance(one, Fired)} == {
        *("shop/0", "shop/free")
    }


def test_one_batch_takes_so_many_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rechecks, "RECHECKED_AT_ONCE", 10)
    desk = desk_of(25)
    feast(desk)

    found = []
    for _ in range(4):
        desk.step()
        found.append(len(recomputed(desk)))

    assert found == [10, 20, 25, 25]


def test_one_iteration_passes_over_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is looked for costs as much as the resident itself."""
    monkeypatch.setattr(rechecks, "PASSED_AT_ONCE", 20)
    desk = desk_of(25)
    feast(desk)
    desk.step()

    assert len(recomputed(desk)) in {9, 10}  # the free one may be among the ten
    desk.step()
    desk.step()
    assert len(recomputed(desk)) == 25


def test_edits_without_end_begin_no_passes_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often a calendar is edited, all are looked at, and of a pass there is one behind."""
    monkeypatch.setattr(rechecks, "RECHECKED_AT_ONCE", 10)
    desk = desk_of(25)
    desk.tell("calendar/moon", Calendar())
    for number in range(30):
        dates = (TODAY,) if number % 2 else ()
        desk.tell("calendar/moon", Calendar(at=desk.now))
        desk.tell("calendar/feasts", Calendar(dates=dates, at=desk.now))
        desk.step()
        assert len(desk.rechecks._scans) <= 2
    steps = 0
    while desk.rechecks.busy:
        desk.step()
        steps += 1

    assert steps <= 6
    assert {desk.partition.residents[f"shop/{n}"].due for n in range(25)} == {NOON + 12 * HOUR}
    assert set(recomputed(desk)) == {f"shop/{n}" for n in range(25)}


def test_a_pass_that_has_not_begun_looks_for_other_zone_data_too() -> None:
    desk = desk_with("shop/a")
    resident = desk.partition.residents["shop/a"]
    old = unpack_cursor(resident.cursor)._replace(zone_data=zone_data_number() - 1)
    resident.cursor = pack_cursor(old)
    ours = Rechecks()
    feast(desk)
    ours.follow(desk.world, [desk.partition])

    ours.admitted(desk.partition, desk.world)

    assert ours.take() == [(desk.partition, "shop/a")]


def test_nothing_is_written_where_nothing_changed() -> None:
    desk = desk_of()
    desk.tell("calendar/feasts", Calendar(description="the same days"))

    batch, written = desk.draft()

    assert not batch
    assert written == []


def test_what_was_removed_in_the_same_batch_is_left_alone() -> None:
    desk = desk_of(2)
    feast(desk)
    desk.ask("shop/0", Remove())
    desk.step()

    assert recomputed(desk) == ["shop/0", "shop/1"]  # the removal had looked already
    assert desk.partition.residents.keys() == {"shop/free", "shop/1"}


def test_what_is_gone_since_is_passed_over() -> None:
    desk = desk_of(2)
    feast(desk)
    desk.rechecks.follow(desk.world, [desk.partition])
    del desk.partition.residents["shop/0"]
    batch, _ = desk.draft()
    batch.recheck([(desk.partition, "shop/0")])

    assert desk.rechecks.take() == []


def test_a_name_that_is_part_of_another_text_is_no_mention() -> None:
    desk = desk_of()
    desk.rechecks.follow(desk.world, [desk.partition])
    desk.tell("calendar/feast", Calendar(dates=(TODAY,), at=desk.now))
    desk.rechecks.follow(desk.world, [desk.partition])

    assert desk.rechecks.take() == []


def test_a_partition_that_does_not_fire_yet_waits() -> None:
    desk = desk_of()
    feast(desk)
    desk.partition.phase = Phase.CATCHING_UP
    desk.step()
    assert (recomputed(desk), desk.rechecks.busy) == ([], False)

    desk.partition.phase = Phase.FIRING
    desk.rechecks.follow(desk.world, [desk.partition])
    assert desk.rechecks.busy
    desk.step()
    assert (recomputed(desk), desk.rechecks.busy) == (["shop/0"], False)


def test_what_a_dropped_batch_took_is_taken_again() -> None:
    desk = desk_of()
    feast(desk)
    desk.rechecks.follow(desk.world, [desk.partition])
    taken = desk.rechecks.take()

    desk.rechecks.put_back(taken)

    assert desk.rechecks.busy
    assert desk.rechecks.take() == taken == [(desk.partition, "shop/0")]


def test_a_lost_partition_is_forgotten() -> None:
    desk = desk_of()
    feast(desk)
    desk.rechecks.follow(desk.world, [desk.partition])
    desk.rechecks.put_back([(desk.partition, "shop/0")])

    desk.rechecks.lost({7})
    assert desk.rechecks.busy
    desk.rechecks.lost({0})
    assert (desk.rechecks.busy, desk.rechecks.take()) == (False, [])


def test_a_partition_that_comes_in_is_looked_at_whole() -> None:
    """What changed while nobody had it is not known: also of a calendar that was removed."""
    desk = desk_of()
    feast(desk)
    desk.tell("calendar/feasts", Calendar(removed=True, at=desk.now))
    ours = Rechecks()

    ours.admitted(desk.partition, desk.world)

    assert ours.take() == [(desk.partition, "shop/0")]
    assert not ours.busy


def test_other_zone_data_are_looked_at_once_in_a_life() -> None:
    """The cursor takes the new number, with no event where nothing differs; the log keeps its."""
    desk = desk_with("shop/a", "shop/b")
    old = zone_data_number() - 1
    for resident in desk.partition.residents.values():
        resident.cursor = pack_cursor(unpack_cursor(resident.cursor)._replace(zone_data=old))
    desk.rechecks.admitted(desk.partition, desk.world)

    written = desk.step()

    assert written == []
    cursors = [one.cursor for one in desk.partition.residents.values()]
    assert [cursor_zone_data(one) for one in cursors] == [zone_data_number()] * 2
    desk.rechecks.admitted(desk.partition, desk.world)
    assert desk.rechecks.take() == []


def test_what_differs_by_the_zone_data_is_recorded_with_its_cursor() -> None:
    desk = desk_with("shop/a")
    resident = desk.partition.residents["shop/a"]
    cursor = unpack_cursor(resident.cursor)
    resident.cursor = pack_cursor(
        cursor._replace(nominal=cursor.nominal + 30 * MINUTE, zone_data=zone_data_number() - 1)
    )
    desk.rechecks.admitted(desk.partition, desk.world)

    written = desk.step()

    assert recomputed(desk) == ["shop/a"]
    kept = next(one.value for one in written if (one.topic, one.key) == (STATE, b"p|shop/a"))
    assert kept == resident.cursor == pack_cursor(cursor)


def test_a_resident_that_cannot_be_read_stops_its_partition() -> None:
    desk = desk_of()
    desk.partition.residents["shop/0"].row = b"feasts"
    batch, _ = desk.draft()

    with pytest.raises(PartitionStopped, match="shop/0"):
        batch.recheck([(desk.partition, "shop/0")])


def test_and_an_unforeseen_fault_does_as_well() -> None:
    desk = desk_of()
    batch, _ = desk.draft()
    batch.world = None  # type: ignore[assignment]

    with pytest.raises(PartitionStopped, match="shop/0"):
        batch.recheck([(desk.partition, "shop/0")])
