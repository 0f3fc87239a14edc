"""A schedule that was looked at, fired plainly and is looked at again goes on from that fire."""

from __future__ import annotations

from dataclasses import replace

from schemas.commands import Backfill, Define, ReportRun, ReportStatus
from schemas.events import Fired
from schemas.policies import OverlapMode, Tracking
from streams.processor.replay import replay_partition
from tests.processor.desk import HOUR, HOURLY, NOON, Desk, last

TRACKED = replace(HOURLY, action=replace(HOURLY.action, tracked=Tracking(lease=9 * HOUR)))


def test_a_backfill_beside_a_plain_fire_leaves_that_one_behind() -> None:
    """A report looks at the schedule, its timer rings, and the backfill has its turn: one batch."""
    desk = Desk()
    desk.ask("shop/a", Define(TRACKED))
    desk.step()
    desk.pass_time(HOUR)
    [run] = [one.scopes[0].run for one in desk.events() if isinstance(one, Fired)]
    desk.ask("shop/a", Define(HOURLY))
    past = tuple(NOON - number * HOUR for number in (2, 1))
    desk.ask("shop/a", Backfill(instants=past, overlap=OverlapMode.QUEUE))
    desk.step()
    desk.ask("shop/", ReportRun(run, ReportStatus.SUCCESS))
    written = desk.pass_time(HOUR)

    fired = [one for one in desk.events() if isinstance(one, Fired)][1:]
    assert fired[0].nominal == NOON + 2 * HOUR
    assert {one.next for one in fired} == {NOON + 3 * HOUR}
    assert last(written, b"p|shop/a") == desk.partition.residents["shop/a"].cursor
    assert replay_partition(desk.ledger(), dict(enumerate(desk.inbox)), desk.told, 1) == []
