"""What waits behind work that a runner has is offered when its turn comes."""

from __future__ import annotations

import pytest

from schemas.commands import (
    Define,
    Trigger,
)
from schemas.events import (
    RunEnded,
    RunQueued,
    RunStarted,
    ScheduleEvent,
)
from schemas.policies import Overlap, OverlapMode, Scope
from schemas.snapshot import RunPhase
from tests.decider.crew import Crew, crew_with, work
from tests.decider.house import outcomes
from tests.decider.stage import HOUR, SECOND, at


def kinds(events: list[ScheduleEvent]) -> list[str]:
    return [type(one).__name__ for one in events]


def test_what_waits_is_offered_when_its_turn_comes() -> None:
    crew, run = crew_with(work(overlap=Overlap(OverlapMode.QUEUE)))
    crew.claim("00:05", run)
    crew.beat("00:05:20", run)
    queued = crew.wait("00:05:30")
    crew.ask("00:05:31", Trigger())
    found = crew.says("00:05:40", run)

    assert queued == []
    assert kinds(found) == ["RunEnded", "RunStarted"]
    (second,) = crew.offered()
    assert (second.issue, second.attempt, second.started_at) == (1, 1, None)
    assert second.start_until == at("01:05:40")


def test_five_wait_and_the_sixth_is_refused() -> None:
    """IT-048: the five keep their order."""
    crew, run = crew_with(work("5 0 * * *", overlap=Overlap(OverlapMode.QUEUE)))
    crew.claim("00:05", run)
    found = [crew.ask(f"00:05:0{n}", Trigger()) for n in range(1, 7)]

    assert [one for _, one in outcomes(found[5])] == ["buffer_full"]
    assert [one.due for one in crew.waiting()] == [at(f"00:05:0{n}") for n in range(1, 6)]
    assert [kinds(one) for one in found[:5]] == [["Fired", "RunQueued"]] * 5


@pytest.mark.parametrize(("wait", "until"), [(HOUR, "01:05:01"), (30 * SECOND, "00:05:31")])
def test_who_waits_too_long_is_dropped_and_says_so(wait: int, until: str) -> None:
    """IT-049."""
    overlap = Overlap(OverlapMode.QUEUE, max_wait=wait)
    crew, run = crew_with(work("5 0 * * *", overlap=overlap))
    crew.claim("00:05", run)
    crew.ask("00:05:01", Trigger())
    (second,) = crew.waiting()
    now = at("00:05")
    while crew.run(second.id).phase is RunPhase.WAITING:
        now += 10 * SECOND
        crew.beat(now, run)
        crew.ring_subject(now)

    end = next(one for one, _ in crew.history if isinstance(one, RunEnded))
    assert (end.run, end.reason, end.detail) == (
        second.id,
        "queue_timeout",
        f"it waited until 2026-06-01T{until}Z",
    )


def test_of_two_that_are_in_each_others_way_the_older_one_begins() -> None:
    """IT-050."""
    crew, run = crew_with(work("5 0 * * *", overlap=Overlap(OverlapMode.QUEUE)))
    crew.claim("00:05", run)
    crew.ask("00:05:01", Trigger())
    crew.ask("00:05:02", Trigger())
    older, newer = crew.waiting()
    crew.says("00:05:03", run)

    assert [one.id for one in crew.offered()] == [older.id]
    assert [one.id for one in crew.waiting()] == [newer.id]


def test_all_that_are_in_nobodys_way_begin_in_one_pass_in_their_order() -> None:
    """IT-051: three targets become free at once."""
    scopes = tuple(Scope(f"rack-{one}") for one in "abc")
    overlap = Overlap(OverlapMode.QUEUE)
    crew = Crew()
    crew.ask("00:01", Define(work("5 0 * * *", scopes=scopes, overlap=overlap)))
    crew.wait("00:05")
    crew.beat("00:05")
    for run in crew.offered():
        crew.claim("00:05", run.id)
    crew.ask("00:05:01", Trigger())
    waiting = [one.id for one in crew.waiting()]
    found = crew.beat("00:05:02", boot=2)

    begun = [one.run for one in found if isinstance(one, RunStarted)]
    assert len(waiting) == 3
    assert begun == waiting
    assert kinds(found) == ["RunEnded"] * 3 + ["InsightRaised"] + ["RunStarted"] * 3


def test_queued_work_says_so_in_its_fire() -> None:
    crew, run = crew_with(work("*/5 * * * *", overlap=Overlap(OverlapMode.LATEST)))
    crew.claim("00:05", run)
    for minute in range(5, 10):
        for second in ("00", "20", "40"):
            crew.beat(f"00:0{minute}:{second}", run)
    found = crew.look("00:10")

    assert kinds(found) == ["Fired", "RunQueued"]
    assert isinstance(found[1], RunQueued)
