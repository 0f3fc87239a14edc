"""What met another run, or a target that took nothing, is decided again in the same way."""

from __future__ import annotations

from dataclasses import replace

from schemas.commands import Define
from schemas.events import Reason, RunRetries, Skipped
from schemas.policies import Overlap, OverlapMode, Tracking
from streams.decider.state import Target
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


def test_a_run_that_an_edit_sends_to_a_target_that_is_gone_is_decided_again() -> None:
    """The words are those of the new target."""
    queued = replace(TRACKED, overlap=Overlap(OverlapMode.QUEUE))
    elsewhere = replace(queued.action, topic="jobs-gone")
    desk = Desk()
    desk.ask("shop/a", Define(queued))
    for _ in range(3):
        desk.pass_time(HOUR)
    desk.targets["jobs-gone"] = Target(fault="topic 'jobs-gone' does not exist")
    desk.ask(
        "shop/a", Define(replace(queued, action=elsewhere, overlap=Overlap(OverlapMode.ALLOW)))
    )
    desk.step()

    assert [type(one) for one in desk.events() if isinstance(one, RunRetries)] == [RunRetries]
    assert replay_partition(desk.ledger(), dict(enumerate(desk.inbox)), desk.told, 1) == []
