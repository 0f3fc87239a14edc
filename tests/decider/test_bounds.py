"""Which instants lie inside a definition's bounds: both inclusive, on the nominal time."""

from __future__ import annotations

import pytest

from schemas.commands import Define
from schemas.definition import Definition
from streams.calendar.occurrences import NEVER, NO_TICK
from streams.decider.agenda import Agenda, agenda_of
from streams.decider.evolve import compiled
from streams.decider.state import Plan, World
from tests.decider.expected import fires, instants
from tests.decider.stage import HOUR, NIGHTLY, Stage, at, every, rule


def agenda(definition: Definition, created: str = "10:00") -> Agenda:
    compiled_rule = compiled(definition, NIGHTLY)
    plan = Plan(NIGHTLY, 0, 0, at(created), at(created), "", definition, compiled_rule)
    return agenda_of(plan, World())


def test_no_instant_lies_before_the_start() -> None:
    """POL-062: an hourly grid, the start a fraction of a second after 12:00."""
    bounded = agenda(rule(every(HOUR, anchor=0), start_at=at("12:00:00.456")))

    assert bounded.next_tick(at("12:00:00.123")).instant == at("13:00")


def test_both_bounds_are_inclusive() -> None:
    bounded = agenda(rule("0 * * * *", start_at=at("11:00"), end_at=at("13:00")))
    after, until = at("08:00"), at("18:00")

    assert bounded.next_tick(after).instant == at("11:00")
    assert bounded.next_tick(at("12:00")).instant == at("13:00")
    assert bounded.next_tick(at("13:00")) == NO_TICK
    assert bounded.newest_tick(after, until).instant == at("13:00")
    assert bounded.span(after, until) == (at("11:00"), at("13:00"), 3)


def test_without_bounds_all_are_there() -> None:
    free = agenda(rule("0 * * * *"))

    assert free.span(at("08:00"), at("10:30")) == (at("09:00"), at("10:00"), 2)
    assert free.newest_tick(at("08:00"), at("10:30")).instant == at("10:00")


@pytest.mark.parametrize(
    "definition",
    [
        rule("0 * * * *", end_at=at("07:00")),
        rule("0 * * * *", start_at=at("19:00")),
        rule("0 * * * *", start_at=at("12:10"), end_at=at("12:50")),
        rule("0 * * * *", zone="Mars/Base"),
    ],
    ids=["ended before", "starts after", "nothing between the bounds", "an unreadable rule"],
)
def test_where_there_is_none_there_is_none(definition: Definition) -> None:
    nothing = agenda(definition)

    assert nothing.newest_tick(at("08:00"), at("18:00")) == NO_TICK
    assert nothing.span(at("08:00"), at("18:00")) == (NEVER, NEVER, 0)


def test_a_schedule_runs_from_its_start_to_its_end() -> None:
    """POL-063."""
    stage = Stage()
    stage.ask(Define(rule("0 * * * *", start_at=at("11:00"), end_at=at("13:00"))), at("08:00"))

    assert fires(stage.wait(at("20:00"))) == instants("11:00", "12:00", "13:00")
