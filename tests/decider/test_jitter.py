"""Jitter moves when an occurrence is due; its nominal instant stays what all else is asked of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define, Pause, Remove, Resume, Trigger
from schemas.definition import CatchUp, CatchUpMode, Definition
from schemas.events import Fired, Reason, ScheduleChanged, ScheduleDefined, Skipped
from streams.calendar.jitter import delay
from streams.decider import agenda
from tests.decider.expected import fired, fires, instants, removed, skipped
from tests.decider.stage import (
    HOUR,
    MINUTE,
    NIGHTLY,
    RING,
    SECOND,
    Breaks,
    Stage,
    at,
    once,
    played,
    rule,
)

DAILY = rule("0 3 * * *", jitter=HOUR)
HOURLY = rule("0 * * * *", jitter=30 * MINUTE)


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is due 37:29 after its nominal instant, if there is that much room."""
    monkeypatch.setattr(
        agenda, "delay", lambda _id, _at, jitter, _next: min(jitter, 37 * MINUTE + 29 * SECOND)
    )


def late_by(stage: Stage) -> int:
    assert stage.state is not None
    return stage.state.cursor.due - stage.state.cursor.nominal


@pytest.mark.usefixtures("moved")
def test_a_pause_between_the_nominal_and_the_due_instant_takes_nothing_away() -> None:
    """POL-004."""
    stage = played(
        ("01:00", Define(DAILY)), ("03:10", RING), ("03:10", Pause()), ("03:20", Resume())
    )

    assert stage.ring(at("03:37:28")) == []
    assert stage.ring(at("03:37:29")) == [
        fired("03:00", "06-02T03:00")._replace(due=at("03:37:29"), next_due=at("06-02T03:37:29"))
    ]


@pytest.mark.usefixtures("moved")
def test_a_pause_over_the_due_instant_takes_it_away() -> None:
    stage = played(("01:00", Define(DAILY)), ("03:10", Pause()), ("03:40", Resume()))

    assert stage.cursor_next == at("06-02T03:00")


def test_the_end_bound_is_asked_of_the_nominal_instant(monkeypatch: pytest.MonkeyPatch) -> None:
    """POL-064."""
    monkeypatch.setattr(agenda, "delay", lambda *_: MINUTE + 10 * SECOND)
    stage = played(("10:30", Define(replace(HOURLY, end_at=at("12:00")))))

    events = stage.wait(at("20:00"))

    assert fires(events) == instants("11:00", "12:00")
    assert [one.due for one in events if isinstance(one, Fired)] == instants(
        *("11:01:10", "12:01:10")
    )


def test_every_event_that_sets_an_instant_says_when_it_is_due() -> None:
    stage = played(("10:30", Define(HOURLY)))
    defined = stage.history[0][0]
    assert isinstance(defined, ScheduleDefined)
    moved = delay(NIGHTLY, at("11:00"), 30 * MINUTE, at("12:00"))

    assert 0 < moved < 30 * MINUTE
    assert (defined.next, defined.next_due) == (at("11:00"), at("11:00") + moved)
    assert late_by(stage) == moved


def test_instants_come_in_their_order_however_large_the_jitter() -> None:
    stage = played(("10:30", Define(rule("* * * * *", jitter=24 * HOUR))))
    events = [one for one in stage.wait(at("14:00")) if isinstance(one, Fired)]

    dues = [one.due for one in events]
    assert dues == sorted(dues)
    assert all(one.nominal <= one.due < one.nominal + MINUTE for one in events)
    assert len({one.due - one.nominal for one in events}) > 100


@pytest.mark.usefixtures("moved")
def test_jitter_is_not_lateness() -> None:
    """Due at 11:30: a minute after that it is on time, a microsecond more and it is late."""
    on_time, late = played(("10:30", Define(HOURLY))), played(("10:30", Define(HOURLY)))

    assert [one.late for one in on_time.ring(at("11:31")) if isinstance(one, Fired)] == [False]
    assert [one.late for one in late.ring(at("11:31") + 1) if isinstance(one, Fired)] == [True]


@pytest.mark.usefixtures("moved")
@pytest.mark.parametrize(
    ("mode", "missed", "ran"),
    [
        (CatchUpMode.LATEST, ("11:00", "13:00", 3), ["14:00"]),
        (CatchUpMode.NONE, ("11:00", "14:00", 4), []),
        (CatchUpMode.ALL, None, ["11:00", "12:00", "13:00", "14:00"]),
    ],
)
def test_what_is_not_due_yet_is_not_missed(
    mode: CatchUpMode, missed: tuple[str, str, int] | None, ran: list[str]
) -> None:
    """At 15:29 the one of 15:00 is still to come, at 15:30."""
    definition = replace(HOURLY, catch_up=CatchUp(mode, lookback=None))
    stage = played(("10:30", Define(definition)))

    events = stage.ring(at("15:29"))

    skips = [(one.first, one.last, one.count) for one in events if isinstance(one, Skipped)]
    assert skips == ([(at(missed[0]), at(missed[1]), missed[2])] if missed else [])
    assert fires(events) == instants(*ran)
    assert stage.cursor_next == at("15:00")
    assert stage.ring(at("15:30")) != []


@pytest.mark.usefixtures("moved")
def test_the_lookback_is_measured_from_the_due_instant() -> None:
    definition = replace(HOURLY, catch_up=CatchUp(CatchUpMode.ALL, lookback=HOUR))
    just, over = played(("10:30", Define(definition))), played(("10:30", Define(definition)))

    assert fires(just.ring(at("12:30"))) == instants("11:00", "12:00")
    assert fires(over.ring(at("12:30") + 1)) == instants("12:00")


@pytest.mark.usefixtures("moved")
def test_what_is_due_before_a_removal_fires_and_what_is_not_does_not() -> None:
    before, after = played(("10:30", Define(HOURLY))), played(("10:30", Define(HOURLY)))

    assert before.ask(Remove(), at("11:29:59")) == [removed()]
    assert fires(after.ask(Remove(), at("11:30:01"))) == instants("11:00")


@pytest.mark.usefixtures("moved")
def test_what_was_due_long_ago_is_withdrawn_and_what_is_still_to_come_is_not() -> None:
    stage = played(("10:30", Define(HOURLY)))

    settled, _removed = stage.ask(Remove(), at("14:29"))

    assert settled == replace(
        skipped("11:00", "13:00", 3, "14:00", Reason.WITHDRAWN), next_due=at("14:30")
    )


@pytest.mark.usefixtures("moved")
def test_an_edit_that_keeps_the_pending_instant_does_not_lose_it() -> None:
    """At 11:10 the one of 11:00 is due at 11:30; the new rule has it too."""
    stage = played(("10:30", Define(HOURLY)))
    stage.ask(Define(replace(HOURLY, end_at=at("20:00"))), at("11:10"))

    assert fires(stage.wait(at("12:40"))) == instants("11:00", "12:00")


@pytest.mark.usefixtures("moved")
def test_a_denser_rule_has_no_past_for_all_that() -> None:
    stage = played(("10:30", Define(HOURLY)))
    stage.ask(Define(rule("*/5 * * * *")), at("11:12"))

    assert stage.cursor_next == at("11:15")


@pytest.mark.usefixtures("moved")
def test_another_jitter_moves_the_pending_instant_and_no_other_edit_is_needed() -> None:
    stage = played(("10:30", Define(HOURLY)))
    (edit,) = stage.ask(Define(replace(HOURLY, jitter=5 * MINUTE)), at("10:40"))

    assert isinstance(edit, ScheduleChanged)
    assert (edit.next, edit.next_due) == (at("11:00"), at("11:05"))
    assert late_by(stage) == 5 * MINUTE
    stage.ask(Define(replace(HOURLY, jitter=0)), at("10:50"))
    assert late_by(stage) == 0


@pytest.mark.usefixtures("moved")
def test_while_it_waits_for_its_target_it_was_due_when_it_was_due() -> None:
    stage = played(("10:30", Define(HOURLY)), ("10:40", Breaks("gone")), ("11:30", RING))
    stage.play(Breaks(None), at("11:30:01"))
    (event,) = stage.ring(at("11:30:01"))

    assert isinstance(event, Fired)
    assert (event.nominal, event.due, event.late) == (at("11:00"), at("11:30"), False)


@pytest.mark.usefixtures("moved")
def test_a_one_time_is_moved_too_and_a_fire_by_hand_takes_its_place() -> None:
    definition: Definition = rule(once("11:00"), jitter=30 * MINUTE)
    by_itself, by_hand = (played(("10:30", Define(definition))) for _ in range(2))

    assert by_itself.ring(at("11:29")) == []
    assert fires(by_itself.ring(at("11:30"))) == instants("11:00")
    assert fires(by_hand.ask(Trigger(), at("11:10"))) == instants("11:10")
    assert by_hand.ring(at("11:30")) == []
