"""Made-up histories are as they were promised; with any one promise broken the account says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from streams.decider import agenda, evolve, firing, recompute, waiting
from streams.decider.agenda import Agenda
from streams.processor import batch
from tests.acceptance.calling import Book, walk
from tests.acceptance.promises import deciding_again_gives_the_same, outcomes_of
from tests.acceptance.promises import each_command_has_one_outcome as each_has_one
from tests.acceptance.rehearsal import rehearsed

SEEDS = range(12)
Break = Callable[[pytest.MonkeyPatch], None]


def account(seed: int) -> Book:
    return walk(*rehearsed(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_occurrence_of_a_made_up_history_ends_once(seed: int) -> None:
    """And all of it is decided again in the same way, and answered."""
    history, now = rehearsed(seed)

    assert walk(history, now).wrong == []
    assert list(deciding_again_gives_the_same(history)) == []
    assert list(each_has_one(history, outcomes_of(history))) == []


def test_made_up_histories_have_everything_in_them() -> None:
    ends: Counter[str] = Counter()
    for seed in SEEDS:
        ends += account(seed).ends

    kinds = ("moved", "excluded", "computed anew", "freeze", "waited for its window", "overlap")
    assert all(ends[one] > 10 for one in (*kinds, "deferral_expired", "missed", "withdrawn"))


def other_jitter(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(agenda, "delay", lambda _id, at, jitter, then: min(jitter, then - at) // 2)


def no_limit(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Agenda, "exhausted", lambda _self, fires=0: fires < 0)


def no_window(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(waiting, "for_window", lambda *_: None)


def no_freeze(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(firing, "frozen_at", lambda *_: None)


def no_exclusions(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(agenda, "excluding", lambda rule, *_: rule)


def calendars_as_they_were(patch: pytest.MonkeyPatch) -> None:
    for module in (recompute, batch):
        patch.setattr(module, "recomputed", lambda *_: None)


def a_step_from_the_instant_and_not_from_the_decision(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Agenda, "restarted", lambda self, _at: self)
    patch.setattr(evolve, "_handled", lambda _plan, nominal, _now: nominal)


def a_lost_instant(patch: pytest.MonkeyPatch) -> None:
    found = Agenda.unhandled

    def later(self: Agenda, after: int, turn: object) -> object:
        tick = found(self, after, turn)  # type: ignore[arg-type]
        return tick if tick.instant % 7 else found(self, tick.instant, turn)  # type: ignore[arg-type]

    patch.setattr(Agenda, "unhandled", later)


BREAKS: tuple[Break, ...] = (
    *(other_jitter, no_limit, no_window, no_freeze, no_exclusions, calendars_as_they_were),
    *(a_step_from_the_instant_and_not_from_the_decision, a_lost_instant),
)


@pytest.mark.parametrize("broken", BREAKS, ids=lambda one: one.__name__)
def test_a_broken_promise_is_found(broken: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)

    assert any(account(seed).wrong for seed in SEEDS)
