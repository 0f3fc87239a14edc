"""An instant that was computed anew is computed anew again, whatever it was that led to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.codec import encode_event, pack_cursor, unpack_cursor
from schemas.commands import Command, Define, Pause, Remove, Trigger
from schemas.definition import Cron, Exclude
from schemas.events import ScheduleDefined, ScheduleRecomputed
from schemas.globals import Calendar
from streams.calendar.zones import tzdata_version, zone_data_number
from streams.decider.recompute import release_cause
from streams.decider.state import Target
from streams.processor import replay
from streams.processor.rechecks import Rechecks
from streams.processor.recorded import Kept, Mismatch, ZoneData
from streams.processor.replay import replay_partition
from tests.decider.upgrading import AFTER, BEFORE, ZONE, forget_rules, install
from tests.processor.desk import HOUR, HOURLY, MINUTE, NOON, Desk

TODAY = NOON // (24 * HOUR)
WORKING = replace(HOURLY, exclude=Exclude(("feasts",)))


def differences(desk: Desk, ledger: list[Kept] | None = None) -> list[Mismatch]:
    commands = dict(enumerate(desk.inbox))
    return replay_partition(ledger or desk.ledger(), commands, desk.told, desk.partitions)


def working() -> Desk:
    """A schedule that is due at 13:00, and a calendar that then takes the whole day."""
    desk = Desk()
    desk.tell("calendar/feasts", Calendar())
    desk.ask("shop/a", Define(WORKING))
    desk.step()
    desk.tell("calendar/feasts", Calendar(dates=(TODAY,), at=desk.now))
    return desk


def kinds(desk: Desk) -> list[str]:
    return [type(one).__name__ for one in desk.events()]


def test_by_a_look_that_nothing_rang_for() -> None:
    desk = working()
    desk.pass_time(MINUTE)

    assert kinds(desk) == ["ScheduleDefined", "ScheduleRecomputed"]
    assert differences(desk) == []


def test_by_a_timer_that_rang_first() -> None:
    desk = working()
    desk.rechecks.follow(desk.world, [])
    desk.pass_time(HOUR)

    assert kinds(desk) == ["ScheduleDefined", "ScheduleRecomputed"]
    assert differences(desk) == []


@pytest.mark.parametrize("looked", [True, False])
def test_and_was_due_at_that_very_time(looked: bool) -> None:
    """The day is given back from 12:30 on, which is seen hours later: what was missed is late."""
    desk = working()
    desk.pass_time(MINUTE)
    desk.tell("calendar/feasts", Calendar(at=NOON + HOUR // 2))
    if not looked:
        desk.rechecks.follow(desk.world, [])
    desk.pass_time(13 * HOUR)
    desk.step()

    assert kinds(desk)[2:] == ["ScheduleRecomputed", "Skipped", "Fired"]
    assert differences(desk) == []


@pytest.mark.parametrize("command", [Remove(), Pause("why"), Define(HOURLY)])
def test_by_a_command_that_settles_what_was_due(command: Command) -> None:
    desk = working()
    desk.rechecks.follow(desk.world, [])
    desk.now += HOUR
    desk.ask("shop/a", command)
    desk.step()

    assert kinds(desk)[1] == "ScheduleRecomputed"
    assert differences(desk) == []


def test_a_record_with_another_instant_is_named() -> None:
    desk = working()
    desk.pass_time(MINUTE)
    defined, anew = desk.ledger()
    assert isinstance(anew.event, ScheduleRecomputed)
    other = replace(anew.event, next=anew.event.next + 1)
    wrong = Kept(anew.key, encode_event(other, anew.stamp), other, anew.stamp)

    (found,) = differences(desk, [defined, wrong])

    assert found.fault.startswith("ScheduleRecomputed: next was")
    assert not found.other_zone_data


@pytest.mark.parametrize("by", ["a look", "a command"])
def test_by_other_zone_data_which_are_installed_by_now(by: str) -> None:
    """What was decided under the old ones differs, and does not bring this with it."""
    desk = Desk()
    desk.ask("shop/a", Define(HOURLY))
    desk.step()
    resident = desk.partition.residents["shop/a"]
    older = NOON + HOUR // 2
    cursor = unpack_cursor(resident.cursor)
    cursor = cursor._replace(nominal=older, due=older, zone_data=zone_data_number() - 1)
    resident.cursor = pack_cursor(cursor)
    if by == "a look":
        desk.rechecks = Rechecks()
        desk.rechecks.admitted(desk.partition, desk.world)
    else:
        desk.ask("shop/a", Pause("why"))
    desk.pass_time(MINUTE)
    desk.ask("shop/a", Trigger())
    desk.step()
    defined, anew, *rest = desk.ledger()
    assert isinstance(defined.event, ScheduleDefined)
    assert isinstance(anew.event, ScheduleRecomputed)
    event = replace(defined.event, next=older)
    before = Kept(defined.key, encode_event(event, defined.stamp), event, defined.stamp)

    (found,) = differences(desk, [before, anew, *rest])

    assert anew.event.cause == f"zone data {tzdata_version()}"
    assert found.cause == "the command at 0 about shop/a"
    assert found.other_zone_data == f"before zone data {tzdata_version()} came into use"


def test_what_older_zone_data_recomputed_is_told_from_what_the_installed_ones_did() -> None:
    """One ledger, and each of its records under the data that were in use when it was written."""
    desk = working()
    desk.pass_time(MINUTE)
    desk.pass_time(12 * HOUR)
    (_, anew, *_) = records = desk.ledger()
    assert isinstance(anew.event, ScheduleRecomputed)
    installed = zone_data_number()

    def under(first: int, second: int) -> list[str]:
        causes = {1: release_cause(first), 2: release_cause(second)}
        told = [
            one._replace(event=replace(anew.event, cause=causes[number]))  # type: ignore[type-var]
            if number in causes
            else one
            for number, one in enumerate([*records, records[-1]])
        ]
        told = [
            one._replace(stamp=one.stamp._replace(sequence=number))
            for number, one in enumerate(told)
        ]
        zone_data = ZoneData(told, installed)
        return [zone_data.others(one) for one in told]

    older = release_cause(installed - 1)
    assert under(installed - 1, installed) == [f"before {older} came into use", older, "", ""]
    assert under(installed, installed - 1)[1:] == ["", older, older]


def test_what_waited_over_an_upgrade_of_zone_data_is_decided_the_same_way_again(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """09:00 waits while it becomes 10:00: its turn is over, and another schedule tells of it."""
    request.addfinalizer(forget_rules)
    install(monkeypatch, 1)
    desk = Desk(now=NOON - 5 * HOUR)
    desk.world = replace(desk.world, zone_data=BEFORE)
    monkeypatch.setattr(replay, "zone_data_number", lambda: AFTER)
    for name, hour in (("shop/a", 9), ("shop/b", 15)):
        desk.ask(name, Define(replace(HOURLY, timings=(Cron(f"0 {hour} * * *"),), zone=ZONE)))
    desk.step()
    desk.targets["jobs"] = Target(fault="no leader")
    desk.pass_time(HOUR)
    install(monkeypatch, 0)
    desk.world = replace(desk.world, zone_data=AFTER)
    desk.restart()
    desk.rechecks = Rechecks()
    desk.rechecks.admitted(desk.partition, desk.world)
    desk.pass_time(MINUTE // 120)
    desk.targets.clear()
    desk.pass_time(MINUTE // 60)
    found = differences(desk)

    assert kinds(desk)[2:] == ["Deferred", "ScheduleRecomputed", "Fired"]
    assert [one for one in found if not one.other_zone_data] == []
