"""From the offer to the report, on a real broker, between real processes."""

from __future__ import annotations

import json
import signal
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest

from horae.local import ports
from schemas.codec import decode_as
from schemas.commands import CancelRun
from schemas.events import RunGranted, RunRetries
from schemas.orders import OutputChunk
from schemas.policies import Retry
from schemas.run_events import RunStatus
from schemas.topics import CONTROL, OUTPUT, orders_topic
from schemas.units import SECOND
from streams.runner.post import producer_options
from streams.runner.readers import control_options, orders_options
from streams.settings import RunnerSettings
from tests.acceptance.stage import Stage
from tests.processor.cluster import await_that
from tests.processor.lives import now
from tests.runner.ordered import program
from tests.runner.schedules import asking_for, ended, noted, noting, told_of

pytestmark = pytest.mark.broker


@pytest.fixture
def running(stage: Stage) -> Stage:
    """A processor and a runner."""
    stage.processor("p")
    stage.runner("r")
    return stage


def test_what_is_due_is_offered_claimed_granted_begun_and_reported(running: Stage) -> None:
    running.cluster.define("billing/close", asking_for(program("sh", "-c", "echo out; exit 3")))

    [end] = ended(running.cluster)
    assert (end.status, end.detail, end.attempt) == (RunStatus.FAILED, "ended with 3", 1)
    assert end.result is not None
    assert (end.result.exit_code, end.result.output) == (3, "out\n")
    [granted, over] = told_of(running.cluster)
    assert isinstance(granted, RunGranted)
    assert granted.runner == "r"
    assert over == end
    assert (
        "".join(
            decode_as(one.value or b"", OutputChunk).text for one in running.cluster.read(OUTPUT)
        )
        == "out\n"
    )


@pytest.mark.case("ANC-15")
def test_an_order_that_is_delivered_twice_begins_once(running: Stage, tmp_path: Path) -> None:
    log = tmp_path / "log"
    running.cluster.define("billing/close", asking_for(noting(log)))
    ended(running.cluster)
    [order] = running.cluster.read(orders_topic())
    [grant] = [one for one in running.cluster.read(CONTROL) if one.key == b"r"]

    for partition in range(running.cluster.partitions):
        running.cluster.send(order.key, order.value, topic=orders_topic(), partition=partition)
    running.cluster.send(grant.key, grant.value, topic=CONTROL, partition=0)
    # What comes behind them is carried out, so they were read.
    running.cluster.define("billing/next", asking_for(noting(log)))
    ended(running.cluster, 2)

    assert len(noted(log)) == len(set(noted(log))) == 2
    assert len(running.cluster.events(RunGranted)) == 2


@pytest.mark.case("ANC-15")
def test_a_cancel_of_an_attempt_that_has_ended_changes_nothing(
    running: Stage, tmp_path: Path
) -> None:
    running.cluster.define("billing/close", asking_for(noting(tmp_path / "log")))
    [end] = ended(running.cluster)

    running.cluster.ask("billing/", CancelRun(end.run), "too-late")
    await_that(lambda: "too-late" in running.cluster.replies(), "it is answered")

    assert ended(running.cluster) == [end]
    assert end.status is RunStatus.SUCCESS


def test_a_run_that_is_cancelled_is_stopped(running: Stage, tmp_path: Path) -> None:
    log = tmp_path / "log"
    running.cluster.define("billing/close", asking_for(noting(log, "sleep 100")))
    await_that(lambda: noted(log), "it has begun", 30)
    [granted] = [one.event for one in running.cluster.events(RunGranted)]
    assert isinstance(granted, RunGranted)

    running.cluster.ask("billing/", CancelRun(granted.run, "not wanted"))

    [end] = ended(running.cluster)
    assert end.status is RunStatus.CANCELLED


@pytest.mark.case("AJ-025")
def test_one_that_hangs_times_out_and_holds_up_nobody(running: Stage) -> None:
    hangs = asking_for(program("sleep", "100"), timeout=SECOND)
    running.cluster.define("billing/hangs", hangs)
    running.cluster.define("billing/works", asking_for(program("true")))

    found = {one.schedule: one for one in ended(running.cluster, 2)}

    assert found["billing/works"].status is RunStatus.SUCCESS
    assert found["billing/hangs"].status is RunStatus.TIMEOUT
    result = found["billing/hangs"].result
    assert result is not None
    assert result.started_at is not None
    assert result.ended_at is not None
    # SIGTERM was enough: the grace of two seconds was not used.
    assert SECOND <= result.ended_at - result.started_at < 3 * SECOND


def test_one_that_fails_is_tried_again(running: Stage, tmp_path: Path) -> None:
    log = tmp_path / "log"
    again = asking_for(noting(log, "exit 7"), retry=Retry(most=2, backoff=SECOND))
    running.cluster.define("billing/close", again)

    [end] = ended(running.cluster)

    assert (end.status, end.attempt) == (RunStatus.FAILED, 3)
    assert noted(log) == [f"{end.run}.{attempt}" for attempt in (1, 2, 3)]
    assert len(running.cluster.events(RunRetries)) == 2


@pytest.mark.case("ANC-16")
def test_fifty_megabytes_of_output_leave_their_end_and_hold_up_nobody(running: Stage) -> None:
    text = "head -c 50000000 /dev/zero | tr '\\0' x; echo; echo the end; exit 3"
    running.cluster.define("billing/loud", asking_for(program("sh", "-c", text)))
    for number in range(3):
        running.cluster.define(f"billing/quiet-{number}", asking_for(program("echo", "ok")))

    found = {one.schedule: one for one in ended(running.cluster, 4)}

    loud = found.pop("billing/loud")
    assert (loud.status, loud.detail) == (RunStatus.FAILED, "ended with 3")
    assert loud.result is not None
    assert loud.result.cut
    assert loud.result.output.endswith("x\nthe end\n")
    assert len(loud.result.output) == 64 * 1024
    assert {one.status for one in found.values()} == {RunStatus.SUCCESS}


def test_what_is_not_allowed_ends_unavailable_and_names_the_setting(
    stage: Stage, tmp_path: Path
) -> None:
    stage.processor("p")
    stage.runner("r", ALLOW_PROGRAMS="echo")
    stage.cluster.define("billing/close", asking_for(noting(tmp_path / "log")))

    [end] = ended(stage.cluster)

    assert end.status is RunStatus.UNAVAILABLE
    assert end.detail == "'sh' is not allowed here (HORAE_RUNNER_ALLOW_PROGRAMS)"
    assert noted(tmp_path / "log") == []


def test_a_pool_that_nobody_has_worked_for_so_far_gets_its_topic(stage: Stage) -> None:
    stage.processor("p")
    stage.runner("r", POOLS="node-1,default")
    node = orders_topic("node-1")
    await_that(lambda: node in stage.cluster.admin.list_topics(timeout=5).topics, "created", 30)
    try:
        stage.cluster.define("billing/a", asking_for(program("true", pool="node-1")))
        stage.cluster.define("billing/b", asking_for(program("true")))

        assert {one.status for one in ended(stage.cluster, 2)} == {RunStatus.SUCCESS}
        assert len(stage.cluster.read(node)) == 1
    finally:
        stage.end()


@pytest.mark.case("AJ-066")
def test_five_short_runs_start_beside_a_slow_one(stage: Stage, tmp_path: Path) -> None:
    stage.processor("p")
    stage.runner("r", slots=2)
    at = now() + 2 * SECOND
    slow = noting(tmp_path / "slow", f"while [ ! -e {tmp_path}/over ]; do sleep 0.05; done")
    stage.cluster.define("billing/slow", asking_for(slow, at))
    for number in range(5):
        stage.cluster.define(f"billing/short-{number}", asking_for(program("true"), at))

    found = ended(stage.cluster, 5)

    assert {one.schedule for one in found} == {f"billing/short-{n}" for n in range(5)}
    await_that(lambda: len(noted(tmp_path / "slow")) == 1, "the slow one goes on", 30)
    assert len(ended(stage.cluster, 5)) == 5
    (tmp_path / "over").touch()
    ended(stage.cluster, 6)


# ------------------------------------------------------------------ what runners do to each other


def test_a_report_that_the_broker_could_not_take_is_sent_when_it_is_back(
    stage: Stage, tmp_path: Path
) -> None:
    """And whoever looks after the runner is told that the broker is away, and that it is back."""
    running, port = stage, ports.choose()
    stage.processor("p")
    stage.runner("r", PORT=str(port))
    log = tmp_path / "log"
    wait = f"while [ ! -e {tmp_path}/over ]; do sleep 0.05; done; echo out; exit 3"
    running.cluster.define("billing/close", asking_for(noting(log, wait)))
    await_that(lambda: noted(log), "it has begun", 30)

    assert health(port) == {}

    running.broker.kill()
    (tmp_path / "over").touch()
    await_that(lambda: health(port) == {"broker": "cannot be reached"}, "it says so", 20)
    running.broker.start()

    [end] = ended(running.cluster, within=60)
    assert end.status is RunStatus.FAILED
    assert end.result is not None
    assert end.result.output == "out\n"
    assert len(noted(log)) == 1
    await_that(lambda: health(port) == {}, "all is well again", 20)


def health(port: int) -> dict[str, str]:
    """What a runner says is wrong."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/healthz")
        found: dict[str, str] = json.loads(connection.getresponse().read())["wrong"]
        return found
    finally:
        connection.close()


@pytest.mark.case("IT-026")
def test_a_runner_that_is_told_to_end_finishes_what_it_has_and_begins_nothing(
    running: Stage, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    wait = f"while [ ! -e {tmp_path}/over ]; do sleep 0.05; done"
    running.cluster.define("billing/close", asking_for(noting(log, wait)))
    await_that(lambda: noted(log), "it has begun", 30)
    child = running.programs["r"].child
    assert child is not None
    child.signal(signal.SIGTERM)
    time.sleep(1)
    running.cluster.define("billing/next", asking_for(noting(log)))
    time.sleep(2)
    assert len(noted(log)) == 1
    (tmp_path / "over").touch()

    assert child.process.wait(20) == 0
    [end] = ended(running.cluster)
    assert end.status is RunStatus.SUCCESS
    running.runner("s")
    later = ended(running.cluster, 2)[1]
    assert (later.schedule, later.status) == ("billing/next", RunStatus.SUCCESS)


def test_what_it_does_not_finish_in_time_is_interrupted(stage: Stage, tmp_path: Path) -> None:
    log = tmp_path / "log"
    stage.processor("p")
    stage.runner("r", DRAIN="0.2")
    stage.cluster.define("billing/close", asking_for(noting(log, "sleep 100")))
    await_that(lambda: noted(log), "it has begun", 30)

    assert stage.stop("r") == 0

    [end] = ended(stage.cluster)
    assert end.status is RunStatus.INTERRUPTED
    assert end.detail == "the runner ends; asked to end, ended by SIGTERM"


# ------------------------------------------------------------------ how the clients are set


def test_every_client_is_set_by_hand() -> None:
    settings = RunnerSettings()
    orders = orders_options(settings, "r", "default")
    control = control_options(settings, "r")
    producer = producer_options("localhost:1", "r")

    assert orders["group.id"] == "horae-runner-default"
    assert (orders["isolation.level"], orders["auto.offset.reset"]) == (
        "read_committed",
        "earliest",
    )
    assert (orders["enable.auto.commit"], orders["enable.auto.offset.store"]) == (True, True)
    assert (control["isolation.level"], control["enable.auto.commit"]) == ("read_committed", False)
    assert (producer["acks"], producer["enable.idempotence"]) == ("all", True)
