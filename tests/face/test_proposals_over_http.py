"""Who may look at proposals over HTTP, who may settle them, and what is shown?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest

from horae.api import proposals as routes
from projections.paging import page_of, place_of
from projections.shown import Page
from projections.shown_traffic import MinuteShown
from schemas.proposals import AcceptProposal, DismissProposal
from tests.face.asked_over_http import ALL, Http, problem
from tests.face.proposed import NIGHT, PROPOSED_AT, a_row
from tests.face.rehearsed_house import Rehearsal, house_on
from tests.face.served import served, with_tokens
from tests.proposals.weeks import week

T = TypeVar("T")


class Looked(Rehearsal):
    """Views that answer questions about proposals."""

    def look(self, question: Callable[[Any], T]) -> T:
        return question(None)


@pytest.fixture
def rehearsal(monkeypatch: pytest.MonkeyPatch) -> Looked:
    rows = [a_row(), a_row(id="pp_2", status="dismissed", settled_at=PROPOSED_AT)]
    minute = MinuteShown(PROPOSED_AT, "active", 1_500, 4)
    asked: list[tuple[int, int]] = []

    def proposals(
        _: Any, *, status: str | None, subject: str | None, after: str | None, limit: int
    ) -> Page[Any]:
        found = [one for one in rows if status in (None, one.status)]
        found = [one for one in found if subject in (None, one.subject)]
        begin = int(place_of(after, [0])[0])
        return page_of(found[begin:], limit, lambda row: [found.index(row) + 1])

    def minutes(_: Any, subject: str, since: int, before: int) -> list[MinuteShown]:
        asked.append((since, before))
        return [minute] if subject == "llama" else []

    answers = SimpleNamespace(
        proposals=proposals,
        proposal=lambda _, wanted: next((one for one in rows if one.id == wanted), None),
        deployment=lambda _, __: None,
        profile=lambda _, subject: week((22, 8)) if subject == "llama" else None,
        minutes=minutes,
    )
    monkeypatch.setattr(routes, "traffic_queries", answers)
    return Looked()


@pytest.fixture
def http(rehearsal: Looked, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Http]:
    house = house_on(rehearsal, tmp_path_factory.mktemp("house"))
    with served(house) as address, with_tokens(address, house.keyring) as found:
        yield found


@pytest.mark.parametrize("word", ["accept", "dismiss"])
def test_who_is_no_admin_settles_nothing(http: Http, rehearsal: Looked, word: str) -> None:
    """403, and nothing is written; without a token 401."""
    for abilities, status in ((("read", "write", "run"), 403), (("read",), 403), ((), 401)):
        said = http(*abilities).post(f"/v1/proposals/pp_1/{word}", json={"subject": "llama"})

        problem(said, status)
    assert rehearsal.handed_in == []


@pytest.mark.parametrize(
    ("word", "kind"), [("accept", AcceptProposal), ("dismiss", DismissProposal)]
)
def test_an_admins_word_goes_into_the_log_in_the_admins_name(
    http: Http, rehearsal: Looked, word: str, kind: type[AcceptProposal | DismissProposal]
) -> None:
    """Whose proposal it is, is looked up or said; here nobody has heard of it."""
    for body in ({"reason": "agreed"}, {"reason": "agreed", "subject": "llama"}):
        said = http("admin").post(f"/v1/proposals/pp_1/{word}", json=body)

        problem(said, 409, "proposal")
    assert [order.about for order in rehearsal.handed_in] == ["llama/", "llama/"]
    assert {order.command for order in rehearsal.handed_in} == {kind("pp_1", "agreed")}
    assert {order.actor for order in rehearsal.handed_in} == {"token:admin"}


@pytest.mark.parametrize(
    ("body", "field"),
    {
        "an unknown field": ({"subject": "llama", "raeson": "x"}, "raeson"),
        "the id a second time": ({"proposal": "pp_1"}, "proposal"),
        "a subject that is no text": ({"subject": 1}, "subject"),
        "a reason that is no text": ({"reason": 1}, "reason"),
    }.values(),
    ids=str,
)
def test_what_is_refused_names_its_field(
    http: Http, rehearsal: Looked, body: dict[str, Any], field: str
) -> None:
    problem(http("admin").post("/v1/proposals/pp_1/accept", json=body), 400, field)

    assert rehearsal.handed_in == []


def test_proposals_are_listed_and_one_is_shown_with_its_evidence(http: Http) -> None:
    asks = http("read")

    listed = asks.get("/v1/proposals").json()["proposals"]
    shown = asks.get("/v1/proposals/pp_1").json()

    assert [one["proposal"] for one in listed] == ["pp_1", "pp_2"]
    assert listed[0]["windows"] == [
        {
            "sleep_day": "mon",
            "sleep_at": "22:00",
            "wake_day": "tue",
            "wake_at": "07:45",
            "minutes": NIGHT.minutes,
            "weeks": 3,
            "idle_weeks": 3,
        }
    ]
    assert (listed[0]["confidence"], listed[0]["source"]) == (0.81, "model")
    assert (listed[0]["settled_at"], listed[1]["settled_at"]) == (None, "2026-11-30T06:00:00Z")
    assert "prompt" not in listed[0]
    assert shown == listed[0] | {"prompt": "Should it?", "answer": '{"decision": "propose"}'}
    one = asks.get("/v1/proposals", params={"status": "dismissed", "subject": "llama"})
    assert [row["proposal"] for row in one.json()["proposals"]] == ["pp_2"]
    first = asks.get("/v1/proposals", params={"limit": 1}).json()
    then = asks.get("/v1/proposals", params={"limit": 1, "after": first["next"]}).json()
    assert [one["proposal"] for one in (*first["proposals"], *then["proposals"])] == [
        "pp_1",
        "pp_2",
    ]
    assert then["next"] is None
    problem(asks.get("/v1/proposals", params={"after": "x"}), 400, "after")
    problem(asks.get("/v1/proposals", params={"status": "asleep"}), 400, "status")
    problem(asks.get("/v1/proposals/pp_3"), 404)
    problem(http("write").get("/v1/proposals"), 403)


def test_traffic_is_shown_by_the_hour_of_the_week_and_by_the_minute(http: Http) -> None:
    asks = http(*ALL)

    found = asks.get("/v1/traffic/llama").json()

    assert (found["profile"]["zone"], found["profile"]["days"]) == ("UTC", 21)
    assert len(found["profile"]["hours"]) == 168
    assert found["profile"]["hours"][22 + 24] == {
        "day": "tue",
        "at": "22:00",
        "p50": 0.0,
        "p95": 9.0,
        "active": 0.6,
        "minutes": 180,
        "weeks": 3,
        "idle_weeks": 0,
    }
    assert found["minutes"] == [
        {"minute": "2026-11-30T06:00:00Z", "kind": "active", "rate": 1.5, "samples": 4}
    ]
    problem(asks.get("/v1/traffic/nobody"), 404)


@pytest.mark.parametrize(
    "params",
    {
        "backwards": {"from": "2026-11-30T06:00:00Z", "to": "2026-11-30T05:00:00Z"},
        "too long": {"from": "2026-11-01T00:00:00Z", "to": "2026-11-09T00:00:00Z"},
        "no instant": {"from": "yesterday"},
    }.values(),
    ids=["backwards", "too long", "no instant"],
)
def test_only_a_week_of_minutes_is_given_at_once(http: Http, params: dict[str, str]) -> None:
    problem(http("read").get("/v1/traffic/llama", params=params), 400, "from")
