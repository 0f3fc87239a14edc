"""
Do skips, targets and backfills keep every promise, whatever else is asked and happens?

Random histories of two schedules of one subject, one of them reported about: each occurrence ends
once, what was written is decided again to the byte, and the next owner knows what the last one
knew.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from schemas.commands import (
    Backfill,
    CancelBackfill,
    Command,
    Define,
    EditScopes,
    HoldSubject,
    Pause,
    ReleaseSubject,
    Remove,
    RemoveTarget,
    ReportRun,
    ReportStatus,
    Resume,
    ScopeEdit,
    Skip,
    Trigger,
    Unskip,
)
from schemas.definition import CatchUp, CatchUpMode, Cron, Hours, Window
from schemas.events import Fired, Skipped
from schemas.globals import Freeze, GlobalSettings
from schemas.policies import Filter, FilterKind, Overlap, OverlapMode, Retry, Scope, Tracking
from schemas.snapshot import RunPhase
from streams.decider.state import Target
from streams.processor.partitions import Partition
from streams.processor.replay import replay_partition
from tests.processor.desk import HOUR, HOURLY, MINUTE, NOON, SECOND, Desk

TRACKED = replace(
    HOURLY,
    action=replace(HOURLY.action, tracked=Tracking(lease=3 * HOUR)),
    overlap=Overlap(OverlapMode.QUEUE, limit=2),
    retry=Retry(most=1),
)
DEFINITIONS = [
    HOURLY,
    replace(HOURLY, timings=(Cron("*/20 * * * *"),), scopes=(Scope("rack-a"), Scope("rack-b"))),
    replace(HOURLY, catch_up=CatchUp(CatchUpMode.ALL, limit=3), jitter=5 * MINUTE, max_fires=9),
    replace(HOURLY, window=Window((Hours(14 * 3600, 16 * 3600),))),
    TRACKED,
    replace(TRACKED, overlap=Overlap(OverlapMode.REPLACE)),
    replace(TRACKED, overlap=Overlap(OverlapMode.ALLOW, limit=3), scopes=(Scope("rack-a"),)),
]
targets = st.sampled_from(["rack-a", "rack-b", "shop"])
filters = st.sampled_from(
    [None, Filter(FilterKind.TYPES, ("x",)), Filter(FilterKind.TYPES, ("y",)),
     Filter(FilterKind.IDS, ("7",))]
)  # fmt: skip
scopes = st.lists(st.builds(Scope, targets, filters), min_size=1, max_size=2, unique_by=str)
hours = st.integers(-6, 12).map(lambda hour: NOON + hour * HOUR)
about_schedules = st.one_of(
    st.builds(Define, st.sampled_from(DEFINITIONS)),
    st.builds(Skip, st.integers(1, 3)),
    st.builds(Skip, st.none(), hours),
    st.builds(Unskip, st.one_of(st.none(), hours)),
    st.builds(
        Backfill,
        st.just(NOON - 5 * HOUR),
        hours.filter(lambda last: last >= NOON - 5 * HOUR),
        newest_first=st.booleans(),
        most=st.integers(1, 9),
        overlap=st.sampled_from([None, *OverlapMode]),
        dry_run=st.booleans(),
    ),
    st.builds(CancelBackfill, st.sampled_from(["one", "two"])),
    st.builds(EditScopes, st.sampled_from(ScopeEdit), scopes.map(tuple)),
    st.sampled_from([Pause(), Resume(), Trigger(), Remove()]),
)
steps = st.one_of(
    st.tuples(
        st.sampled_from(["shop/a", "shop/b"]), about_schedules, st.sampled_from(["", "one", "two"])
    ),
    st.tuples(
        st.just("shop/"),
        st.one_of(
            st.builds(RemoveTarget, targets),
            st.sampled_from([HoldSubject(), HoldSubject(actions_only=True), ReleaseSubject()]),
        ),
        st.just(""),
    ),
    st.builds(ReportRun, st.just(""), st.sampled_from(ReportStatus)),
    st.sampled_from([SECOND, 20 * MINUTE, HOUR, 5 * HOUR]),
    st.sampled_from(["restart", "target gone", "target back", "frozen", "thawed", "cap", "no cap"]),
)


def take(desk: Desk, step: tuple[str, Command, str] | ReportRun | int | str) -> None:
    match step:
        case (schedule, command, name):
            desk.ask(schedule, command, name)
            desk.step()
        case ReportRun():
            report(desk, step.status)
        case int():
            desk.pass_time(step)
        case "restart":
            before = desk.restart()
            assert known(desk.partition) == known(before)
        case "target gone":
            desk.targets["jobs"] = Target(fault="topic 'jobs' does not exist")
        case "target back":
            desk.targets.clear()
        case "cap" | "no cap":
            most = 2 if step == "cap" else 0
            desk.tell("settings", GlobalSettings(("jobs*",), desk.now, max_concurrent=most))
        case _:
            until = desk.now + HOUR
            desk.tell("freeze/f", Freeze(("sh*",), desk.now, until, "f", lifted=step == "thawed"))


def report(desk: Desk, status: ReportStatus) -> None:
    """Somebody says something about the oldest run that goes on."""
    at_rest = desk.partition.subjects.get("shop")
    runs = [] if at_rest is None else at_rest.subject.runs.values()
    going = sorted(run.id for run in runs if run.phase is not RunPhase.ENDED)
    if going:
        desk.ask("shop/", ReportRun(going[0], status))
        desk.step()


def known(partition: Partition) -> dict[str, object]:
    """What an owner knows."""
    schedules = {name: resident.wake(name) for name, resident in partition.residents.items()}
    return {
        **{name: (state.plan, state.cursor) for name, state in schedules.items()},
        **{f"{name}/": at_rest.subject for name, at_rest in partition.subjects.items()},
    }


@given(st.lists(steps, max_size=25))
def test_each_occurrence_ends_once_and_all_of_it_is_found_again(
    happened: list[tuple[str, Command, str] | ReportRun | int | str],
) -> None:
    desk = Desk()
    desk.ask("shop/a", Define(HOURLY))
    desk.ask("shop/b", Define(TRACKED))
    desk.step()
    for step in happened:
        take(desk, step)
    for _ in range(8):
        desk.pass_time(SECOND)

    before = desk.restart()
    assert known(desk.partition) == known(before)
    assert replay_partition(desk.ledger(), dict(enumerate(desk.inbox)), desk.told, 1) == []
    ends: set[tuple[object, ...]] = set()
    for event in desk.events():
        if not isinstance(event, Fired | Skipped):
            continue
        first = event.nominal if isinstance(event, Fired) else event.first
        name = (event.schedule, event.incarnation, event.origin or first)
        assert name not in ends
        ends.add(name)
