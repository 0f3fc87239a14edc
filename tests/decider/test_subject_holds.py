"""While a subject is held nothing of it is evaluated; its commands are answered all the same."""

from __future__ import annotations

import pytest

from schemas.commands import (
    Command,
    Define,
    HoldSubject,
    Pause,
    ReleaseSubject,
    ReportActivity,
    Trigger,
)
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    Fired,
    RunEnded,
    RunStarted,
    ScheduleEvent,
    SubjectHeld,
    SubjectReleased,
)
from schemas.policies import Gate, Overlap, OverlapMode
from schemas.snapshot import PastHold, RunPhase, SubjectHold
from streams.calendar.occurrences import NEVER
from tests.decider.expected import fires, instants
from tests.decider.house import House, outcomes, tracked
from tests.decider.stage import NIGHTLY, at, once, rule

HOURLY = rule("0 * * * *")
SLEEP = rule("0 * * * *", gate=Gate())


def house(*, held: HoldSubject | None = None) -> House:
    """One with an hourly schedule since 10:30, and perhaps a hold since 10:40."""
    found = House()
    found.ask("10:30", Define(HOURLY))
    if held is not None:
        found.ask("10:40", held, None)
    return found


def subject_event(kind: type[ScheduleEvent], *values: object) -> ScheduleEvent:
    return kind("shop/", *values)  # type: ignore[arg-type]


HOLDING: dict[str, tuple[HoldSubject | None, str, Command, list[ScheduleEvent]]] = {
    "a hold says why and since when": (
        None,
        "10:40",
        HoldSubject("moves"),
        [SubjectHeld("shop/", "moves", at("10:40"), None, actions_only=False)],
    ),
    "holding again in the same words is unchanged": (
        HoldSubject("moves"),
        "10:50",
        HoldSubject("moves"),
        [CommandUnchanged("shop/", "hold", 0, 0, NEVER)],
    ),
    "holding again in other words keeps since when": (
        HoldSubject("moves"),
        "10:50",
        HoldSubject("rests", at("12:00")),
        [SubjectHeld("shop/", "rests", at("10:40"), at("12:00"), actions_only=False)],
    ),
    "a hold over its actions is another one": (
        HoldSubject("moves"),
        "10:50",
        HoldSubject("moves", actions_only=True),
        [SubjectHeld("shop/", "moves", at("10:50"), None, actions_only=True)],
    ),
    "a hold until now is refused": (
        None,
        "10:40",
        HoldSubject("moves", at("10:40")),
        [
            CommandRefused(
                "shop/", "hold", "until", "2026-06-01T10:40:00Z is not in the future", None
            )
        ],
    ),
    "nothing to lift is unchanged": (
        None,
        "10:40",
        ReleaseSubject("on"),
        [CommandUnchanged("shop/", "release", 0, 0, NEVER)],
    ),
    "a release lifts it": (
        HoldSubject("moves"),
        "10:50",
        ReleaseSubject("on"),
        [SubjectReleased("shop/", "on", actions_only=False)],
    ),
}


@pytest.mark.parametrize("case", HOLDING.values(), ids=HOLDING.keys())
def test_holding(
    case: tuple[HoldSubject | None, str, Command, list[ScheduleEvent]],
) -> None:
    held, when, command, then = case
    assert house(held=held).ask(when, command, None) == then


def test_one_release_lifts_both_holds() -> None:
    held = house(held=HoldSubject("moves"))
    held.ask("10:45", HoldSubject("failed", actions_only=True), None)

    assert held.ask("10:50", ReleaseSubject("on"), None) == [
        SubjectReleased("shop/", "on", actions_only=False),
        SubjectReleased("shop/", "on", actions_only=True),
    ]
    assert (held.known.notes.hold, held.known.notes.actions_hold) == (None, None)
    assert held.known.notes.past_hold == PastHold(at("10:40"), at("10:50"))


def test_who_holds_it_is_kept() -> None:
    held = house(held=HoldSubject("moves"))

    assert held.known.notes.hold == SubjectHold("moves", "user:ann", at("10:40"))


def test_nothing_is_evaluated_and_what_was_due_is_late_when_it_is_lifted() -> None:
    held = house(held=HoldSubject("moves"))
    assert held.wait("13:30") == []
    assert held.ring("13:30") == []
    held.ask("13:30", ReleaseSubject(), None)

    assert outcomes(held.ring("13:30")) == [(at("11:00"), "missed"), (at("13:00"), "started")]


def test_a_subject_that_is_held_holds_up_no_other() -> None:
    held = house(held=HoldSubject("moves"))
    other = House(subject="office")
    other.ask("10:30", Define(HOURLY), "office/nightly")

    assert held.wait("11:00") == []
    assert fires(other.wait("11:00")) == instants("11:00")


def test_a_hold_ends_by_itself() -> None:
    held = house(held=HoldSubject("moves", at("12:30")))

    events = held.wait("13:00")
    assert events[0] == SubjectReleased("shop/", "the hold ended", actions_only=False)
    assert outcomes(events) == [
        (at("11:00"), "missed"),
        (at("12:00"), "started"),
        (at("13:00"), "started"),
    ]


def test_a_hold_over_the_actions_ends_by_itself() -> None:
    held = House()
    held.ask("10:30", Define(SLEEP))
    held.ask("10:40", HoldSubject("failed", at("10:50"), actions_only=True), None)

    assert held.wait("10:55") == [SubjectReleased("shop/", "the hold ended", actions_only=True)]


def test_the_end_of_a_hold_over_the_actions_waits_for_that_of_a_hold_over_all() -> None:
    held = house(held=HoldSubject("moves", at("11:30")))
    held.ask("10:45", HoldSubject("failed", at("10:50"), actions_only=True), None)

    assert [type(one) for one in held.wait("11:40") if isinstance(one, SubjectReleased)] == [
        SubjectReleased,
        SubjectReleased,
    ]
    assert (held.known.notes.hold, held.known.notes.actions_hold) == (None, None)


def test_a_hold_over_the_actions_lets_other_work_go_on() -> None:
    held = House()
    held.ask("10:30", Define(HOURLY), "shop/backup")
    held.ask("10:30", Define(SLEEP), "shop/sleep")
    held.ask("10:40", HoldSubject("failed", actions_only=True), None)

    assert [event.schedule for event in held.wait("12:00")] == ["shop/backup", "shop/backup"]


@pytest.mark.parametrize(
    ("actions_only", "words"),
    [
        (False, "shop is held by user:ann: moves"),
        (True, "the actions of shop are held by user:ann: moves"),
    ],
)
def test_a_trigger_is_refused_under_a_hold(actions_only: bool, words: str) -> None:
    held = House()
    held.ask("10:30", Define(SLEEP))
    held.ask("10:40", HoldSubject("moves", actions_only=actions_only), None)

    for command in (Trigger(), Trigger(force=True)):
        refusal = CommandRefused(NIGHTLY, "trigger", "hold", words, 0)
        assert held.ask("10:50", command) == [refusal]


def test_a_trigger_of_other_work_is_free_while_the_actions_are_held() -> None:
    held = house(held=HoldSubject("failed", actions_only=True))

    assert isinstance(held.ask("10:50", Trigger())[0], Fired)


def test_commands_are_answered_under_a_hold() -> None:
    held = house(held=HoldSubject("moves"))
    edited = held.ask("11:00:30", Define(rule("*/10 * * * *")))
    paused = held.ask("11:00:40", Pause())

    assert outcomes(edited) == [(at("11:00"), "withdrawn")]
    assert [getattr(event, "evidence", None) for event in edited] == ["held", None]
    assert [type(event).__name__ for event in paused] == ["SchedulePaused"]


def test_a_one_time_of_the_hold_fires_when_it_is_lifted() -> None:
    held = House()
    held.ask("10:30", Define(rule(once("11:00"))))
    held.ask("10:40", HoldSubject(), None)
    held.ask("12:00", ReleaseSubject(), None)

    assert outcomes(held.ring("12:00")) == [(at("11:00"), "started")]


def test_what_waits_for_its_turn_begins_when_the_hold_is_lifted() -> None:
    held = House()
    queue = tracked("*/10 * * * *", overlap=Overlap(OverlapMode.QUEUE))
    held.ask("10:05", Define(queue))
    held.wait("10:20")
    [going], [waiting] = held.going(), held.waiting()
    held.ask("10:21", HoldSubject(), None)

    assert [type(one) for one in held.report("10:22", going.id)] == [RunEnded]
    released, started = held.ask("10:25", ReleaseSubject(), None)
    assert isinstance(released, SubjectReleased)
    assert isinstance(started, RunStarted)
    assert started.run == waiting.id


def test_what_waits_of_its_actions_stays_waiting_while_they_are_held() -> None:
    held = House()
    queue = tracked("*/10 * * * *", overlap=Overlap(OverlapMode.QUEUE), gate=Gate())
    held.ask("10:05", Define(queue))
    for minute in ("10:10", "10:20"):
        held.ask(minute, ReportActivity(0, 0, at(minute)), None)
        held.wait(minute)
    [going], [waiting] = held.going(), held.waiting()
    held.ask("10:21", HoldSubject(actions_only=True), None)

    assert [type(one) for one in held.report("10:22", going.id)] == [RunEnded]
    assert held.runs(RunPhase.WAITING) == [waiting]
    assert [type(one) for one in held.ask("10:25", ReleaseSubject(), None)] == [
        SubjectReleased,
        RunStarted,
    ]
