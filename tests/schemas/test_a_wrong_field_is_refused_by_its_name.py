"""A field that is wrong is named, with what is allowed instead."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.faults import FieldFault
from schemas.limits import MAX_DEFINITION_BYTES
from schemas.reading import read_definition

EMIT = {"topic": "t"}

REFUSED: dict[str, tuple[Any, str, str]] = {
    "no object": ([], "", "must be an object"),
    "no timing": ({"emit": EMIT}, "", "needs one of cron, interval, once, weekly"),
    "two timings": ({"cron": "@daily", "once": "x", "emit": EMIT}, "once", "not together with"),
    "no timings": ({"timings": [], "emit": EMIT}, "timings", "at least one entry, not a list"),
    "an empty timing": ({"timings": [{}], "emit": EMIT}, "timings[0]", "needs one of"),
    "an empty list of crons": ({"cron": [], "emit": EMIT}, "cron", "at least one"),
    "a list in a timing": (
        {"timings": [{"cron": ["a", "b"]}], "emit": EMIT},
        "timings[0].cron",
        "one expression",
    ),
    "a cron that is empty": (
        {"timings": [{"once": "2027-01-01T00:00:00Z"}, {"cron": " "}], "emit": EMIT},
        "timings[1].cron",
        "must not be empty",
    ),
    "one cron of several": ({"cron": ["@daily", 5], "emit": EMIT}, "cron[1]", "not a number"),
    "a dialect alone": (
        {"interval": "6h", "dialect": "quartz", "emit": EMIT},
        "dialect",
        "only together with cron",
    ),
    "a dialect beside timings": (
        {"timings": [{"cron": "@daily"}], "dialect": "quartz", "emit": EMIT},
        "dialect",
        "beside the cron",
    ),
    "an unknown dialect": (
        {"cron": "@daily", "dialect": "unix", "emit": EMIT},
        "dialect",
        "one of standard, quartz, not 'unix'",
    ),
    "no action": (
        {"cron": "@daily"},
        "",
        "needs one of emit, http, command, exec, fresh, deployment",
    ),
    "two actions": (
        {"cron": "@daily", "emit": EMIT, "exec": ["a"]},
        "exec",
        "not together with emit",
    ),
    "an unknown field": ({"cron": "@daily", "emit": EMIT, "x": 1}, "x", "allowed: cron"),
    "a misspelt field": ({"cron": "@daily", "emit": EMIT, "zon": "UTC"}, "zon", "mean zone"),
    "a misspelt inner field": (
        {"cron": "@daily", "emit": {"topik": "t"}},
        "emit.topik",
        "mean topic",
    ),
    "a version": ({"cron": "@daily", "emit": EMIT, "expected_version": 1}, "expected_version", ""),
    "a NUL (AVR-012)": ({"cron": "@daily", "emit": EMIT, "zone": "a\0"}, "zone", "NUL"),
    "half a character (AVR-011)": (
        {"cron": "@daily", "emit": EMIT, "description": "\ud800"},
        "description",
        "surrogate",
    ),
    "NaN (AVR-012)": (
        {"cron": "@daily", "emit": {"topic": "t", "value": {"a": [float("nan")]}}},
        "emit.value.a[0]",
        "nan is not allowed",
    ),
    "65 bits (AVR-011)": (
        {"cron": "@daily", "emit": {"topic": "t", "value": 1 << 63}},
        "emit.value",
        "64 bits",
    ),
    "a key that is no text": ({"cron": "@daily", "emit": {1: 2}}, "emit", "not text"),
    "what JSON does not have": ({"cron": b"x", "emit": EMIT}, "cron", "bytes is nothing"),
    "an empty zone (POL-100)": ({"cron": "@daily", "emit": EMIT, "zone": ""}, "zone", "empty"),
    "a zone that is no text": ({"cron": "@daily", "emit": EMIT, "zone": None}, "zone", "not null"),
    "an unknown rule for clocks": (
        {"cron": "@daily", "emit": EMIT, "dst": "never"},
        "dst",
        "shift, strict_once, literal, vixie, skip, not 'never'",
    ),
    "a rule that is no text": ({"cron": "@daily", "emit": EMIT, "dst": 1}, "dst", "not a number"),
    "no topic": ({"cron": "@daily", "emit": {}}, "emit.topic", "is missing"),
    "a topic that Kafka refuses": (
        {"cron": "@daily", "emit": {"topic": "a b"}},
        "emit.topic",
        "249",
    ),
    "a topic of dots": ({"cron": "@daily", "emit": {"topic": ".."}}, "emit.topic", "249"),
    "two keys": (
        {"cron": "@daily", "emit": {"topic": "t", "key": "a", "key_base64": ""}},
        "emit.key_base64",
        "not together with key",
    ),
    "two values": (
        {"cron": "@daily", "emit": {"topic": "t", "value": "a", "value_base64": ""}},
        "emit.value_base64",
        "not together with value",
    ),
    "a key that is a number": (
        {"cron": "@daily", "emit": {"topic": "t", "key": 1}},
        "emit.key",
        "",
    ),
    "no base64": (
        {"cron": "@daily", "emit": {"topic": "t", "key_base64": "?"}},
        "emit.key_base64",
        "no base64",
    ),
    "base64 with umlauts": (
        {"cron": "@daily", "emit": {"topic": "t", "key_base64": "ää"}},
        "emit.key_base64",
        "no base64",
    ),
    "headers as text": (
        {"cron": "@daily", "emit": {"topic": "t", "headers": "a"}},
        "emit.headers",
        "an object",
    ),
    "a header as a number": (
        {"cron": "@daily", "emit": {"topic": "t", "headers": {"a": 1}}},
        "emit.headers.a",
        "a text, null or",
    ),
    "a header without name": (
        {"cron": "@daily", "emit": {"topic": "t", "headers": {"": "x"}}},
        "emit.headers",
        "empty",
    ),
    "a header in a list without value": (
        {"cron": "@daily", "emit": {"topic": "t", "headers": [{"name": "a"}]}},
        "emit.headers[0].value",
        "is missing",
    ),
    "a broken duration (IT-004)": ({"interval": "6 hours", "emit": EMIT}, "interval", "length"),
    "no duration (IT-004)": ({"interval": "0s", "emit": EMIT}, "interval", "longer than nothing"),
    "a negative duration (IT-004)": ({"interval": "-1h", "emit": EMIT}, "interval", "negative"),
    "a duration as a number": ({"interval": 6, "emit": EMIT}, "interval", "not a number"),
    "an interval without length": ({"interval": {}, "emit": EMIT}, "interval.every", "is missing"),
    "a phase of a month": (
        {"interval": {"every": "6h", "anchor": "epoch", "phase": "P1M"}, "emit": EMIT},
        "interval.phase",
        "month",
    ),
    "a phase of the creation": (
        {"interval": {"every": "6h", "phase": "5m"}, "emit": EMIT},
        "interval.phase",
        "only with an anchor",
    ),
    "a lookback as a number": (
        {"cron": "@daily", "emit": EMIT, "catch_up": {"lookback": 5}},
        "catch_up.lookback",
        "not a number",
    ),
    "an unknown way to catch up": (
        {"cron": "@daily", "emit": EMIT, "catch_up": "some"},
        "catch_up",
        "latest, none, all",
    ),
    "none to catch up": (
        {"cron": "@daily", "emit": EMIT, "catch_up": {"max": 0}},
        "catch_up.max",
        "at least 1",
    ),
    "more to catch up than a look may take": (
        {"cron": "@daily", "emit": EMIT, "catch_up": {"max": 10_001}},
        "catch_up.max",
        "at most 10,000",
    ),
    "a grace of days": (
        {"cron": "@daily", "emit": EMIT, "catch_up": {"grace": "25h"}},
        "catch_up.grace",
        "at most 24 h",
    ),
    "a truth value for a number": (
        {"cron": "@daily", "emit": EMIT, "catch_up": {"max": True}},
        "catch_up.max",
        "not a truth value",
    ),
    "finer than a millisecond": (
        {"once": "2027-01-01T00:00:00.000001Z", "emit": EMIT},
        "once",
        "millisecond",
    ),
    "an instant without offset": (
        {"once": "2027-01-01T00:00:00", "emit": EMIT},
        "once",
        "no offset",
    ),
    "a broken instant (IT-004)": ({"once": "soon", "emit": EMIT}, "once", "no instant"),
    "year 0 (AVR-011)": ({"once": "0000-01-01T00:00:00Z", "emit": EMIT}, "once", "year"),
    "year 10000 (AVR-011)": (
        {"cron": "@daily", "emit": EMIT, "end_at": "9999-12-31T23:59:59-01:00"},
        "end_at",
        "",
    ),
    "seconds (KPR-14)": ({"once": 1798761600, "emit": EMIT}, "once", "looks like seconds"),
    "milliseconds (KPR-14)": ({"once": 1798761600000, "emit": EMIT}, "once", "like milliseconds"),
    "microseconds (KAF-036)": (
        {"once": 1798761600000000, "emit": EMIT},
        "once",
        "like microseconds",
    ),
    "seconds with a fraction": ({"once": 1798761600.5, "emit": EMIT}, "once", "like seconds"),
    "a truth value for an instant": ({"once": True, "emit": EMIT}, "once", "a truth value"),
    "oversize": (
        {"cron": "@daily", "emit": {"topic": "t", "value": "x" * MAX_DEFINITION_BYTES}},
        "",
        "262144 bytes at most",
    ),
}


@pytest.mark.parametrize(("data", "field", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_wrong_is_named(data: Any, field: str, message: str) -> None:
    with pytest.raises(FieldFault) as caught:
        read_definition(data)

    assert caught.value.field == field
    assert message in caught.value.message


def test_the_deepest_data_are_taken_and_deeper_ones_refused() -> None:
    deep: Any = 1
    for _ in range(62):
        deep = [deep]
    assert read_definition({"cron": "@daily", "emit": {"topic": "t", "value": deep}}).action.value

    with pytest.raises(FieldFault, match="nested more than 64 deep"):
        read_definition({"cron": "@daily", "emit": {"topic": "t", "value": [deep]}})
