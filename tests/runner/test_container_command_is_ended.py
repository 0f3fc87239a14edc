"""Is a command inside a container that takes too long ended there too, with all it has started?"""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest

from schemas.actions import App, Exec
from schemas.commands import ReportStatus
from streams.runner import watching
from streams.runner.allowed import Allowed
from streams.runner.container import Execs
from streams.runner.work import Attempt, Job, Outcome, Runner
from streams.settings import RunnerSettings
from tests.runner.containers import BARE, ME, SHELL, Podman, eventually, job_of
from tests.runner.line_to_engine import line_to

SHOP = App(SHELL, container="shop-1")
ANY_IMAGE = Allowed(RunnerSettings(allow_images="*"))
FROM_OUTSIDE = pytest.mark.parametrize("from_outside", [True, False], ids=["outside", "inside"])
"""The two ways to the processes of a container."""
DEAF = "trap '' TERM; setsid sleep 301 & env -i sleep 302 & echo up; while :; do sleep 1; done"
"""Hears no signal but one, and has children of all kinds."""


class Started(NamedTuple):
    """An attempt that is under way."""

    attempt: Attempt
    job: Job
    ends: list[Outcome]
    thread: Thread

    def outcome(self) -> Outcome:
        """How it ended, within seconds."""
        self.thread.join(30)
        return self.ends[0]


def started(podman: Podman, job: Job, *, from_outside: bool = True, me: Runner = ME) -> Started:
    execs = Execs(podman.engine, me, ANY_IMAGE, from_outside=from_outside)
    attempt, ends = execs.attempt(job), list[Outcome]()
    thread = Thread(target=lambda: ends.append(attempt.run()), daemon=True)
    thread.start()
    return Started(attempt, job, ends, thread)


def says(it: Started, text: str) -> None:
    eventually(lambda: text in it.job.output.kept().text, f"it says {text!r}")


def sh(script: str, user: str | None = None) -> Exec:
    return Exec(("sh", "-c", script), user=user)


@FROM_OUTSIDE
def test_a_command_that_takes_too_long_is_asked_to_end(
    podman: Podman, *, from_outside: bool
) -> None:
    """AJ-027: a signal first."""
    container = podman.up(name="shop-1")
    script = "trap 'echo bye; exit 5' TERM; while :; do sleep 0.1; done"
    job = job_of(sh(script), SHOP, timeout=0.3, grace=20.0)

    outcome = started(podman, job, from_outside=from_outside).outcome()

    assert outcome == Outcome(
        ReportStatus.TIMEOUT, "it took longer than 0.3 s; asked to end", 5, "shop-1"
    )
    assert "bye\n" in job.output.kept().text
    assert podman.sleepers(container) == []


@FROM_OUTSIDE
def test_what_does_not_end_by_itself_is_killed_with_its_children(
    podman: Podman, *, from_outside: bool
) -> None:
    """AJ-027: a signal, then a kill, and nothing goes on inside the container but the app."""
    container = podman.up(name="shop-1")
    job = job_of(sh(DEAF, "jobs"), SHOP, timeout=1.5, grace=0.3)

    outcome = started(podman, job, from_outside=from_outside).outcome()

    assert (outcome.status, outcome.exit_code) == (ReportStatus.TIMEOUT, 137)
    assert outcome.detail == "it took longer than 1.5 s; asked to end and killed"
    assert podman.sleepers(container) == []
    assert podman.states() == {"shop-1": "running"}


def test_a_run_whose_end_cannot_be_confirmed_has_not_ended(
    podman: Podman, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AJ-027: as long as nobody knows, the run goes on and says so; no other one begins."""
    monkeypatch.setattr(watching, "LOOK_CLOSELY", 0.05)
    podman.up("600", name="shop-1", image=BARE, entrypoint=["sleep"])
    # No shell and no kill in the image, and the runner's machine is another one.
    job = job_of(Exec(("sleep", "2")), SHOP, timeout=0.2, grace=0.2)

    it = started(podman, job, from_outside=False)
    says(it, "cannot be confirmed that it has; it counts as running")
    assert it.ends == []

    assert it.outcome() == Outcome(
        ReportStatus.TIMEOUT,
        "it took longer than 0.2 s; asked to end and killed; whether it left processes behind "
        "cannot be seen; its end could be confirmed only later",
        0,
        "shop-1",
    )


def test_an_engine_that_goes_away_proves_no_end(
    podman: Podman, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AJ-027: nor does silence."""
    monkeypatch.setattr(watching, "AGAIN", 0.1)
    monkeypatch.setattr(watching, "DOUBT", 0.3)
    container = podman.up(name="shop-1")
    with line_to(podman.address, tmp_path) as line:
        job = job_of(sh("echo up; sleep 304"), SHOP, timeout=1.0, grace=0.2)
        it = started(podman._replace(address=line.address), job, from_outside=False)
        says(it, "up")
        line.cut()
        says(it, "cannot be confirmed")
        assert it.ends == []
        assert podman.sleepers(container) == ["304"]
        line.mend()

        assert it.outcome().status is ReportStatus.TIMEOUT
        assert podman.sleepers(container) == []


def test_a_command_survives_that_its_engine_is_away_for_a_while(
    podman: Podman, tmp_path: Path
) -> None:
    container = podman.up(name="shop-1")
    with line_to(podman.address, tmp_path) as line:
        job = job_of(sh("echo up; while [ ! -e /tmp/go ]; do sleep 0.05; done; exit 4"), SHOP)
        it = started(podman._replace(address=line.address), job)
        says(it, "up")
        line.cut()
        it.thread.join(0.5)
        assert it.ends == []
        line.mend()
        podman.told(container, "touch /tmp/go")

        assert it.outcome() == Outcome(ReportStatus.FAILED, "ended with 4", 4, "shop-1")


@FROM_OUTSIDE
def test_it_stops_when_somebody_wants_that(podman: Podman, *, from_outside: bool) -> None:
    container = podman.up(name="shop-1")
    it = started(podman, job_of(sh(DEAF), SHOP, grace=60.0), from_outside=from_outside)
    says(it, "up")

    it.attempt.stop("cancelled by hand", kill=False)
    eventually(lambda: it.job.output.kept().text == "up\n", "it goes on")
    it.attempt.stop("no time left", kill=True)

    outcome = it.outcome()
    assert outcome.status is ReportStatus.CANCELLED
    assert outcome.detail.startswith("cancelled by hand; asked to end and killed")
    assert podman.sleepers(container) == []


def test_what_was_stopped_before_it_began_never_begins(podman: Podman) -> None:
    container = podman.up(name="shop-1")
    attempt = Execs(podman.engine, ME, ANY_IMAGE).attempt(job_of(sh("touch /tmp/x"), SHOP))

    attempt.stop("replaced", kill=False)

    assert attempt.run() == Outcome(ReportStatus.CANCELLED, "stopped before it began: replaced")
    assert podman.told(container, "ls /tmp") == ""


def test_a_command_ends_with_its_container(podman: Podman) -> None:
    podman.up(name="shop-1")
    it = started(podman, job_of(sh("echo up; sleep 305"), SHOP))
    says(it, "up")

    podman.api.remove_container("shop-1", force=True)

    assert it.outcome().status is ReportStatus.FAILED


def test_an_end_by_itself_leaves_alone_what_it_started_for_the_app(podman: Podman) -> None:
    container = podman.up(name="shop-1")

    outcome = started(podman, job_of(sh("setsid sleep 306 & exit 0"), SHOP)).outcome()

    assert outcome.status is ReportStatus.SUCCESS
    assert podman.sleepers(container) == ["306"]


def test_the_next_life_of_a_runner_ends_what_the_last_one_left_in_containers(
    podman: Podman,
) -> None:
    """AJ-045: a runner was killed while commands ran; those of others are left alone."""
    container = podman.up(name="shop-1")
    lives = {"307": ME, "308": Runner(ME.name, ME.boot + 1), "309": Runner("runner-11", 1)}
    begun = [
        started(podman, job_of(sh(f"echo up; sleep {name}"), SHOP), me=me)
        for name, me in lives.items()
    ]
    for each in begun:
        says(each, "up")
    assert podman.sleepers(container) == ["307", "308", "309"]

    Execs(podman.engine, lives["308"], ANY_IMAGE).sweep()

    eventually(lambda: podman.sleepers(container) == ["308", "309"], "only those are left")
    for each in begun:
        each.attempt.stop("the test is over", kill=True)
        each.outcome()
