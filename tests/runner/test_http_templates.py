"""Is each value escaped for the place where it goes?"""

from __future__ import annotations

import json
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.actions import Http, Setting
from schemas.templates import json_template
from streams.runner.faults import Misfit
from streams.runner.templates import fill_json, fill_text, fill_url, values_of
from tests.runner.orders import carried_out, order_of, some
from tests.runner.other_side import Asked, Say, service

NASTY = 'a"b\\c/../d?e=f&g#h%i\u00f6 {x}\u2028'
ORDER = order_of(Http("x"), NASTY)
VALUES = values_of(ORDER, None)


def test_a_value_in_a_url_stays_one_part_of_it() -> None:
    assert fill_url("/racks/{scope}/x", VALUES) == (
        "/racks/a%22b%5Cc%2F..%2Fd%3Fe%3Df%26g%23h%25i%C3%B6%20%7Bx%7D%E2%80%A8/x"
    )


@pytest.mark.parametrize(
    ("template", "data"),
    [
        ('{{"rack": "{scope}"}}', {"rack": NASTY}),
        ('{{"rack": "<{scope}>"}}', {"rack": f"<{NASTY}>"}),
        ('{{"rack": {scope}}}', {"rack": NASTY}),
        ('{{"{scope}": {attempt}}}', {NASTY: 1}),
        ('["\\"", {scope}, "{attempt}"]', ['"', NASTY, "1"]),
        ('["\\\\", {scope}]', ["\\", NASTY]),
        ("{components}", None),
        ('"{components}"', ""),
    ],
)
def test_a_value_in_a_json_body_is_a_part_of_a_string_or_a_value(
    template: str, data: object
) -> None:
    assert json.loads(fill_json(template, VALUES)) == data


def test_components_are_an_object_in_json_and_its_text_elsewhere() -> None:
    values = values_of(ORDER, some("n1", "n2"))

    assert json.loads(fill_json("[{components}]", values)) == [{"ids": ["n1", "n2"]}]
    assert json.loads(fill_json('["{components}"]', values)) == ['{"ids":["n1","n2"]}']
    assert fill_text("{components}", values) == '{"ids":["n1","n2"]}'
    assert fill_url("{components}", values) == "%7B%22ids%22%3A%5B%22n1%22%2C%22n2%22%5D%7D"


def test_a_body_that_is_no_json_has_its_values_as_its_kind_needs_them() -> None:
    def sent(kind: str, body: str) -> bytes:
        with service(lambda _: Say()) as other:
            work = Http(other.url, headers=(Setting("Content-Type", kind),), body=body)
            carried_out(order_of(work, "a&b"), other.url)
        (asked,) = other.asked
        assert asked.headers["content-type"] == kind
        return asked.body

    assert sent("application/x-www-form-urlencoded", "rack={scope}") == b"rack=a%26b"
    assert sent("text/plain; charset=utf-8", "rack {scope}") == b"rack a&b"
    assert sent("application/vnd.x+json", "[{scope}]") == b'["a&b"]'


@given(st.text())
def test_whatever_a_target_is_called_it_stays_one_value(scope: str) -> None:
    values = values_of(order_of(Http("x"), scope), some(scope))

    url = urlsplit(fill_url("http://host/a/{scope}/b?c={scope}&d={run}#{scope}", values))
    assert [unquote(part) for part in url.path.split("/")] == ["", "a", scope, "b"]
    assert [unquote(part) for part in url.query.split("&")] == [f"c={scope}", f"d={ORDER.run}"]
    assert (url.hostname, unquote(url.fragment)) == ("host", scope)

    body = json_template({"{scope}": ["{scope}", "<{scope}>", {"of": "{components}"}]})
    assert json.loads(fill_json(body, values)) == {
        scope: [scope, f"<{scope}>", {"of": {"ids": [scope]}}]
    }


@pytest.mark.parametrize("template", ["{", "{nothing}", '{{"a": "{scope}}}', "{{}} {{}}"])
def test_what_makes_no_json_is_a_misfit(template: str) -> None:
    with pytest.raises(Misfit):
        fill_json(template, VALUES)


def test_a_description_is_made_of_the_schedule_and_its_time() -> None:
    body = json_template({"description": "{schedule} {nominal}"})

    assert json.loads(fill_json(body, VALUES)) == {
        "description": "hall-3/nightly reset 2026-01-16T02:00:00Z"
    }


def test_a_header_may_hold_any_letter() -> None:
    seen: list[Asked] = []

    def take(asked: Asked) -> Say:
        seen.append(asked)
        return Say()

    with service(take) as other:
        work = Http(other.url, "GET", headers=(Setting("X-Rack", "{scope}"),))
        carried_out(order_of(work, "ö"), other.url)

    assert seen[0].headers["x-rack"].encode("latin-1").decode() == "ö"
