"""What was decided under a clock that was accepted wrongly stays decided, until it is removed."""

from __future__ import annotations

import pytest

from schemas.commands import Command, Define, Pause, Remove, RemoveSubject, Resume, Trigger
from schemas.definition import CatchUp, CatchUpMode
from schemas.events import Fired
from tests.decider.expected import fires, instants
from tests.decider.house import House
from tests.decider.stage import NIGHTLY, Stage, at, rule

HOURLY = rule("0 * * * *")


def ahead() -> Stage:
    """Defined in 2026; then the clock said 2098 and somebody accepted that."""
    stage = Stage()
    stage.ask(Define(HOURLY), at("10:05"))
    assert fires(stage.ring(at("2098-01-01T00:00"))) == instants("2098-01-01T00:00")
    return stage


@pytest.mark.parametrize(
    "commands",
    [
        [],
        [Pause(), Resume()],
        [Pause(), Resume("", CatchUpMode.ALL)],
        [Define(rule("*/10 * * * *"))],
        [Trigger()],
    ],
    ids=["nothing", "a pause", "a pause that is caught up", "an edit", "a trigger"],
)
def test_nothing_brings_back_an_instant_that_had_its_turn(commands: list[Command]) -> None:
    stage = ahead()
    for command in commands:
        stage.ask(command, at("10:20"))

    assert stage.cursor_next > at("2098-01-01T00:00")
    assert stage.ring(at("15:00")) == []


def test_removing_and_defining_it_again_resets_the_mark() -> None:
    """POL-015: two commands, both in the ledger with who asked for them."""
    stage = ahead()
    assert [type(event).__name__ for event in stage.ask(Remove(), at("10:20"))] == [
        "ScheduleRemoved"
    ]
    stage.ask(Define(HOURLY), at("10:21"))

    assert fires(stage.wait(at("12:00"))) == instants("11:00", "12:00")
    assert [stamp.actor for _, stamp in stage.history[-4:-2]] == ["user:ann", "user:ann"]
    incarnations = {event.incarnation for event, _ in stage.history if isinstance(event, Fired)}
    assert len(incarnations) == 2, "an occurrence of the new one is another occurrence"


def test_what_was_defined_under_such_a_clock_begins_anew_too() -> None:
    stage = Stage()
    stage.ask(Define(HOURLY), at("2098-01-01T00:30"))
    assert stage.cursor_next == at("2098-01-01T01:00")
    stage.ask(Remove(), at("10:20"))
    stage.ask(Define(HOURLY), at("10:21"))

    assert stage.cursor_next == at("11:00")


def test_a_whole_subject_is_reset_by_one_removal() -> None:
    house = House()
    for name in (NIGHTLY, "shop/other"):
        house.ask("2098-01-01T00:30", Define(HOURLY), name)
    house.ask("10:20", RemoveSubject("clock"), None)
    for name in (NIGHTLY, "shop/other"):
        house.ask("10:21", Define(HOURLY), name)
    house.now = 0

    assert fires(house.wait("11:00")) == instants("11:00", "11:00")


def test_a_clock_that_is_put_back_a_little_needs_no_reset() -> None:
    """What it fired early is not fired again; it goes on where the true clock catches up."""
    stage = Stage()
    catch_up = CatchUp(CatchUpMode.ALL, lookback=None)
    stage.ask(Define(rule("*/10 * * * *", catch_up=catch_up)), at("10:05"))
    assert fires(stage.wait(at("10:30"))) == instants("10:10", "10:20", "10:30")

    assert stage.ring(at("10:12")) == []
    assert fires(stage.wait(at("10:40"))) == instants("10:40")
