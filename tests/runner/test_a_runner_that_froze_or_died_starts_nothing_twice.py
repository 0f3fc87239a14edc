"""Whatever happens to runners and processors, an attempt begins once at most, and is accounted for.

Every program here writes down that it began, so what began twice would show.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from schemas.commands import Beat, ClaimRun, Command, DeclineRun
from schemas.definition import HOUR
from schemas.events import RunGranted, RunNoted, RunOffered
from schemas.reading import beat_record, read_command
from schemas.run_events import RunEnded, RunStatus
from schemas.topics import COMMANDS, orders_topic
from tests.acceptance.hurried import AS_SHIPPED, HURRIED, Pace
from tests.acceptance.stage import Stage
from tests.processor.cluster import await_that
from tests.processor.lives import now
from tests.runner.processes import marked
from tests.runner.schedules import asking_for, ended, noted, noting

pytestmark = pytest.mark.broker
PACES = pytest.mark.parametrize(
    "pace",
    [HURRIED, pytest.param(AS_SHIPPED, marks=pytest.mark.chaos)],
    ids=["hurried", "as shipped"],
)


def said(stage: Stage, kind: type[object]) -> list[Command]:
    """What runners have put into the inbox."""
    found: list[Command] = []
    for one in stage.cluster.read(COMMANDS):
        if one.key is not None and not one.key.startswith(b"#"):
            command = read_command(one.key, one.value)[1]
            found += [command] if isinstance(command, kind) else []
    return found


def granted(stage: Stage) -> list[RunGranted]:
    found = [one.event for one in stage.cluster.events(RunGranted)]
    return [one for one in found if isinstance(one, RunGranted)]


def await_ready(stage: Stage, log: Path, ready: str = "ready/now") -> None:
    """Return when a first run has gone all the way."""
    stage.cluster.define(ready, asking_for(noting(log)))
    ended(stage.cluster, len(stage.cluster.events(RunEnded)) + 1, 60)


def test_frozen_before_its_claim_it_finds_that_another_has_the_run(
    stage: Stage, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    stage.processor("p")
    stage.runner("frozen")
    await_ready(stage, tmp_path / "ready")
    stage.freeze("frozen")
    stage.cluster.define("billing/close", asking_for(noting(log)))
    await_that(lambda: len(stage.cluster.read(orders_topic())) == 2, "it is offered")
    stage.runner("other")

    ended(stage.cluster, 2, 90)
    assert len(noted(log)) == 1
    assert granted(stage)[-1].runner == "other"
    stage.thaw("frozen")
    await_ready(stage, tmp_path / "ready", "ready/again")
    time.sleep(2)

    assert len(noted(log)) == 1
    assert len(ended(stage.cluster, 3)) == 3


@PACES
def test_frozen_between_its_claim_and_its_grant_past_the_lease_it_begins_nothing(
    stage: Stage, tmp_path: Path, pace: Pace
) -> None:
    log = tmp_path / "log"
    stage.pace = pace
    stage.processor("p")
    stage.runner("r")
    await_ready(stage, tmp_path / "ready")
    stage.freeze("r")
    stage.cluster.define("billing/close", asking_for(noting(log)))
    await_that(lambda: len(stage.cluster.read(orders_topic())) == 2, "it is offered")
    stage.freeze("p")
    stage.thaw("r")
    await_that(lambda: len(said(stage, ClaimRun)) == 2, "it is claimed")
    stage.freeze("r")
    stage.thaw("p")

    await_that(lambda: len(granted(stage)) == 2, "it is granted", 30)
    [_, end] = ended(stage.cluster, 2, pace.lease + 30)
    assert end.status is RunStatus.INTERRUPTED
    stage.thaw("r")
    await_that(lambda: said(stage, DeclineRun), "the grant is given back", 30)
    await_ready(stage, tmp_path / "ready", "ready/again")

    assert noted(log) == []
    assert len(ended(stage.cluster, 3)) == 3


@PACES
def test_frozen_while_it_runs_past_the_lease_the_run_is_interrupted_and_not_begun_again(
    stage: Stage, tmp_path: Path, pace: Pace
) -> None:
    log = tmp_path / "log"
    stage.pace = pace
    stage.processor("p")
    stage.runner("frozen")
    stage.cluster.define(
        "billing/close",
        asking_for(noting(log, f"while [ ! -e {tmp_path}/over ]; do sleep 0.1; done")),
    )
    await_that(lambda: noted(log), "it has begun", 60)
    stage.freeze("frozen")
    stage.runner("other")

    [end] = ended(stage.cluster, 1, pace.lease + 60)
    assert end.status is RunStatus.INTERRUPTED
    stage.thaw("frozen")
    (tmp_path / "over").touch()
    await_that(lambda: _ignored(stage), "its late report is noted", 60)

    assert ended(stage.cluster) == [end]
    assert len(noted(log)) == 1


def _ignored(stage: Stage) -> list[str]:
    notes = [one.event for one in stage.cluster.events(RunNoted)]
    return [one.ignored for one in notes if isinstance(one, RunNoted) and one.ignored]


@pytest.mark.case("AJ-045")
def test_killed_and_started_again_its_runs_are_interrupted_at_once_and_nothing_is_left_of_them(
    stage: Stage, tmp_path: Path
) -> None:
    logs = [tmp_path / f"log-{number}" for number in range(3)]
    stage.processor("p")
    stage.runner("r")
    for number, log in enumerate(logs):
        work = noting(log, "setsid sleep 1000 & sleep 1000 & sleep 1000")
        stage.cluster.define(f"billing/close-{number}", asking_for(work))
    await_that(lambda: all(noted(log) for log in logs), "all three run", 60)
    runs = [noted(log)[0].partition(".")[0] for log in logs]
    await_that(lambda: all(len(marked(run)) == 4 for run in runs), "each has its processes")
    stage.kill("r")
    assert all(marked(run) for run in runs)
    began = time.monotonic()
    stage.runner("r")

    ends = ended(stage.cluster, 3, AS_SHIPPED.lease)
    assert time.monotonic() - began < AS_SHIPPED.lease, "the lease had run out anyway"
    assert {end.status for end in ends} == {RunStatus.INTERRUPTED}
    assert {end.detail for end in ends} == {"runner r began a later life"}
    assert [run for run in runs if marked(run)] == []
    await_ready(stage, tmp_path / "ready")
    assert [len(noted(log)) for log in logs] == [1, 1, 1]


def test_a_processor_that_is_killed_takes_nothing_with_it(stage: Stage, tmp_path: Path) -> None:
    log = tmp_path / "log"
    stage.processor("p")
    stage.runner("r")
    work = noting(log, f"while [ ! -e {tmp_path}/over ]; do sleep 0.1; done; exit 4")
    stage.cluster.define("billing/close", asking_for(work))
    await_that(lambda: noted(log), "it has begun", 60)
    stage.kill("p")
    (tmp_path / "over").touch()
    time.sleep(1)
    stage.processor("p")

    [end] = ended(stage.cluster, 1, 60)
    assert (end.status, end.detail) == (RunStatus.FAILED, "ended with 4")
    assert len(noted(log)) == 1


@pytest.mark.case("IT-025", "IT-100")
def test_a_second_runner_of_the_same_name_refuses_to_start(stage: Stage, tmp_path: Path) -> None:
    stage.processor("p")
    stage.runner("r")
    await_ready(stage, tmp_path / "ready")
    first = stage.programs["r"]
    second = stage.runner("r")
    child = second.child
    assert child is not None

    assert child.process.wait(60) == 1
    assert "called 'r' already" in stage.last_words("r")
    stage.programs["r"] = first
    await_ready(stage, tmp_path / "ready", "ready/again")
    assert stage.stop("r") == 0
    assert stage.stop("r") == 0


def test_a_runner_whose_name_another_machine_takes_ends_with_all_that_it_has(
    stage: Stage, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    stage.processor("p")
    stage.runner("r")
    stage.cluster.define("billing/close", asking_for(noting(log, "sleep 1000")))
    await_that(lambda: noted(log), "it has begun", 60)
    run = noted(log)[0].partition(".")[0]
    first = stage.programs["r"].child
    assert first is not None
    stage.runner("r", STATE=str(tmp_path / "elsewhere"))

    [end] = ended(stage.cluster, 1, 60)
    assert (end.status, end.detail) == (RunStatus.INTERRUPTED, "runner r began a later life")
    await_ready(stage, tmp_path / "ready")
    assert first.process.wait(60) == 1
    assert marked(run) == []
    await_ready(stage, tmp_path / "ready", "ready/again")


def test_a_runner_whose_clock_went_back_and_whose_folder_is_lost_works_after_one_start_more(
    stage: Stage, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    stage.processor("p")
    later = now() + HOUR
    for partition in range(stage.cluster.partitions):
        stage.cluster.send(*beat_record("r", Beat(later)), partition=partition)
    stage.cluster.define("billing/close", asking_for(noting(log)))
    first = stage.runner("r").child
    assert first is not None

    assert first.process.wait(60) == 1
    assert f"as life {later}" in stage.last_words("r")
    stage.runner("r")
    [end] = ended(stage.cluster, 1, 60)
    assert end.status is RunStatus.SUCCESS
    assert len(noted(log)) == 1


def test_what_was_claimed_before_all_were_started_anew_is_done_all_the_same(
    stage: Stage, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    stage.processor("p")
    stage.runner("r")
    await_ready(stage, tmp_path / "ready")
    stage.freeze("r")
    stage.cluster.define("billing/close", asking_for(noting(log)))
    await_that(lambda: len(stage.cluster.read(orders_topic())) == 2, "it is offered")
    stage.freeze("p")
    stage.thaw("r")
    await_that(lambda: len(said(stage, ClaimRun)) == 2, "it is claimed")
    assert stage.stop("r", within=40) == 0
    stage.thaw("p")
    stage.runner("r")

    end = ended(stage.cluster, 2, 60)[-1]
    assert end.status is RunStatus.SUCCESS
    assert len(noted(log)) == 1


def test_what_nobody_takes_is_offered_again_elsewhere(stage: Stage, tmp_path: Path) -> None:
    log = tmp_path / "log"
    stage.processor("p")
    stage.cluster.define("billing/close", asking_for(noting(log)))
    await_that(lambda: stage.cluster.events(RunOffered), "it is offered again", 60)
    orders = stage.cluster.read(orders_topic())
    assert len({one.partition for one in orders[:2]}) == 2
    stage.runner("r")

    [end] = ended(stage.cluster, 1, 60)
    assert end.status is RunStatus.SUCCESS
    assert len(noted(log)) == 1
