"""A deployment is registered by a file or by options, looked at, and told of by typing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from horae.cli import deployments
from horae.cli.endings import Said
from horae.client.orders import Wish
from projections import traffic_queries
from projections.shown_traffic import DeploymentShown
from schemas.actions import Setting
from schemas.codec import encode_event
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
from schemas.events import DeploymentDefined, Stamp
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


def row(deployment: Deployment = MEANT, **more: Any) -> DeploymentShown:
    stamp = Stamp(NOON, 0, 1, -1, 1, "user:ada")
    known: dict[str, Any] = dict.fromkeys(DeploymentShown.__slots__) | {
        "subject": "llama",
        "record": encode_event(DeploymentDefined("llama/", deployment), stamp),
        "state": "unknown",
        "defined_at": NOON,
        "defined_by": "user:ada",
    }
    return DeploymentShown(**known | more)


BUSY = row(
    state="asleep",
    state_actor="schedule:llama/night",
    state_since=NOON,
    state_run="jr_1",
    stopped_by="user:ada",
    last_request=NOON,
    in_flight=0,
    waiting=1,
    sampled_at=NOON,
    served=12,
    rate=3_000,
    usual=400_000,
    actions_held_since=NOON,
    actions_held_by="schedule:llama/night",
    actions_held_reason="the sleep failed",
)


@pytest.fixture
def views(monkeypatch: pytest.MonkeyPatch) -> list[DeploymentShown]:
    """What the views know."""
    known: list[DeploymentShown] = [BUSY]

    class Reads:
        def look(self, question: Callable[[Any], Any]) -> Any:
            return question(None)

    @contextmanager
    def opened() -> Iterator[Reads]:
        yield Reads()

    def listed(_: object, *, state: str | None = None) -> list[DeploymentShown]:
        return [each for each in known if state in (None, each.state)]

    def found(_: object, subject: str) -> DeploymentShown | None:
        return next((each for each in known if each.subject == subject), None)

    monkeypatch.setattr(deployments, "views", opened)
    monkeypatch.setattr(traffic_queries, "deployments", listed)
    monkeypatch.setattr(traffic_queries, "deployment", found)
    return known


def test_what_is_registered_is_a_line_each(views: list[DeploymentShown]) -> None:
    views.append(replace(row(Deployment(ContainerDriver())), subject="qwen"))
    code, shown, _ = run("deployment", "list")
    lines = [" ".join(line.split()) for line in shown.splitlines()]

    noon = "2027-01-01T12:00:00Z"
    assert code == 0
    assert lines[-2:] == [
        f"llama http asleep {noon} schedule:llama/night 90 Europe/Berlin 0 1 {noon} sleep and wake",
        "qwen container unknown - - 50 UTC - - - no",
    ]
    assert (
        run("deployment", "list", "--state", "stopped")[1] == "no such deployment is registered\n"
    )


@pytest.mark.usefixtures("views")
def test_all_that_is_known_of_one_is_said() -> None:
    _, shown, _ = run("deployment", "show", "llama")
    lines = [" ".join(line.split()) for line in shown.splitlines()]

    noon = "2027-01-01T13:00:00+01:00 Europe/Berlin (2027-01-01T12:00:00Z)"
    rate = "3 requests a minute (400 are usual)"
    assert lines == [
        "deployment llama",
        f"state asleep since {noon} by schedule:llama/night, run jr_1",
        "stopped last by user:ada",
        f"activity 0 in flight, 1 waiting, last request {noon}, seen {noon}, {rate}",
        f"sleep and wake held since {noon} by schedule:llama/night: the sleep failed",
        "http url http://control.example/llama",
        "http sleep /sleep",
        'http wake path=/wake, body={"now":true}',
        "http state /status",
        "priority 90",
        "zone Europe/Berlin",
        f"registered {noon} by user:ada",
    ]


def test_what_is_not_known_is_not_made_up(views: list[DeploymentShown]) -> None:
    stopped = row(
        Deployment(Vllm(URL, (Setting("A", "", "env:KEY"),), container="llama-1")),
        state="stopped",
        state_since=NOON,
        state_detail="a new driver",
        in_flight=1,
        waiting=0,
        sampled_at=NOON,
        rate=1_500,
        held_since=NOON,
        held_until=NOON,
        held_by="user:eve",
    )
    views[:] = [stopped, replace(row(Deployment(ContainerDriver())), subject="qwen")]
    lines = [" ".join(line.split()) for line in run("deployment", "show", "llama")[1].splitlines()]
    none = [" ".join(line.split()) for line in run("deployment", "show", "qwen")[1].splitlines()]

    noon = "2027-01-01T12:00:00Z"
    assert lines[1:7] == [
        f"state stopped since {noon} by nobody knows who: a new driver",
        f"activity 1 in flight, 0 waiting, last request none, seen {noon}, 1.5 requests a minute",
        f"held since {noon} until {noon} by user:eve: no reason given",
        f"vllm url {URL}",
        "vllm headers A=<env:KEY>",
        "vllm container llama-1",
    ]
    assert none[1:4] == [
        "state unknown",
        "activity nobody has looked at it",
        "container the one with its label",
    ]
    assert "all of it" in run("deployment", "list")[1]
    found = json.loads(run("deployment", "show", "qwen", "-o", "json")[1])
    assert (found["state_since"], found["activity"], found["held"]) == (None, None, None)


@pytest.mark.usefixtures("views")
def test_a_program_gets_the_same() -> None:
    found = json.loads(run("deployment", "show", "llama", "-o", "json")[1])

    assert [found] == json.loads(run("deployment", "list", "-o", "json")[1])
    assert found["deployment"]["http"]["wake"] == {"path": "/wake", "body": '{"now":true}'}
    assert (found["state"], found["state_actor"]) == ("asleep", "schedule:llama/night")
    assert found["activity"] == {
        "last_request": "2027-01-01T12:00:00Z",
        "in_flight": 0,
        "waiting": 1,
        "sampled_at": "2027-01-01T12:00:00Z",
        "served": 12,
        "rate": 3.0,
        "usual": 400.0,
    }
    assert found["held"] is None
    assert found["actions_held"]["reason"] == "the sleep failed"


@pytest.mark.usefixtures("views")
def test_what_nobody_registered_is_not_there() -> None:
    assert run("deployment", "show", "qwen") == (
        1,
        "",
        "horae: qwen: the views know no such deployment\n",
    )
