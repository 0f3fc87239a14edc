"""
What does everybody get who registers deployments over HTTP, and has schedules act on them?

The promises of the interface, one test each; test_api.py keeps them without a broker,
test_api_on_a_stack.py on a real broker, processor, projector and database.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.face.asked_over_http import ALL, Http, daily, eventually, fresh, problem

LLAMA = {
    "vllm": {"url": "http://127.0.0.1:8000", "headers": {"X-Key": {"secret": "env:KEY"}}},
    "priority": 90,
    "zone": "Europe/Berlin",
}


def weekly(schedule: str, do: str = "sleep", **more: Any) -> dict[str, Any]:
    """A schedule that acts on its deployment."""
    when = {"days": "mon-fri", "at": "22:00"} | more.pop("weekly", {})
    return {"schedule": schedule, "weekly": when, "deployment": do} | more


class PromisesAboutDeployments:
    """What the interface promises about deployments."""

    def test_a_deployment_that_is_registered_is_there(self, http: Http) -> None:
        asks, subject = http(*ALL), fresh("llama")

        made = asks.put(f"/v1/deployments/{subject}", json=LLAMA)
        found = asks.get(f"/v1/deployments/{subject}").json()
        listed = asks.get("/v1/deployments", params={"state": "unknown"}).json()

        assert made.status_code == 200, made.text
        assert made.json()["verdict"] == "accepted"
        assert found["deployment"] == LLAMA
        assert (found["state"], found["activity"]) == ("unknown", None)
        assert found["defined_by"].startswith("token:")
        assert found in listed["deployments"]
        assert listed["total"] == len(listed["deployments"])
        problem(asks.get(f"/v1/deployments/{fresh()}"), 404)

    @pytest.mark.parametrize(
        ("body", "field"),
        {
            "no driver": ({}, None),
            "a url": ({"vllm": "llama"}, "vllm.url"),
            "a secret as it is": (
                {"vllm": {"url": "http://a", "headers": {"A": 1}}},
                "vllm.headers.A",
            ),
            "a priority": (LLAMA | {"priority": 101}, "priority"),
            "a zone": (LLAMA | {"zone": "Mars/Base"}, "zone"),
            "an unknown field": (LLAMA | {"prio": 1}, "prio"),
        }.values(),
    )
    def test_what_describes_none_names_its_field_and_leaves_nothing(
        self, http: Http, body: dict[str, Any], field: str | None
    ) -> None:
        asks, subject = http(*ALL), fresh("llama")

        problem(asks.put(f"/v1/deployments/{subject}", json=body), 400, field)
        problem(asks.get(f"/v1/deployments/{subject}"), 404)

    def test_four_things_are_done_to_a_deployment(self, http: Http) -> None:
        """DP-002: the four actions."""
        asks, subject = http(*ALL), fresh("llama")

        for do in ("sleep", "stop", "wake", "start"):
            made = asks.post("/v1/schedules", json=weekly(f"{subject}/{do}", do))
            found = asks.get(f"/v1/schedules/{subject}/{do}").json()
            assert made.status_code == 201, made.text
            assert found["definition"]["deployment"] == do
            assert found["operation"]["kind"] == "deployment"

    @pytest.mark.parametrize(
        ("fields", "field"),
        {
            "an action": ({"deployment": "restart"}, "deployment"),
            "a minute of one digit": ({"weekly": {"at": "7:5"}}, "weekly.at"),
            "the end of a day": ({"weekly": {"at": "24:00"}}, "weekly.at"),
            "a sixtieth minute": ({"weekly": {"at": "22:60"}}, "weekly.at"),
            "no day": ({"weekly": {"days": 0}}, "weekly.days"),
            "an eighth day": ({"weekly": {"days": 128}}, "weekly.days"),
            "a zone": ({"zone": "Mars/Base"}, "zone"),
        }.values(),
    )
    def test_nothing_else_is_done_to_one(
        self, http: Http, fields: dict[str, Any], field: str
    ) -> None:
        """DP-002: what is refused is named, and nothing of it is kept."""
        asks, schedule = http(*ALL), f"{fresh('llama')}/night"

        problem(asks.post("/v1/schedules", json=weekly(schedule, **fields)), 400, field)
        problem(asks.get(f"/v1/schedules/{schedule}"), 404)

    def test_only_an_admin_says_when_a_deployment_sleeps(self, http: Http) -> None:
        """DP-003: 403 each time, and nothing is written."""
        admin, user = http(*ALL), http("read", "write", "run")
        subject = fresh("llama")
        place, emit = f"/v1/schedules/{subject}/night", f"/v1/schedules/{subject}/emit"
        rest = weekly(f"{subject}/night")
        del rest["schedule"]

        self._forbidden(user.post("/v1/schedules", json=weekly(f"{subject}/night")))
        self._forbidden(user.put(place, json=rest))
        problem(user.get(place), 404)
        admin.post("/v1/schedules", json=weekly(f"{subject}/night"))
        before = user.get(place).json()
        for said in (
            user.put(place, json=rest | {"zone": "Asia/Tokyo"}),
            user.put(place, json={"cron": "@daily", "emit": {"topic": "jobs"}}),
            user.patch(place, json={"mask": ["zone"], "definition": {"zone": "Asia/Tokyo"}}),
            user.post(f"{place}/scopes", json={"scopes": ["a"]}),
            user.delete(place),
        ):
            self._forbidden(said)
        assert user.get(place).json() == before
        assert user.post(f"{place}/pause").status_code == 200

        user.post("/v1/schedules", json=daily(f"{subject}/emit"))
        self._forbidden(user.put(emit, json=rest))
        body = {"mask": ["emit", "deployment"], "definition": {"deployment": "wake"}}
        self._forbidden(user.patch(emit, json=body))
        assert user.get(emit).json()["operation"]["kind"] == "emit"
        assert user.delete(emit).status_code == 200
        assert admin.delete(place).status_code == 200

    def test_only_an_admin_registers_and_removes_one(self, http: Http) -> None:
        """DP-003: beside its schedules, what it is; and no proposal becomes schedules."""
        admin, user = http(*ALL), http("read", "write", "run")
        place = f"/v1/deployments/{fresh('llama')}"

        self._forbidden(user.put(place, json=LLAMA))
        problem(user.get(place), 404)
        admin.put(place, json=LLAMA)
        self._forbidden(user.put(place, json=LLAMA | {"priority": 1}))
        self._forbidden(user.delete(place))
        self._forbidden(user.post("/v1/proposals/p-1/accept", json={"subject": "llama"}))
        assert user.get(place).json()["deployment"] == LLAMA

    def test_a_stop_carries_who_stopped_it(self, http: Http) -> None:
        """DP-034: user 42, and not a schedule; whoever is not named is the token."""
        asks, subject = http(*ALL), fresh("llama")
        place = f"/v1/deployments/{subject}"
        asks.put(place, json=LLAMA)

        body = {"state": "stopped", "actor": "user:42", "detail": "by hand"}
        said = http("run").post(f"{place}/state", json=body)
        found = eventually(lambda: self._in_state(asks, place, "stopped"))
        assert said.status_code == 200, said.text
        assert (found["state_actor"], found["stopped_by"]) == ("user:42", "user:42")
        assert found["state_run"] is None

        http("run").post(f"{place}/state", json={"state": "running"})
        found = eventually(lambda: self._in_state(asks, place, "running"))
        assert found["state_actor"] == "token:run"
        problem(http("read").post(f"{place}/state", json=body), 403)
        problem(asks.post(f"{place}/state", json={"state": "dead"}), 400, "state")

    @staticmethod
    def _in_state(asks: httpx.Client, place: str, state: str) -> Any:
        found = asks.get(place).json()
        return found if found["state"] == state else None

    @staticmethod
    def _forbidden(said: httpx.Response) -> None:
        assert "admin" in problem(said, 403)["detail"]


class PromisesAboutRealDeployments(PromisesAboutDeployments):
    """What it promises besides where the log remembers what was registered."""

    def test_a_deployment_that_is_removed_is_there_no_more(self, http: Http) -> None:
        asks, place = http(*ALL), f"/v1/deployments/{fresh('llama')}"

        made = [asks.put(place, json=LLAMA).json()["verdict"] for _ in range(2)]
        gone = asks.request("DELETE", place, json={"reason": "retired"})

        assert made == ["accepted", "unchanged"]
        assert gone.status_code == 200, gone.text
        assert eventually(lambda: asks.get(place).status_code == 404)
