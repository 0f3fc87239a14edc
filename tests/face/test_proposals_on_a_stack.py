"""
Do proposals become schedules with all that stands behind them in production?

`horae propose` and `horae api` on a real broker, processor, projector and database; what was
measured is put into the views. The same promises without them are test_proposals_over_http.py and
tests/proposals.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from horae.client import Client
from horae.local.kafka import Broker
from horae.local.postgres import Postgres
from horae.local.supervisor import Role, RoleProcess
from horae.permissions import Keyring
from tests.acceptance.stack import Stack, fresh_stack
from tests.face.api_process import start_api
from tests.face.asked_over_http import Http, eventually, problem
from tests.face.proposed import keep_profile, register
from tests.face.served import with_tokens
from tests.face.typed import run
from tests.proposals.played_endpoint import decided, playing
from tests.proposals.weeks import week

pytestmark = pytest.mark.broker

STRONG, OTHER, YOUNG = "llama", "mistral", "qwen"
BERLIN = "Europe/Berlin"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="horae-proposals-") as found:
        yield Path(found)


@pytest.fixture(scope="module")
def stack(broker: Broker, postgres: Postgres, folder: Path) -> Iterator[Stack]:
    """Three deployments, each idle from 22:00 to 8:00 on one night a week; one is young."""
    with fresh_stack((broker, postgres, folder), folder) as found:
        found.processor("proposals-processor")
        found.projector()
        with Client(broker.bootstrap, actor="user:ada", within=60) as client:
            for name in (STRONG, OTHER, YOUNG):
                register(client, name, zone=BERLIN)
        found.await_views()
        for name in (STRONG, OTHER, YOUNG):
            weeks = 2 if name == YOUNG else 3
            keep_profile(found.dsn, week((22, 10), weeks=weeks, zone=BERLIN, subject=name))
        yield found


@pytest.fixture(scope="module")
def http(stack: Stack, folder: Path) -> Iterator[Http]:
    process, address = start_api(stack, "proposals-api", folder / "tokens.json")
    with with_tokens(address, Keyring(folder / "tokens.json")) as found:
        yield found
    process.stop()


@pytest.fixture(autouse=True)
def _of_the_stack(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORAE_BOOTSTRAP", stack.broker.bootstrap)
    monkeypatch.setenv("HORAE_POSTGRES_DSN", stack.dsn)
    monkeypatch.setenv("HORAE_REPLY_WITHIN", "30")


def test_the_daily_job_waits_for_its_time_and_ends_in_order(stack: Stack) -> None:
    env = {"HORAE_BOOTSTRAP": stack.broker.bootstrap, "HORAE_POSTGRES_DSN": stack.dsn}
    argv = [sys.executable, "-m", "horae.cli", "propose", "--daily", "04:00", "--zone", BERLIN]
    daily = RoleProcess(Role("daily", argv, env), stack.folder)

    daily.start()
    child = daily.child
    assert child is not None
    child.await_line("the next round is at", within=60)
    daily.ask_to_stop()

    assert eventually(lambda: child.ended is not None, 20), child.words()
    assert (child.ended, "T04:00:00+0" in child.words()) == (0, True)


def waiting(http: Http, subject: str, status: str = "open") -> list[dict[str, Any]]:
    params = {"subject": subject, "status": status}
    found: list[dict[str, Any]] = (
        http("read").get("/v1/proposals", params=params).json()["proposals"]
    )
    return found


def propose(*words: str) -> dict[str, dict[str, Any]]:
    code, said, noted = run("propose", "-o", "json", *words)
    assert code == 0, (said, noted)
    return {one["subject"]: one for one in json.loads(said)}


@pytest.mark.case("DP-053")
def test_a_proposal_becomes_schedules_once_and_by_an_admin_alone(http: Http, stack: Stack) -> None:
    """DP-053: accepted twice it is one set, with the admin as its creator; dismissed it is none."""
    found = propose()

    assert {name: one["reply"] and one["reply"]["verdict"] for name, one in found.items()} == {
        STRONG: "accepted",
        OTHER: "accepted",
        YOUNG: None,
    }
    stack.await_views()
    [one], [other] = waiting(http, STRONG), waiting(http, OTHER)
    assert (one["source"], one["confidence"], one["zone"]) == ("rules", 1.0, BERLIN)
    id_ = one["proposal"]
    for word in ("accept", "dismiss"):
        problem(http("read", "write", "run").post(f"/v1/proposals/{id_}/{word}"), 403)

    admin, late = http("admin"), http("admin", "read")
    first = admin.post(f"/v1/proposals/{id_}/accept", json={"reason": "agreed"})
    second = late.post(f"/v1/proposals/{id_}/accept")
    dismissed = admin.post(f"/v1/proposals/{other['proposal']}/dismiss", json={"reason": "no"})

    verdicts = [said.json()["verdict"] for said in (first, second, dismissed)]
    assert verdicts == ["accepted", "unchanged", "accepted"]
    stack.await_views()
    made = late.get(f"/v1/subjects/{STRONG}/schedules").json()["schedules"]
    assert {row["schedule"]: row["actor"] for row in made} == {
        f"{STRONG}/sleep-{id_}": "token:admin",
        f"{STRONG}/wake-{id_}": "token:admin",
    }
    definitions = {row["schedule"].split("/")[1]: row["definition"] for row in made}
    assert {one["zone"] for one in definitions.values()} == {BERLIN}
    assert {name.split("-")[0]: one["weekly"] for name, one in definitions.items()} == {
        "sleep": {"days": "mon", "at": "22:00"},
        "wake": {"days": "tue", "at": "07:45"},
    }
    assert {one["deployment"] for one in definitions.values()} == {"sleep", "wake"}
    assert late.get(f"/v1/subjects/{OTHER}/schedules").json()["total"] == 0
    [settled] = waiting(http, STRONG, "accepted")
    assert (settled["settled_by"], settled["settled_reason"]) == ("token:admin", "agreed")
    assert sorted(settled["schedules"]) == sorted(row["schedule"] for row in made)
    again = propose()
    assert [row["proposal"] for row in again.values()] == [None] * 3
    assert "its schedules are there" in again[STRONG]["why"]
    assert "was dismissed at" in again[OTHER]["why"]
    conflict = admin.post(f"/v1/proposals/{other['proposal']}/accept")
    problem(conflict, 409, "proposal")


def test_a_model_proposes_what_fits_no_more_is_withdrawn_and_all_is_seen(
    http: Http, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    with playing(decided("propose", 0.81)) as played:
        monkeypatch.setenv("HORAE_MODEL_URL", played.url)
        monkeypatch.setenv("HORAE_MODEL_NAME", "judge")
        found = propose(YOUNG)[YOUNG]
    stack.await_views()
    [one] = waiting(http, YOUNG)

    shown = http("read").get(f"/v1/proposals/{one['proposal']}").json()
    traffic = http("read").get(f"/v1/traffic/{YOUNG}").json()

    assert found["reply"]["verdict"] == "accepted"
    assert (shown["source"], shown["confidence"]) == ("model", 0.81)
    assert "sleep_and_wake" in shown["prompt"]
    assert json.loads(shown["answer"])["decision"] == "propose"
    assert len(traffic["profile"]["hours"]) == 168
    keep_profile(stack.dsn, week(zone=BERLIN, subject=YOUNG))
    gone = propose(YOUNG)[YOUNG]
    assert (gone["withdraw"], gone["reply"]["verdict"]) == (one["proposal"], "accepted")
    stack.await_views()
    assert waiting(http, YOUNG) == []
    assert run("proposal", "list")[1].startswith("nothing is proposed")
    code, said, _ = run("proposal", "show", one["proposal"])
    assert (code, "withdrawn" in said) == (0, True)
