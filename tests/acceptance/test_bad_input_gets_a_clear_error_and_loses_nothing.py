"""
Does whoever sends nonsense hear what is wrong with it, and does nobody else suffer?

A real processor is sent everything that goes wrong sooner or later. What can be read is refused by
the field at fault and what is allowed there; what cannot is kept in horae.rejected with its bytes,
its origin and the error. After each, a good command in the same partition is accepted, and the
schedule under the same key is what it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer

from schemas.codec import encode
from schemas.commands import Define, Pause, Remove, Trigger
from schemas.definition import Definition, Emit, Interval
from schemas.events import CommandRefused
from schemas.identity import partition_of
from schemas.rejected import KEPT_BYTES
from schemas.replies import Reply, Verdict
from schemas.topics import COMMANDS, SCHEDULES
from tests.acceptance.stack import Servers, Stack, fresh_stack
from tests.processor.cluster import await_that
from tests.processor.lives import far_ahead

pytestmark = pytest.mark.broker

_NUMBERS = count(1)
NO_TIMING = "needs one of cron, interval, once, weekly, timings"
AVRO = encode(Define(far_ahead("out")))
DEEP = b'{"emit": {"topic": "out", "value": ' + b"[" * 100 + b"]" * 100 + b"}}"


def json_with(**changed: object) -> bytes:
    """A good definition with something else in it."""
    good = {"cron": "0 3 * * *", "emit": {"topic": "out", "key": "k", "value": "v"}}
    return json.dumps({name: it for name, it in (good | changed).items() if it != ...}).encode()


def avro_with(description: str = "", zone: str = "UTC", micros: int = 10_000_000) -> bytes:
    """A definition that JSON could not say."""
    timings = (Interval(micros=micros),)
    return encode(Define(Definition(timings, Emit("out"), zone, description=description)))


class Refused(NamedTuple):
    """What is sent, and what the reply says of it."""

    value: bytes | None
    field: str
    words: str
    kind: str = ""
    """`#pause` and the like, for what is no definition."""


REFUSED = {
    "a megabyte": Refused(
        json_with(emit={"topic": "out", "value": "x" * 1_000_000}), "", "262144 bytes at most"
    ),
    "a long text": Refused(json_with(description="x" * 5_000), "description", "4096 bytes at most"),
    "a number for a text": Refused(json_with(cron=5), "cron", "must be a text, not a number"),
    "a list for an object": Refused(json_with(emit=[]), "emit", "must be an object with topic"),
    "a text for a number": Refused(
        json_with(catch_up={"max": "5"}), "catch_up.max", "must be a whole number, not a text"
    ),
    "nothing to do": Refused(json_with(emit=...), "", "needs one of emit, http, command"),
    "no timing": Refused(json_with(cron=...), "", NO_TIMING),
    "a misspelt field": Refused(json_with(zones="UTC"), "zones", "did you mean zone?"),
    "NUL in a text": Refused(json_with(description="a\0b"), "description", "NUL"),
    "NUL in a value": Refused(
        json_with(emit={"topic": "out", "value": {"a": ["\0"]}}), "emit.value.a[0]", "NUL"
    ),
    "NUL in Avro": Refused(avro_with(description="a\0b"), "description", "NUL"),
    "half a surrogate": Refused(json_with(description="\ud800"), "description", "surrogate"),
    "NaN": Refused(json_with(catch_up={"max": float("nan")}), "catch_up.max", "NaN is not allowed"),
    "NaN in a value": Refused(
        json_with(emit={"topic": "out", "value": [float("nan")]}), "emit.value[0]", "NaN"
    ),
    "infinity": Refused(json_with(interval=float("inf"), cron=...), "interval", "Infinity"),
    "the year 10000": Refused(
        json_with(once="10000-01-01T00:00:00Z", cron=...), "once", "the years 1 to 9999"
    ),
    "microseconds for milliseconds": Refused(
        json_with(once=1_795_990_170_000_000, cron=...), "once", "2026-11-29T"
    ),
    "an instant without offset": Refused(
        json_with(once="2026-11-29T02:30:00", cron=...), "once", "has no offset"
    ),
    "an unknown zone": Refused(json_with(zone="Mars/Base"), "zone", "Mars/Base"),
    "an unknown zone in Avro": Refused(avro_with(zone="Mars/Base"), "zone", "Mars/Base"),
    "a cron that never matches": Refused(json_with(cron="0 0 31 2 *"), "cron", "never comes"),
    "a cron that is none": Refused(json_with(cron="61 * * * *"), "cron", "61"),
    "an interval of nothing": Refused(json_with(interval="0s", cron=...), "interval", "0s"),
    "a negative interval": Refused(avro_with(micros=-5), "timings[0].interval", "at least 0"),
    "too deep": Refused(DEEP, "", "nested more than 64 deep"),
    "a field given twice": Refused(b'{"cron": "* * * * *", "cron": "1 * * * *"}', "cron", "twice"),
    "our own topic as a target": Refused(
        json_with(emit={"topic": "horae.commands"}), "emit.topic", "is reserved"
    ),
    "a pause until the past": Refused(
        b'{"until": "2001-01-01T00:00:00Z"}', "until", "not in the future", "#pause"
    ),
}


class Spoiled(NamedTuple):
    """What is sent, and what is kept of it beside the bytes."""

    key: bytes
    """`{s}` stands for a subject of the partition."""
    value: bytes | None
    words: str


SPOILED = {
    "an empty value": Spoiled(b"{s}/a", b"", "neither JSON nor Avro"),
    "a text": Spoiled(b"{s}/a", b"hello", "neither JSON nor Avro"),
    "a JSON list": Spoiled(b"{s}/a", b"[1]", "neither JSON nor Avro"),
    "a megabyte of anything": Spoiled(b"{s}/a", b"x" * 1_000_000, "neither JSON nor Avro"),
    "half a JSON": Spoiled(b"{s}/a", b'{"cron": ', "no JSON"),
    "JSON that is not UTF-8": Spoiled(b"{s}/a", b'{"cron": "\xff"}', "not UTF-8"),
    "an unknown schema": Spoiled(
        b"{s}/a", AVRO[:2] + b"\1" * 8 + AVRO[10:], "no schema has the fingerprint 01010101"
    ),
    "truncated Avro": Spoiled(b"{s}/a", AVRO[:-3], "cut off"),
    "Avro cut in its header": Spoiled(b"{s}/a", AVRO[:6], "cut off inside its header"),
    "too much Avro": Spoiled(b"{s}/a", AVRO + b"\0", "after the end"),
    "another message": Spoiled(b"{s}/a", encode(Trigger()), "Trigger under the key of a define"),
    "a definition for a pause": Spoiled(b"{s}/a#pause:1", AVRO, "Define under the key of a pause"),
    "a null pause": Spoiled(b"{s}/a#pause:2", None, "removes a schedule and is no pause"),
    "an unknown kind": Spoiled(b"{s}/a#dance:1", b"{}", "no known kind of command: 'dance'"),
    "a one-shot without id": Spoiled(b"{s}/a#trigger", b"{}", "no id that can be printed"),
    "a tilde in the id": Spoiled(b"{s}/a~b", AVRO, "'~' is not allowed in an id"),
    "a control character": Spoiled(b"{s}/a\nb", AVRO, "is not allowed in an id"),
    "an empty name": Spoiled(b"{s}/", AVRO, "neither may be empty"),
    "an empty key": Spoiled(b"", AVRO, "neither may be empty"),
    "a key that is no text": Spoiled(b"\xff\xfe/a", AVRO, "the key is not UTF-8"),
    "a key without end": Spoiled(b"{s}/" + b"x" * 1_000, AVRO, "400 bytes"),
}


@pytest.fixture(scope="module")
def stack(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """One processor for all."""
    with fresh_stack(servers, tmp_path_factory.mktemp("bad-input")) as found:
        found.cluster.create("out", 1, {})
        found.processor("one")
        yield found


@pytest.fixture
def subject(stack: Stack) -> str:
    """A subject of its own that has a schedule `a`."""
    number = next(_NUMBERS)
    subject = stack.cluster.subject(number % stack.cluster.partitions, number)
    assert reply_to(stack, define(stack, f"{subject}/a")).verdict is Verdict.ACCEPTED
    return subject


def define(stack: Stack, schedule: str) -> str:
    """Ask for a good schedule; the id of that command."""
    command_id = f"good-{next(_NUMBERS)}"
    stack.cluster.define(schedule, far_ahead("out"), command_id)
    return command_id


def reply_to(stack: Stack, command_id: str) -> Reply:
    """The one reply to a command."""
    await_that(lambda: command_id in stack.cluster.replies(), f"{command_id} is answered", 30)
    [reply] = stack.cluster.replies()[command_id]
    return reply


def row_of(stack: Stack, schedule: str) -> bytes | None:
    """What the public table says of a schedule."""
    return [one.value for one in stack.cluster.read(SCHEDULES) if one.key == schedule.encode()][-1]


def require_nothing_lost(stack: Stack, subject: str, before: bytes | None) -> None:
    """The partition goes on, and the schedule is what it was."""
    after = reply_to(stack, define(stack, f"{subject}/after"))
    assert after.verdict is Verdict.ACCEPTED
    assert row_of(stack, f"{subject}/a") == before
    assert before is not None


@pytest.mark.parametrize("name", REFUSED)
def test_what_can_be_read_is_refused_by_the_field_at_fault(
    stack: Stack, subject: str, name: str
) -> None:
    value, field, words, kind = REFUSED[name]
    before = row_of(stack, f"{subject}/a")
    command_id = f"bad-{next(_NUMBERS)}"
    key = f"{subject}/a{kind}:{command_id}" if kind else f"{subject}/a"
    home = partition_of(subject, stack.cluster.partitions)
    offset = stack.cluster.send(
        key.encode(), value, partition=home, headers=[("horae-id", command_id)]
    )

    reply = reply_to(stack, command_id)
    assert (reply.verdict, reply.field) == (Verdict.REFUSED, field), reply
    assert words in (reply.message or ""), reply.message
    assert (reply.schedule, reply.partition, reply.offset) == (f"{subject}/a", home, offset)
    require_nothing_lost(stack, subject, before)
    [event] = [
        one.event for one in stack.cluster.events(CommandRefused)
        if (one.stamp.partition, one.stamp.offset) == (home, offset)
    ]  # fmt: skip
    assert isinstance(event, CommandRefused)
    assert (event.field, event.message) == (field, reply.message)


@pytest.mark.parametrize("name", SPOILED)
def test_what_cannot_be_read_is_kept_with_its_bytes(stack: Stack, subject: str, name: str) -> None:
    key, value, words = SPOILED[name]
    before = row_of(stack, f"{subject}/a")
    key = key.replace(b"{s}", subject.encode())
    home = partition_of(subject, stack.cluster.partitions)
    offset = stack.cluster.send(key, value, partition=home, headers=[("horae-id", "anything")])

    require_nothing_lost(stack, subject, before)
    require_rejected(stack, home, offset, key, value, words)


def require_rejected(
    stack: Stack, home: int, offset: int, key: bytes | None, value: bytes | None, words: str
) -> None:
    """The record is in horae.rejected, once, with all that is known of it."""
    [found] = [
        one for one in stack.cluster.rejected() if (one.partition, one.offset) == (home, offset)
    ]
    assert words in found.error, found.error
    assert (found.topic, found.key, found.size) == (COMMANDS, key, len(value or b""))
    assert found.value == (None if value is None else value[:KEPT_BYTES])


def test_a_command_for_a_removed_schedule_is_told_so(stack: Stack, subject: str) -> None:
    cluster = stack.cluster
    cluster.ask(f"{subject}/a", Remove())
    for command in (Trigger(), Pause("rest"), Remove()):
        command_id = f"late-{next(_NUMBERS)}"
        cluster.ask(f"{subject}/a", command, command_id)

        reply = reply_to(stack, command_id)
        assert (reply.verdict, reply.field) == (Verdict.REFUSED, "schedule")
        assert reply.message == f"there is no schedule {subject}/a"
    assert reply_to(stack, define(stack, f"{subject}/a")).verdict is Verdict.ACCEPTED


def test_a_stray_that_is_too_large_to_be_copied_is_kept(stack: Stack, subject: str) -> None:
    cluster, before = stack.cluster, row_of(stack, f"{subject}/a")
    elsewhere = (partition_of(subject, cluster.partitions) + 1) % cluster.partitions
    value = json_with(description="x" * 1_000_000)
    key = f"{subject}/a".encode()

    offset = cluster.send(key, value, partition=elsewhere)

    def is_kept() -> bool:
        return (elsewhere, offset) in {(one.partition, one.offset) for one in cluster.rejected()}

    await_that(is_kept, "it is kept")
    require_rejected(stack, elsewhere, offset, key, value, "too large to be copied")
    require_nothing_lost(stack, subject, before)


def test_more_than_the_inbox_takes_is_refused_to_the_sender_at_once(stack: Stack) -> None:
    producer = Producer({"bootstrap.servers": stack.broker.bootstrap, "message.max.bytes": 3 << 20})
    told: list[Any] = []
    producer.produce(
        COMMANDS, b"x" * (2 << 20), b"s0/a", on_delivery=lambda error, _: told.append(error)
    )
    producer.flush(10)
    assert [error.code() for error in told] == [KafkaError.MSG_SIZE_TOO_LARGE]

    small = Producer({"bootstrap.servers": stack.broker.bootstrap})
    with pytest.raises(KafkaException):
        small.produce(COMMANDS, b"x" * (2 << 20), b"s0/a")


def test_a_record_without_a_key_is_refused_at_the_door_or_kept(stack: Stack, subject: str) -> None:
    """Our inbox takes none; one that somebody has set up otherwise does."""
    cluster = stack.cluster
    home = partition_of(subject, cluster.partitions)
    before = row_of(stack, f"{subject}/a")
    with pytest.raises(AssertionError, match="INVALID_RECORD"):
        cluster.send(None, AVRO, partition=home)

    cluster.alter(COMMANDS, "cleanup.policy", "delete")
    try:
        offset = cluster.send(None, AVRO, partition=home)
    finally:
        cluster.alter(COMMANDS, "cleanup.policy", "compact,delete")
    require_nothing_lost(stack, subject, before)
    require_rejected(stack, home, offset, None, AVRO, "a command needs a key")
