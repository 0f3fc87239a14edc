"""What was withdrawn because it waited says nothing of the target for what came after it."""

from __future__ import annotations

from dataclasses import replace

from schemas.commands import Define, Pause
from schemas.definition import Cron
from schemas.events import Skipped
from schemas.policies import Across, Overlap
from streams.decider.state import Target
from tests.processor.desk import MINUTE, Desk
from tests.processor.running import TRACKED, replayed


def test_a_target_is_in_order_where_other_runs_were_asked_about() -> None:
    """Under a pause: one is withdrawn that waited for the target, the next met another run."""
    alone = Overlap(across=Across.SUBJECT)
    sporadic = replace(TRACKED.action, topic="jobs-now-and-then")
    desk = Desk()
    desk.ask("shop/a", Define(replace(TRACKED, timings=(Cron("* * * * *"),), overlap=alone)))
    often = replace(TRACKED, timings=(Cron("* * * * *"),), action=sporadic, overlap=alone)
    desk.ask("shop/b", Define(often))
    desk.step()
    desk.targets["jobs-now-and-then"] = Target(fault="topic 'jobs-now-and-then' does not exist")
    desk.pass_time(MINUTE)
    del desk.targets["jobs-now-and-then"]
    desk.now += MINUTE
    desk.ask("shop/b", Pause("works"))
    desk.step()

    found = [one.reason for one in desk.events() if isinstance(one, Skipped)]
    assert found[:2] == ["withdrawn", "overlap"]
    assert replayed(desk) == []
