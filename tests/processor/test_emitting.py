"""A fire writes the user's record byte for byte, and says once where it came from."""

from __future__ import annotations

from re import fullmatch

import pytest

from schemas.definition import Emit
from schemas.events import Fired, Outcome, ScopeResult
from schemas.instants import parse_instant
from streams.processor.emitting import OURS, Emitted, emitted

NOON = parse_instant("2026-11-29T12:00:00Z")
OCCURRENCE = b"shop/a~5@2026-11-29T12:00:00Z"
FIRED = Fired(
    *("shop/a", 7, 5, NOON, NOON, NOON, 0, None, False),
    *((ScopeResult("shop", "jr_abcdefghijkl", Outcome.STARTED),), NOON + 60, NOON + 60),
)


def emit(action: Emit, trace: str | None = None) -> Emitted:
    return emitted(action, FIRED, OCCURRENCE, NOON + 250_000, trace)


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
    assert {name for name, _ in headers[4:]} == OURS


def test_a_delivered_record_that_is_scheduled_again_has_our_headers_once() -> None:
    """KPR-40."""
    first = emit(Emit("jobs", headers=(("theirs", b"1"),))).headers
    assert first is not None
    again = tuple((name, value) for name, value in first if not isinstance(value, str))
    second = emit(Emit("jobs", headers=again), "00-9-9-01").headers

    assert second is not None
    names = [name for name, _ in second]
    assert sorted(names) == sorted({"theirs", *OURS})
    assert dict(second)["traceparent"] == b"00-9-9-01"


def test_a_trace_of_its_own_is_well_formed_and_always_the_same() -> None:
    first, again = (dict(emit(Emit("jobs")).headers or [])["traceparent"] for _ in range(2))
    other = emitted(Emit("jobs"), FIRED, OCCURRENCE + b"x", NOON, None).headers

    assert isinstance(first, bytes)
    assert fullmatch(rb"00-[0-9a-f]{32}-[0-9a-f]{16}-01", first)
    assert first == again
    assert dict(other or [])["traceparent"] != first
