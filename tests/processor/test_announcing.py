"""What is said of a record of horae.globals fits into our own records, whatever it holds."""

from __future__ import annotations

import pytest

from schemas.codec import encode
from schemas.globals import ClockAccepted, GlobalRecord, GlobalSettings, Hold
from streams.decider.worldview import KEYS
from streams.processor.announcing import LONGEST_TEXT, tell
from streams.processor.batch import Batch
from streams.processor.globals import Told, read_global
from tests.processor.desk import NOON, Desk, Written, writing_into

LONG = "r" * 1_000_000
UNFIT: dict[str, GlobalRecord] = {
    "a long reason": Hold(held=True, reason=LONG, actor="user:ann", at=NOON),
    "a long actor": Hold(held=True, reason="", actor=LONG, at=NOON),
    "a long id": Hold(held=True, reason="", actor="user:ann", at=NOON, command_id=LONG),
    "a NUL": Hold(held=True, reason="a\0b", actor="user:ann", at=NOON),
    "a NUL in an actor": ClockAccepted(actor="a\0b", reason="", at=NOON),
    "a NUL in a pattern": GlobalSettings(("a\0b",), NOON),
    "no instant": ClockAccepted(actor="user:ann", reason="", at=1 << 62),
}


def told_by(told: Told) -> list[Written]:
    desk = Desk()
    written: list[Written] = []
    batch = Batch(desk.world, NOON, writing_into(written), 1)
    tell(batch, desk.partition, told)
    return written


@pytest.mark.parametrize("record", UNFIT.values(), ids=UNFIT)
def test_what_no_record_of_ours_could_repeat_is_told_as_unreadable_and_changes_nothing(
    record: GlobalRecord,
) -> None:
    told = read_global(KEYS[type(record)].encode(), encode(record), 5)

    assert told.record is None
    assert told.fault
    [event] = told_by(told)
    assert len(event.value or b"") < 2_000


def test_a_key_of_a_megabyte_is_cut_and_one_with_a_nul_can_be_kept() -> None:
    told = read_global(b"k\0" * 500_000, b"garbage", 5)
    [event] = told_by(told)

    assert "\0" not in told.name
    assert len(event.key or b"") < 4 * LONGEST_TEXT
    assert len(event.value or b"") < 8 * LONGEST_TEXT


def test_a_good_one_is_told_with_its_reason() -> None:
    hold = Hold(held=True, reason="r" * 4_096, actor="user:ann", at=NOON, command_id="h1")
    told = read_global(b"hold", encode(hold), 5)
    event, reply = told_by(told)

    assert told.record == hold
    assert reply.key == b"h1"
    assert event.topic == "horae.events"
