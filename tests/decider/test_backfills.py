"""Instants of the past run once more, each once, and nothing of a backfill is skipped silently."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import (
    Backfill,
    CancelBackfill,
    Command,
    Define,
    HoldSubject,
    Pause,
    Remove,
    Trigger,
)
from schemas.definition import Basis, Definition, Exclude, Interval
from schemas.events import (
    BackfillEnded,
    BackfillStarted,
    CommandRefused,
    Fired,
    ScheduleEvent,
)
from schemas.instants import format_instant
from tests.decider.house import House, tracked
from tests.decider.once_more import HOURLY, SIX, house_of, once_more, times
from tests.decider.stage import DAY, HOUR, NIGHTLY, at, every, once, rule


def refused(events: list[ScheduleEvent]) -> tuple[str, str]:
    [event] = events
    assert isinstance(event, CommandRefused)
    assert event.command in {"backfill", "cancel_backfill"}
    return event.field, event.message


CHOSEN: dict[str, tuple[Definition, Backfill, tuple[int, ...]]] = {
    "both ends are inclusive": (
        HOURLY,
        Backfill(at("08:00"), at("10:00")),
        times("08:00", "09:00", "10:00"),
    ),
    "one instant": (HOURLY, Backfill(at("08:00"), at("08:00")), times("08:00")),
    "the newest first": (
        HOURLY,
        Backfill(at("08:00"), at("10:00"), newest_first=True),
        times("10:00", "09:00", "08:00"),
    ),
    "the newest of too many": (
        HOURLY,
        Backfill(at("01:00"), at("10:30"), most=2),
        times("09:00", "10:00"),
    ),
    "the newest of too many, the newest first": (
        HOURLY,
        Backfill(at("01:00"), at("10:30"), most=2, newest_first=True),
        times("10:00", "09:00"),
    ),
    "without excluded days": (
        rule("0 9,12 * * *", exclude=Exclude(dates=(at("00:00") // DAY - 1,))),
        Backfill(at("05-30T00:00"), at("11:00")),
        times("05-30T09:00", "05-30T12:00", "09:00"),
    ),
    "inside the bounds": (
        rule("0 * * * *", start_at=at("06:30"), end_at=at("20:00")),
        Backfill(at("05:00"), at("08:00")),
        times("07:00", "08:00"),
    ),
    "of a grid that has an anchor": (
        rule(every(HOUR, anchor=at("00:30"))),
        Backfill(at("05:00"), at("10:00")),
        times("05:30", "06:30", "07:30", "08:30", "09:30"),
    ),
    "those that are named": (
        HOURLY,
        Backfill(instants=times("03:00", "08:00")),
        times("03:00", "08:00"),
    ),
    "the newest of those that are named": (
        HOURLY,
        Backfill(instants=times("03:00", "05:00", "08:00"), most=2),
        times("05:00", "08:00"),
    ),
}


@pytest.mark.parametrize(("definition", "command", "then"), CHOSEN.values(), ids=CHOSEN.keys())
def test_these_run_once_more(
    definition: Definition, command: Backfill, then: tuple[int, ...]
) -> None:
    house = house_of(definition)
    [begun] = house.ask("11:40", command, name="b")
    assert isinstance(begun, BackfillStarted)
    assert (begun.id, begun.instants) == ("b.1", then)

    events = house.wait("11:41")
    assert once_more(events) == list(then)
    for event in events[:-1]:
        assert isinstance(event, Fired)
        assert event.late
        assert event.origin == f"{format_instant(event.nominal)}+b.1"
    assert events[-1] == BackfillEnded(
        *(NIGHTLY, 0, 0, "b.1", len(then), len(then)), cancelled=False, reason=""
    )


def test_nothing_that_is_pending_moves_and_no_fire_is_counted() -> None:
    house = house_of(rule("0 * * * *", max_fires=2))
    cursor = house.schedules[NIGHTLY].cursor
    house.ask("11:40", SIX)
    assert len(once_more(house.wait("11:41"))) == 6

    assert house.schedules[NIGHTLY].cursor == cursor
    house.ask("11:45", Trigger())
    assert house.schedules[NIGHTLY].cursor.fires == 1


REFUSED: dict[str, tuple[Definition, list[tuple[str, Command]], Backfill, tuple[str, str]]] = {
    "a range without an instant": (
        HOURLY,
        [],
        Backfill(at("08:01"), at("08:59")),
        (
            "first",
            "no instant that is over lies from 2026-06-01T08:01:00Z to 2026-06-01T08:59:00Z",
        ),
    ),
    "a range that is not over": (
        HOURLY,
        [],
        Backfill(at("08:00"), at("12:30")),
        ("last", "2026-06-01T12:30:00Z is still to come"),
    ),
    "what is no instant": (
        HOURLY,
        [],
        Backfill(instants=times("08:00", "08:30")),
        ("instants[1]", "2026-06-01T08:30:00Z is no instant of its calendar"),
    ),
    "what is still to come": (
        HOURLY,
        [],
        Backfill(instants=times("08:00", "13:00")),
        ("instants[1]", "2026-06-01T13:00:00Z is still to come"),
    ),
    "an interval that counts from its fires": (
        rule(Interval(micros=HOUR, basis=Basis.AFTER_FIRE)),
        [],
        SIX,
        ("first", "it counts from its last fire or end: it has no calendar of the past"),
    ),
    "while all of the subject is held": (
        HOURLY,
        [("11:35", HoldSubject("works"))],
        SIX,
        ("hold", "shop is held by user:ann: works"),
    ),
    "more than may be under way": (
        tracked("0 * * * *"),
        [("11:35", SIX)] * 16,
        SIX,
        ("backfill", "16 backfills of shop are under way already"),
    ),
}


@pytest.mark.parametrize(
    ("definition", "before", "command", "why"), REFUSED.values(), ids=REFUSED.keys()
)
def test_these_cannot_run_once_more(
    definition: Definition,
    before: list[tuple[str, Command]],
    command: Backfill,
    why: tuple[str, str],
) -> None:
    house = house_of(definition)
    for when, other in before:
        house.ask(when, other, None if isinstance(other, HoldSubject) else NIGHTLY)

    assert refused(house.ask("11:40", command)) == why


def test_what_is_due_or_waits_has_its_turn_still_to_come() -> None:
    """An instant that no timer has looked at yet is not run twice."""
    house = House()
    house.ask("09:30", Define(HOURLY))
    [begun] = house.ask("11:40", Backfill(at("08:00"), at("11:00")))

    assert isinstance(begun, BackfillStarted)
    assert begun.instants == times("08:00", "09:00")


def test_a_paused_and_a_completed_schedule_can_be_backfilled() -> None:
    house = house_of()
    house.ask("11:31", Pause())
    house.ask("13:40", Backfill(at("12:00"), at("13:00")))
    assert once_more(house.wait("13:41")) == list(times("12:00", "13:00"))

    house = house_of(rule(once("11:35")))
    house.wait("11:35")
    house.ask("13:40", Backfill(at("11:00"), at("12:00")))
    assert once_more(house.wait("13:41")) == [at("11:35")]
    assert house.schedules[NIGHTLY].plan.completed


def test_a_dry_run_counts_and_does_nothing() -> None:
    house = house_of()
    [event] = house.ask("11:40", replace(SIX, dry_run=True))

    assert isinstance(event, BackfillEnded)
    assert (event.done, event.total) == (0, 6)
    assert event.reason == "dry run: 6 instants, 2026-06-01T05:00:00Z .. 2026-06-01T10:00:00Z"
    assert not house.known.notes.backfills
    assert house.wait("11:59") == []


def test_the_rest_of_a_cancelled_one_does_not_run() -> None:
    house = house_of(tracked("0 * * * *"))
    house.ask("11:40", SIX, name="b")
    house.wait("11:41")
    [ended] = house.ask("11:42", CancelBackfill("b", "enough"))

    assert ended == BackfillEnded(NIGHTLY, 0, 0, "b.1", 1, 6, cancelled=True, reason="enough")
    assert len(house.going()) == 1
    house.report("11:43", house.going()[0].id)
    assert house.wait("11:50") == []
    assert refused(house.ask("11:51", CancelBackfill("b"))) == (
        *("backfill", "there is no backfill b under way; under way: none"),
    )


def test_one_of_several_is_cancelled_by_its_id() -> None:
    house = house_of(tracked("0 * * * *"))
    for name in ("b", "c"):
        house.ask("11:40", SIX, name=name)
    assert refused(house.ask("11:41", CancelBackfill("d"))) == (
        *("backfill", "there is no backfill d under way; under way: b.1, c.2"),
    )
    house.ask("11:41", CancelBackfill("b.1"))

    assert [note.id for note in house.known.notes.backfills] == ["c.2"]


def test_a_schedule_that_goes_takes_its_backfills_with_it() -> None:
    house = house_of(tracked("0 * * * *"))
    house.ask("11:40", SIX)
    house.wait("11:41")
    events = house.ask("11:42", Remove())

    [ended] = [one for one in events if isinstance(one, BackfillEnded)]
    assert (ended.cancelled, ended.reason) == (True, "the schedule was removed")
    assert not house.known.notes.backfills


def test_an_edit_of_the_timing_lets_it_go_on() -> None:
    house = house_of()
    house.ask("11:40", SIX)
    house.ask("11:40", Define(rule("30 * * * *")))

    assert len(once_more(house.wait("11:41"))) == 6
