"""Is the last run of a schedule known where no database is?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from typer.testing import CliRunner

from horae.cli import without_views
from horae.cli.main import app
from horae.cli.views import NoDatabase
from horae.last_run import find_last_fire
from projections.queries import Reads
from schemas.codec import Recorded
from schemas.events import Event, Outcome
from schemas.run_events import Result, RunStatus
from schemas.units import SECOND
from streams.decider.state import Plan
from tests.read_models.ledger import NOON, fired, stamp
from tests.read_models.works import COMMAND, FIRST, Life


def ask(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, words)
    return result.exit_code, result.stdout, result.stderr


@dataclass
class Told:
    """A ledger in memory."""

    history: list[Event]

    def events(self, _: str) -> Iterable[Recorded]:
        for number, event in enumerate(self.history):
            yield Recorded(event, stamp(number, NOON + number * SECOND))


LIFE = Life(origin="trigger:c.9")
OLDER = Life("jr_older")
HISTORY: list[Event] = [
    OLDER.fired(),
    fired("shop/other"),
    LIFE.fired(),
    LIFE.granted(),
    OLDER.ended(),
    LIFE.ended(RunStatus.FAILED, result=Result(3, "disk full\n")),
    LIFE.ignored("success"),
]


def test_the_log_alone_tells_of_the_last_run() -> None:
    """AJ-058: time, status and output of a job that was triggered, with no history anywhere."""
    last = find_last_fire(Told(HISTORY), "shop/nightly")

    assert last is not None
    [run] = last.runs.values()
    assert (run.run, run.status, run.since) == (FIRST, "failed", NOON + 5 * SECOND)
    assert run.result is not None
    assert (run.result.exit_code, run.result.output) == (3, "disk full\n")


@pytest.mark.parametrize(
    ("count", "status"), [(3, "started"), (4, "started"), (0, None), (2, "started")]
)
def test_a_run_that_goes_on_is_told_of_as_well(count: int, status: str | None) -> None:
    last = find_last_fire(Told(HISTORY[:count]), "shop/nightly")

    found = None if last is None else [run.status for run in last.runs.values()]
    assert found == (None if status is None else [status])


def test_what_a_fire_left_out_says_why() -> None:
    last = find_last_fire(Told([LIFE.fired(Outcome.SKIPPED)]), "shop/nightly")

    assert last is not None
    assert [run.status for run in last.runs.values()] == ["skipped"]


def test_a_description_without_a_database_is_made_from_the_log(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """AJ-058: nothing is kept of the runs, and the last one is known all the same."""

    @contextmanager
    def none() -> Iterator[Reads]:
        raise NoDatabase("no database is named")
        yield

    plan = Plan("shop/nightly", 7, 5, NOON, NOON, "user:ada", COMMAND, None)
    found = without_views.Found(plan, find_last_fire(Told(HISTORY), "shop/nightly"))
    monkeypatch.setattr("horae.cli.describing.views", none)
    monkeypatch.setattr(without_views, "look", lambda _: found)
    code, out, err = ask("schedule", "describe", "shop/nightly")
    [last] = json.loads(ask("schedule", "describe", "shop/nightly", "-o", "json")[1])["last"][
        "runs"
    ]

    assert code == 0
    assert "no database is named" in err
    row = f"{FIRST} shop failed 2026-11-29T12:00:05Z 3"
    assert row in [" ".join(line.split()) for line in out.splitlines()]
    assert out.rstrip().endswith("disk full")
    assert (last["status"], last["exit_code"], last["output"]) == ("failed", 3, "disk full\n")
