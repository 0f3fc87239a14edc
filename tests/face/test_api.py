"""
Does the interface over HTTP keep its promises, with a decider and nothing else behind it?

What a broker or a database that is away does to an answer is tried here, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from psycopg import OperationalError
from typing_extensions import override

from horae.api.desk import Answered
from horae.api.house import NoViews
from horae.api.problems import Unasked
from horae.api.settings import is_loopback
from horae.client import ClientFault, NoReply, NotReachable, NotSent, Order
from horae.permissions import Ability
from projections import traffic_queries
from projections.faults import NotBuilt
from tests.face import rehearsed_deployments
from tests.face.asked_over_http import ALL, Http, PromisesAboutSchedules, daily, problem
from tests.face.deployments_over_http import PromisesAboutDeployments
from tests.face.rehearsed_house import Rehearsal, house_on
from tests.face.served import served, with_tokens
from tests.face.steered_over_http import PromisesAboutAsking


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Http]:
    house = house_on(rehearsed_deployments.Remembering(), tmp_path_factory.mktemp("house"))
    with served(house) as address, with_tokens(address, house.keyring) as found:
        yield found


class TestSchedules(PromisesAboutSchedules):
    """IT-058, IT-059, IT-060, IT-062, IT-063, IT-064, IT-067, AJ-012, AJ-014."""


class TestAsking(PromisesAboutAsking):
    """AJ-013, AJ-015, AJ-016, KAF-052, ANC-13, ANC-14."""


@pytest.mark.usefixtures("known_deployments")
class TestDeployments(PromisesAboutDeployments):
    """DP-002, DP-003, DP-034."""


@pytest.fixture
def known_deployments(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("deployment", "deployments"):
        monkeypatch.setattr(traffic_queries, name, getattr(rehearsed_deployments, name))


class Failing(Rehearsal):
    """A desk whose log is away: each order ends in this fault."""

    fault: ClientFault

    @override
    def ask(self, order: Order) -> Any:
        raise Unasked(order.id, self.fault)

    @override
    def fire(self, order: Order, patience: float = 0.0) -> Answered:
        raise Unasked(order.id, self.fault)


def test_an_order_that_has_no_reply_is_told_with_its_id(tmp_path: Path) -> None:
    """IT-080: what the store says reaches the caller, and nothing was submitted."""
    desk, key = Failing(), {"Idempotency-Key": "my-own"}
    found = []
    with served(house_on(desk, tmp_path)) as address:
        for fault, status in (
            (NotReachable("h:1", "refused"), 503),
            (NotSent("a/b", "no", perhaps=False), 503),
            (NotSent("a/b", "large", perhaps=False, too_large=True), 413),
            (NotSent("a/b", "timed out", perhaps=True), 504),
            (NoReply(3, 17, 10.0), 504),
        ):
            desk.fault = fault
            url = f"{address}/v1/schedules/a/b/trigger"
            found.append(problem(httpx.post(url, headers=key, trust_env=False), status))

    kinds = [each["type"].rpartition(":")[2] for each in found]
    assert kinds == ["unreachable", "unreachable", "too-large", "unsure", "no-reply"]
    assert {each["command_id"] for each in found} == {"my-own"}
    assert (found[-1]["partition"], found[-1]["offset"]) == (3, 17)
    assert "Idempotency-Key" in found[-1]["detail"]
    assert desk.history == []


class Broken(Rehearsal):
    """Views that fail."""

    fault: Exception

    @override
    def schedule(self, schedule: str) -> Any:
        raise self.fault


def test_nothing_of_the_inside_goes_out(tmp_path: Path) -> None:
    views = Broken()
    with served(house_on(views, tmp_path)) as address:
        for fault, status, told in (
            (OperationalError("connection to secret-host failed"), 503, "does not answer"),
            (NotBuilt("secret-host"), 503, "never built"),
            (ZeroDivisionError("secret-host"), 500, "a mistake of ours"),
        ):
            views.fault = fault
            said = httpx.get(f"{address}/v1/schedules/a/b", trust_env=False)

            assert told in problem(said, status)["detail"]
            assert "secret-host" not in said.text


def test_without_a_database_schedules_are_written_and_not_read(tmp_path: Path) -> None:
    house = replace(house_on(Rehearsal(), tmp_path), views=NoViews())
    with served(house) as address, httpx.Client(base_url=address, trust_env=False) as asks:
        made = asks.post("/v1/schedules", json=daily("a/b"))
        listed = asks.get("/v1/schedules")
        well = asks.get("/health")

    assert made.status_code == 201
    assert "HORAE_POSTGRES_DSN" in problem(listed, 503)["detail"]
    assert well.json() == {"status": "ok", "views": None}


def test_work_for_a_pool_without_runners_is_not_implemented_here(tmp_path: Path) -> None:
    """
    AJ-013: 501 where it was said that no runner is configured.

    Runners come and go by themselves, so this is known of pools that HORAE_API_POOLS leaves out.
    """
    house = house_on(Rehearsal(), tmp_path, pools=("gpu-*",))
    work = {"command": {"argv": ["true"], "pool": "cpu"}}
    body = daily("a/b") | work
    del body["emit"]
    with served(house) as address, httpx.Client(base_url=address, trust_env=False) as asks:
        asks.post("/v1/schedules", json=body)
        asks.post("/v1/schedules", json=daily("a/emit"))
        refused = asks.post("/v1/schedules/a/b/trigger")
        emitted = asks.post("/v1/schedules/a/emit/trigger")

    assert "pool cpu" in problem(refused, 501)["detail"]
    assert emitted.status_code == 202


def test_work_in_an_app_that_is_unknown_is_not_created(tmp_path: Path) -> None:
    """AJ-012: for an app that nobody defined 404, and nothing is stored."""
    rehearsal = Rehearsal()
    body = daily("a/b") | {"exec": {"argv": ["true"]}}
    del body["emit"]
    with served(house_on(rehearsal, tmp_path)) as address:
        said = httpx.post(f"{address}/v1/schedules", json=body, trust_env=False)

    assert problem(said, 404)["detail"] == "there is no app a"
    assert rehearsal.states == {}


def test_while_there_is_no_token_loopback_may_do_all_and_nobody_else(tmp_path: Path) -> None:
    house = house_on(Rehearsal(), tmp_path)
    with served(house) as address, httpx.Client(base_url=address, trust_env=False) as asks:
        made = asks.post("/v1/schedules", json=daily("a/b"))
        rebound = asks.get("/v1/schedules", headers={"Host": "evil.example"})
        house.keyring.create("ci", frozenset({Ability.READ}), 0)
        closed = asks.get("/v1/schedules")
        house.keyring.revoke("ci")
        still_closed = asks.get("/v1/schedules")

    assert made.status_code == 201
    assert asks_as(house) == ["service:api"]
    problem(rebound, 403)
    problem(closed, 401)
    problem(still_closed, 401)


def asks_as(house: Any) -> list[str]:
    return [order.actor for order in house.desk.handed_in]


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        *(("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("[::1]", True)),
        *(("localhost", True), ("192.0.2.1", False), ("::", False), ("10.0.0.1", False)),
        *(("example.org", False), ("", False), ("localhost.example.org", False)),
    ],
)
def test_loopback_is_what_only_this_machine_reaches(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_what_is_said_to_everyone_is_said_in_the_name_of_the_token(tmp_path: Path) -> None:
    rehearsal = Rehearsal()
    house = house_on(rehearsal, tmp_path)
    freeze = {"subjects": ["a*"], "to": "2099-01-01T00:00:00Z"}
    with served(house) as address, with_tokens(address, house.keyring) as http:
        asks = http("admin")
        answers = [
            asks.put("/v1/hold", json={"reason": "move"}),
            asks.delete("/v1/hold"),
            asks.post("/v1/clock/accept"),
            asks.put("/v1/calendars/off", json={"weekdays": "sat,sun"}),
            asks.put("/v1/freezes/end", json=freeze),
        ]
        problem(asks.put("/v1/calendars/off", json={"weekdays": "caturday"}), 400, "weekdays")
        problem(asks.put("/v1/freezes/end", json={"subjects": ["a"]}), 400, "to")

    assert [answer.status_code for answer in answers] == [200] * 5
    assert [key for key, _ in rehearsal.said] == [
        *("hold", "hold", "clock", "calendar/off", "freeze/end")
    ]
    for answer, (key, record) in zip(answers, rehearsal.said, strict=True):
        assert answer.json()["about"] == key
        assert (record.actor, record.command_id) == ("token:admin", answer.json()["command_id"])


def test_the_tokens_that_cannot_be_read_let_nobody_in(tmp_path: Path, http: Http) -> None:
    house = house_on(Rehearsal(), tmp_path)
    (tmp_path / "tokens.json").write_text("{")
    with served(house) as address:
        token = {"Authorization": "Bearer horae_x"}
        said = httpx.get(f"{address}/v1/schedules", headers=token, trust_env=False)

    assert "cannot be read" in problem(said, 503)["detail"]
    assert http(*ALL).get("/health").status_code == 200


def test_every_address_stands_in_the_reference_with_what_it_needs(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs/reference/api.md"
    told = set(re.findall(r"^\| `([A-Z]+) (/v1\S*)` \| (\w+) \|", page.read_text(), re.MULTILINE))
    house = house_on(Rehearsal(), tmp_path)
    with served(house) as address, with_tokens(address, house.keyring) as http:
        paths: dict[str, Any] = http().get("/openapi.json").json()["paths"]
        found = {
            (method.upper(), path, _needed(http, method, path))
            for path, methods in paths.items()
            for method in methods
            if path.startswith("/v1")
        }

    assert found == told


def _needed(http: Http, method: str, path: str) -> str:
    """The one ability with which this is not forbidden."""
    place = re.sub(r"\{\w+\}", "x", path)
    if http().request(method, place).status_code != 401:
        return "none"
    may = [
        ability
        for ability in ("read", "write", "run")
        if http(ability).request(method, place).status_code != 403
    ]
    assert len(may) <= 1, place
    return may[0] if may else "admin"
