"""Each record of the inbox has its effect once, or is set aside, and is passed."""

from __future__ import annotations

import pytest

from schemas.codec import decode_as
from schemas.commands import Define, Pause, Remove, Trigger
from schemas.events import (
    CommandRefused,
    Fired,
)
from schemas.rejected import Rejected
from schemas.replies import Verdict
from schemas.schedule import ScheduleRow
from streams.processor.partitions import ANSWERS_KEPT
from tests.processor.desk import HOURLY, MINUTE, Desk, Written, desk_with, last


def test_what_cannot_be_read_is_kept_elsewhere_and_passed() -> None:
    """KAF-050: the schedule under that key is left as it was."""
    desk = desk_with()
    before = desk.partition.residents["shop/a"].cursor
    desk.put(b"shop/a", b"hello")
    written = desk.step()

    assert [one.topic for one in written] == ["horae.rejected", "horae.state"]
    rejected = decode_as(written[0].value or b"", Rejected)
    assert (rejected.key, rejected.value, rejected.offset) == (b"shop/a", b"hello", 1)
    assert desk.partition.owner.next_offset == 2
    assert desk.partition.residents["shop/a"].cursor == before


def test_what_lies_in_the_wrong_partition_is_copied_in_the_same_transaction() -> None:
    desk = Desk(partitions=6, number=5)
    desk.put(b"job-1", None, [("horae-actor", b"user:ann")])
    written = desk.step()

    assert written[0] == Written(
        *("horae.commands", 2, b"job-1", None),
        [("horae-actor", b"user:ann"), ("horae-forwarded", b"5.0")],
    )
    assert desk.partition.owner.next_offset == 1


def test_the_same_one_shot_again_gets_the_same_answer_and_does_nothing() -> None:
    desk = desk_with()
    desk.ask("shop/a", Trigger("now"), "t1")
    desk.ask("shop/a", Trigger("now"), "t1")
    desk.step()
    desk.now += MINUTE
    desk.ask("shop/a", Trigger("now"), "t1")
    desk.step()

    fires = [event for event in desk.events() if isinstance(event, Fired)]
    answers = [one.value for one in desk.log if one.key == b"t1" and one.topic == "horae.replies"]
    assert len(fires) == 1
    assert len(answers) == 3
    assert len(set(answers)) == 1


@pytest.mark.parametrize("same_batch", [True, False])
def test_the_same_id_with_another_payload_is_a_conflict(same_batch: bool) -> None:
    desk = desk_with()
    desk.ask("shop/a", Pause("one"), "p1")
    if not same_batch:
        desk.step()
    desk.ask("shop/a", Pause("two"), "p1")
    desk.step()
    refusal = desk.events()[-1]

    assert isinstance(refusal, CommandRefused)
    assert (refusal.command, refusal.field) == ("pause", "id")
    assert desk.replies()[-1].verdict is Verdict.REFUSED
    row = decode_as(desk.partition.residents["shop/a"].row, ScheduleRow)
    assert row.pause is not None
    assert row.pause.reason == "one"


def test_an_answer_is_forgotten_after_a_day_also_in_the_log() -> None:
    desk = desk_with()
    desk.ask("shop/a", Trigger(), "t1")
    written = desk.step()
    assert last(written, b"c|shop/a#trigger:t1") is not None
    desk.now += ANSWERS_KEPT - 1
    desk.ask("shop/b", Define(HOURLY))
    assert b"c|shop/a#trigger:t1" not in [one.key for one in desk.step()]
    desk.now += 1
    desk.ask("shop/b", Remove())

    assert last(desk.step(), b"c|shop/a#trigger:t1") is None
    assert desk.partition.answers == {}
    desk.ask("shop/a", Trigger(), "t1")
    desk.step()
    by_hand = [one for one in desk.events() if isinstance(one, Fired) and one.origin is not None]
    assert len(by_hand) == 2


def test_the_same_definition_twice_writes_no_row() -> None:
    """KPR-33."""
    desk = desk_with()
    desk.ask("shop/a", Define(HOURLY))

    assert "horae.schedules" not in [one.topic for one in desk.step()]
    assert desk.replies()[-1].verdict is Verdict.UNCHANGED
