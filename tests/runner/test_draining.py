"""A runner that is told to end finishes what it has, or stops it, and begins nothing more."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from schemas.commands import ReportStatus
from schemas.orders import Control, Denial, Grant, Stop
from schemas.units import SECOND
from streams.faults import Halt
from streams.runner import claims
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


@pytest.mark.case("IT-026")
def test_asked_to_end_it_begins_nothing_more_and_lets_go_on_what_runs(
    desk: Desk, tmp_path: Path
) -> None:
    running = order(waiting_for(tmp_path / "over"), "jr_running")
    desk.offer(running)
    await_that(lambda: desk.chunks, "it has begun")
    desk.answers = False
    claimed = order(program("touch", str(tmp_path / "it")), "jr_claimed")
    desk.offer(claimed)
    await_that(lambda: len(desk.claims) == 2, "the other one is claimed")

    desk.signals = 1
    await_that(lambda: desk.beats, "it says that it leaves")
    assert len(desk.beats) == PARTITIONS
    assert all(one.leaving for one in desk.beats)
    assert sum(len(one.runs) for one in desk.beats) == 1
    assert desk.closed_orders == 1
    desk.offer(order(program("true"), "jr_offered"))
    desk.answer(desk.claims[-1])
    await_that(lambda: desk.declines, "what was not begun is given back")
    assert desk.thread.is_alive()
    (tmp_path / "over").touch()
    desk.end()
    desk.look()

    assert desk.report("jr_running").status is ReportStatus.SUCCESS
    assert [one.run for one in desk.declines] == ["jr_claimed"]
    assert [one.run for one in desk.claims] == ["jr_running", "jr_claimed"]
    assert not (tmp_path / "it").exists()


def test_what_goes_on_for_too_long_is_stopped_and_reported_as_interrupted(tmp_path: Path) -> None:
    settings = RunnerSettings(allow_actions="command", allow_programs="*", drain=0.2, grace=5)
    desk = Desk(tmp_path, settings)
    desk.thread.start()
    desk.offer(order(waiting_for(tmp_path / "never"), "jr_x"))
    await_that(lambda: desk.chunks, "it has begun")

    desk.end()
    desk.look()

    report = desk.report("jr_x")
    assert report.status is ReportStatus.INTERRUPTED
    assert report.detail == "the runner ends; asked to end, ended by SIGTERM"


def test_asked_twice_it_ends_at_once(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.thread.start()
    desk.offer(order(program("sh", "-c", "trap '' TERM; echo begun; sleep 100"), "jr_x"))
    await_that(lambda: desk.chunks, "it has begun")
    desk.signals = 1
    time.sleep(0.5)
    assert desk.thread.is_alive()

    desk.signals = 2
    desk.end()
    desk.look()

    assert desk.report("jr_x").status is ReportStatus.INTERRUPTED
    assert "killed" in desk.report("jr_x").detail


def test_what_was_cancelled_before_the_end_was_asked_for_is_cancelled(
    desk: Desk, tmp_path: Path
) -> None:
    asked = order(waiting_for(tmp_path / "never"))
    desk.offer(asked)
    await_that(lambda: desk.chunks, "it has begun")
    desk.signals = 1
    desk.stop(asked)
    desk.end()
    desk.look()

    assert desk.report(asked.run).status is ReportStatus.CANCELLED


@pytest.mark.parametrize("signals", [1, 2])
def test_what_was_claimed_and_not_answered_is_given_back_before_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signals: int
) -> None:
    """The grant may come when nobody is left to begin it: that would be an interruption."""
    monkeypatch.setattr(claims, "FRESH", SECOND)
    desk = Desk(tmp_path, answers=False)
    desk.thread.start()
    desk.offer(order(program("true"), "jr_late"))
    await_that(lambda: len(desk.claims) == 1, "it is claimed")
    await_that(lambda: desk.slots.used == 0, "it is waited for no longer")
    desk.offer(order(program("true"), "jr_open"))
    await_that(lambda: len(desk.claims) == 2, "the other one is claimed")
    desk.signals = signals
    desk.end()
    desk.look()

    assert {one.run for one in desk.declines} == {"jr_late", "jr_open"}
    assert {one.why for one in desk.declines} == {"the runner ends"}


@pytest.mark.parametrize(
    "said",
    [
        Grant("jr_other", 1, 1, BOOT + 1),
        Denial("jr_other", 1, 1, BOOT + 1, "somebody has it"),
        Denial("jr_other", 1, 1, BOOT, "it has begun a later life", BOOT + 1),
        Stop("jr_x", 1, BOOT + 1, "it was cancelled"),
    ],
)
def test_where_a_later_life_of_its_name_goes_on_it_ends_with_all_that_it_has(
    tmp_path: Path, said: Control
) -> None:
    desk, found = Desk(tmp_path), list[str]()

    def run() -> None:
        try:
            desk.loop.run(lambda: 0)
        except Halt as fault:
            found.append(str(fault))

    thread = Thread(target=run, daemon=True)
    thread.start()
    desk.offer(order(waiting_for(tmp_path / "never"), "jr_x"))
    await_that(lambda: desk.chunks, "it has begun")
    desk.tell(said)
    thread.join(20)

    [words] = found
    assert words.endswith(f"a runner of the same name goes on elsewhere, as life {BOOT + 1}")
    desk.look()
    assert desk.report("jr_x").status is ReportStatus.INTERRUPTED
    assert "killed" in desk.report("jr_x").detail


@pytest.mark.case("IT-025")
def test_told_to_end_again_and_again_it_ends_once(tmp_path: Path) -> None:
    """One that never began ends as well."""
    desk = Desk(tmp_path, signals=1)
    desk.loop.run(lambda: 1)
    desk.loop.run(lambda: 3)

    assert desk.closed_orders == 1
    assert len(desk.beats) == PARTITIONS
