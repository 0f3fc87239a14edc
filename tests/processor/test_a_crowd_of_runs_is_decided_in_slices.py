"""However many runs have their turn or their time over at once, a batch has a bounded part of them.

The rest follows in the next batches, by itself and in order: a transaction of ten thousand pieces
of work would stall its partition, or not fit into its time.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define, Trigger
from schemas.definition import Cron, Definition, Emit
from schemas.events import RunEnded, RunStarted
from schemas.globals import Hold
from schemas.policies import Overlap, OverlapMode, Tracking
from streams.decider import promotion, runs
from streams.processor import draft, household, partitions
from tests.processor.desk import HOUR, MINUTE, Desk

SLICE, CROWD = 5, 23
QUEUE = Overlap(OverlapMode.QUEUE, limit=100, max_wait=2 * HOUR)
TRACKED = Definition(
    (Cron("0 * 1 1 *"),), Emit("jobs", b"k", b"go", tracked=Tracking(8 * HOUR)), overlap=QUEUE
)


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (promotion, runs, draft):
        monkeypatch.setattr(module, "MOST_AT_ONCE", SLICE)


def crowd() -> Desk:
    """One run goes on, and a crowd waits for it."""
    desk = Desk()
    desk.ask("shop/a", Define(TRACKED))
    for _ in range(CROWD + 1):
        desk.ask("shop/a", Trigger())
    desk.step()
    while desk.partition.timers.next_due() <= desk.now:
        desk.step()
    return desk


def until_quiet(desk: Desk, kind: type[RunStarted] | type[RunEnded]) -> list[int]:
    """How many events of that kind each batch had, until there are none."""
    found = []
    while desk.partition.timers.next_due() <= desk.now:
        before = len(desk.events())
        desk.step()
        found.append(sum(isinstance(one, kind) for one in desk.events()[before:]))
    return found


def test_those_that_may_begin_after_an_edit_begin_in_slices() -> None:
    desk = crowd()
    desk.ask("shop/a", Define(replace(TRACKED, overlap=Overlap(OverlapMode.ALLOW))))
    desk.tell("hold", Hold(held=True, reason="works", actor="eve", at=desk.now))
    desk.step()
    desk.tell("hold", Hold(held=False, reason="works", actor="eve", at=desk.now))
    desk.second_looks.follow(desk.world, [desk.partition])

    found = until_quiet(desk, RunStarted)

    assert sum(found) == CROWD
    assert max(found) <= 2 * SLICE


def test_those_that_begin_all_at_once_begin_in_their_order() -> None:
    desk = crowd()
    untracked = replace(TRACKED, overlap=Overlap(), action=replace(TRACKED.action, tracked=None))
    desk.ask("shop/a", Define(untracked))
    before = len(desk.events())

    desk.step()
    found = until_quiet(desk, RunStarted)

    begun = [one for one in desk.events()[before:] if isinstance(one, RunStarted)]
    assert len(begun) == CROWD
    assert [one.nominal for one in begun] == sorted(one.nominal for one in begun)
    assert max(found) <= 2 * SLICE


def test_those_whose_time_is_over_end_in_slices() -> None:
    desk = crowd()
    desk.now += 2 * HOUR + MINUTE

    found = until_quiet(desk, RunEnded)

    assert sum(found) == CROWD
    assert max(found) <= SLICE
    assert len(found) >= CROWD // SLICE


def test_the_rest_is_not_forgotten_by_whoever_restores_it() -> None:
    desk = crowd()
    untracked = replace(TRACKED, overlap=Overlap(), action=replace(TRACKED.action, tracked=None))
    desk.ask("shop/a", Define(untracked))
    desk.step()

    desk.restart()
    until_quiet(desk, RunStarted)

    assert sum(isinstance(one, RunStarted) for one in desk.events()) == CROWD


def test_what_is_over_and_what_was_answered_is_forgotten_in_slices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (household, partitions):
        monkeypatch.setattr(module, "FORGOTTEN_AT_ONCE", SLICE)
    desk = crowd()
    desk.now += 2 * HOUR + MINUTE
    until_quiet(desk, RunEnded)
    desk.now += 25 * HOUR

    forgotten = []
    while desk.partition.timers.next_due() <= desk.now:
        keys = [one.key or b"" for one in desk.step() if one.value is None]
        forgotten.append((sum(b"r|" in one for one in keys), sum(b"c|" in one for one in keys)))

    runs_forgotten, answers_forgotten = (sum(column) for column in zip(*forgotten, strict=True))
    assert runs_forgotten == CROWD
    assert answers_forgotten > 2 * SLICE
    assert max(max(pair) for pair in forgotten) <= SLICE
