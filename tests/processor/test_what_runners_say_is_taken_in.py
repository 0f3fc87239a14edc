"""A beat is heard where it lies, and what a runner asks for has a key of its own."""

from __future__ import annotations

import pytest

from schemas.codec import encode
from schemas.command_keys import key_of_claim
from schemas.commands import (
    Asked,
    Beat,
    Beating,
    ClaimRun,
    DeclineRun,
    Define,
)
from schemas.definition import Cron, Definition, Emit
from schemas.faults import Unwritable
from schemas.reading import beat_record
from streams.processor.emitting import Header
from streams.processor.intake import Heard, InboxRecord, Spoiled, take_in

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


@pytest.mark.parametrize("partition", range(4))
def test_a_beat_is_heard_in_the_partition_in_which_it_lies(partition: int) -> None:
    said = Beat(7, (Beating("shop", "jr_1"),), leaving=True, slots=4, pools=("default",))

    found = take_in(record(*beat_record("node-1", said), partition=partition), 4, 0)

    assert found == Heard("node-1", said, 42)


@pytest.mark.parametrize(
    ("key", "value", "why"),
    {
        "nobody's": (b"#runner:", encode(Beat(1)), "no runner is called ''"),
        "a name with a mark": (b"#runner:a#b", encode(Beat(1)), "no runner is called 'a#b'"),
        "a name too long": (b"#runner:" + b"x" * 257, encode(Beat(1)), "no runner is called"),
        "a name of no text": (b"#runner:\xff", encode(Beat(1)), "the key is not UTF-8"),
        "nothing": (b"#runner:a", None, "a runner's beat is JSON or Avro"),
        "no boot": (b"#runner:a", b"{}", "boot: is missing"),
        "a command": (b"#runner:a", DEFINE, "Define under the key of a runner"),
        "no life": (b"#runner:a", encode(Beat(-1)), "boot"),
        "no pool": (b"#runner:a", encode(Beat(1, pools=("",))), "pools"),
        "no run": (b"#runner:a", encode(Beat(1, (Beating("shop", ""),))), "runs"),
    }.values(),
)
def test_what_no_beat_may_be_is_set_aside(key: bytes, value: bytes | None, why: str) -> None:
    found = take_in(record(key, value), 1, 0)

    assert isinstance(found, Spoiled)
    assert why in found.error


def test_nobody_writes_the_beat_of_what_is_no_runner() -> None:
    with pytest.raises(Unwritable, match="no runner is called"):
        beat_record("a|b", Beat(1))


@pytest.mark.parametrize(
    "said", [ClaimRun("jr_1", 1, 2, "node-1", 7), DeclineRun("jr_1", 1, 2, "node-1", 7, "full")]
)
def test_what_a_runner_asks_for_is_named_by_the_offer_and_its_life(
    said: ClaimRun | DeclineRun,
) -> None:
    found = asked(record(key_of_claim("shop", said), encode(said)))

    assert (found.schedule, found.id, found.command) == ("shop/", "jr_1.1.2.node-1.7", said)
    assert found.once is None
