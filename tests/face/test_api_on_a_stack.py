"""
Does the interface over HTTP keep its promises with all that stands behind it in production?

`horae api` as a process of its own, on a real broker, processor, projector and database. The same
promises without them are test_api.py.
"""

from __future__ import annotations

import re
import signal
import socket
import tempfile
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import httpx
import pytest

from horae.client import Client, Order
from horae.local.kafka import Broker
from horae.local.postgres import Postgres
from horae.permissions import Keyring
from projections.queries import MOST_ROWS
from schemas.commands import Define
from schemas.definition import Cron, Definition, Emit
from tests.acceptance.stack import Stack, fresh_stack
from tests.face.api_process import start_api
from tests.face.asked_over_http import (
    ALL,
    Http,
    PromisesAboutSchedules,
    daily,
    eventually,
    fresh,
    problem,
)
from tests.face.deployments_over_http import PromisesAboutRealDeployments
from tests.face.served import with_tokens
from tests.face.steered_over_http import PromisesAboutAsking

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="horae-api-") as found:
        yield Path(found)


@pytest.fixture(scope="module")
def stack(broker: Broker, postgres: Postgres, folder: Path) -> Iterator[Stack]:
    """A processor and a projector that work."""
    with fresh_stack((broker, postgres, folder), folder) as found:
        found.cluster.create("jobs", 1, {})
        found.processor("api-processor")
        found.projector()
        yield found


@pytest.fixture(scope="module")
def api(stack: Stack, folder: Path) -> Iterator[str]:
    process, address = start_api(stack, "api", folder / "tokens.json")
    yield address
    process.stop()


@pytest.fixture(scope="module")
def http(api: str, folder: Path) -> Iterator[Http]:
    with with_tokens(api, Keyring(folder / "tokens.json")) as found:
        assert eventually(lambda: found("run").get("/health?deep=1").status_code == 200, 60)
        yield found


class TestSchedules(PromisesAboutSchedules, PromisesAboutRealDeployments):
    """IT-058, IT-059, IT-060, IT-062, IT-063, IT-064, IT-067, AJ-012, AJ-014."""


class TestAsking(PromisesAboutAsking):
    """AJ-013, AJ-015, AJ-016, KAF-052, ANC-13, ANC-14."""


def test_test_schedules_at_the_same_time_each_get_their_answer(http: Http) -> None:
    """KPR-46: two looks through the whole path at once, each with an id of its own."""
    asks = http("run")

    with ThreadPoolExecutor(2) as both:
        looks = [both.submit(asks.get, "/health", params={"deep": "1"}) for _ in range(2)]
        answers = [look.result() for look in looks]

    assert [answer.status_code for answer in answers] == [200, 200], answers[0].text
    flown = [answer.json()["canary"] for answer in answers]
    assert len({each["schedule"] for each in flown}) == 2
    assert [each["state"] for each in flown] == ["skipped", "skipped"]
    problem(http("read").get("/health", params={"deep": "1"}), 403)
    assert http().get("/health").status_code == 200


def test_a_run_goes_on_when_who_asked_for_it_has_hung_up(http: Http, api: str) -> None:
    """AJ-016: the order is in the log; nobody has to wait for it."""
    asks, schedule = http(*ALL), f"{fresh()}/work"
    emit = {"topic": "jobs", "tracked": {"lease": "1h"}}
    asks.post("/v1/schedules", json=daily(schedule, emit=emit))

    host, _, port = api.removeprefix("http://").partition(":")
    request = (
        f"POST /v1/schedules/{schedule}/trigger HTTP/1.1\r\nHost: {host}:{port}\r\n"
        f"Authorization: {asks.headers['Authorization']}\r\nContent-Length: 0\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), 5) as line:
        line.sendall(request.encode())

    def runs() -> Any:
        return asks.get("/v1/runs", params={"schedule": schedule}).json()["runs"]

    [run] = eventually(runs)
    assert (run["kind"], run["status"], run["actor"]) == ("manual", "started", _actor())
    place = f"/v1/runs/{run['run']}"
    said = asks.post(f"{place}/report", json={"status": "failed", "detail": "disk full"})
    assert said.status_code == 200, said.text
    over = eventually(lambda: (found := asks.get(place).json())["ended_at"] and found)
    assert (over["status"], over["shown_as"], over["detail"]) == ("failed", "failed", "disk full")
    assert [each["status"] for each in over["attempts"]] == ["failed"]
    for body in ({}, {"subject": schedule.partition("/")[0]}):
        problem(asks.post("/v1/runs/jr_nobody/cancel", json=body), 404)


def _actor() -> str:
    return f"token:{'-'.join(ALL)}"


def test_a_run_is_cancelled(http: Http) -> None:
    asks, schedule = http(*ALL), f"{fresh()}/work"
    emit = {"topic": "jobs", "tracked": True}
    asks.post("/v1/schedules", json=daily(schedule, emit=emit))
    begun = asks.post(f"/v1/schedules/{schedule}/trigger").json()
    second = asks.post(f"/v1/schedules/{schedule}/trigger")

    [run] = begun["runs"]
    assert run["outcome"] == "started"
    skipped = problem(second, 409)
    assert skipped["type"] == "urn:horae:problem:skipped"
    assert skipped["occurrence"] != begun["occurrence"]
    eventually(lambda: asks.get(f"/v1/runs/{run['run']}").status_code == 200)
    said = asks.post(f"/v1/runs/{run['run']}/cancel", json={"reason": "enough"})

    assert said.status_code == 200, said.text
    found = asks.get(f"/v1/subjects/{schedule.partition('/')[0]}").json()
    assert found["runs"] == [run["run"]]


def test_a_trigger_whose_target_takes_nothing_is_told(http: Http) -> None:
    """
    IT-029: the caller gets an error.

    A fire by hand is decided by itself here: what comes next by the calendar stays as it was.
    """
    asks, schedule = http(*ALL), f"{fresh()}/work"
    made = asks.post(
        "/v1/schedules", json=daily(schedule, emit={"topic": f"none-{uuid4().hex[:8]}"})
    ).json()

    said = asks.post(f"/v1/schedules/{schedule}/trigger")

    assert "does not exist" in problem(said, 409, "emit.topic")["detail"]
    assert asks.get(f"/v1/schedules/{schedule}").json()["next"] == made["next"]


def test_work_in_a_container_needs_an_app(http: Http) -> None:
    """AJ-012: for an app that is defined 201, for an unknown one 404."""
    asks, subject = http(*ALL), fresh("app")
    body = {"schedule": f"{subject}/work", "cron": "@daily", "exec": {"argv": ["true"]}}
    unknown = asks.post("/v1/schedules", json=body)
    app = asks.put(f"/v1/subjects/{subject}/app", json={"image": "tool:1"})
    made = asks.post("/v1/schedules", json=body)

    assert problem(unknown, 404)["detail"] == f"there is no app {subject}"
    assert app.status_code == 200, app.text
    assert made.status_code == 201, made.text
    assert asks.get(f"/v1/subjects/{subject}/app").json()["app"]["image"] == "tool:1"
    found = asks.get(f"/v1/schedules/{subject}/work").json()["operation"]
    words = "true in the container of its app, by a runner of the node of its app"
    assert found == {"kind": "exec", "summary": words}
    problem(asks.put(f"/v1/subjects/{subject}/app", json={"imge": "x"}), 400, "imge")
    problem(asks.get(f"/v1/subjects/{fresh()}/app"), 404)


def test_a_subject_that_is_removed_leaves_the_lists_and_fires_no_more(http: Http) -> None:
    """AJ-017: its three schedules are gone, one of them in the midst of a run; none moves away."""
    asks, subject = http(*ALL), fresh("app")
    emit = {"topic": "jobs", "tracked": True}
    for name in ("one", "two", "three"):
        asks.post("/v1/schedules", json=daily(f"{subject}/{name}", emit=emit))
    [run] = asks.post(f"/v1/schedules/{subject}/one/trigger").json()["runs"]
    moved = asks.patch(
        f"/v1/schedules/{subject}/one",
        json={"mask": ["subject"], "definition": {"subject": fresh()}},
    )

    gone = asks.request("DELETE", f"/v1/subjects/{subject}", json={"reason": "sold"})

    problem(moved, 400, "mask[0]")
    assert gone.status_code == 200, gone.text

    def listed() -> Any:
        return asks.get("/v1/schedules", params={"subject": subject}).json()["total"]

    assert eventually(lambda: listed() == 0)
    problem(asks.post(f"/v1/schedules/{subject}/one/trigger"), 404)
    found = eventually(lambda: (row := asks.get(f"/v1/runs/{run['run']}").json()) and row)
    assert found["status"] == "started"
    problem(asks.request("DELETE", f"/v1/subjects/{fresh()}"), 404)


def test_a_long_list_comes_whole(http: Http, stack: Stack) -> None:
    """IT-062: also one of more than a page."""
    subject, count = fresh(), MOST_ROWS + 3
    rule = Definition((Cron("@yearly"),), Emit("jobs"))
    orders = [Order(f"{subject}/n{number:04d}", Define(rule)) for number in range(count)]
    with Client(stack.broker.bootstrap, within=30) as client:
        client.ask_many(orders)
    stack.await_views()

    found = http("read").get("/v1/schedules", params={"subject": subject}).json()

    assert found["total"] == count
    assert [each["schedule"] for each in found["schedules"]] == [each.schedule for each in orders]
    assert found["next"] is None


def test_what_became_of_a_schedule_is_told_from_views_and_ledger(http: Http) -> None:
    asks, schedule = http(*ALL), f"{fresh()}/often"
    body = daily(schedule, zone="Europe/Berlin")
    del body["cron"]
    asks.post("/v1/schedules", json=body | {"interval": {"every": "1s", "anchor": "epoch"}})
    place = f"/v1/schedules/{schedule}"

    rows = eventually(lambda: asks.get(f"{place}/occurrences").json()["occurrences"])
    asks.post(f"{place}/pause", json={"reason": "enough"})
    at = rows[-1]["nominal"]
    explained = asks.get(f"{place}/explain", params={"at": at["utc"]}).json()
    asks.delete(place)
    listed = eventually(
        lambda: (
            len(found := asks.get("/v1/commands", params={"schedule": schedule}).json()["commands"])
            == 3
            and found
        )
    )
    audited = asks.get("/v1/audit", params={"schedule": schedule, "from": at["utc"]}).json()

    assert (rows[-1]["state"], at["zone"]) == ("fired", "Europe/Berlin")
    assert explained["verdicts"] == [{"verdict": "on time", "reason": None}]
    assert explained["sentences"]
    assert [each["outcome"] for each in listed] == ["removed", "paused", "defined"]
    assert {each["actor"] for each in listed} == {_actor()}
    assert audited["unexplained"] == []
    assert audited["total"]["on time"] >= 1
    changes = [each["change"] for each in asks.get(f"{place}/versions").json()["versions"]]
    assert changes == ["removed", "defined"]
    problem(asks.get(place), 404)
    problem(asks.get(f"{place}/explain", params={"at": "02:30"}), 400, "at")


def test_nothing_that_can_be_asked_is_a_mistake_of_ours(http: Http) -> None:
    """Odd names, numbers and pages are refused or not found, with a problem that says so."""
    asks = http(*ALL)
    described = asks.get("/openapi.json").json()["paths"]
    looks = {path: each["get"] for path, each in described.items() if "get" in each}
    nowhere = urlsafe_b64encode(b'["x", true, null]').decode()
    for odd in ("a\0b", nowhere):
        part = quote(odd, safe="", errors="surrogatepass")
        for path, look in looks.items():
            names = [one["name"] for one in look.get("parameters", ()) if one["in"] == "query"]
            place = re.sub(r"\{\w+\}", part, path)
            for query in ("", *(f"{name}={part}" for name in names if name != "deep")):
                said = asks.get(f"{place}?{query}")
                assert said.status_code < 500, (path, query, said.text)


def test_asked_to_end_it_answers_those_who_wait_and_ends_well(stack: Stack, folder: Path) -> None:
    process, address = start_api(stack, "api-that-ends", folder / "none.json")
    with ThreadPoolExecutor(1) as waiting:
        look = waiting.submit(httpx.get, f"{address}/health?deep=1", timeout=30, trust_env=False)
        time.sleep(0.3)
        assert process.child is not None
        process.child.signal(signal.SIGTERM)
        answer = look.result()
    ended = eventually(lambda: process.child and process.child.ended is not None, 20)

    assert answer.status_code == 200, answer.text
    assert answer.json()["canary"]["state"] == "skipped"
    assert ended
    assert process.child.ended == 0
