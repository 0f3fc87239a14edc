"""A deployment is registered by a file or by options, looked at, and told of by typing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from horae.cli import deployments, missing
from horae.cli.endings import Said
from horae.client.orders import Wish
from schemas.commands import DefineDeployment, RemoveSubject, ReportState
from schemas.deployments import (
    Call,
    ContainerDriver,
    Deployment,
    DeploymentState,
    HttpDriver,
    Metrics,
    Vllm,
)
from tests.face.typed import run

URL = "http://10.0.0.5:8000"
NOON = 1_798_804_800_000_000  # 2027-01-01T12:00:00Z
WRITTEN = """
http:
  url: http://control.example/llama
  sleep: /sleep
  wake: {path: /wake, body: {now: true}}
  state: /status
priority: 90
zone: Europe/Berlin
"""
MEANT = Deployment(
    HttpDriver(
        "http://control.example/llama",
        sleep=Call("/sleep"),
        wake=Call("/wake", body='{"now":true}'),
        state=Call("/status", "GET"),
    ),
    90,
    "Europe/Berlin",
)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Wish]]:
    """What would have gone into the log."""
    found: list[tuple[str, Wish]] = []

    def send(about: str, command: Wish, *_: object) -> None:
        found.append((about, command))

    monkeypatch.setattr(deployments, "send", send)
    monkeypatch.setattr(missing, "_registered", lambda _at, wanted: {"llama"} & wanted)
    return found


@pytest.mark.parametrize(
    ("options", "meant"),
    {
        "a server": (["--vllm", URL], Deployment(Vllm(URL))),
        "a server in a container": (
            ["--vllm", URL, "--container", "llama-1"],
            Deployment(Vllm(URL, container="llama-1")),
        ),
        "a container": (["--container", "llama-1"], Deployment(ContainerDriver("llama-1"))),
        "a container with a label": (["--labelled"], Deployment(ContainerDriver())),
        "all that is usual": (
            [
                *("--vllm", URL, "--metrics", URL + "/metrics", "--priority", "90"),
                *("--zone", "Europe/Berlin", "--pool", "gpu-1"),
            ],
            Deployment(Vllm(URL), 90, "Europe/Berlin", Metrics(URL + "/metrics"), "gpu-1"),
        ),
    }.values(),
)
def test_options_say_what_is_usual(
    sent: list[tuple[str, Wish]], options: list[str], meant: Deployment
) -> None:
    code, _, wrong = run("deployment", "register", "llama", *options)

    assert (code, wrong) == (0, "")
    assert sent == [("llama/", DefineDeployment(meant))]


def test_a_file_says_all_there_is_and_options_beside_it_win(
    sent: list[tuple[str, Wish]], tmp_path: Path
) -> None:
    path = tmp_path / "llama.yaml"
    path.write_text(WRITTEN)

    run("deployment", "register", "llama", "-f", str(path))
    run("deployment", "register", "llama", "-f", str(path), "--priority", "10")
    run("deployment", "register", "llama", "-f", "-", stdin=WRITTEN)

    assert [command for _, command in sent] == [
        DefineDeployment(MEANT),
        DefineDeployment(replace(MEANT, priority=10)),
        DefineDeployment(MEANT),
    ]
    assert deployments.read_deployment_file(path) == MEANT


@pytest.mark.parametrize(
    ("options", "sentence"),
    {
        "nothing": ([], "wanted is --vllm, --container, --labelled or a file (-f)"),
        "two containers": (["--labelled", "--container", "a"], "--labelled: not together with"),
        "no url": (["--vllm", "llama"], "--vllm: must be a url like https://"),
        "a priority": (["--vllm", URL, "--priority", "101"], "--priority: must be from 0"),
        "no zone": (["--vllm", URL, "--zone", ""], "--zone: must not be empty"),
        "metrics": (["--vllm", URL, "--metrics", "x"], "--metrics: must be a url"),
        "a pool": (["--vllm", URL, "--pool", "a b"], "--pool: must be 1 to 200"),
        "a container": (["--container", "a b"], "--container: must be of A-Z"),
    }.values(),
)
def test_what_is_wrong_is_said_by_its_option(
    sent: list[tuple[str, Wish]], options: list[str], sentence: str
) -> None:
    code, _, wrong = run("deployment", "register", "llama", *options)

    assert code == 2
    assert wrong.startswith(f"horae: {sentence}")
    assert sent == []


def test_a_state_of_what_is_no_deployment_is_taken_with_a_word_about_it(
    sent: list[tuple[str, Wish]],
) -> None:
    right, misspelt = (run("deployment", "report", one, "stopped") for one in ("llama", "lama"))

    assert right == (0, "", "")
    assert misspelt[0] == 0
    assert misspelt[2].startswith("warning: no deployment lama is registered")
    assert [about for about, _ in sent] == ["llama/", "lama/"]


@pytest.mark.parametrize(
    ("text", "why"),
    {
        "nothing": ("", "wanted is one mapping"),
        "two": ("vllm: http://a\n---\nvllm: http://b", "wanted is one mapping"),
        "no mapping": ("[vllm]", "wanted is one mapping"),
        "no driver": ("priority: 5", "needs one of vllm, http, container"),
        "a wrong field": ("vllm: {url: http://a, level: 3}", "vllm.level: must be 1 or 2"),
        "an unknown field": ("vllm: http://a\nprio: 5", "prio: there is no such field"),
    }.values(),
)
def test_a_file_that_describes_none_is_refused_in_a_sentence(
    tmp_path: Path, text: str, why: str
) -> None:
    path = tmp_path / "llama.yaml"
    path.write_text(text)

    with pytest.raises(Said) as refused:
        deployments.read_deployment_file(path)

    assert str(path) in str(refused.value)
    assert why in str(refused.value)


def test_a_state_is_told_with_who_brought_it_there(sent: list[tuple[str, Wish]]) -> None:
    run("deployment", "report", "llama", "stopped", "--actor", "user:ada", "--detail", "driver")
    run("deployment", "report", "llama", "running")
    wrong = run("deployment", "report", "llama", "dead")

    assert [command for _, command in sent] == [
        ReportState(DeploymentState.STOPPED, "user:ada", "driver"),
        ReportState(DeploymentState.RUNNING),
    ]
    assert wrong[0] == 2
    assert "dead" in wrong[2]


def test_a_deployment_is_removed_like_any_subject(sent: list[tuple[str, Wish]]) -> None:
    run("deployment", "remove", "llama", "-r", "retired", "--cancel")

    assert sent == [("llama/", RemoveSubject("retired", cancel=True))]
