"""What does the task manager answer to those who ask it?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from horae.local import ports
from tests.examples.task_managers import await_that, managed

ROOT = Path(__file__).parents[2]


def test_a_task_goes_on_for_its_time_and_ends() -> None:
    with managed() as manager:
        good = manager.begin("power_on", seconds=5)
        bad = manager.begin("power_on", "rack-b", seconds=5, fails="no current")
        manager.pass_by(4)
        assert manager.status(good, bad) == ["running", "running"]
        manager.pass_by(1)

        assert manager.status(good, bad) == ["completed", "failed"]
        assert manager.task(bad)["message"] == "no current"
        assert manager.task(good) == {
            "id": good,
            "rack": "rack-a",
            "operation": "power_on",
            "components": [
                "rack-a-compute-1",
                "rack-a-compute-2",
                "rack-a-switch-1",
                "rack-a-power_shelf-1",
            ],
            "description": "",
            "status": "completed",
            "message": "",
            "created_at": "2026-01-16T12:00:00Z",
            "started_at": "2026-01-16T12:00:00Z",
            "ended_at": "2026-01-16T12:00:05Z",
        }


def test_a_task_of_a_schedule_is_described_by_its_name_and_time() -> None:
    """IT-036: by the schedule's name and the time in RFC 3339; the request's own is ignored."""
    with managed() as manager:
        headers = {
            "horae-schedule": "hall-3/nightly reset",
            "horae-nominal": "2026-01-16T02:00:00Z",
        }
        scheduled = manager.begin("power_on", headers=headers, description="mine")
        by_hand = manager.begin("power_on", "rack-b", description="mine")

        assert manager.task(scheduled)["description"] == "nightly reset 2026-01-16T02:00:00Z"
        assert manager.task(by_hand)["description"] == "mine"


def test_nothing_to_do_is_an_empty_list() -> None:
    with managed() as manager:
        answer = manager.ask("power_on", components={"types": ["pump"]})

        assert (answer.status_code, answer.json()) == (202, {"task_ids": []})


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"operation": "power_on", "rack": "rack-z"}, 404, "unknown_rack"),
        (
            {"operation": "ingest", "rack": "rack-a", "components": {"ids": ["rack-b-switch-1"]}},
            *(409, "elsewhere"),
        ),
        ({"operation": "explode", "rack": "rack-a"}, 422, None),
        ({"operation": "ingest", "rack": ""}, 422, None),
        ({"operation": "ingest", "rack": "rack-a", "waiting_timeout": 0}, 422, None),
        ({"operation": "ingest", "rack": "rack-a", "colour": "red"}, 422, None),
    ],
)
def test_what_cannot_be_done_is_refused(
    body: dict[str, object], status: int, code: str | None
) -> None:
    with managed() as manager:
        answer = manager.client.post("/tasks", json=body)

        assert (answer.status_code, answer.json().get("error")) == (status, code)
        assert manager.client.get("/tasks").json() == []
        assert manager.client.get("/tasks/task-1").status_code == 404


def test_who_does_not_want_to_wait_is_refused_on_conflict() -> None:
    with managed() as manager:
        manager.begin("bring_up")
        answer = manager.ask("power_on", on_conflict="refuse")

        assert (answer.status_code, answer.json()["error"]) == (409, "conflict")


def test_the_same_key_is_the_same_task_unless_that_has_failed() -> None:
    with managed() as manager:
        key = {"idempotency-key": "jr_AbCdEfGhIjKl"}
        first = manager.begin("power_on", headers=key, fails="no current")
        assert manager.begin("power_on", headers=key) == first

        manager.pass_by(10)
        second = manager.begin("power_on", headers=key)
        manager.pass_by(10)

        assert manager.status(first, second) == ["failed", "completed"]
        assert manager.begin("power_on", headers=key) == second
        assert len(manager.client.get("/tasks", params={"rack": "rack-a"}).json()) == 2


def test_components_are_listed_and_moved() -> None:
    with managed("rack-a", "rack-b") as manager:

        def found(**asked: str) -> list[tuple[str, str, str]]:
            answer = manager.client.get("/components", params=asked).raise_for_status()
            return [(one["type"], one["id"], one["scope"]) for one in answer.json()]

        assert len(found(rack="rack-a")) == 4
        assert len(found(rack="rack-a", of='{"types": ["compute"]}')) == 2
        assert found(of='{"ids": ["rack-b-switch-1"]}') == [("switch", "rack-b-switch-1", "rack-b")]
        assert found(of="null") == found()

        manager.client.put("/components/switch/rack-b-switch-1", json={"scope": "rack-a"})

        assert found(of='{"ids": ["switch/rack-b-switch-1"]}') == [
            ("switch", "rack-b-switch-1", "rack-a")
        ]
        assert manager.client.get("/components", params={"of": "["}).status_code == 422


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_is_started_by_its_name_and_ends_in_order(number: signal.Signals) -> None:
    port = ports.choose()
    words = [sys.executable, "-m", "examples.task_manager", "--port", str(port)]
    more = ["--racks", "r1,r2", "--seconds", "0.1"]
    environ = {**os.environ, "PYTHONUNBUFFERED": "1"}
    child = subprocess.Popen(words + more, cwd=ROOT, env=environ, stderr=subprocess.PIPE, text=True)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            await_that(lambda: is_there(client))
            body = {"operation": "bring_up", "rack": "r2"}
            [task] = client.post("/tasks", json=body).json()["task_ids"]
            await_that(lambda: client.get(f"/tasks/{task}").json()["status"] == "completed")
        child.send_signal(number)
        _, said = child.communicate(timeout=20)
    finally:
        child.kill()
        child.wait()

    assert child.returncode == 0
    assert "Application shutdown complete" in said


def is_there(client: httpx.Client) -> bool:
    try:
        return client.get("/healthz").status_code == 200
    except httpx.ConnectError:
        return False
