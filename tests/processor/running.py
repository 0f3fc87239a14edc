"""
What does a desk look like on which work goes on?

Schedules whose work is reported about, reports, and what was written for workers.
"""

from __future__ import annotations

from dataclasses import replace

from schemas.commands import Define, ReportRun, ReportStatus
from schemas.definition import Cron, Definition
from schemas.policies import Overlap, OverlapMode, Tracking
from schemas.snapshot import Run
from streams.processor.replay import replay_partition
from tests.processor.desk import HOUR, HOURLY, MINUTE, Desk, Written

EMIT = replace(HOURLY.action, tracked=Tracking(lease=12 * HOUR))
TRACKED = Definition((Cron("0 * * * *"),), EMIT)
QUEUE = replace(TRACKED, overlap=Overlap(OverlapMode.QUEUE, max_wait=6 * HOUR))


def desk_with_run(definition: Definition = QUEUE, *others: Definition) -> tuple[Desk, str]:
    """A desk on which the first run of `shop/a` goes on; other schedules are `shop/b` and so on."""
    desk = Desk()
    for name, one in zip("abc", (definition, *others), strict=False):
        desk.ask(f"shop/{name}", Define(one))
    desk.step()
    desk.pass_time(HOUR)
    return desk, next(run.id for run in runs(desk) if run.schedule == "shop/a")


def runs(desk: Desk) -> list[Run]:
    """The open runs, by their instant."""
    at_rest = desk.partition.subjects.get("shop")
    known = [] if at_rest is None else at_rest.subject.runs.values()
    return sorted(known, key=lambda run: (run.due, run.schedule, run.scope))


def report(
    desk: Desk, run: str, status: ReportStatus = ReportStatus.SUCCESS, after: int = MINUTE
) -> list[Written]:
    """Somebody says something about a run, some time later."""
    desk.now += after
    desk.ask("shop/", ReportRun(run, status))
    return desk.step()


def emitted(written: list[Written]) -> list[dict[str, bytes]]:
    """The headers of the records for workers."""
    return [
        {name: value for name, value in one.headers or () if isinstance(value, bytes)}
        for one in written
        if one.topic == "jobs"
    ]


def state_of(desk: Desk) -> object:
    """All that a partition remembers of subjects, and what it waits for."""
    partition = desk.partition
    subjects = {name: (one.subject, one.due) for name, one in partition.subjects.items()}
    timers = {
        (due, name)
        for due, name, whose in partition.timers.entries()
        if whose.due == due and name.endswith("/")
    }
    return subjects, timers


def replayed(desk: Desk) -> list[object]:
    """What differs when all is decided again."""
    return list(replay_partition(desk.ledger(), dict(enumerate(desk.inbox)), desk.told, 1))
