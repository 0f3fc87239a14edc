"""However much has piled up, one look at a schedule stays short and its events few."""

from __future__ import annotations

import pytest

from schemas.commands import Define, Pause
from schemas.definition import CatchUp, CatchUpMode
from schemas.events import Fired, Skipped
from streams.calendar.occurrences import Span
from streams.decider import lateness
from streams.decider.agenda import Agenda, agenda_of
from streams.decider.settling import MOST_SETTLED
from tests.decider.stage import HOUR, MINUTE, SECOND, Stage, at, every, rule

LONG_GRACE = CatchUp(grace=HOUR)


def test_a_change_fires_only_the_newest_thousand_of_what_is_within_the_grace() -> None:
    stage = Stage()
    stage.ask(Define(rule(every(SECOND, anchor=0), catch_up=LONG_GRACE)), at("00:00"))

    *past, _paused = stage.ask(Pause(), at("00:50"))

    first, *fires = past
    assert isinstance(first, Skipped)
    assert (first.count, first.reason) == (3_000 - MOST_SETTLED, "withdrawn")
    assert all(isinstance(one, Fired) for one in fires)
    assert len(fires) == MOST_SETTLED


def test_what_fits_into_the_limit_fires_whole() -> None:
    stage = Stage()
    stage.ask(Define(rule(every(SECOND, anchor=0), catch_up=LONG_GRACE)), at("00:00"))

    *past, _paused = stage.ask(Pause(), at("00:10"))

    assert len(past) == 600
    assert all(isinstance(one, Fired) for one in past)


@pytest.mark.parametrize("most", [1, 2, 59, 60, 61, 600])
def test_the_newest_so_many_are_found_without_stepping(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage()
    stage.ask(Define(rule("* * * * *")), at("00:00"))
    assert stage.state is not None
    agenda = agenda_of(stage.state.plan, stage.world)
    asked: list[int] = []
    span = Agenda.span

    def counted(self: Agenda, after: int, until: int) -> Span:
        asked.append(after)
        return span(self, after, until)

    monkeypatch.setattr(Agenda, "span", counted)

    oldest = lateness.newest_of(agenda, at("00:01"), at("10:00"), most)

    assert oldest == at("10:00") - (most - 1) * MINUTE
    assert len(asked) <= 64


def test_a_large_limit_needs_few_looks() -> None:
    stage = Stage()
    everything = CatchUp(CatchUpMode.ALL, lookback=None, limit=10_000)
    stage.ask(Define(rule(every(SECOND, anchor=0), catch_up=everything)), at("00:00"))

    missed, late = stage.look(at("06-02T00:00"))

    assert isinstance(missed, Skipped)
    assert isinstance(late, Fired)
    assert missed.count == 24 * 3_600 - 10_000
    assert late.nominal == at("06-02T00:00") - 9_999 * SECOND
