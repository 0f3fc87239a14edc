"""Millions of questions: what the other tests ask for minutes, asked for an hour."""

import pytest

from tests.calendar import test_exclusions_in_all_zones as closed
from tests.calendar.test_all_zones import PARTS, ask_expressions, ask_steps, match_minutes
from tests.calendar.test_other_walkers import compare_croniter, compare_cronsim, compare_vixie

TURNS = 4
pytestmark = [pytest.mark.chaos, pytest.mark.timeout(3_600)]


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("turn", range(TURNS))
def test_two_million_questions_about_expressions(turn: int, part: int) -> None:
    assert ask_expressions(f"million {turn}", part, 1_600, 40) > 60_000


@pytest.mark.parametrize("part", range(PARTS))
def test_steps_of_days(part: int) -> None:
    assert ask_steps("million", part, 2_000, 20) > 20_000


@pytest.mark.parametrize("part", range(PARTS))
def test_every_minute(part: int) -> None:
    match_minutes("million", part, 600)


@pytest.mark.parametrize("part", range(closed.PARTS))
def test_exclusions(part: int) -> None:
    closed.ask_expressions("million", part, 2_000)
    closed.ask_intervals("million", part, 300)
    closed.ask_unions(f"million {part}", 300)


def test_other_walkers() -> None:
    assert compare_cronsim("million", 100_000) > 100_000
    assert compare_croniter("million", 20_000) > 20_000
    assert compare_vixie("million", 20_000) > 8_000
