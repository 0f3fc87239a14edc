"""A runner claims, begins on the grant, reports, and ends in order; without any broker."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from schemas.actions import Exec, Program
from schemas.commands import Beating, ClaimRun, ReportStatus
from schemas.identity import partition_of
from schemas.orders import Denial, Grant, Stop
from schemas.units import SECOND
from streams.runner import beats, claims
from streams.runner.faults import NotToBeHad
from streams.runner.work import Attempt, Job
from streams.settings import RunnerSettings
from tests.processor.cluster import await_that
from tests.runner.desk import BOOT, PARTITIONS, Desk
from tests.runner.ordered import order, program, waiting_for


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    found = Desk(tmp_path)
    found.thread.start()
    yield found
    found.signals = 2
    found.end()


# ------------------------------------------------------------------ from offer to report


def test_an_order_is_claimed_begun_on_its_grant_and_reported(desk: Desk) -> None:
    asked = order(program("sh", "-c", "echo out; exit 3"))
    desk.offer(asked)

    report = desk.report(asked.run)

    assert desk.claims == [ClaimRun(asked.run, 1, 1, "one", BOOT)]
    assert (report.status, report.attempt) == (ReportStatus.FAILED, 1)
    assert report.detail == "ended with 3"
    assert (report.runner, report.boot) == ("one", BOOT)
    assert report.result is not None
    assert (report.result.exit_code, report.result.output, report.result.cut) == (3, "out\n", False)
    assert report.result.started_at is not None
    assert report.result.ended_at is not None
    assert report.result.started_at <= report.result.ended_at
    assert {letter.partition for letter, _ in desk.said} == {partition_of("billing", PARTITIONS)}


def test_nothing_begins_before_the_grant(desk: Desk, tmp_path: Path) -> None:
    desk.answers = False
    asked = order(program("touch", str(tmp_path / "it")))
    desk.offer(asked)
    await_that(lambda: desk.claims, "it is claimed")
    time.sleep(0.3)
    assert not (tmp_path / "it").exists()

    desk.answer(desk.claims[0])

    assert desk.report(asked.run).status is ReportStatus.SUCCESS
    assert (tmp_path / "it").exists()


@pytest.mark.case("ANC-15")
def test_an_order_and_its_grant_that_are_delivered_twice_begin_one_attempt(
    desk: Desk, tmp_path: Path
) -> None:
    """And a cancel of an attempt that has ended changes nothing."""
    asked = order(program("sh", "-c", f"echo x >> {tmp_path}/log"))
    desk.offer(asked)
    desk.report(asked.run)

    desk.offer(asked)
    desk.offer(replace(asked, issue=2))
    desk.tell(Grant(asked.run, 1, 1, BOOT))
    desk.stop(asked)
    other = order(program("true"), "jr_BBBBBBBBBBBB")
    desk.offer(other)
    desk.report(other.run)

    assert (tmp_path / "log").read_text() == "x\n"
    assert [one.run for one in desk.reports] == [asked.run, other.run]
    assert desk.report(asked.run).status is ReportStatus.SUCCESS
    assert desk.slots.used == 0


def test_a_claim_that_is_denied_frees_its_slot(desk: Desk) -> None:
    desk.answers = False
    for number in range(10):
        desk.offer(order(program("true"), f"jr_{number:012}"))
        await_that(lambda number=number: len(desk.claims) > number, "claimed")  # type: ignore[misc]
        claim = desk.claims[-1]
        desk.tell(Denial(claim.run, 1, 1, BOOT, "somebody has it"))

    await_that(lambda: desk.slots.used == 0, "all slots are free")
    assert desk.reports == []


def test_a_grant_that_comes_too_late_is_given_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "FRESH", SECOND // 10)
    desk.answers = False
    asked = order(program("true"))
    desk.offer(asked)
    await_that(lambda: desk.claims and desk.slots.used == 0, "it is given up")

    desk.answer(desk.claims[0])

    await_that(lambda: desk.declines, "it is declined")
    assert [(one.run, one.issue, one.boot) for one in desk.declines] == [(asked.run, 1, BOOT)]
    assert desk.reports == []


def test_a_claim_that_grows_stale_between_grant_and_start_is_given_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the thread of an attempt asks right before it starts it."""
    monkeypatch.setattr("streams.runner.carrying.boottime", lambda: 1 << 62)
    asked = order(program("true"))
    desk.offer(asked)
    await_that(lambda: desk.declines, "it is declined")
    monkeypatch.undo()
    desk.given.clear()

    desk.offer(replace(asked, issue=2))

    assert desk.report(asked.run).status is ReportStatus.SUCCESS
    assert len(desk.declines) == 1


# ------------------------------------------------------------------ slots


@pytest.mark.case("AJ-066")
def test_a_slow_run_does_not_hold_up_short_ones(desk: Desk, tmp_path: Path) -> None:
    desk.offer(order(waiting_for(tmp_path / "over"), "jr_slow"))
    for number in range(5):
        run = f"jr_{number:012}"
        desk.offer(order(program("true"), run))
        assert desk.report(run).status is ReportStatus.SUCCESS

    assert desk.slots.used == 1
    (tmp_path / "over").touch()
    desk.report("jr_slow")


def test_no_more_is_claimed_than_there_are_slots(desk: Desk, tmp_path: Path) -> None:
    for number in range(4):
        desk.offer(order(waiting_for(tmp_path / "over"), f"jr_{number:012}"))
    await_that(lambda: desk.slots.used == 4, "all are taken")

    assert not desk.slots.wait(0.2)
    (tmp_path / "over").touch()
    assert desk.slots.wait(10)
    desk.slots.leave()


@pytest.mark.case("IT-100")
def test_work_that_fails_each_time_keeps_no_later_work_from_running(tmp_path: Path) -> None:
    class Broken:
        def attempt(self, job: Job) -> Attempt:
            raise (NotToBeHad("no") if job.order.attempt == 1 else RuntimeError("it broke"))

        def sweep(self) -> None: ...

        def close(self) -> None: ...

    desk = Desk(tmp_path, executors={Program: Broken()})
    desk.thread.start()
    for number in range(20):
        asked = order(program("true"), f"jr_{number:012}", attempt=1 + number % 2)
        desk.offer(asked)
        report = desk.report(asked.run)
        assert report.status is ReportStatus.UNAVAILABLE
        assert report.detail in ("no", "the runner failed: RuntimeError('it broke')")
        assert report.result is not None
        assert report.result.started_at is None

    desk.end()
    assert desk.slots.used == 0


# ------------------------------------------------------------------ what is not done


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (RunnerSettings(), "'command' is not allowed here (HORAE_RUNNER_ALLOW_ACTIONS)"),
        (
            RunnerSettings(allow_actions="command"),
            "'touch' is not allowed here (HORAE_RUNNER_ALLOW_PROGRAMS)",
        ),
    ],
)
def test_what_is_not_allowed_ends_unavailable_and_names_the_setting(
    settings: RunnerSettings, said: str, tmp_path: Path
) -> None:
    desk = Desk(tmp_path, settings)
    desk.thread.start()
    asked = order(program("touch", str(tmp_path / "it")))
    desk.offer(asked)

    report = desk.report(asked.run)

    assert (report.status, report.detail) == (ReportStatus.UNAVAILABLE, said)
    assert not (tmp_path / "it").exists()
    desk.end()


def test_an_action_that_nobody_here_can_do_is_unavailable(tmp_path: Path) -> None:
    desk = Desk(tmp_path, RunnerSettings(allow_actions="exec"), executors={})
    desk.thread.start()
    desk.offer(order(Exec(("true",)), "jr_x"))

    assert desk.report("jr_x").detail == "this runner cannot carry out exec"
    desk.end()


# ------------------------------------------------------------------ while it goes on


def test_a_run_is_stopped_when_it_is_told_so(desk: Desk, tmp_path: Path) -> None:
    asked = order(waiting_for(tmp_path / "never"))
    desk.offer(asked)
    await_that(lambda: desk.chunks, "it has begun")

    desk.stop(asked)

    report = desk.report(asked.run)
    assert report.status is ReportStatus.CANCELLED
    assert report.detail == "it was cancelled; asked to end, ended by SIGTERM"


def test_a_stop_for_another_life_stops_nothing(desk: Desk, tmp_path: Path) -> None:
    asked = order(waiting_for(tmp_path / "over"))
    desk.offer(asked)
    await_that(lambda: desk.chunks, "it has begun")
    desk.tell(Stop(asked.run, 1, BOOT - 1, "an earlier one"))
    (tmp_path / "over").touch()

    assert desk.report(asked.run).status is ReportStatus.SUCCESS


def test_who_watches_sees_what_a_run_writes_before_it_ends(desk: Desk, tmp_path: Path) -> None:
    asked = order(waiting_for(tmp_path / "over"))
    desk.offer(asked)
    await_that(lambda: desk.chunks, "something is shown")
    assert desk.reports == []
    (tmp_path / "over").touch()
    desk.report(asked.run)

    assert [one.sequence for one in desk.chunks] == list(range(len(desk.chunks)))
    assert "".join(one.text for one in desk.chunks) == "begun\nover\n"


def test_a_run_is_in_every_beat_until_its_end_is_in_the_log(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beats, "EVERY", 0)
    asked = order(waiting_for(tmp_path / "over"))
    desk.offer(asked)
    await_that(lambda: desk.beats, "it beats")
    desk.arrives = False
    (tmp_path / "over").touch()
    await_that(lambda: desk.undelivered, "the broker is away")
    del desk.said[:]
    await_that(lambda: desk.beats, "it still beats")
    assert {one.runs for one in desk.beats} == {(Beating("billing", asked.run),)}

    desk.arrives = True
    desk.report(asked.run)
    del desk.said[:]
    time.sleep(0.5)
    assert desk.beats == []


def test_what_it_counts(desk: Desk) -> None:
    desk.offer(order(program("true"), "jr_a"))
    desk.offer(order(program("false"), "jr_b"))
    desk.report("jr_a")
    desk.report("jr_b")

    found = {
        sample.name + str(sorted(sample.labels.items())): sample.value
        for metric in desk.metrics.registry.collect()
        for sample in metric.samples
    }
    assert found["horae_runner_claims_total[]"] == 2
    assert found["horae_runner_grants_total[]"] == 2
    assert found["horae_runner_outcomes_total[('status', 'success')]"] == 1
    assert found["horae_runner_outcomes_total[('status', 'failed')]"] == 1
    assert found["horae_runner_start_seconds_count[]"] == 2
