"""What was asked to be skipped is skipped when it is due, and nothing else is."""

from __future__ import annotations

import pytest

from schemas.commands import Define, Pause, Remove, Skip, Trigger, Unskip
from schemas.definition import Basis, CatchUp, CatchUpMode, Interval, Once
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    ScheduleEvent,
    SkipsChanged,
)
from streams.decider.requested import still_ahead
from tests.decider.requests import HOURLY, NOON, ends, times
from tests.decider.stage import HOUR, RING, Breaks, Holds, Step, at, played, rule


def skips(*steps: Step) -> tuple[int, ...]:
    state = played(*steps).state
    assert state is not None
    return still_ahead(state)


def refused(events: list[ScheduleEvent]) -> tuple[str, str]:
    [event] = events
    assert isinstance(event, CommandRefused)
    return event.field, event.message


LATER = CatchUp(on_resume=CatchUpMode.ALL)
NAMED: dict[str, tuple[list[Step], Skip, tuple[int, ...]]] = {
    "the next one": ([NOON], Skip(1), times("12:00")),
    "those that are to be skipped already are passed over": (
        [NOON, ("11:35", Skip(instant=at("13:00")))],
        Skip(2),
        times("12:00", "13:00", "14:00"),
    ),
    "one that is named": ([NOON], Skip(instant=at("15:00")), times("15:00")),
    "fewer than were asked for, if no more are left": (
        [("11:30", Define(rule("0 * * * *", end_at=at("13:00"))))],
        Skip(5),
        times("12:00", "13:00"),
    ),
    "the only one of a one-time": ([("11:30", Define(rule(Once(at("12:00")))))], Skip(1),
                                   times("12:00")),
    "of an interval that counts from fires the pending one": (
        [("11:30", Define(rule(Interval(micros=HOUR, basis=Basis.AFTER_FIRE))))],
        Skip(1),
        times("12:30"),
    ),
    "after the end of a pause": (
        [NOON, ("11:35", Pause(until=at("13:00")))],
        Skip(2),
        times("14:00", "15:00"),
    ),
    "inside a pause whose instants run when it ends": (
        [("11:30", Define(rule("0 * * * *", catch_up=LATER))), ("11:35", Pause())],
        Skip(1),
        times("12:00"),
    ),
    "one that is named while it is paused without an end": (
        [NOON, ("11:35", Pause())],
        Skip(instant=at("15:00")),
        times("15:00"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("given", "command", "then"), NAMED.values(), ids=NAMED.keys())
def test_these_are_to_be_skipped(given: list[Step], command: Skip, then: tuple[int, ...]) -> None:
    stage = played(*given)
    [event] = stage.play(command, at("11:45"))

    assert isinstance(event, SkipsChanged)
    assert event.skips == then


ONE_AND_TWO = "nearest: 2026-06-01T13:00:00Z and 2026-06-01T14:00:00Z"


HELD = Holds(held=True)
AFTER_FIRE = ("11:30", Define(rule(Interval(micros=HOUR, basis=Basis.AFTER_FIRE))))


REFUSED: dict[str, tuple[list[Step], Skip, tuple[str, str]]] = {
    "no instant of it": (
        [NOON],
        Skip(instant=at("13:30")),
        ("instant", "2026-06-01T13:30:00Z is no instant of it; " + ONE_AND_TWO),
    ),
    "one before the pending one": (
        [NOON],
        Skip(instant=at("11:00")),
        ("instant", "2026-06-01T11:00:00Z is over; nearest: 2026-06-01T12:00:00Z"),
    ),
    "one behind the last": (
        [("11:30", Define(rule("0 * * * *", end_at=at("12:00"))))],
        Skip(instant=at("13:00")),
        ("instant", "2026-06-01T13:00:00Z is no instant of it; nearest: 2026-06-01T12:00:00Z"),
    ),
    "one inside a pause": (
        [NOON, ("11:35", Pause(until=at("13:30")))],
        Skip(instant=at("13:00")),
        ("instant", "2026-06-01T13:00:00Z lies in its pause; nearest: 2026-06-01T14:00:00Z"),
    ),
    "the next of a pause without an end": (
        [NOON, ("11:35", Pause())],
        Skip(1),
        ("count", "it is paused, and nobody knows which come next: name an instant"),
    ),
    "more than the pending one of an interval that counts from fires": (
        [AFTER_FIRE],
        Skip(2),
        ("count", "it counts from its last fire or end: no instant is known but the pending one"),
    ),
    "more than the one that waits of an interval that counts from fires": (
        [
            AFTER_FIRE,
            ("12:29", Breaks("gone")),
            ("12:30", RING),
            ("12:30", HELD),
            ("12:31", Skip(1)),
        ],
        Skip(1),
        ("count", "it counts from its last fire or end: no instant is known but the pending one"),
    ),
    "more when all that are left are to be skipped": (
        [("11:30", Define(rule("0 * * * *", end_at=at("12:00")))), ("11:40", Skip(1))],
        Skip(1),
        ("count", "no instant is left that would fire"),
    ),
    "more than can be kept": (
        [NOON, ("11:40", Skip(1_000))],
        Skip(1),
        ("count", "1,001 instants would be skipped, 1,000 may"),
    ),
    "of a completed one": (
        [("11:30", Define(rule(Once(at("11:40"))))), ("11:40", RING)],
        Skip(1),
        ("schedule", "shop/nightly is completed"),
    ),
}


@pytest.mark.parametrize(("given", "command", "why"), REFUSED.values(), ids=REFUSED.keys())
def test_these_cannot_be_skipped(given: list[Step], command: Skip, why: tuple[str, str]) -> None:
    assert refused(played(*given).play(command, at("11:45"))) == why


def test_what_was_due_when_it_was_asked_is_left_to_its_timer() -> None:
    """Asked at 11:50 for the next one and read late: 12:00 is meant, not what was missed before."""
    stage = played(("08:30", Define(HOURLY)))
    [event] = stage.ask(Skip(1), at("12:40"), appended_at=at("11:50"))

    assert isinstance(event, SkipsChanged)
    assert event.skips == times("12:00")
    assert ends(stage.ring(at("12:40"))) == [("missed", 2), ("fired", 1), ("requested", 1)]


def test_asking_for_the_same_instant_twice_is_asking_once() -> None:
    stage = played(NOON, ("11:40", Skip(instant=at("13:00"))))

    [event] = stage.play(Skip(instant=at("13:00")), at("11:45"))
    assert isinstance(event, CommandUnchanged)


def test_an_undo_of_one_leaves_the_others() -> None:
    stage = played(NOON, ("11:40", Skip(3)), ("11:41", Unskip(at("13:00"))))

    assert ends(stage.wait(at("15:00"))) == [
        *(("requested", 1), ("fired", 1), ("requested", 1), ("fired", 1)),
    ]


def test_an_undo_of_all_and_of_none() -> None:
    stage = played(NOON, ("11:40", Skip(3)), ("11:41", Unskip()))
    assert ends(stage.wait(at("12:00"))) == [("fired", 1)]

    for command in (Unskip(), Unskip(at("14:00"))):
        [event] = stage.play(command, at("12:10"))
        assert isinstance(event, CommandUnchanged)


def test_another_payload_keeps_all() -> None:
    assert skips(
        NOON, ("11:40", Skip(3)), ("11:50", Define(rule("0 * * * *", description="b")))
    ) == (times("12:00", "13:00", "14:00"))


def test_a_fire_by_hand_leaves_them_alone() -> None:
    assert skips(NOON, ("11:40", Skip(1)), ("11:50", Trigger())) == times("12:00")


def test_a_new_schedule_of_that_name_knows_none() -> None:
    assert skips(NOON, ("11:40", Skip(1)), ("11:41", Remove()), ("11:42", Define(HOURLY))) == ()
