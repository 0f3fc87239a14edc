"""Deciding the recorded causes again gives the same events; whatever differs is found and named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import encode_event
from schemas.commands import Command, Define, Pause, Remove, Resume, Trigger
from schemas.definition import (
    Basis,
    CatchUp,
    CatchUpMode,
    Cron,
    Exclude,
    Hours,
    Interval,
    Once,
    Weekly,
    Window,
)
from schemas.events import Deferred, Event, Fired, GlobalChanged, Reason, Skipped, Stamp
from schemas.globals import Calendar, Freeze, Hold
from streams.decider.state import Target
from streams.processor.announcing import tell
from streams.processor.recorded import Kept, Mismatch
from streams.processor.replay import replay_partition
from tests.processor.desk import HOURLY, NOON, Desk

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
TODAY = NOON // DAY
TOMORROW = TODAY + 1

DEFINITIONS = [
    HOURLY,
    replace(HOURLY, description="another"),
    replace(HOURLY, timings=(Interval(micros=7 * MINUTE),), catch_up=CatchUp(CatchUpMode.NONE)),
    replace(
        HOURLY,
        timings=(Cron("*/10 * * * *"), Once(NOON + DAY)),
        catch_up=CatchUp(CatchUpMode.ALL, 2 * HOUR, MINUTE, 3),
    ),
    replace(HOURLY, timings=(Once(NOON + HOUR),)),
    replace(HOURLY, timings=(Cron("0 0 1 1 *"),), zone="Europe/Berlin", end_at=NOON + 9 * DAY),
    replace(HOURLY, action=replace(HOURLY.action, topic="forbidden")),
    replace(HOURLY, zone="Mars/Base"),
    replace(HOURLY, jitter=20 * MINUTE, max_fires=3),
    replace(HOURLY, exclude=Exclude(("feasts",)), jitter=HOUR),
    replace(
        HOURLY,
        timings=(Cron("*/10 * * * *"),),
        window=Window((Hours(14 * 3600, 16 * 3600),), max_wait=6 * HOUR),
    ),
    replace(HOURLY, timings=(Interval(micros=HOUR, basis=Basis.AFTER_FIRE),)),
    replace(
        HOURLY,
        timings=(Interval(micros=7 * HOUR, basis=Basis.AFTER_FIRE),),
        exclude=Exclude(("feasts",), (TOMORROW + 1,)),
    ),
    replace(HOURLY, timings=(Weekly(127, 20 * 3600),), zone="Europe/Berlin"),
    replace(HOURLY, timings=(Weekly(127, 20 * 3600),), exclude=Exclude(("feasts",))),
]
commands = st.one_of(
    st.builds(Define, st.sampled_from(DEFINITIONS), st.sampled_from([None, None, 0, 1, 5])),
    st.just(Remove()),
    st.builds(Pause, st.sampled_from(["", "why"]), st.sampled_from([None, NOON + 3 * HOUR])),
    st.just(Resume("on")),
    st.just(Trigger()),
)
asked = st.tuples(
    st.sampled_from(["shop/a", "shop/b"]), commands, st.sampled_from(["", "one", "two"])
)
steps = st.one_of(
    asked,
    asked,
    st.sampled_from([SECOND, 50 * SECOND, 3 * MINUTE, HOUR, 5 * HOUR, 26 * HOUR]),
    st.sampled_from(["target gone", "target back", "held", "lifted", "a bad record"]),
    st.sampled_from(["a feast today", "a feast tomorrow", "no feast", "frozen", "thawed"]),
)


def take(desk: Desk, step: tuple[str, Command, str] | int | str) -> None:
    match step:
        case (schedule, command, command_id):
            desk.ask(schedule, command, command_id)
        case int():
            desk.pass_time(step)
        case "target gone":
            desk.targets["jobs"] = Target(fault="there is no topic 'jobs'")
        case "target back":
            desk.targets.clear()
        case "held" | "lifted":
            desk.tell("hold", Hold(step == "held", "works", "user:eve", desk.now))
        case "a feast today" | "a feast tomorrow" | "no feast":
            dates = {"a feast today": (TODAY,), "a feast tomorrow": (TOMORROW,)}.get(step, ())
            desk.tell("calendar/feasts", Calendar(dates=dates, at=desk.now))
        case "frozen" | "thawed":
            until = desk.now + HOUR
            desk.tell("freeze/f", Freeze(("sh*",), desk.now, until, "f", lifted=step == "thawed"))
        case _:
            desk.put(b"shop/a", b"no command")


def differences(desk: Desk, ledger: list[Kept] | None = None) -> list[Mismatch]:
    commands = dict(enumerate(desk.inbox))
    return replay_partition(ledger or desk.ledger(), commands, desk.told, desk.partitions)


@given(st.lists(steps, max_size=25))
def test_whatever_happens_is_decided_the_same_way_again(
    happened: list[tuple[str, Command, str] | int | str],
) -> None:
    desk = Desk()
    desk.tell("calendar/feasts", Calendar())
    for step in happened:
        take(desk, step)
    desk.pass_time(MINUTE)
    desk.pass_time(DAY)

    assert differences(desk) == []


def busy() -> Desk:
    """An hour's work: two fires, a deferral that ends, a pause, and a hold that was announced."""
    desk = Desk()
    desk.ask("shop/a", Define(HOURLY))
    desk.step()
    desk.pass_time(HOUR)
    desk.targets["jobs"] = Target(fault="no leader")
    desk.pass_time(HOUR)
    desk.targets.clear()
    desk.pass_time(MINUTE)
    desk.tell("hold", Hold(False, "over", "user:eve", desk.now))
    batch, written = desk.draft()
    tell(batch, desk.partition, desk.told[-1])
    batch.close("desk-1")
    batch.keep()
    desk.log += written
    desk.ask("shop/a", Pause("rest"), "p1")
    desk.ask("shop/a", Pause("rest"), "p1")
    desk.step()
    return desk


def test_the_busy_desk_shows_every_kind_of_cause() -> None:
    kinds = {type(event) for event in busy().events()}

    assert {Fired, Deferred, GlobalChanged} <= kinds
    assert differences(busy()) == []


def other_nominal(event: Event, stamp: Stamp) -> tuple[Event, Stamp]:
    return (event._replace(late=True) if isinstance(event, Fired) else event), stamp


def other_evidence(event: Event, stamp: Stamp) -> tuple[Event, Stamp]:
    changed = replace(event, until=event.until + 1) if isinstance(event, Deferred) else event
    return changed, stamp


def other_clock(event: Event, stamp: Stamp) -> tuple[Event, Stamp]:
    moved = stamp._replace(decided_at=stamp.decided_at - HOUR)
    return event, moved if isinstance(event, Fired) else stamp


def other_summary(event: Event, stamp: Stamp) -> tuple[Event, Stamp]:
    changed = replace(event, summary="?") if isinstance(event, GlobalChanged) else event
    return changed, stamp


@pytest.mark.parametrize(
    ("change", "fault"),
    {
        "an event says something else": (other_nominal, "late was True, is False"),
        "a deferral ends at another time": (other_evidence, "until was"),
        "a fire at a time when it was not due": (other_clock, "decided is nothing"),
        "a global record is told otherwise": (other_summary, "summary was '?', is"),
    }.values(),
)
def test_a_record_that_cannot_come_about_is_named(
    change: Callable[[Event, Stamp], tuple[Event, Stamp]], fault: str
) -> None:
    desk = busy()
    ledger = [
        Kept(one.key, encode_event(*changed), *changed)
        for one in desk.ledger()
        for changed in [change(one.event, one.stamp)]
    ]

    assert fault in differences(desk, ledger)[0].fault


def test_an_event_under_another_key_is_named() -> None:
    ledger = busy().ledger()
    ledger[1] = ledger[1]._replace(key=b"elsewhere")

    assert "the key b'elsewhere'" in differences(busy(), ledger)[0].fault


def test_another_kind_of_event_is_named() -> None:
    ledger = busy().ledger()
    event = Skipped(
        *("shop/a", 0, 0, NOON, NOON, 1, Reason.MISSED, NOON, 0, NOON + HOUR, NOON + HOUR)
    )
    ledger[1] = Kept(ledger[1].key, encode_event(event, ledger[1].stamp), event, ledger[1].stamp)

    fault = differences(busy(), ledger)[0].fault
    assert fault.startswith("recorded was Skipped(")
    assert "decided is Fired(" in fault


def test_a_fire_that_was_recorded_twice_is_named() -> None:
    ledger = busy().ledger()
    again = ledger[1].stamp._replace(sequence=99, decided_at=ledger[1].stamp.decided_at + 1)
    twice = Kept(ledger[1].key, encode_event(ledger[1].event, again), ledger[1].event, again)

    found = differences(busy(), [*ledger[:2], twice])

    assert [one.fault for one in found] == [
        "sequence 99 follows 1",
        "recorded was Fired, decided is nothing",
    ]


def test_a_lost_event_is_named_and_does_not_bring_others_with_it() -> None:
    ledger = busy().ledger()
    del ledger[2]  # the deferral

    faults = [one.fault for one in differences(busy(), ledger)]

    assert faults[0] == "sequence 3 follows 1"
    assert len(faults) == 2, faults


def test_a_command_without_an_event_is_named() -> None:
    desk = busy()
    desk.inbox.insert(1, desk.inbox[1])
    desk.inbox[1] = desk.inbox[1]._replace(key=b"shop/a#pause:p0", offset=1)
    ledger = [
        one._replace(
            stamp=(changed := one.stamp._replace(offset=one.stamp.offset + 1)),
            value=encode_event(one.event, changed),
        )
        if one.stamp.offset
        else one
        for one in desk.ledger()
    ]
    desk.inbox[2:] = [one._replace(offset=one.offset + 1) for one in desk.inbox[2:]]

    assert differences(desk, ledger)[-1].fault == "it has no event"


@pytest.mark.parametrize("missing", ["command", "global"])
def test_a_cause_that_is_gone_is_named(missing: str) -> None:
    desk = busy()
    commands = {} if missing == "command" else dict(enumerate(desk.inbox))
    told = desk.told if missing == "command" else desk.told[:1]

    found = replay_partition(desk.ledger(), commands, told, 1)

    expected = "the command is gone" if missing == "command" else "horae.globals is gone"
    assert [one.fault for one in found if expected in one.fault] == [one.fault for one in found]
    assert found


def test_an_empty_ledger_has_no_differences() -> None:
    assert replay_partition([], {}, [], 1) == []


@pytest.mark.parametrize("payload", ["rest", "more"])
@pytest.mark.parametrize("other", ["before", "with it", "none"])
def test_an_id_used_again_a_day_later_is_decided_as_it_was(payload: str, other: str) -> None:
    """Whether the old answer was still known then depends on what else was committed before."""
    desk = Desk()
    desk.ask("shop/a", Define(HOURLY))
    desk.ask("shop/a", Pause("rest"), "p1")
    desk.step()
    desk.now += 25 * HOUR
    if other != "none":
        desk.ask("shop/b", Define(HOURLY))
    if other == "before":
        desk.step()
    desk.ask("shop/a", Pause(payload), "p1")
    desk.step()
    desk.ask("shop/a", Pause(payload), "p1")
    desk.ask("shop/a", Pause("third"), "p1")
    desk.step()

    assert differences(desk) == []
