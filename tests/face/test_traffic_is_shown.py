"""Is what is usual for a deployment shown to a person and to a program, and what it does now?"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest
from rich.console import Console

from horae.cli import traffic_shown
from projections import traffic_queries
from projections.queries import Reads
from projections.shown_traffic import DeploymentShown
from schemas.codec import encode_event
from schemas.deployments import Deployment, Metrics, Vllm
from schemas.events import DeploymentDefined, Stamp
from schemas.profiles import Profile
from tests.face.test_a_week_is_drawn import OFFICE
from tests.face.typed import run
from tests.read_models.ledger import NOON

STAMP = Stamp(NOON, 0, 7, 0, 1, "user:eve")
IN_BERLIN = "2026-11-29T13:00:00+01:00 Europe/Berlin (2026-11-29T12:00:00Z)"
URL = "http://127.0.0.1:8086"
CHAT = Deployment(Vllm(URL), zone="Europe/Berlin", metrics=Metrics(f"{URL}/metrics"))


def record(deployment: Deployment) -> bytes:
    return encode_event(DeploymentDefined("chat/", deployment), STAMP)


ROW = DeploymentShown(
    subject="chat",
    record=record(CHAT),
    state="asleep",
    state_actor="schedule:chat/night",
    state_since=NOON,
    state_run="jr_1",
    state_detail=None,
    stopped_by=None,
    last_request=NOON,
    in_flight=0,
    waiting=0,
    sampled_at=NOON,
    served=12,
    rate=None,
    usual=None,
    held_reason=None,
    held_by=None,
    held_since=None,
    held_until=None,
    actions_held_reason=None,
    actions_held_by=None,
    actions_held_since=None,
    actions_held_until=None,
    defined_at=NOON,
    defined_by="user:eve",
)


@dataclass
class Known:
    """The views of a test."""

    row: DeploymentShown | None = ROW
    profile: Profile | None = OFFICE

    def look(self, question: Callable[[Any], Any]) -> Any:
        return question(self)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Known:
    found = Known()

    @contextmanager
    def views() -> Iterator[Reads]:
        yield cast("Reads", found)

    monkeypatch.setattr(traffic_shown, "views", views)
    monkeypatch.setattr(traffic_queries, "deployment", lambda known, _: known.row)
    monkeypatch.setattr(traffic_queries, "profile", lambda known, _: known.profile)
    return found


@pytest.mark.usefixtures("known")
def test_above_the_map_stands_what_the_deployment_does_now() -> None:
    code, out, _ = run("traffic", "show", "chat")

    assert code == 0
    assert out.splitlines()[:6] == [
        "deployment   chat",
        "zone         Europe/Berlin",
        "state        asleep since 2026-11-29T12:00:00Z by schedule:chat/night",
        "observed     30 days, 4 weeks",
        f"last sample  {IN_BERLIN}, 0 in flight, 0 waiting",
        "",
    ]
    assert "Mon " + " 0*" * 8 + " 4 " * 10 in out


@pytest.mark.usefixtures("known")
def test_a_pipe_and_no_color_get_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown(**env: str) -> str:
        monkeypatch.setattr(
            traffic_shown,
            "console",
            lambda: Console(force_terminal=True, color_system="truecolor", _environ=env),
        )
        return run("traffic", "show", "chat")[1]

    assert "\x1b[" in shown()
    assert "\x1b[" not in shown(NO_COLOR="1")
    assert " 4  4 " in shown(NO_COLOR="1")


@pytest.mark.usefixtures("known")
def test_other_numbers_are_shaded_when_asked_for() -> None:
    p95, active = (
        run("traffic", "show", "chat", "--p95"),
        run("traffic", "show", "chat", "--active"),
    )

    assert "requests a minute, p95" in p95[1]
    assert "busy minutes: 0: none  1: to 10 %" in active[1]


@pytest.mark.parametrize("more", [[], ["-o", "json"]], ids=["drawn", "as JSON"])
def test_two_kinds_of_numbers_are_wrong_whatever_is_known(more: list[str]) -> None:
    code, out, said = run("traffic", "show", "chat", "--p95", "--active", *more)

    assert (code, out) == (2, "")
    assert "--p95 and --active: one of them" in said


@pytest.mark.usefixtures("known")
def test_a_program_gets_every_hour() -> None:
    code, out, _ = run("traffic", "show", "chat", "-o", "json")
    found = json.loads(out)

    assert code == 0
    assert (found["state"], found["sampled_at"]) == ("asleep", "2026-11-29T12:00:00Z")
    assert len(found["profile"]["hours"]) == 168
    assert found["profile"]["hours"][8]["p50"] == 43


def test_an_unknown_deployment_is_an_error(known: Known) -> None:
    known.row = None

    code, out, said = run("traffic", "show", "nobody")

    assert (code, out) == (1, "")
    assert said == "horae: nobody: the views know no such deployment\n"


def test_what_was_never_seen_says_where_it_was_looked_for(known: Known) -> None:
    known.profile = None
    unseen = replace(ROW, sampled_at=None, state="unknown", state_since=None, state_actor=None)

    known.row = unseen
    assert (
        f"no traffic yet: nothing was read from {URL}/metrics" in run("traffic", "show", "chat")[1]
    )
    known.row = replace(unseen, record=record(replace(CHAT, metrics=None)))
    assert "no page of metrics is known" in run("traffic", "show", "chat")[1]
    known.row = ROW
    assert "no profile yet" in run("traffic", "show", "chat")[1]
