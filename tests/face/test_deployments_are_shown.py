"""What is known of deployments is listed and shown, and nothing is made up."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from horae.cli import deployments
from projections import traffic_queries
from projections.shown_traffic import DeploymentShown
from schemas.actions import Setting
from schemas.codec import encode_event
from schemas.deployments import (
    Call,
    ContainerDriver,
    Deployment,
    HttpDriver,
    Vllm,
)
from schemas.events import DeploymentDefined, Stamp
from tests.face.typed import run

URL = "http://10.0.0.5:8000"
NOON = 1_798_804_800_000_000  # 2027-01-01T12:00:00Z
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
