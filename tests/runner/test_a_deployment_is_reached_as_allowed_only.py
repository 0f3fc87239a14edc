"""A runner does nothing to a deployment that its own settings do not name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from schemas.actions import Act, Setting, Verb
from schemas.commands import ReportStatus
from schemas.deployments import ContainerDriver, Deployment, Metrics, Vllm
from streams.runner.allowed import Allowed
from streams.runner.allowed_words import allowed_words, complaints
from streams.runner.driving_containers import LABEL
from streams.runner.executors import executors_for
from streams.runner.faults import NotToBeHad
from streams.settings import RunnerSettings
from tests.examples.model_servers import serving
from tests.runner.containers import Podman
from tests.runner.desk import ME
from tests.runner.driven import EVERYTHING, Runner
from tests.runner.ordered import order
from tests.runner.rigs import STOPPED, SUBJECT

ELSEWHERE = "http://127.0.0.2:1/"
ACT = order(Act(Verb.SLEEP))


def test_the_action_has_to_be_allowed(tmp_path: Path) -> None:
    nothing = Allowed(RunnerSettings(allow_actions="http", allow_urls="*"))
    allowed = Allowed(RunnerSettings(allow_actions="deployment"))

    assert nothing.objection_to(ACT) == (
        "'deployment' is not allowed here (HORAE_RUNNER_ALLOW_ACTIONS)"
    )
    assert allowed.objection_to(ACT) is None
    assert Act in executors_for(ME, allowed, tmp_path)
    assert Act not in executors_for(ME, nothing, tmp_path)


def test_a_deployment_that_nobody_registered_is_not_to_be_had(tmp_path: Path) -> None:
    runner = Runner(tmp_path, Deployment(ContainerDriver()))
    attempt = runner.attempt("sleep")
    attempt._job = replace(attempt._job, order=replace(attempt._job.order, deployed=None))
    outcome = attempt.run()

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert outcome.detail == "no deployment llama is registered"


@pytest.mark.parametrize("verb", ["sleep", "stop", "wake", "start"])
def test_its_address_has_to_be_allowed(tmp_path: Path, verb: str) -> None:
    with serving() as server:
        runner = Runner(tmp_path, Deployment(Vllm(server.url)))
        runner.allows["allow_urls"] = ELSEWHERE
        outcome = runner.act(verb)

        assert outcome.status is ReportStatus.UNAVAILABLE
        assert "HORAE_RUNNER_ALLOW_URLS" in outcome.detail
        assert not server.is_sleeping


def test_the_address_of_its_metrics_has_to_be_allowed(tmp_path: Path) -> None:
    with serving() as server:
        deployment = Deployment(Vllm(server.url), metrics=Metrics(f"{ELSEWHERE}metrics"))
        outcome = Runner(tmp_path, deployment).act("sleep", quiet=True)

        assert outcome.status is ReportStatus.UNAVAILABLE
        assert "HORAE_RUNNER_ALLOW_URLS" in outcome.detail
        assert not server.is_sleeping


def test_its_programs_have_to_be_allowed(tmp_path: Path) -> None:
    with serving() as server:
        runner = Runner(tmp_path, Deployment(Vllm(server.url, stop=("sh", "-c", "exit"))))
        outcome = runner.act("stop")

    assert outcome.status is ReportStatus.UNAVAILABLE
    assert outcome.detail == "'sh' is not allowed here (HORAE_RUNNER_ALLOW_PROGRAMS)"


@pytest.mark.parametrize("name", [None, "llama-1"])
def test_its_container_has_to_be_allowed_by_its_name(
    podman: Podman, tmp_path: Path, name: str | None
) -> None:
    id_ = podman.up(name="llama-1", labels={LABEL: SUBJECT})
    runner = Runner(tmp_path, Deployment(ContainerDriver(name)), podman.address)
    runner.allows["allow_containers"] = f"other-*,{id_}"
    for driver in (ContainerDriver(name), ContainerDriver(id_), Vllm("http://x", container=id_)):
        runner.deployment = Deployment(driver)
        outcome = runner.act("stop")

        assert outcome.status is ReportStatus.UNAVAILABLE
        assert outcome.detail == "'llama-1' is not allowed here (HORAE_RUNNER_ALLOW_CONTAINERS)"
    assert podman.states() == {"llama-1": "running"}
    runner.allows["allow_containers"] = "llama-*"
    runner.deployment = Deployment(ContainerDriver(name))
    assert runner.act("stop").status is ReportStatus.SUCCESS
    assert runner.act("stop", STOPPED).status is ReportStatus.ALREADY_THERE


def test_secrets_of_metrics_are_looked_up_only_if_these_are_looked_at(tmp_path: Path) -> None:
    with serving() as server:
        headers = (Setting("Authorization", "", "env:KEY"),)
        metrics = Metrics(f"{server.url}/metrics", headers)
        runner = Runner(tmp_path, Deployment(Vllm(server.url), metrics=metrics))
        runner.allows = EVERYTHING | {"allow_secrets": ""}
        with pytest.raises(NotToBeHad, match="HORAE_RUNNER_ALLOW_SECRETS"):
            runner.act("sleep", quiet=True)

        assert runner.act("sleep").status is ReportStatus.SUCCESS


def test_a_runner_says_at_its_start_what_is_missing_for_deployments() -> None:
    nothing = RunnerSettings(allow_actions="deployment")
    enough = RunnerSettings(allow_actions="deployment", allow_containers="llama-*")

    [told] = complaints(nothing)
    assert told == (
        "deployment is allowed, but no urls and no containers (HORAE_RUNNER_ALLOW_URLS and "
        "HORAE_RUNNER_ALLOW_CONTAINERS are empty): such work ends unavailable"
    )
    assert list(complaints(enough)) == []
    assert allowed_words(enough) == "actions deployment; containers llama-*"
