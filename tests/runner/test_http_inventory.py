"""Is an order for some components carried out only where they are?"""

from __future__ import annotations

import json

import pytest

from schemas.actions import Http
from schemas.commands import ReportStatus
from schemas.policies import Filter
from schemas.templates import json_template
from tests.runner.orders import carried_out, order_of, some
from tests.runner.other_side import Asked, Say, Service, service


def component(id_: str, type_: str = "compute", scope: str = "rack-a") -> dict[str, str]:
    return {"id": id_, "type": type_, "scope": scope}


RACKS = [
    component("n1"),
    component("n2"),
    component("s1", "switch"),
    component("n3", scope="rack-b"),
    component("x7", "compute"),
    component("x7", "switch"),
    component("x8", "switch", "rack-a"),
    component("x8", "switch", "rack-b"),
]


def racks(asked: Asked) -> Say:
    return Say(200, RACKS) if asked.path.startswith("/components") else Say(200, {})


def work_at(other: Service) -> Http:
    return Http(
        f"{other.url}/power",
        body=json_template({"rack": "{scope}", "components": "{components}"}),
        inventory=f"{other.url}/components?of={{components}}",
    )


@pytest.mark.parametrize(
    ("filter_", "ids"),
    [
        (some("n1"), ["n1"]),
        (some("n2", "n1"), ["n2", "n1"]),
        (some("compute/n1", "n1"), ["n1"]),
        (some("switch/x7"), ["x7"]),
        (some("compute", kind="types"), ["n1", "n2", "x7"]),
        (some("switch", "nothing", kind="types"), ["s1", "x7", "x8"]),
    ],
)
def test_components_are_looked_up_when_it_fires(filter_: Filter, ids: list[str]) -> None:
    """IT-090: an external id with its type that matches exactly one is accepted."""
    with service(racks) as other:
        outcome, _ = carried_out(order_of(work_at(other), filter=filter_), other.url)

    assert outcome.status is ReportStatus.SUCCESS
    looked, asked = other.asked
    assert looked.method == "GET"
    assert looked.path.startswith("/components?of=%7B%22")
    assert looked.body == b""
    assert "idempotency-key" not in looked.headers
    assert asked.data == {"rack": "rack-a", "components": {"ids": ids}}
    assert json.loads(asked.headers["horae-components"]) == {"ids": ids}


@pytest.mark.parametrize(
    ("filter_", "why"),
    [
        (some("n9"), "the inventory knows no component 'n9'"),
        (some("switch/n1"), "the inventory knows no component 'switch/n1'"),
        (some("n1", "n9"), "the inventory knows no component 'n9'"),
        (some("x7"), "'x7' is ambiguous: compute/x7 in rack-a, switch/x7 in rack-a"),
        (some("switch/x8"), "'switch/x8' is ambiguous: switch/x8 in rack-a, switch/x8 in rack-b"),
        (some("n3"), "its components lie in rack-b now, and not in rack-a"),
        (some("n1", "n3"), "its components lie in 2 targets now: rack-a, rack-b"),
        (some("pump", "fan", kind="types"), "rack-a has no component of type pump or fan"),
    ],
)
def test_components_that_are_not_to_be_had_fail_their_target_alone(
    filter_: Filter, why: str
) -> None:
    """IT-033: moved to another rack, or in two: no task, and the other targets fire.

    IT-090: an external id with its type that matches none, or two, is an error.
    """
    with service(racks) as other:
        outcome, _ = carried_out(order_of(work_at(other), filter=filter_), other.url)

        assert outcome.status is ReportStatus.FAILED
        assert why in outcome.detail
        assert [one for one in other.asked if one.method == "POST"] == []

        outcome, _ = carried_out(order_of(work_at(other), "rack-b", filter=some("n3")), other.url)

    assert outcome.status is ReportStatus.SUCCESS


def test_a_target_as_a_whole_needs_no_inventory() -> None:
    with service(racks) as other:
        outcome, _ = carried_out(order_of(work_at(other)), other.url)

    assert outcome.status is ReportStatus.SUCCESS
    assert other.paths() == ["POST /power"]
    assert other.asked[0].data == {"rack": "rack-a", "components": None}


def test_without_an_inventory_the_filter_is_passed_on() -> None:
    with service(racks) as other:
        work = Http(f"{other.url}/power", body="{components}")
        carried_out(order_of(work, filter=some("x7", "nowhere")), other.url)

    assert [one.data for one in other.asked] == [{"ids": ["x7", "nowhere"]}]


@pytest.mark.parametrize(
    ("said", "status", "why"),
    [
        (Say(503, b""), ReportStatus.UNAVAILABLE, "the inventory answered 503"),
        (Say(200, b"<html>"), ReportStatus.FAILED, "the inventory did not answer with JSON"),
        (Say(200, {"n1": 1}), ReportStatus.FAILED, "the inventory did not answer with a list"),
        (Say(200, ["n1"]), ReportStatus.FAILED, "something that is no component"),
        (Say(200, [{"id": "n1"}]), ReportStatus.FAILED, "has no id, type, scope"),
        (Say(200, [component("")]), ReportStatus.FAILED, "has no id, type, scope"),
    ],
)
def test_an_inventory_that_does_not_say_begins_nothing(
    said: Say, status: ReportStatus, why: str
) -> None:
    with service(lambda _: said) as other:
        outcome, _ = carried_out(order_of(work_at(other), filter=some("n1")), other.url)

    assert outcome.status is status
    assert why in outcome.detail
    assert other.paths() == [other.paths()[0]]
