"""A record of the inbox is a command, belongs elsewhere, or cannot be read."""

from __future__ import annotations

import json
from hashlib import blake2b

import pytest

from schemas.codec import encode
from schemas.commands import (
    Asked,
    Command,
    Define,
    HoldSubject,
    Pause,
    Remove,
    ReportActivity,
    Resume,
    Trigger,
    Unacceptable,
)
from schemas.definition import Cron, Definition, Emit
from schemas.identity import partition_of
from schemas.rejected import KEPT_BYTES
from streams.processor.emitting import Header
from streams.processor.intake import MOST_COPIED, InboxRecord, Misplaced, Spoiled, take_in

DAILY = Definition((Cron("@daily"),), Emit("jobs"))
DEFINE = encode(Define(DAILY))
AT = 1_795_953_600_000_000


def record(
    key: bytes | None, value: bytes | None, *headers: Header, partition: int = 0
) -> InboxRecord:
    return InboxRecord(partition, 42, AT, key, value, headers)


def asked(one: InboxRecord, base: int = 0) -> Asked:
    found = take_in(one, 1, base)
    assert isinstance(found, Asked)
    return found


def test_a_definition_is_taken_with_all_that_came_with_it() -> None:
    headers = (("horae-id", b"h-1"), ("horae-actor", b"user:ann"), ("traceparent", b"00-a-b-01"))

    assert asked(record(b"shop/a", DEFINE, *headers), base=1_000) == Asked(
        schedule="shop/a",
        command=Define(DAILY),
        id="h-1",
        partition=0,
        offset=42,
        version=1_042,
        appended_at=AT,
        actor="user:ann",
        trace="00-a-b-01",
    )


def test_without_headers_its_place_is_its_id() -> None:
    found = asked(record(b"shop/a", None))

    assert (found.command, found.id, found.actor, found.trace) == (
        *(Remove(), "0.42"),
        *("service:unknown", None),
    )


def test_a_one_shot_command_is_known_by_its_key() -> None:
    value = encode(Trigger("now"))
    found = asked(record(b"nightly#trigger:t-1", value))

    assert (found.schedule, found.id) == ("nightly/nightly", "t-1")
    assert found.once == "nightly/nightly#trigger:t-1"
    assert found.digest == blake2b(value, digest_size=16).digest()


def test_an_alias_of_a_kind_has_the_same_identity() -> None:
    assert asked(record(b"shop/a#enable:1", b"{}")).once == "shop/a#resume:1"


def test_what_a_subject_is_asked_once_is_known_by_its_key() -> None:
    value = encode(HoldSubject("move"))
    found = asked(record(b"shop/#hold:h-1", value))

    assert (found.schedule, found.command, found.id) == ("shop/", HoldSubject("move"), "h-1")
    assert found.once == "shop/#hold:h-1"
    assert found.digest == blake2b(value, digest_size=16).digest()


def test_an_activity_is_absolute_and_remembered_under_no_id() -> None:
    found = asked(record(b"shop/#activity", encode(ReportActivity(1, 2, AT))))

    assert (found.schedule, found.command) == ("shop/", ReportActivity(1, 2, AT))
    assert (found.id, found.once, found.digest) == ("0.42", None, b"")


def test_what_a_subject_is_asked_lives_where_its_schedules_live() -> None:
    """KAF-025."""
    elsewhere = record(b"job-1/#release:1", b"{}", partition=5)
    at_home = record(b"job-1/#release:1", b"{}", partition=2)

    assert take_in(elsewhere, 6, 0) == Misplaced(2, [("horae-forwarded", b"5.42")])
    assert isinstance(take_in(at_home, 6, 0), Asked)


def test_a_word_about_a_run_that_cannot_be_meant_is_refused_by_its_field() -> None:
    found = asked(record(b"shop/#report:1", b'{"run": "jr_1", "status": "done"}'))

    assert isinstance(found.command, Unacceptable)
    assert (found.command.kind, found.command.field) == ("report", "status")


@pytest.mark.parametrize(
    "value",
    [b"\xff\xfe", b"user:\0ann", b"", None, b"a" * 513, b"line\nbreak"],
    ids=["no UTF-8", "NUL", "empty", "null", "too long", "two lines"],
)
def test_a_header_that_is_no_text_of_ours_is_left_out(value: bytes | None) -> None:
    found = asked(
        record(b"shop/a", None, ("horae-id", value), ("horae-actor", value), ("traceparent", value))
    )

    assert (found.id, found.actor, found.trace) == ("0.42", "service:unknown", None)


def test_what_can_be_read_but_not_meant_is_a_command_to_be_refused() -> None:
    found = asked(record(b"shop/a", b'{"cron": 5, "emit": {"topic": "t"}}'))

    assert isinstance(found.command, Unacceptable)
    assert (found.command.kind, found.command.field) == ("define", "cron")


def test_a_one_shot_too() -> None:
    found = asked(record(b"shop/a#pause:1", b'{"until": 5}'))

    assert isinstance(found.command, Unacceptable)
    assert (found.command.kind, found.command.field) == ("pause", "until")


def test_our_partitions_are_those_of_the_java_client() -> None:
    """KAF-025: murmur2, where another hash of the same key goes elsewhere."""
    keys = ["job-1", "job-2", "job-3", "nightly-report", "schedule:42"]

    assert [partition_of(key, 6) for key in keys] == [2, 0, 0, 3, 1]


def test_a_record_that_lies_elsewhere_is_copied_home_with_its_origin() -> None:
    """KAF-025: a removal by a client with another hash reaches the schedule all the same."""
    one = record(b"job-1", None, ("horae-id", b"x"), ("odd", None), partition=5)

    assert take_in(one, 6, 0) == Misplaced(
        2, [("horae-id", b"x"), ("odd", None), ("horae-forwarded", b"5.42")]
    )


def test_a_copy_that_lies_elsewhere_too_is_not_copied_on() -> None:
    one = record(b"job-1", None, ("horae-forwarded", b"3.7"), partition=5)
    found = take_in(one, 6, 0)

    assert isinstance(found, Spoiled)
    assert found.error == "a copy belongs into partition 2 and lies here"


def test_a_copy_at_home_is_a_command() -> None:
    one = record(b"job-1", None, ("horae-forwarded", b"5.41"), partition=2)

    assert isinstance(take_in(one, 6, 0), Asked)


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        (None, DEFINE, "a command needs a key"),
        (b"shop/a", b"hello", "neither JSON nor Avro"),
        (b"shop/a", b"", "neither JSON nor Avro"),
        (b"shop/a#explode:1", b"{}", "no known kind of command"),
        (b"shop/a", DEFINE[:-1], "cut off"),
    ],
    ids=["null key", "text", "empty", "unknown kind", "truncated"],
)
def test_what_cannot_be_read_is_set_aside(
    key: bytes | None, value: bytes | None, error: str
) -> None:
    """KAF-033 and KAF-050."""
    found = take_in(record(key, value), 1, 0)

    assert isinstance(found, Spoiled)
    assert error in found.error
    kept = found.rejected(AT + 5)
    assert (kept.topic, kept.partition, kept.offset) == ("horae.commands", 0, 42)
    assert (kept.key, kept.value, kept.error) == (key, value, found.error)
    assert (kept.appended_at, kept.rejected_at) == (AT, AT + 5)


def test_of_a_huge_record_the_beginning_and_the_size_are_kept() -> None:
    huge = b"x" * 1_000_000
    found = take_in(record(b"shop/a", huge), 1, 0)

    assert isinstance(found, Spoiled)
    kept = found.rejected(AT)
    assert (kept.value, kept.size) == (huge[:KEPT_BYTES], 1_000_000)


def test_of_a_null_value_nothing_is_kept() -> None:
    found = take_in(record(None, None), 1, 0)

    assert isinstance(found, Spoiled)
    assert (found.rejected(AT).value, found.rejected(AT).size) == (None, 0)


@pytest.mark.parametrize("size", [256, 257])
def test_the_id_of_a_one_shot_command_has_a_largest_size(size: int) -> None:
    found = take_in(record(b"shop/a#trigger:" + b"i" * size, b"{}"), 1, 0)

    assert isinstance(found, Asked if size == 256 else Spoiled)


def test_an_id_in_a_header_that_is_too_long_to_be_a_key_is_left_out() -> None:
    assert asked(record(b"shop/a", None, ("horae-id", b"i" * 257))).id == "0.42"
    assert asked(record(b"shop/a", None, ("horae-id", b"i" * 256))).id == "i" * 256


@pytest.mark.parametrize("kind", ["pause", "resume", "trigger"])
@pytest.mark.parametrize("is_avro", [False, True])
def test_a_reason_has_a_largest_size(kind: str, is_avro: bool) -> None:
    made: dict[str, Command] = {
        "pause": Pause("\N{SNOWMAN}" * 1_366),
        "resume": Resume("r" * 4_097),
        "trigger": Trigger("r" * 4_097),
    }
    command = made[kind]
    assert isinstance(command, Pause | Resume | Trigger)
    value = encode(command) if is_avro else json.dumps({"reason": command.reason}).encode()
    found = asked(record(f"shop/a#{kind}:1".encode(), value))

    assert isinstance(found.command, Unacceptable)
    assert found.command.field == "reason"


def test_a_refusal_repeats_no_more_than_the_beginning_of_what_it_refuses() -> None:
    found = asked(record(b"shop/a", b'{"%b": 1}' % (b"f" * 1_000_000)))

    assert isinstance(found.command, Unacceptable)
    assert max(len(found.command.field), len(found.command.message)) <= 1_000


def test_a_copy_is_measured_with_its_key_and_its_headers() -> None:
    one = record(b"job-1", None, ("x", b"h" * MOST_COPIED), partition=5)
    found = take_in(one, 6, 0)

    assert isinstance(found, Spoiled)
    assert "too large to be copied" in found.error
