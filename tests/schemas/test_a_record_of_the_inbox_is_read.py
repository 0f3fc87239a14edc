"""Key and value of a record become a command, a refusal with a field, or are set aside."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import encode
from schemas.command_limits import check_command
from schemas.commands import Command, Define, Pause, Remove, Resume, Trigger, Unacceptable
from schemas.definition import CatchUp, Cron, Definition, Emit, Interval, Once
from schemas.faults import FieldFault, Unreadable, Unwritable
from schemas.globals import Hold
from schemas.limits import MAX_DEFINITION_BYTES
from schemas.reading import (
    command_json,
    command_record,
    definition_json,
    parse_json,
    read_command,
    split_key,
)

DAILY = Definition((Cron("@daily"),), Emit("t"))
NEW_YEAR = 1_798_761_600_000_000
DEFINE = b'{"cron": "@daily", "emit": {"topic": "t"}}'


@pytest.mark.parametrize(
    ("key", "value", "schedule", "command"),
    {
        "a definition": (b"a/b", DEFINE, "a/b", Define(DAILY)),
        "a name alone": (b"nightly", DEFINE, "nightly/nightly", Define(DAILY)),
        "a definition in Avro": (b"a/b", encode(Define(DAILY, 3)), "a/b", Define(DAILY, 3)),
        "a removal": (b"a/b", None, "a/b", Remove()),
        "a pause": (
            b"a/b#pause:1",
            b'{"reason": "x", "until": "2027-01-01T00:00:00Z"}',
            "a/b",
            Pause("x", NEW_YEAR),
        ),
        "a pause without end": (b"a/b#pause:1", b'{"until": null}', "a/b", Pause()),
        "a pause in Avro": (b"a/b#pause:1", encode(Pause("x", 5)), "a/b", Pause("x", 5)),
        "a resume": (b"a/b#resume:1", b'{"reason": "x"}', "a/b", Resume("x")),
        "an enable": (b"a/b#enable:1", b"{}", "a/b", Resume()),
        "a resume in Avro": (b"a/b#enable:1", encode(Resume("x")), "a/b", Resume("x")),
        "a trigger": (b"a/b#trigger:a:b", b"{}", "a/b", Trigger()),
        "a trigger in Avro": (b"a/b#trigger:1", encode(Trigger("x")), "a/b", Trigger("x")),
    }.values(),
)
def test_a_command_is_read(
    key: bytes, value: bytes | None, schedule: str, command: Command
) -> None:
    assert read_command(key, value) == (schedule, command)


@pytest.mark.parametrize(
    ("key", "value", "why"),
    {
        "a null key (KAF-033)": (None, DEFINE, "needs a key"),
        "a key that is no UTF-8": (b"\xff", DEFINE, "not UTF-8"),
        "an empty key": (b"", DEFINE, "names no schedule"),
        "a key that is no id": (b"a/b~1", DEFINE, "names no schedule"),
        "an unknown kind": (b"a/b#explode:1", b"{}", "no known kind"),
        "a definition as a kind": (b"a/b#define:1", DEFINE, "no known kind"),
        "a kind without id": (b"a/b#pause", b"{}", "no id"),
        "an id that cannot be printed": (b"a/b#pause:a\nb", b"{}", "printed"),
        "a null pause": (b"a/b#pause:1", None, "removes"),
        "an empty value (KAF-033)": (b"a/b", b"", "neither JSON nor Avro"),
        "text (KAF-050)": (b"a/b", b"hello", "neither JSON nor Avro"),
        "a wrong magic byte (KAF-050)": (b"a/b", b"\xc3\x02" + bytes(9), "neither"),
        "an unknown schema (KAF-050)": (b"a/b", b"\xc3\x01" + bytes(9), "fingerprint"),
        "another kind": (b"a/b#pause:1", encode(Trigger()), "Trigger under the key of a pause"),
        "a pause as a definition": (b"a/b", encode(Pause()), "Pause under the key of a define"),
        "no command at all": (b"a/b", encode(Hold(True, "", "", 1)), "Hold under the key"),
        "broken JSON": (b"a/b", b"{", "no JSON"),
        "JSON with more after it": (b"a/b", b"{}{}", "no JSON"),
        "JSON that is no UTF-8": (b"a/b", b'{"a": "\xff"}', "not UTF-8"),
        "JSON in UTF-16": (b"a/b", '{"a": 1}'.encode("utf-16-le"), "no JSON"),
        "a list": (b"a/b", b"[]", "neither JSON nor Avro"),
    }.values(),
)
def test_what_cannot_be_read_is_set_aside(key: bytes, value: bytes | None, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        read_command(key, value)


@pytest.mark.parametrize(
    ("key", "value", "field", "message"),
    {
        "a field": (b"a/b", b'{"cron": 5, "emit": {"topic": "t"}}', "cron", "not a number"),
        "an unknown field": (b"a/b#trigger:1", b'{"forse": true}', "forse", "did you mean force"),
        "a field of a pause": (b"a/b#pause:1", b'{"until": 5}', "until", "is a number"),
        "a negative version": (
            b"a/b",
            DEFINE[:-1] + b', "expected_version": -2}',
            "expected_version",
            "at least -1",
        ),
        "a version as text": (
            b"a/b",
            DEFINE[:-1] + b', "expected_version": "1"}',
            "expected_version",
            "whole number",
        ),
        "a key given twice": (b"a/b", b'{"a": {"b": 1, "b": 2}}', "a.b", "given twice"),
        "NaN": (b"a/b", b'{"a": [0, NaN]}', "a[1]", "NaN is not allowed"),
        "minus infinity": (b"a/b", b'{"a": -Infinity}', "a", "-Infinity is not allowed"),
        "a huge number": (b"a/b", b'{"a": 1e999}', "a", "too large"),
        "a fraction": (b"a/b", b'{"cron": 1.5, "emit": {"topic": "t"}}', "cron", "a number"),
        "a number of many digits": (b"a/b", b'{"a": ' + b"9" * 99 + b"}", "a", "64 bits"),
        "an escaped NUL": (b"a/b", b'{"a": "\\u0000"}', "a", "NUL"),
        "an escaped half": (b"a/b", b'{"a": "\\ud83d"}', "a", "surrogate"),
        "a key that is half": (b"a/b", b'{"\\ud83d": 1}', "", "surrogate"),
        "100,000 deep (PGP-014)": (
            b"a/b",
            b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
            "",
            "64 deep",
        ),
    }.values(),
)
def test_what_can_be_read_but_not_meant_names_its_field(
    key: bytes, value: bytes, field: str, message: str
) -> None:
    with pytest.raises(FieldFault) as caught:
        read_command(key, value)

    assert caught.value.field == field
    assert message in caught.value.message


def _with(**parts: Any) -> Define:
    return Define(replace(DAILY, **parts))


@pytest.mark.parametrize(
    ("command", "field"),
    {
        "no timing": (_with(timings=()), "timings"),
        "an empty cron": (_with(timings=(Cron(" "),)), "timings[0].cron"),
        "a negative step": (
            _with(timings=(Cron("@daily"), Interval(days=-1))),
            "timings[1].interval",
        ),
        "an anchor out of range": (
            _with(timings=(Interval(days=1, anchor=1 << 62),)),
            "timings[0].interval.anchor",
        ),
        "a microsecond": (_with(timings=(Once(1),)), "timings[0].once"),
        "an instant out of range": (_with(timings=(Once(-(1 << 62)),)), "timings[0].once"),
        "a topic": (_with(action=Emit("")), "emit.topic"),
        "a header without name": (
            _with(action=Emit("t", headers=(("", None), ("a", None)))),
            "emit.headers",
        ),
        "no zone": (_with(zone=""), "zone"),
        "a NUL in the zone": (_with(zone="a\0"), "zone"),
        "a NUL in the description": (_with(description="\0"), "description"),
        "a start out of range": (_with(start_at=1 << 62), "start_at"),
        "an end out of range": (_with(end_at=1 << 62), "end_at"),
        "a negative lookback": (_with(catch_up=CatchUp(lookback=-1)), "catch_up.lookback"),
        "a negative grace": (_with(catch_up=CatchUp(lookback=None, grace=-1)), "catch_up.grace"),
        "no limit": (_with(catch_up=CatchUp(limit=0)), "catch_up.max"),
        "oversize": (_with(action=Emit("t", value=bytes(MAX_DEFINITION_BYTES))), ""),
        "a version": (Define(DAILY, -2), "expected_version"),
        "a NUL in a reason": (Pause("\0"), "reason"),
        "an end of a pause": (Pause("", 1 << 62), "until"),
        "a reason of a resume": (Resume("\0"), "reason"),
    }.values(),
)
def test_avro_gets_no_field_past_the_limits(command: Define | Pause | Resume, field: str) -> None:
    kind = "" if isinstance(command, Define) else f"#{type(command).__name__.lower()}:1"

    with pytest.raises(FieldFault) as caught:
        read_command(f"a/b{kind}".encode(), encode(command))

    assert caught.value.field == field


@pytest.mark.parametrize(
    "command",
    [
        Define(DAILY),
        Define(DAILY, 7),
        _with(timings=(Interval(days=1, anchor=0), Once(0), Cron("x"))),
        Pause(),
        Pause("x", NEW_YEAR),
        Resume("x"),
        Trigger("x"),
    ],
)
def test_a_command_comes_back_from_its_record_and_from_its_json(
    command: Define | Pause | Resume | Trigger,
) -> None:
    key, value = command_record("a/b", command, "17")

    assert read_command(key, value) == ("a/b", command)
    assert read_command(key, json.dumps(command_json(command)).encode()) == ("a/b", command)
    assert split_key(key).id == (None if isinstance(command, Define) else "17")


def test_a_removal_is_a_null_value() -> None:
    check_command(Remove())
    assert command_record("a/b", Remove(), "17") == (b"a/b", None)


def test_what_was_not_acceptable_is_not_asked_for() -> None:
    with pytest.raises(Unwritable):
        command_record("a/b", Unacceptable("define", "", ""), "1")


def test_the_limit_of_depth_counts_no_brackets_in_texts() -> None:
    text = "[{" * 100 + '\\"'
    data = {"a": [[text]], "b": [{} for _ in range(100)]}

    assert parse_json(json.dumps(data).encode()) == data


@given(
    value=st.binary(max_size=80)
    | st.text(max_size=80).map(lambda t: b"{" + t.encode("utf-8", "ignore"))
)
def test_no_value_does_more_than_to_be_refused(value: bytes) -> None:
    with pytest.raises((Unreadable, FieldFault)):
        read_command(b"a/b", value)


@given(
    data=st.recursive(
        st.none() | st.booleans() | st.text(max_size=5) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "cron",
                        "interval",
                        "once",
                        "timings",
                        "emit",
                        "topic",
                        "value",
                        "headers",
                        "catch_up",
                        "mode",
                        "zone",
                        "every",
                        "anchor",
                    ]
                ),
                inner,
                max_size=5,
            )
        ),
    )
)
def test_no_json_does_more_than_to_be_refused(data: Any) -> None:
    value = json.dumps({"emit": data, "cron": data, "catch_up": data}).encode()

    try:
        _, command = read_command(b"a/b", value)
    except (FieldFault, Unreadable):
        return
    assert isinstance(command, Define)
    assert definition_json(command.definition)
