"""What a person writes down becomes a definition, or the field that is wrong is named."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.definition import (
    DAY,
    HOUR,
    Basis,
    CatchUp,
    CatchUpMode,
    Cron,
    Definition,
    Dialect,
    Dst,
    Emit,
    Interval,
    Once,
)
from schemas.faults import FieldFault
from schemas.instants import FIRST, LAST
from schemas.limits import MAX_DEFINITION_BYTES
from schemas.reading import definition_json, parse_json, read_definition

EMIT = {"topic": "t"}
CRON = Cron("30 2 * * *")
NOON = 1_798_761_600_000_000  # 2027-01-01T00:00:00Z


def read(**fields: Any) -> Definition:
    timing = {} if {"cron", "interval", "once", "timings"} & fields.keys() else {"cron": "@daily"}
    return read_definition({**timing, "emit": EMIT, **fields})


@pytest.mark.parametrize(
    ("fields", "timings"),
    {
        "one cron": ({"cron": "30 2 * * *"}, (CRON,)),
        "several crons": ({"cron": ["30 2 * * *", "@daily"]}, (CRON, Cron("@daily"))),
        "quartz": (
            {"cron": "0 30 2 ? * *", "dialect": "quartz"},
            (Cron("0 30 2 ? * *", Dialect.QUARTZ),),
        ),
        "an interval": ({"interval": "6h"}, (Interval(micros=6 * HOUR),)),
        "a calendar step": ({"interval": "P1M"}, (Interval(months=1),)),
        "from the creation on": (
            {"interval": {"every": "6h", "anchor": "creation"}},
            (Interval(micros=6 * HOUR),),
        ),
        "from the epoch on": (
            {"interval": {"every": "6h", "anchor": "epoch", "phase": "5m44s", "basis": "grid"}},
            (Interval(micros=6 * HOUR, anchor=344_000_000),),
        ),
        "from an instant on": (
            {"interval": {"every": "6h", "anchor": "2027-01-01T00:00:00Z", "phase": "0s"}},
            (Interval(micros=6 * HOUR, anchor=NOON),),
        ),
        "after each fire": (
            {"interval": {"every": "6h", "basis": "after_fire"}},
            (Interval(micros=6 * HOUR, basis=Basis.AFTER_FIRE),),
        ),
        "once, with an offset (KPR-15)": (
            {"once": "2027-01-01T01:00:00.123+01:00"},
            (Once(NOON + 123_000),),
        ),
        "a mixture": (
            {
                "timings": [
                    {"cron": "0 30 2 ? * *", "dialect": "quartz"},
                    {"interval": "6h"},
                    {"once": "2027-01-01T00:00:00Z"},
                ]
            },
            (Cron("0 30 2 ? * *", Dialect.QUARTZ), Interval(micros=6 * HOUR), Once(NOON)),
        ),
    }.values(),
)
def test_each_kind_of_timing_is_read(fields: dict[str, Any], timings: tuple[Any, ...]) -> None:
    assert read(**fields).timings == timings


def test_every_other_field_is_read() -> None:
    definition = read(
        zone="Europe/Berlin",
        dst="strict_once",
        start_at="2027-01-01T00:00:00.1234569Z",
        end_at=None,
        catch_up={"mode": "all", "lookback": "7d", "grace": "0s", "max": 5},
        description="x",
    )

    assert definition == Definition(
        timings=(Cron("@daily"),),
        action=Emit("t"),
        zone="Europe/Berlin",
        dst=Dst.STRICT_ONCE,
        start_at=NOON + 123_456,
        catch_up=CatchUp(CatchUpMode.ALL, 7 * DAY, 0, 5),
        description="x",
    )


def test_nanoseconds_are_cut_and_never_rounded_into_the_next_day() -> None:
    """PGP-011."""
    assert read(end_at="2026-12-31T23:59:59.9999996Z").end_at == NOON - 1


@pytest.mark.parametrize(
    ("written", "catch_up"),
    [
        ("none", CatchUp(CatchUpMode.NONE)),
        ({"lookback": None}, CatchUp(lookback=None)),
        ({"lookback": "PT0S"}, CatchUp(lookback=0)),
        ({}, CatchUp()),
    ],
)
def test_a_lookback_of_nothing_is_not_one_without_limit(written: Any, catch_up: CatchUp) -> None:
    assert read(catch_up=written).catch_up == catch_up


@pytest.mark.parametrize(
    ("written", "emit"),
    {
        "nothing": ({}, Emit("t")),
        "null (KPR-39)": ({"key": None, "value": None}, Emit("t", None, None)),
        "empty (KPR-39)": ({"key": "", "value": ""}, Emit("t", b"", b"")),
        "text": ({"key": "ä", "value": "ö"}, Emit("t", "ä".encode(), "ö".encode())),
        "bytes": (
            {"key_base64": "AP8=", "value_base64": "/w=="},
            Emit("t", b"\x00\xff", b"\xff"),
        ),
        "JSON": (
            {"value": {"b": [1, 2.5, True, None, "ä"], "a": {}}},
            Emit("t", None, '{"b":[1,2.5,true,null,"ä"],"a":{}}'.encode()),
        ),
        "a number": ({"value": 0}, Emit("t", None, b"0")),
        "headers (KPR-40)": (
            {"headers": {"a": "x", "b": None, "c": {"base64": "/w=="}, "d": ""}},
            Emit("t", headers=(("a", b"x"), ("b", None), ("c", b"\xff"), ("d", b""))),
        ),
        "headers with one name": (
            {"headers": [{"name": "a", "value": "x"}, {"name": "a", "value": None}]},
            Emit("t", headers=(("a", b"x"), ("a", None))),
        ),
    }.values(),
)
def test_what_is_emitted_is_read_byte_for_byte(written: dict[str, Any], emit: Emit) -> None:
    assert read(emit={"topic": "t", **written}).action == emit


REFUSED: dict[str, tuple[Any, str, str]] = {
    "no object": ([], "", "must be an object"),
    "no timing": ({"emit": EMIT}, "", "needs one of cron, interval, once, timings"),
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
    "no emit": ({"cron": "@daily"}, "emit", "is missing"),
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
    assert read(emit={"topic": "t", "value": deep}).action.value

    with pytest.raises(FieldFault, match="nested more than 64 deep"):
        read(emit={"topic": "t", "value": [deep]})


_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=9)
_filled = _texts.filter(str.strip)
_elapsed = st.integers(0, 9000 * 365 * DAY)
_instants = st.integers(FIRST, LAST)
_steps = st.tuples(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99 * DAY)).filter(any)
_timings = st.one_of(
    st.builds(Cron, _filled, st.sampled_from(Dialect)),
    st.builds(
        lambda step, anchor, basis: Interval(step[0], step[1], step[2], anchor, basis),
        _steps,
        st.none() | _instants,
        st.sampled_from(Basis),
    ),
    st.builds(lambda at: Once(at // 1000 * 1000), _instants),
)
_values = st.none() | st.binary(max_size=9) | _texts.map(str.encode)
definitions = st.builds(
    Definition,
    timings=st.lists(_timings, min_size=1, max_size=3).map(tuple),
    action=st.builds(
        Emit,
        topic=st.from_regex(r"[A-Za-z0-9_-]{1,20}", fullmatch=True),
        key=_values,
        value=_values,
        headers=st.lists(st.tuples(_filled, _values), max_size=3).map(tuple),
    ),
    zone=_filled,
    dst=st.sampled_from(Dst),
    start_at=st.none() | _instants,
    end_at=st.none() | _instants,
    catch_up=st.builds(
        CatchUp,
        mode=st.sampled_from(CatchUpMode),
        lookback=st.none() | _elapsed,
        grace=_elapsed,
        limit=st.integers(1, 1 << 62),
    ),
    description=_texts,
)


@given(definition=definitions)
def test_a_definition_comes_back_from_its_json(definition: Definition) -> None:
    written = definition_json(definition)

    assert read_definition(written) == definition
    assert read_definition(parse_json(json.dumps(written).encode())) == definition
    assert definition_json(read_definition(written)) == written


def test_the_json_of_a_definition_is_what_a_person_would_write() -> None:
    definition = read(
        cron=["@daily", "0 3 * * *"],
        catch_up="none",
        dst="skip",
        emit={"topic": "t", "key": "k", "value": {"a": 1}, "headers": {"h": {"base64": "/w=="}}},
    )

    assert definition_json(definition) == {
        "cron": ["@daily", "0 3 * * *"],
        "dst": "skip",
        "catch_up": "none",
        "emit": {
            "topic": "t",
            "key": "k",
            "value": '{"a":1}',
            "headers": {"h": {"base64": b64encode(b"\xff").decode()}},
        },
    }
