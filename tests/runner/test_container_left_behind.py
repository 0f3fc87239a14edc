"""What if the runner or the line to the engine is gone before its containers are?"""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from schemas.actions import App, Fresh
from schemas.commands import ReportStatus
from streams.runner import container, fresh, watching
from streams.runner.container import Freshes
from streams.runner.engine import Engine, EngineAway
from streams.runner.fresh import FreshAttempt
from streams.runner.watching import Wish
from streams.runner.work import Outcome, Runner
from tests.runner.containers import ME, SHELL, Podman, eventually, job_of
from tests.runner.line_to_engine import line_to

SHOP = App(SHELL, network="none")
UNTIL_TOLD = "echo up; while [ ! -e /tmp/go ]; do sleep 0.1; done; echo over; exit 4"
NAME = "horae-shop-jr_AbCd-fGh_jKl"


def labels(runner: str, boot: int) -> dict[str, str]:
    return {"horae.run": "jr_x", "horae.runner": runner, "horae.boot": str(boot)}


def test_what_an_earlier_life_left_is_removed_and_nothing_else(podman: Podman) -> None:
    """AJ-021, AJ-045: after the restart the containers are still there."""
    podman.up(name="shop-1", labels={"horae.app": "shop"})
    podman.up(name="horae-shop-jr_earlier", labels=labels(ME.name, ME.boot - 1))
    podman.api.kill(podman.up(name="horae-shop-jr_ended", labels=labels(ME.name, 1)))
    podman.up(name="horae-shop-jr_now", labels=labels(ME.name, ME.boot))
    podman.up(name="horae-shop-jr_other", labels=labels("runner-11", 1))

    Freshes(podman.engine, ME).sweep()

    assert sorted(podman.states()) == ["horae-shop-jr_now", "horae-shop-jr_other", "shop-1"]


def test_a_node_that_is_not_reached_is_swept_once_it_is(
    podman: Podman, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AJ-045: it does not hold up the start, nor what is done meanwhile elsewhere."""
    monkeypatch.setattr(container, "_AGAIN", (0.1,))
    podman.up(name="horae-shop-jr_earlier", labels=labels(ME.name, 1))
    with line_to(podman.address, tmp_path) as line:
        line.cut()
        freshes = Freshes(Engine(line.address), ME)
        sweep = Thread(target=freshes.sweep, daemon=True)
        sweep.start()
        elsewhere = Freshes(podman.engine, ME).attempt(job_of(Fresh(("true",)), SHOP)).run()

        assert elsewhere.status is ReportStatus.SUCCESS
        assert sweep.is_alive()
        assert list(podman.states()) == ["horae-shop-jr_earlier"]

        line.mend()
        sweep.join(20)
        assert podman.states() == {}


def test_a_sweep_in_vain_ends_with_its_runner(tmp_path: Path) -> None:
    """AJ-045: an engine that never comes holds up no end either."""
    freshes = Freshes(Engine(f"unix://{tmp_path}/nobody.sock"), ME)
    sweep = Thread(target=freshes.sweep, daemon=True)
    sweep.start()

    freshes.close()
    sweep.join(20)

    assert not sweep.is_alive()


def test_a_command_survives_that_its_engine_is_away_for_a_while(
    podman: Podman, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AJ-027: it goes on, and what becomes of it is seen and heard again later."""
    monkeypatch.setattr(watching, "AGAIN", 0.1)
    with line_to(podman.address, tmp_path) as line:
        job = job_of(Fresh(("sh", "-c", UNTIL_TOLD)), SHOP)
        attempt, ends = Freshes(Engine(line.address), ME).attempt(job), list[Outcome]()
        thread = Thread(target=lambda: ends.append(attempt.run()), daemon=True)
        thread.start()
        eventually(lambda: job.output.kept().text == "up\n", "it is up")
        eventually(lambda: podman.states() == {NAME: "running"}, "its engine knows that")
        line.cut()
        thread.join(0.5)
        assert ends == []
        line.mend()
        thread.join(0.5)
        assert ends == []
        podman.told(NAME, "touch /tmp/go")
        thread.join(20)

    assert ends == [Outcome(ReportStatus.FAILED, "ended with 4", 4, NAME)]
    assert job.output.kept().text == "up\nover\n"
    assert podman.states() == {}


def test_what_may_run_is_not_given_up(
    podman: Podman, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AJ-027: without its engine a run that was to end counts as running, and says so."""
    monkeypatch.setattr(watching, "AGAIN", 0.1)
    monkeypatch.setattr(watching, "DOUBT", 0.3)
    with line_to(podman.address, tmp_path) as line:
        job = job_of(Fresh(("sh", "-c", UNTIL_TOLD)), SHOP, timeout=1.0, grace=0.2)
        attempt, ends = FreshAttempt(Engine(line.address), ME, job), list[Outcome]()
        thread = Thread(target=lambda: ends.append(attempt.run()), daemon=True)
        thread.start()
        eventually(lambda: job.output.kept().text == "up\n", "it is up")
        eventually(lambda: podman.states() == {NAME: "running"}, "its engine knows that")
        line.cut()
        eventually(lambda: "cannot be confirmed" in job.output.kept().text, "it says so")
        assert ends == []
        assert podman.states() == {NAME: "running"}
        line.mend()
        thread.join(20)

    assert [end.status for end in ends] == [ReportStatus.TIMEOUT]
    assert "its end could be confirmed only later" in ends[0].detail
    assert podman.states() == {}


def test_a_runner_that_has_to_end_at_once_does_and_its_next_life_clears_up(
    podman: Podman, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AJ-027, AJ-045: then nobody is left who could say that it runs."""
    monkeypatch.setattr(watching, "DOUBT", 0.3)
    with line_to(podman.address, tmp_path) as line:
        job = job_of(Fresh(("sh", "-c", UNTIL_TOLD)), SHOP)
        attempt, ends = Freshes(Engine(line.address), ME).attempt(job), list[Outcome]()
        thread = Thread(target=lambda: ends.append(attempt.run()), daemon=True)
        thread.start()
        eventually(lambda: job.output.kept().text == "up\n", "it is up")
        eventually(lambda: podman.states() == {NAME: "running"}, "its engine knows that")
        line.cut()
        attempt.stop("the runner ends", kill=True)
        thread.join(20)

    assert [end.status for end in ends] == [ReportStatus.INTERRUPTED]
    assert ends[0].detail.startswith("the runner ends; it may go on, and its runner does not")
    assert podman.states() == {NAME: "running"}
    Freshes(podman.engine, Runner(ME.name, ME.boot + 1)).sweep()
    assert podman.states() == {}


class Away:
    """A connection to an engine that is gone for good."""

    def find(self, _: str) -> None:
        raise EngineAway("it is gone")


def test_what_may_run_holds_up_no_runner_that_has_to_end_at_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(fresh, "AGAIN", 0.05)
    plan = fresh.plan_of(job_of(Fresh(("true",)), SHOP), ME)
    wish, ends = Wish(), list[str | None]()

    def remove() -> None:
        ends.append(fresh._removed(Away(), plan, wish, ended=False))  # type: ignore[arg-type]

    thread = Thread(target=remove, daemon=True)
    thread.start()
    wish.say("the runner ends", kill=False)
    thread.join(0.5)
    assert ends == []
    wish.say("the runner ends", kill=True)
    thread.join(10)

    assert ends == ["it is gone"]
    assert f"{NAME} is left: it is gone" in caplog.text
