"""A container that is paused and stopped: which one it is, and a server that runs inside of one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from horae.local import ports
from schemas.commands import ReportStatus
from schemas.deployments import ContainerDriver, Deployment, Vllm
from streams.runner.driving_containers import LABEL
from tests.examples.model_servers import serving
from tests.runner.containers import Podman
from tests.runner.driven import Runner, stopped_once
from tests.runner.rigs import ASLEEP, RUNNING, STARTING, STOPPED, SUBJECT, ContainerRig


def runner_of(folder: Path, podman: Podman, driver: ContainerDriver | Vllm) -> Runner:
    return Runner(folder, Deployment(driver), podman.address)


def test_the_one_that_is_labelled_with_the_deployment_is_found(
    podman: Podman, tmp_path: Path
) -> None:
    with serving() as traffic:
        rig = ContainerRig(podman, traffic)
        outcome = runner_of(tmp_path, podman, ContainerDriver()).act("sleep")

        assert outcome.status is ReportStatus.SUCCESS
        assert rig.state is ASLEEP


def test_without_exactly_one_nothing_is_done(podman: Podman, tmp_path: Path) -> None:
    runner = runner_of(tmp_path, podman, ContainerDriver())
    none = runner.act("stop")
    for name in ("one", "two"):
        podman.up(name=name, labels={LABEL: SUBJECT})
    several = runner.act("stop")
    unknown = runner_of(tmp_path, podman, ContainerDriver("three")).act("stop")

    assert {none.status, several.status, unknown.status} == {ReportStatus.UNAVAILABLE}
    assert none.detail == "no container is labelled horae.deployment=llama"
    assert several.detail == "several containers are labelled horae.deployment=llama: one, two"
    assert unknown.detail == "there is no container three"
    assert set(podman.states().values()) == {"running"}


def test_an_engine_that_is_not_there_is_named(tmp_path: Path) -> None:
    outcome = Runner(tmp_path, Deployment(ContainerDriver("one"))).act("wake")

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert "the container engine at unix:///nowhere/engine.sock is not reached" in outcome.detail


def test_a_server_in_a_container_is_stopped_and_started_with_it(
    podman: Podman, tmp_path: Path
) -> None:
    """The server is one outside of it: containers of these tests have no network."""
    with serving() as server:
        rig = ContainerRig(podman, server)
        runner = runner_of(tmp_path, podman, Vllm(server.url, container="llama-1"))

        assert runner.act("sleep").status is ReportStatus.SUCCESS
        assert server.is_sleeping
        assert runner.act("stop").status is ReportStatus.SUCCESS
        assert rig.state is STOPPED
        assert runner.act("sleep", STOPPED).status is ReportStatus.ALREADY_THERE
        assert runner.act("start", RUNNING).status is ReportStatus.NOT_STOPPED_BY_SCHEDULE


def test_a_server_that_loads_its_weights_is_starting(podman: Podman, tmp_path: Path) -> None:
    """Its container runs and nobody listens yet: it is left alone, and waited for to wake."""
    with serving() as server:
        rig = ContainerRig(podman, server)
        silent = Vllm(f"http://127.0.0.1:{ports.choose()}", container="llama-1")
        runner = runner_of(tmp_path, podman, silent)
        stopped = runner.act("stop")
        rig.put(STOPPED)
        starts = runner.attempt("start", STOPPED, timeout=120.0)
        started = stopped_once(starts, lambda: starts._seen is STARTING)

        assert stopped.status is ReportStatus.BUSY
        assert started.status is ReportStatus.CANCELLED
        assert started.detail.startswith("enough of it; it was begun; last seen starting")
        assert rig.state is RUNNING
        runner.deployment = Deployment(replace(silent, url=server.url))
        assert runner.act("start", STOPPED).status is ReportStatus.ALREADY_THERE


def test_a_server_in_a_paused_container_is_not_asked(podman: Podman, tmp_path: Path) -> None:
    with serving() as server:
        ContainerRig(podman, server).put(ASLEEP)
        outcome = runner_of(tmp_path, podman, Vllm(server.url, container="llama-1")).act("wake")

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert outcome.detail == "the container llama-1 is paused: no server answers in it"
