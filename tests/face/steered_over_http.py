"""
What does everybody get who steers schedules over HTTP, and who may?

Tokens, bodies, ids of commands, names and times. The promises about schedules themselves are
asked_over_http.py.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from horae.api.bodies import MAX_BODY
from schemas.identity import run_id
from schemas.limits import MAX_DEFINITION_BYTES
from tests.face.asked_over_http import ALL, Http, daily, fresh, problem

MARKUP = "<script>alert(1)</script>"
TEMPLATE = "{{ 7 * 7 }} ${jndi:x} {scope} %s"


class PromisesAboutAsking:
    """What the interface promises to whoever asks."""

    def test_who_asks_needs_the_ability(self, http: Http) -> None:
        """
        AJ-015: without a token 401; with one that may not, 403, whatever else is wrong.

        To read is enough for lists and looks, to write for create, change and remove; a trigger
        needs the ability to run.
        """
        schedule = f"{fresh()}/nightly"
        place = f"/v1/schedules/{schedule}"
        nobody, reader, writer = http(), http("read"), http("write")
        made = writer.post("/v1/schedules", json=daily(schedule))

        assert made.status_code == 201
        unknown = nobody.post(f"{place}/trigger")
        problem(unknown, 401)
        assert unknown.headers["www-authenticate"] == "Bearer"
        problem(nobody.get("/v1/schedules", headers={"Authorization": "Bearer horae_x"}), 401)
        problem(reader.post(f"{place}/trigger"), 403)
        problem(writer.post(f"{place}/trigger"), 403)
        problem(writer.get(place), 403)
        for way in ("pause", "resume", "skip", "scopes"):
            problem(reader.post(f"{place}/{way}"), 403)
        problem(reader.put("/v1/hold"), 403)
        problem(writer.put("/v1/hold"), 403)
        problem(reader.delete(f"/v1/schedules/{fresh()}/nothing"), 403)
        assert reader.get(place).status_code == 200
        assert reader.get("/v1/schedules", params={"limit": 1}).status_code == 200
        assert writer.delete(place).status_code == 200

    def test_a_page_of_somebody_else_may_not_ask(self, http: Http) -> None:
        said = http(*ALL).get("/v1/schedules", headers={"Origin": "https://elsewhere.example"})

        assert problem(said, 403)["type"] == "urn:horae:problem:foreign-origin"

    def test_a_trigger_is_answered_at_once_with_its_runs(self, http: Http) -> None:
        """AJ-016: 202 with the ids of its runs; they depend on nobody who waits."""
        asks, schedule = http(*ALL), f"{fresh()}/nightly"
        body = daily(schedule, scopes=["rack-a", "rack-b"])
        asks.post("/v1/schedules", json=body)

        said = asks.post(f"/v1/schedules/{schedule}/trigger", json={"reason": "now"})

        assert said.status_code == 202, said.text
        found = said.json()
        occurrence = found["occurrence"]
        assert occurrence.startswith(f"{schedule}~{found['incarnation']}@trigger:")
        assert [(each["scope"], each["run"], each["outcome"]) for each in found["runs"]] == [
            (scope, run_id(occurrence, scope), "started") for scope in ("rack-a", "rack-b")
        ]
        problem(asks.post(f"/v1/schedules/{fresh()}/none/trigger"), 404)

    def test_asked_twice_under_one_id_it_is_done_once(self, http: Http) -> None:
        asks, schedule = http(*ALL), f"{fresh()}/nightly"
        place, key = f"/v1/schedules/{schedule}", {"Idempotency-Key": uuid4().hex}
        asks.post("/v1/schedules", json=daily(schedule))

        first = asks.post(f"{place}/trigger", headers=key)
        again = asks.post(f"{place}/trigger", headers=key)
        other = asks.post(f"{place}/trigger", headers=key, json={"reason": "another payload"})

        assert (first.status_code, again.status_code) == (202, 202)
        assert first.json()["occurrence"] == again.json()["occurrence"]
        assert first.json()["command_id"] == key["Idempotency-Key"]
        assert first.headers["Idempotency-Key"] == key["Idempotency-Key"]
        problem(other, 409, "id")
        for bad in ("x" * 257, "a\tb"):
            said = asks.post(f"{place}/trigger", headers={"Idempotency-Key": bad})
            problem(said, 400, "Idempotency-Key")

    def test_a_creation_that_is_asked_again_under_its_id_is_no_conflict(self, http: Http) -> None:
        asks, schedule = http(*ALL), f"{fresh()}/nightly"
        key = {"Idempotency-Key": uuid4().hex}

        first = asks.post("/v1/schedules", json=daily(schedule), headers=key)
        asks.get(f"/v1/schedules/{schedule}")
        again = asks.post("/v1/schedules", json=daily(schedule), headers=key)
        other = asks.post("/v1/schedules", json=daily(schedule, cron="@daily"), headers=key)

        assert (first.status_code, again.status_code) == (201, 201), again.text
        assert again.json()["version"] == first.json()["version"]
        problem(other, 409, "id")

    def test_a_put_creates_replaces_or_leaves_as_it_is(self, http: Http) -> None:
        asks, schedule = http(*ALL), f"{fresh()}/nightly"
        place, body = f"/v1/schedules/{schedule}", daily(schedule)
        del body["schedule"]

        made = asks.put(place, json=body)
        same = asks.put(place, json=body)
        other = asks.put(place, json=body | {"cron": "@daily"})
        stale = asks.put(
            place, json=body | {"zone": "UTC", "expected_version": made.json()["version"]}
        )

        assert [each.status_code for each in (made, same, other)] == [201, 200, 200]
        assert [each.json()["verdict"] for each in (made, same, other)] == [
            *("accepted", "unchanged", "accepted")
        ]
        problem(stale, 409, "expected_version")

    def test_what_is_no_json_is_told_so(self, http: Http) -> None:
        """AJ-013: 400; what is JSON and no object too, by what is wanted."""
        asks = http(*ALL)

        for text in ('{"schedule": ', "schedule=a/b", '{"a": NaN', b"\xff\xfe"):
            problem(asks.post("/v1/schedules", content=text), 400)
        said = problem(asks.post("/v1/schedules", content="[1]"), 400)
        assert "must be an object" in said["detail"]
        problem(asks.post("/v1/schedules", content='{"a": 1, "a": 2}'), 400, "a")

    @pytest.mark.parametrize(
        ("query", "field", "hint"),
        [
            ("schedules?sttaus=enabled", "sttaus", "did you mean status?"),
            ("runs?status=failed&sort=1", "sort", "there are after, from, limit"),
            ("hold?limit=1", "limit", "there are none"),
            ("runs?status=broken", "status", "'container_not_running'"),
            ("insights?kind=odd", "kind", "'no_runner'"),
            ("schedules/a/b/occurrences?state=lost", "state", "'deferred'"),
        ],
    )
    def test_a_filter_that_is_not_known_is_refused_and_not_left_out(
        self, http: Http, query: str, field: str, hint: str
    ) -> None:
        """A typing error would be answered with everything, or with nothing."""
        said = http("read").get(f"/v1/{query}")

        assert hint in problem(said, 400, field)["detail"]

    @pytest.mark.parametrize("size", [MAX_DEFINITION_BYTES, 1_048_577, MAX_BODY])
    def test_what_is_too_large_is_refused_at_once(self, http: Http, size: int) -> None:
        """
        KAF-052: 413 by a limit of our own, below the smallest of the chain.

        It counts what the record would have, once it is encoded; a body that cannot be small
        enough is not read to its end.
        """
        asks, schedule = http(*ALL), f"{fresh()}/nightly"
        body = daily(schedule, emit={"topic": "jobs", "value": "x" * size})

        said = asks.post("/v1/schedules", json=body)

        assert problem(said, 413)["type"] == "urn:horae:problem:too-large"
        problem(asks.get(f"/v1/schedules/{schedule}"), 404)

    def test_a_body_without_a_length_is_bounded_too(self, http: Http) -> None:
        def parts() -> Any:
            for _ in range(MAX_BODY // 65_536 + 2):
                yield b" " * 65_536

        problem(http(*ALL).post("/v1/schedules", content=parts()), 413)

    def test_nothing_in_a_name_or_a_payload_is_interpreted(self, http: Http) -> None:
        """ANC-13: stored and shown as it was written; a name may hold an escaped slash."""
        asks, subject = http(*ALL), fresh()
        emit = {"topic": "jobs", "key": MARKUP, "value": TEMPLATE, "headers": {"h": TEMPLATE}}
        body = daily(f"{subject}/{MARKUP}", emit=emit, description=MARKUP)

        made = asks.post("/v1/schedules", json=body)
        name = MARKUP.replace("/", "%2F").replace("<", "%3C").replace(">", "%3E")
        said = asks.get(f"/v1/schedules/{subject}/{name}")

        assert made.status_code == 201, made.text
        assert said.headers["content-type"] == "application/json"
        found = said.json()
        assert found["schedule"] == f"{subject}/{MARKUP}"
        assert found["description"] == MARKUP
        assert found["definition"]["emit"] == emit

    def test_an_instant_is_shown_with_its_zone_and_a_repeated_time_is_marked(
        self, http: Http
    ) -> None:
        """ANC-14: 02:30 CEST with its zone, in the viewer's zone too, marked as coming twice."""
        asks, schedule = http(*ALL), f"{fresh()}/autumn"
        body = daily(schedule, zone="Europe/Berlin", start_at="2027-10-30T22:00:00Z")

        asks.post("/v1/schedules", json=body)
        asked = {"zone": "America/New_York"}
        found = asks.get(f"/v1/schedules/{schedule}", params=asked).json()["next"]

        viewer = found.pop("viewer")
        assert found == {
            "utc": "2027-10-31T00:30:00Z",
            "zone": "Europe/Berlin",
            "local": "2027-10-31T02:30:00+02:00",
            "abbreviation": "CEST",
            "comes_twice": True,
            "second_time": False,
        }
        assert (viewer["zone"], viewer["local"]) == (
            "America/New_York",
            "2027-10-30T20:30:00-04:00",
        )
        assert not viewer["comes_twice"]
        problem(asks.get(f"/v1/schedules/{schedule}", params={"zone": "Mars/X"}), 400, "zone")

    def test_a_schedule_is_paused_resumed_skipped_and_aimed_elsewhere(self, http: Http) -> None:
        asks, schedule = http(*ALL), f"{fresh()}/nightly"
        place = f"/v1/schedules/{schedule}"
        asks.post("/v1/schedules", json=daily(schedule, scopes=["a"]))

        for way, body in (
            ("pause", {"reason": "moving"}),
            ("resume", {"catch_up": "none"}),
            ("skip", {"count": 2}),
            ("unskip", {}),
            ("scopes", {"scopes": [{"target": "b", "types": ["compute"]}]}),
            ("scopes/remove", {"scopes": ["a"]}),
        ):
            said = asks.post(f"{place}/{way}", json=body)
            assert said.status_code == 200, (way, said.text)
            assert said.json()["verdict"] == "accepted", way
        problem(asks.post(f"{place}/skip", json={}), 400)
        problem(asks.post(f"{place}/pause", json={"untill": "x"}), 400, "untill")
        problem(asks.post(f"{place}/scopes/remove", json={"scopes": ["b"]}), 400, "scopes")

    def test_what_would_come_is_previewed(self, http: Http) -> None:
        asks = http("read")
        body = daily("a/b", zone="Europe/Berlin")
        asked = {"after": "2026-10-24T00:00:00Z", "limit": "2"}

        found = asks.post("/v1/preview", json=body, params=asked).json()

        assert [each["utc"] for each in found["instants"]] == [
            "2026-10-24T00:30:00Z",
            "2026-10-25T00:30:00Z",
        ]
        assert [each["comes_twice"] for each in found["instants"]] == [False, True]
        problem(asks.post("/v1/preview", json=daily("a/b", cron="61 * * * *")), 400, "cron")
        problem(asks.post("/v1/preview", json=body, params={"after": "yesterday"}), 400, "after")

    def test_schedules_that_do_the_same_are_told(self, http: Http) -> None:
        asks, subject = http(*ALL), fresh()
        emit = {"topic": "jobs", "key": subject}
        asks.post("/v1/schedules", json=daily(f"{subject}/one", emit=emit))
        asks.get(f"/v1/schedules/{subject}/one")

        found = asks.post("/v1/conflicts", json=daily(f"{subject}/two", emit=emit)).json()

        assert found["conflicts"] == [
            {"schedule": f"{subject}/two", "other": f"{subject}/one", "targets": [subject]}
        ]

    def test_the_interface_describes_itself_and_loads_nothing_from_elsewhere(
        self, http: Http
    ) -> None:
        asks = http()

        described = asks.get("/openapi.json")

        assert described.status_code == 200
        assert "/v1/schedules/{subject}/{name}" in described.json()["paths"]
        for page in ("/docs", "/redoc", "/nothing"):
            problem(asks.get(page), 404)
        problem(asks.put("/v1/schedules"), 405)
