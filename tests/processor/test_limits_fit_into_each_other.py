"""
Does what is accepted at the door fit through every door behind it?

A definition is measured as it is written, not as it was typed; the largest one that is accepted
leaves room, in each record that is made from it, below the least limit of the chain. What the
broker finds too large is said at once and not tried again.
"""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from horae.client import Client
from horae.client.faults import NotSent
from horae.client.options import RECORD_LIMIT
from schemas.codec import encode
from schemas.commands import Define, Pause, Remove, Trigger
from schemas.definition import Definition
from schemas.limits import MAX_DEFINITION_BYTES
from schemas.reading import command_record
from schemas.replies import Verdict
from schemas.topics import COMMANDS, MAX_MESSAGE_BYTES
from tests.processor.cluster import Cluster
from tests.processor.desk import HOUR, HOURLY, Desk, Written

NAME = "shop/" + "n" * 100
LEAST = 1_000_000
"""The least limit of the chain: what a producer of librdkafka takes unless told otherwise."""
OVERHEAD = 512
"""What a record and its batch need besides key, value and headers, generously."""


def _of_size(size: int, filler: str = "x") -> Definition:
    """A definition that is so large once it is encoded."""
    text = filler.encode()

    def filled(value: bytes) -> Definition:
        return replace(HOURLY, action=replace(HOURLY.action, value=value))

    room = size - len(encode(Define(filled(b"x" * 100_000)))) + 100_000
    value = text * (room // len(text) - 1)
    return filled(value + b"x" * (size - len(encode(Define(filled(value))))))


def _size(one: Written) -> int:
    headers = sum(len(name) + len(value or b"") + 10 for name, value in one.headers or ())
    return len(one.key or b"") + len(one.value or b"") + headers + OVERHEAD


@pytest.mark.case("KAF-052")
@pytest.mark.parametrize("filler", ["x", "\N{SNOWMAN}", "\N{GRINNING FACE}"])
def test_the_limit_is_one_of_bytes_as_they_are_written(filler: str) -> None:
    desk = Desk()
    for size in (MAX_DEFINITION_BYTES, MAX_DEFINITION_BYTES + 1):
        definition = _of_size(size, filler)
        assert len(encode(Define(definition))) == size
        desk.ask(NAME, Define(definition))
        desk.step()

    fits, larger = desk.replies()
    assert fits.verdict is Verdict.ACCEPTED
    assert larger.verdict is Verdict.REFUSED
    assert str(MAX_DEFINITION_BYTES) in (larger.message or "")


@pytest.mark.case("KAF-052")
def test_all_that_the_largest_definition_leads_to_is_below_the_least_limit() -> None:
    desk = Desk()
    for number in range(2):  # an edit as well
        largest = _of_size(MAX_DEFINITION_BYTES - number)
        smaller = _of_size(MAX_DEFINITION_BYTES - 2_000)
        emit = replace(smaller.action, headers=(("h", b"v" * 1_000),))
        desk.ask(NAME, Define(replace(smaller, action=emit, description="d" * 900)))
        desk.step()
        desk.ask(NAME, Define(largest))
        desk.step()
    desk.ask(NAME, Trigger("r" * 1_000))
    desk.pass_time(HOUR)
    desk.ask(NAME, Pause("r" * 1_000))
    desk.step()
    desk.ask(NAME, Remove())
    desk.step()

    assert {reply.verdict for reply in desk.replies()} == {Verdict.ACCEPTED}
    assert max(map(_size, desk.log)) > MAX_DEFINITION_BYTES
    assert max(map(_size, desk.log)) < LEAST < MAX_MESSAGE_BYTES


@pytest.mark.broker
@pytest.mark.case("KAF-052")
@pytest.mark.parametrize("refuses", ["client", "broker"])
def test_what_is_too_large_is_said_at_once_and_not_tried_again(
    cluster: Cluster, refuses: str
) -> None:
    within = 60.0
    if refuses == "broker":
        cluster.alter(COMMANDS, "max.message.bytes", "100000")
    size = RECORD_LIMIT + 1 if refuses == "client" else 200_000
    _, value = command_record(NAME, Define(_of_size(size)), "large")
    assert len(value or b"") == size
    began = time.monotonic()
    with Client(cluster.bootstrap, within=within) as client, pytest.raises(NotSent) as fault:
        client.define(NAME, _of_size(size))

    assert "too large" in str(fault.value)
    assert not fault.value.perhaps
    assert time.monotonic() - began < within / 2, "it waited for something that cannot come"
    assert cluster.read(COMMANDS) == []
