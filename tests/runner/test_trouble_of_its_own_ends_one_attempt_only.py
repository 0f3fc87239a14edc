"""A runner that is short of something, or in error, loses no run, no process and no slot."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from schemas.actions import Program, Setting
from schemas.commands import ReportStatus
from schemas.definition import DAY
from streams.runner import remembered
from streams.runner.output import Output
from streams.runner.work import Attempt, Job, Outcome
from streams.settings import RunnerSettings
from tests.processor.cluster import await_that
from tests.runner.desk import Desk
from tests.runner.ordered import order, program, waiting_for
from tests.runner.processes import marked

DONE = order(program("echo", "it was done"))
ALONE = f"jr_{os.getpid():012}"
"""A run of no other test that goes on at the same time."""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    found = Desk(
        tmp_path,
        RunnerSettings(allow_actions="command", allow_programs="*", allow_secrets="env:*"),
    )
    found.thread.start()
    yield found
    found.signals = 2
    found.end()


def test_a_program_may_take_longer_than_the_kernel_counts_in_one_wait(desk: Desk) -> None:
    desk.offer(replace(DONE, timeout=56 * DAY))

    assert desk.report(DONE.run).status is ReportStatus.SUCCESS


def test_a_value_that_is_a_part_of_a_character_costs_no_report(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PART", os.fsdecode(b"\xa9"))
    env = (Setting("PART", "", "env:PART"),)
    desk.offer(order(Program(("/nothing/caf\N{LATIN SMALL LETTER E WITH ACUTE}",), env=env)))

    report = desk.report(DONE.run)
    assert report.status is ReportStatus.UNAVAILABLE
    assert "caf\N{REPLACEMENT CHARACTER}***" in report.detail
    assert desk.slots.used == 0


# ------------------------------------------------------------------ a disk that takes nothing


def test_what_cannot_be_noted_is_not_begun(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "runs").rmdir()
    began = tmp_path / "began"
    desk.offer(order(program("touch", str(began))))

    report = desk.report(DONE.run)
    assert report.status is ReportStatus.UNAVAILABLE
    assert report.detail == "no note of it can be left on the disk: No such file or directory"
    assert not began.exists()


def test_what_has_begun_goes_on_although_its_number_cannot_be_noted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = remembered._write

    def full(begun: remembered.Begun, what: dict[str, object]) -> None:
        if what:
            raise OSError(28, "No space left on device")
        write(begun, what)

    monkeypatch.setattr(remembered, "_write", full)
    desk.offer(DONE)

    assert desk.report(DONE.run).status is ReportStatus.SUCCESS


def test_how_it_ended_counts_although_its_note_cannot_be_removed(
    desk: Desk, tmp_path: Path
) -> None:
    notes = tmp_path / "runs"
    desk.offer(order(program("sh", "-c", f"sleep 0.2; rm -r {notes}; touch {notes}; exit 3")))

    report = desk.report(DONE.run)
    assert (report.status, report.detail) == (ReportStatus.FAILED, "ended with 3")


# ------------------------------------------------------------------ a machine that gives nothing


def test_a_process_that_cannot_be_watched_is_ended_and_the_run_not_tried_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def none_left(_: int) -> int:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "pidfd_open", none_left)
    asked = order(program("sh", "-c", "sleep 1000 & sleep 1000"), run=ALONE)
    desk.offer(asked)

    report = desk.report(asked.run)
    assert report.status is ReportStatus.INTERRUPTED
    assert "Too many open files" in report.detail
    assert "Too many open files" in caplog.text
    await_that(lambda: marked(asked.run) == [], "its processes are gone")


def test_what_finds_no_file_left_to_open_has_not_begun(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(_: int) -> tuple[int, int]:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(os, "pipe2", none_left)
    desk.offer(DONE)

    assert desk.report(DONE.run).status is ReportStatus.UNAVAILABLE


def test_what_finds_no_thread_is_given_back_and_may_begin_here_later(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(_: Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(Thread, "start", none_left)
        desk.offer(DONE)
        await_that(lambda: desk.declines, "it is given back")
    desk.given.clear()
    desk.offer(replace(DONE, issue=2))

    assert desk.report(DONE.run).status is ReportStatus.SUCCESS
    assert desk.slots.used == 0


# ------------------------------------------------------------------ an error of the runner


class Executor:
    """Each attempt has the next of these outcomes, or raises it."""

    def __init__(self, *outcomes: Outcome | Exception) -> None:
        self._outcomes = list(outcomes)

    def attempt(self, _: Job) -> Attempt:
        return self

    def run(self) -> Outcome:
        found = self._outcomes.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def stop(self, why: str, *, kill: bool) -> None: ...

    def sweep(self) -> None: ...

    def close(self) -> None: ...


def with_outcomes(folder: Path, *outcomes: Outcome | Exception) -> Desk:
    desk = Desk(folder, executors={Program: Executor(*outcomes)})
    desk.thread.start()
    return desk


def test_what_may_have_begun_when_an_executor_fails_is_not_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    desk = with_outcomes(tmp_path, LookupError("a mistake"))
    desk.offer(DONE)

    report = desk.report(DONE.run)
    assert report.status is ReportStatus.INTERRUPTED
    assert report.detail == "the runner failed: LookupError('a mistake')"
    assert "a mistake" in caplog.text
    desk.end()


def test_what_was_busy_may_begin_here_when_it_is_offered_again(tmp_path: Path) -> None:
    desk = with_outcomes(tmp_path, Outcome(ReportStatus.BUSY), Outcome(ReportStatus.SUCCESS))
    desk.offer(DONE)
    await_that(lambda: desk.reports, "it is busy")
    desk.given.clear()
    desk.offer(replace(DONE, issue=2))

    await_that(lambda: len(desk.reports) == 2, "it is done")
    assert [one.status for one in desk.reports] == [ReportStatus.BUSY, ReportStatus.SUCCESS]
    desk.end()


def test_when_the_loop_fails_nothing_goes_on_that_nobody_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(tmp_path)

    def run() -> None:
        with suppress(ZeroDivisionError):
            desk.loop.run(lambda: 0)

    thread = Thread(target=run, daemon=True)
    thread.start()
    asked = order(waiting_for(tmp_path / "never"), run=ALONE)
    desk.offer(asked)
    await_that(lambda: marked(asked.run), "it runs")

    def fail(_: int) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(desk.loop.claims, "expire", fail)
    thread.join(20)

    assert not thread.is_alive()
    assert marked(asked.run) == []


def test_the_loop_waits_for_no_masking() -> None:
    output = Output(1_000)
    output.write(b"out")
    found: list[object] = []
    asking = Thread(target=lambda: found.append(output.piece()), daemon=True)
    with output._lock:
        asking.start()
        asking.join(5)

    assert found == [None]
    assert output.piece() is not None
