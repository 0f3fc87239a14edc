"""A fire writes the user's record byte for byte, and says once where it came from."""

from __future__ import annotations

from re import fullmatch

import pytest

from schemas.definition import Definition, Emit
from schemas.instants import parse_instant
from schemas.policies import Filter, FilterKind, Scope, Tracking
from streams.processor.emitting import OURS, Begun, Emitted, emitted

NOON = parse_instant("2026-11-29T12:00:00Z")
OCCURRENCE = b"shop/a~5@2026-11-29T12:00:00Z"
BEGUN = Begun("shop/a", OCCURRENCE.decode(), NOON, "shop", "jr_abcdefghijkl")
OF_SCOPES = {"horae-scope", "horae-components", "horae-attempt"}


def emit(action: Emit, trace: str | None = None) -> Emitted:
    return emitted(Definition((), action), BEGUN, NOON + 250_000, trace)


def test_it_says_what_fired_and_when() -> None:
    assert emit(Emit("jobs", b"k", b"v"), "00-1-2-01") == Emitted(
        "jobs",
        b"k",
        b"v",
        [
            ("horae-schedule", b"shop/a"),
            ("horae-occurrence", OCCURRENCE),
            ("horae-nominal", b"2026-11-29T12:00:00Z"),
            ("horae-run", b"jr_abcdefghijkl"),
            ("horae-fired-at", b"2026-11-29T12:00:00.250000Z"),
            ("traceparent", b"00-1-2-01"),
        ],
    )


@pytest.mark.parametrize("value", [None, b""], ids=["null", "empty"])
def test_null_and_empty_are_delivered_as_they_are(value: bytes | None) -> None:
    """KPR-39."""
    found = emit(Emit("jobs", value, value))

    assert (found.key, found.value) == (value, value)


def test_the_users_headers_come_first_byte_for_byte() -> None:
    """KPR-40."""
    theirs = (("text", b"abc"), ("nothing", None), ("bytes", b"\xff\x00\xfe"), ("text", b"again"))
    headers = emit(Emit("jobs", headers=theirs)).headers

    assert headers is not None
    assert headers[:4] == list(theirs)
    assert {name for name, _ in headers[4:]} == OURS - OF_SCOPES


def test_a_delivered_record_that_is_scheduled_again_has_our_headers_once() -> None:
    """KPR-40."""
    first = emit(Emit("jobs", headers=(("theirs", b"1"),))).headers
    assert first is not None
    again = tuple((name, value) for name, value in first if not isinstance(value, str))
    second = emit(Emit("jobs", headers=again), "00-9-9-01").headers

    assert second is not None
    names = [name for name, _ in second]
    assert sorted(names) == sorted({"theirs", *OURS} - OF_SCOPES)
    assert dict(second)["traceparent"] == b"00-9-9-01"


def test_a_trace_of_its_own_is_well_formed_and_always_the_same() -> None:
    first, again = (dict(emit(Emit("jobs")).headers or [])["traceparent"] for _ in range(2))
    elsewhere = BEGUN._replace(occurrence=f"{BEGUN.occurrence}x")
    other = emitted(Definition((), Emit("jobs")), elsewhere, NOON, None).headers

    assert isinstance(first, bytes)
    assert fullmatch(rb"00-[0-9a-f]{32}-[0-9a-f]{16}-01", first)
    assert first == again
    assert dict(other or [])["traceparent"] != first


def test_a_target_and_its_components_are_named_and_so_is_the_attempt() -> None:
    scopes = (Scope("rack-a"), Scope("rack-b", Filter(FilterKind.TYPES, ("compute", "shelf"))))
    definition = Definition((), Emit("jobs", tracked=Tracking()), scopes=scopes)
    begun = BEGUN._replace(scope="rack-b", attempt=2)

    headers = dict(emitted(definition, begun, NOON, None).headers or [])

    assert headers["horae-scope"] == b"rack-b"
    assert headers["horae-components"] == b'{"types": ["compute", "shelf"]}'
    assert headers["horae-attempt"] == b"2"
