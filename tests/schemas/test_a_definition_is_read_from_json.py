"""What a person writes down as JSON is the definition that was meant, and comes back as it was."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given

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
from schemas.reading import definition_json, parse_json, read_definition
from tests.schemas.drawn_definitions import definitions

EMIT = {"topic": "t"}
CRON = Cron("30 2 * * *")
NOON = 1_798_761_600_000_000  # 2027-01-01T00:00:00Z


def read(**fields: Any) -> Definition:
    timing = (
        {}
        if {"cron", "interval", "once", "timings", "weekly"} & fields.keys()
        else {"cron": "@daily"}
    )
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


@pytest.mark.parametrize(
    "written",
    {
        "one in quartz": {"cron": "0 0 12 ? * *", "dialect": "quartz"},
        "several in quartz": {"cron": ["0 0 12 ? * *", "0 0 13 ? * *"], "dialect": "quartz"},
        "one header twice": {
            "cron": "@daily",
            "emit": {
                "topic": "t",
                "value": None,
                "headers": [{"name": "a", "value": "x"}, {"name": "a", "value": None}],
            },
        },
    }.values(),
)
def test_what_has_one_form_only_is_written_as_it_was(written: dict[str, Any]) -> None:
    whole = {"emit": {"topic": "t", "value": None}} | written

    assert definition_json(read_definition(whole)) == whole
