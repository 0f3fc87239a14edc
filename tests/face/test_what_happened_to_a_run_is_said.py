"""Does each event about a run have its words in an explanation?"""

from __future__ import annotations

from dataclasses import replace

import pytest

from horae.runs_told import run_told
from schemas.instants import format_instant
from schemas.run_events import OfRun, Result, RunStatus
from tests.read_models.works import Life

LIFE = Life()
SOON = "2026-11-29T12:01:00Z"

TOLD: dict[str, tuple[OfRun, str]] = {
    "waits": (
        LIFE.queued(behind="jr_0"),
        f"began to wait behind jr_0, until {SOON} at the latest,",
    ),
    "begins": (LIFE.started(2), "began (attempt 2)"),
    "offered again": (LIFE.offered(2), f"was offered once more (nobody took it), until {SOON},"),
    "granted": (LIFE.granted("hall-3"), "was given to hall-3 (attempt 1)"),
    "retried": (
        LIFE.retries(1, result=Result(3)),
        f"attempt 1 ended failed with 3 (failed), again at {SOON}; told",
    ),
    "retried, and nobody said why": (
        replace(LIFE.retries(1), detail=""),
        f"attempt 1 ended failed, again at {SOON}; told",
    ),
    "to stop": (LIFE.cancelling("enough"), "was asked to stop (enough)"),
    "over": (
        LIFE.ended(RunStatus.FAILED, detail="no disk", result=Result(1)),
        "ended failed with 1 (no disk)",
    ),
    "over without a runner": (LIFE.ended(RunStatus.SUCCESS), "ended success"),
    "heard of": (LIFE.noted(), "was told of"),
}


@pytest.mark.parametrize(("event", "words"), TOLD.values(), ids=TOLD.keys())
def test_what_happened_is_said_in_words(event: OfRun, words: str) -> None:
    assert run_told(event, format_instant) == words


def test_work_whose_turn_has_come_is_offered_and_has_not_begun() -> None:
    told = run_told(LIFE.started(2), format_instant, by_runner=True)

    assert told == "was offered to the runners (attempt 2)"
