"""What was skipped because another run went on is decided again in the same way."""

from __future__ import annotations

from dataclasses import replace

from schemas.commands import Define
from schemas.events import Reason, Skipped
from schemas.policies import Tracking
from streams.processor.replay import replay_partition
from tests.processor.desk import HOUR, HOURLY, Desk

TRACKED = replace(HOURLY, action=replace(HOURLY.action, tracked=Tracking(lease=9 * HOUR)))


def test_the_words_about_another_run_are_not_taken_for_those_of_a_target() -> None:
    desk = Desk()
    desk.ask("shop/a", Define(TRACKED))
    for _ in range(4):
        desk.pass_time(HOUR)

    reasons = [one.reason for one in desk.events() if isinstance(one, Skipped)]
    assert reasons == [Reason.OVERLAP, Reason.OVERLAP]
    assert replay_partition(desk.ledger(), dict(enumerate(desk.inbox)), desk.told, 1) == []
