"""
What does everybody get who creates, lists and changes schedules over HTTP, whatever is behind it?

The promises of the interface, one test each; those about tokens, bodies and ids are
steered_over_http.py. test_api.py keeps them without a broker, test_api_on_a_stack.py on a real
broker, processor, projector and database.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest

Http = Callable[..., httpx.Client]
"""A client whose token has these abilities; of none, one without a token."""
ALL = ("read", "write", "run", "admin")


def fresh(word: str = "s") -> str:
    """A subject that nobody used before."""
    return f"{word}{uuid4().hex[:8]}"


def daily(schedule: str, **more: Any) -> dict[str, Any]:
    """A good definition."""
    return {"schedule": schedule, "cron": "30 2 * * *", "emit": {"topic": "jobs"}} | more


def problem(answer: httpx.Response, status: int, field: str | None = None) -> dict[str, Any]:
    """The problem that it is, of that status, naming that field."""
    found: dict[str, Any] = answer.json()
    assert answer.status_code == status, found
    assert answer.headers["content-type"] == "application/problem+json"
    assert found["status"] == status
    assert found["type"].startswith("urn:horae:problem:")
    assert found["title"]
    assert found["detail"]
    assert found.get("field") == field, found
    return found


def eventually(look: Callable[[], Any], within: float = 10.0) -> Any:
    """What it finds as soon as it finds something; the views follow within a moment."""
    deadline = time.monotonic() + within
    while not (found := look()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


class PromisesAboutSchedules:
    """What the interface promises about schedules."""

    def test_a_schedule_that_is_created_is_there_and_enabled(self, http: Http) -> None:
        """IT-058, AJ-012: the good one of both."""
        asks, schedule = http(*ALL), f"{fresh()}/nightly"

        made = asks.post("/v1/schedules", json=daily(schedule, zone="Europe/Berlin"))
        found = asks.get(f"/v1/schedules/{schedule}").json()

        assert made.status_code == 201, made.text
        assert made.json()["verdict"] == "accepted"
        assert made.json()["next"]["zone"] == "Europe/Berlin"
        assert (found["status"], found["version"]) == ("enabled", made.json()["version"])
        assert found["actor"].startswith("token:")
        assert len(found["upcoming"]) == 10
        assert found["upcoming"][0] == found["next"]

    @pytest.mark.parametrize(
        ("fields", "field"),
        {
            "a target without a name": ({"scopes": ["rack-a", ""]}, "scopes[1]"),
            "no target at all": ({"scopes": []}, "scopes"),
            "a bad cron": ({"cron": "61 * * * *"}, "cron"),
            "an unknown overlap": ({"overlap": "sometimes"}, "overlap"),
            "an unknown zone": ({"zone": "Mars/Olympus"}, "zone"),
            "an unknown field": ({"crn": "@daily"}, "crn"),
            "no command": ({"emit": None}, "emit"),
            "an empty command": ({"command": {"argv": []}}, "command.argv"),
            "a blank word in a command": ({"command": {"argv": ["tar", " "]}}, "command.argv[1]"),
        }.values(),
        ids=str,
    )
    def test_what_is_refused_names_its_field_and_leaves_nothing(
        self, http: Http, fields: dict[str, Any], field: str
    ) -> None:
        """IT-058, AJ-012: what cannot be is refused by its name, and nothing of it is kept.

        All targets are one record, so none is ever written without the others.
        """
        asks, schedule = http(*ALL), f"{fresh()}/nightly"
        body = daily(schedule) | fields
        if "command" in fields:
            del body["emit"]

        problem(asks.post("/v1/schedules", json=body), 400, field)
        problem(asks.get(f"/v1/schedules/{schedule}"), 404)

    def test_a_name_is_there_once_and_has_a_length(self, http: Http) -> None:
        """
        IT-059: an existing name, an empty one and one that is too long are refused.

        An id may have 400 bytes here, subject and slash included, and not 255 characters.
        """
        asks, subject = http(*ALL), fresh()
        first = asks.post("/v1/schedules", json=daily(f"{subject}/one")).json()

        again = asks.post("/v1/schedules", json=daily(f"{subject}/one", cron="@hourly"))
        problem(again, 409, "schedule")
        for name in (f"{subject}/", "", f"{subject}/{'x' * 400}", f"{subject}/a#b"):
            problem(asks.post("/v1/schedules", json=daily(name)), 400, "schedule")
        problem(asks.post("/v1/schedules", json={"cron": "@daily"}), 400, "schedule")
        listed = asks.get("/v1/schedules", params={"subject": subject}).json()
        assert [each["schedule"] for each in listed["schedules"]] == [f"{subject}/one"]
        assert listed["schedules"][0]["version"] == first["version"]
        assert listed["schedules"][0]["definition"]["cron"] == "30 2 * * *"

    def test_one_schedule_shows_what_it_does(self, http: Http) -> None:
        """IT-060: the operation in a word and in a few, derived from what is stored."""
        asks, schedule = http(*ALL), f"{fresh()}/power"
        emit = {"topic": "operations", "key": "power-off", "value": {"forced": True}}
        asks.post("/v1/schedules", json=daily(schedule, emit=emit))

        found = asks.get(f"/v1/schedules/{schedule}").json()

        assert found["operation"] == {
            "kind": "emit",
            "summary": "a record into operations with the key power-off",
        }
        assert found["definition"]["emit"] == {**emit, "value": '{"forced":true}'}
        problem(asks.get("/v1/schedules/"), 404)
        problem(asks.get(f"/v1/schedules/{fresh()}/power"), 404)

    def test_what_is_another_subjects_is_not_there(self, http: Http) -> None:
        """AJ-014: only its own, the oldest first; what is b's is not there under a.

        The answer is the same as for what nobody has.
        """
        asks, a, b = http(*ALL), fresh("a"), fresh("b")
        for schedule in (f"{a}/z1", f"{b}/b1", f"{a}/a2", f"{b}/b2"):
            assert asks.post("/v1/schedules", json=daily(schedule)).status_code == 201

        listed = eventually(lambda: self._of_subject(asks, a, 2))

        assert [each["schedule"] for each in listed] == [f"{a}/z1", f"{a}/a2"]
        foreign = problem(asks.get(f"/v1/schedules/{a}/b1"), 404)
        nobodys = problem(asks.get(f"/v1/schedules/{a}/xx"), 404)
        assert {**foreign, "detail": ""} == {**nobodys, "detail": ""}
        assert foreign["detail"] == f"there is no schedule {a}/b1"

    @staticmethod
    def _of_subject(asks: httpx.Client, subject: str, count: int) -> Any:
        found = asks.get(f"/v1/subjects/{subject}/schedules").json()["schedules"]
        return found if len(found) == count else None

    def test_a_list_is_whole_or_in_pages_with_its_total(self, http: Http) -> None:
        """IT-062: without paging everything, in the same order, with the total."""
        asks, subject = http(*ALL), fresh()
        names = [f"{subject}/n{number}" for number in range(7)]
        for name in reversed(names):
            asks.post("/v1/schedules", json=daily(name))

        def listed(**more: Any) -> Any:
            return asks.get("/v1/schedules", params={"subject": subject, **more}).json()

        whole = eventually(lambda: (found := listed())["total"] == 7 and found)
        assert [each["schedule"] for each in whole["schedules"]] == names
        assert whole["next"] is None
        pages, after = [], None
        while True:
            page = listed(limit=3, **({} if after is None else {"after": after}))
            assert page["total"] == 7
            pages.append([each["schedule"] for each in page["schedules"]])
            after = page["next"]
            if after is None:
                break
            if len(pages) == 1:  # what comes before the next page moves nothing in it
                asks.post("/v1/schedules", json=daily(f"{subject}/a"))
                eventually(lambda: listed()["total"] == 8)
                asks.delete(f"/v1/schedules/{subject}/a")
                eventually(lambda: listed()["total"] == 7)
        assert pages == [names[:3], names[3:6], names[6:]]
        assert listed(containing="n3")["total"] == 1
        assert listed(status="paused")["total"] == 0
        problem(asks.get("/v1/schedules", params={"status": "asleep"}), 400, "status")
        problem(asks.get("/v1/schedules", params={"limit": 0}), 400, "limit")
        problem(asks.get("/v1/schedules", params={"limit": 1, "after": "x"}), 400, "after")

    @pytest.mark.parametrize(
        ("body", "field"),
        {
            "an empty mask": ({"mask": [], "definition": {"zone": "UTC"}}, "mask"),
            "no mask": ({"definition": {"zone": "UTC"}}, "mask"),
            "no schedule": ({"mask": ["zone"]}, "definition"),
            "an unknown path": ({"mask": ["zone", "zne"], "definition": {}}, "mask[1]"),
            "a path inside of a field": ({"mask": ["emit.topic"], "definition": {}}, "mask[0]"),
            "another name": ({"mask": ["schedule"], "definition": {"schedule": ""}}, "mask[0]"),
            "an empty name": ({"mask": ["name"], "definition": {"name": ""}}, "mask[0]"),
            "what the mask does not name": (
                {"mask": ["zone"], "definition": {"zone": "UTC", "jitter": "5s"}},
                "definition.jitter",
            ),
            "a type without its spec": ({"mask": ["cron"], "definition": {}}, "definition"),
            "a spec without its type": (
                {"mask": ["interval"], "definition": {"interval": "6h"}},
                "definition.interval",
            ),
            "a value that is refused": (
                {"mask": ["cron"], "definition": {"cron": "61 * * * *"}},
                "definition.cron",
            ),
        }.values(),
        ids=str,
    )
    def test_a_change_that_cannot_be_meant_changes_nothing(
        self, http: Http, body: dict[str, Any], field: str
    ) -> None:
        """
        IT-063, IT-067: refused by its field, and nothing is changed.

        The name of a schedule is its id, and no field; a type and its spec are one field.
        """
        asks, schedule = http(*ALL), f"{fresh()}/nightly"
        made = asks.post("/v1/schedules", json=daily(schedule)).json()

        said = asks.patch(f"/v1/schedules/{schedule}", json=body)

        problem(said, 400, field)
        found = asks.get(f"/v1/schedules/{schedule}").json()
        assert found["version"] == made["version"]

    def test_a_policy_that_is_named_and_left_out_becomes_its_default(self, http: Http) -> None:
        """IT-064: an overlap that is named and not given, or null, is skip."""
        asks, schedule = http(*ALL), f"{fresh()}/nightly"
        emit = {"topic": "jobs", "tracked": True}
        body = daily(schedule, emit=emit, overlap="allow", description="kept", timeout="PT1H")
        asks.post("/v1/schedules", json=body)

        for given in ({}, {"overlap": None}):
            said = asks.patch(
                f"/v1/schedules/{schedule}", json={"mask": ["overlap"], "definition": given}
            )
            found = asks.get(f"/v1/schedules/{schedule}").json()["definition"]

            assert said.status_code == 200, said.text
            assert "overlap" not in found
            assert (found["description"], found["timeout"]) == ("kept", "PT1H")
