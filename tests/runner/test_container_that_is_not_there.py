"""What becomes of a command whose container does not run: an outcome, and nothing is started?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from schemas.actions import App, Exec
from schemas.commands import ReportStatus
from streams.runner.allowed import Allowed
from streams.runner.container import Execs
from streams.runner.engine import Engine
from streams.runner.work import Outcome
from streams.settings import RunnerSettings
from tests.runner.containers import BARE, ME, SHELL, Podman, eventually, job_of
from tests.runner.line_to_engine import line_to

LABEL = {"horae.app": "shop"}
TOUCH = Exec(("touch", "/tmp/touched"))
BY_NAME = App(SHELL, container="shop-1")
BY_LABEL = App(SHELL)


def attempted(engine: Engine, app: App | None, images: str = "*") -> Outcome:
    allowed = Allowed(RunnerSettings(allow_images=images))
    return Execs(engine, ME, allowed).attempt(job_of(TOUCH, app)).run()


class Case(NamedTuple):
    app: App | None
    said: str
    prepare: Callable[[Podman], object] = lambda _podman: None


def stopped(podman: Podman) -> None:
    podman.api.kill(podman.up(name="shop-1", labels=LABEL))
    eventually(lambda: podman.states()["shop-1"] == "exited", "it has ended")


def paused(podman: Podman) -> None:
    podman.api.pause(podman.up(name="shop-1", labels=LABEL))


def anothers(podman: Podman) -> None:
    podman.up(name="blog-1", labels={"horae.app": "blog"})


def of_a_run(podman: Podman) -> None:
    podman.up(name="horae-shop-jr_x", labels={**LABEL, "horae.run": "jr_x"})


CASES = {
    "AJ-023: never deployed": Case(None, "shop was never deployed: no app is defined for it"),
    "AJ-023: stopped": Case(BY_NAME, "its container does not run: shop-1 is exited", stopped),
    "AJ-023: stopped, by label": Case(
        BY_LABEL, "its container does not run: shop-1 is exited", stopped
    ),
    "paused": Case(BY_NAME, "its container does not run: shop-1 is paused", paused),
    "nothing of that name": Case(BY_NAME, "there is no container shop-1", anothers),
    "nothing with that label": Case(
        BY_LABEL, "there is no container with the label horae.app=shop", anothers
    ),
    "AJ-021: a container of a run is no replica": Case(
        BY_LABEL, "there is no container with the label horae.app=shop", of_a_run
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_no_container_is_an_outcome_of_its_own(case: Case, podman: Podman) -> None:
    case.prepare(podman)

    assert attempted(podman.engine, case.app) == Outcome(
        ReportStatus.CONTAINER_NOT_RUNNING, case.said
    )


def test_a_node_that_cannot_be_reached_is_one_too(tmp_path: Path) -> None:
    """AJ-023: its node cannot be reached."""
    outcome = attempted(Engine(f"unix://{tmp_path}/nobody.sock"), BY_NAME)

    assert outcome.status is ReportStatus.CONTAINER_NOT_RUNNING
    assert outcome.detail == (
        f"the container engine at unix://{tmp_path}/nobody.sock is not reached: "
        "No such file or directory"
    )


def test_an_engine_that_hangs_holds_up_nobody(podman: Podman, tmp_path: Path) -> None:
    """AJ-023: nor can a node that does not answer."""
    container = podman.up(name="shop-1")
    with line_to(podman.address, tmp_path) as line:
        line.fall_silent()
        outcome = attempted(Engine(line.address, patience=1), BY_NAME)

    assert outcome.status is ReportStatus.CONTAINER_NOT_RUNNING
    assert podman.told(container, "ls /tmp") == ""


def test_what_was_not_running_at_first_may_be_up_at_the_next_attempt(podman: Podman) -> None:
    """AJ-055: each attempt looks anew, and the outcome is its own."""
    first = attempted(podman.engine, BY_NAME)
    container = podman.up(name="shop-1")
    second = attempted(podman.engine, BY_NAME)

    assert [first.status, second.status] == [
        ReportStatus.CONTAINER_NOT_RUNNING,
        ReportStatus.SUCCESS,
    ]
    assert podman.told(container, "ls /tmp") == "touched\n"


def test_of_several_replicas_the_first_that_runs_is_taken(podman: Podman) -> None:
    podman.api.kill(podman.up(name="shop-1", labels=LABEL))
    second = podman.up(name="shop-2", labels=LABEL)
    podman.up(name="shop-3", labels=LABEL)
    eventually(lambda: podman.states()["shop-1"] == "exited", "the first has ended")

    assert attempted(podman.engine, BY_LABEL).reference == "shop-2"
    assert podman.told(second, "ls /tmp") == "touched\n"


def test_the_image_that_counts_is_the_one_that_runs(podman: Podman) -> None:
    """An app may name any container as its own; what it says of its image proves nothing."""
    podman.up("600", name="shop-1", image=BARE, entrypoint=["sleep"])

    outcome = attempted(podman.engine, BY_NAME, images=SHELL)

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert outcome.detail == f"'{BARE}' is not allowed here (HORAE_RUNNER_ALLOW_IMAGES)"


def test_a_program_that_is_not_there_is_not_to_be_had(podman: Podman) -> None:
    podman.up(name="shop-1")
    job = job_of(Exec(("no-such-program",)), BY_NAME)

    outcome = Execs(podman.engine, ME, Allowed(RunnerSettings(allow_images="*"))).attempt(job).run()

    assert (outcome.status, outcome.exit_code) == (ReportStatus.UNAVAILABLE, 127)
    assert outcome.detail == "it could not be started there"
    assert "no-such-program" in job.output.kept().text
