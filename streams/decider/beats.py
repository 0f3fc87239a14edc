"""
What does a runner's beat mean for the runs of one subject?

It renews the leases of the runs that it lists, and the first one of a later life ends what an
earlier life of the runner had: those processes are gone, and what they did is not done again. What
a partition knows of its runners is kept by the processor (hearing.py).
"""

from __future__ import annotations

from collections.abc import Iterable

from schemas.events import RunNoted, ScheduleEvent
from schemas.run_events import RunStatus
from schemas.snapshot import Run, RunPhase
from streams.decider.ending import ended
from streams.decider.evolve_subject import world_after
from streams.decider.pools import LEASE, RENEWED_BELOW
from streams.decider.runs import with_promotions
from streams.decider.state import World
from streams.decider.subject import Subject, turn

Events = tuple[ScheduleEvent, ...]
_HAD = frozenset({RunPhase.STARTED, RunPhase.CANCELLING})


def of_earlier_lives(subject: Subject, runner: str, boot: int) -> list[Run]:
    """The runs of a subject that a runner got before this life of its."""
    runs = subject.runs.values()
    return [
        run for run in runs if run.runner == runner and run.boot is not None and run.boot < boot
    ]


def interrupted(world: World, runner: str, boot: int, now: int) -> Events:
    """The ends of these, and who begins instead."""
    events: Events = ()
    before = world
    for run in sorted(of_earlier_lives(world.subject, runner, boot), key=turn):
        words = f"runner {runner} began a later life"
        found = ended(run, RunStatus.INTERRUPTED, words, world, now)
        world = world_after(world, found, now)
        events += found
    return with_promotions(events, before, now) if events else ()


def renewed(
    subject: Subject, runs: Iterable[str], runner: str, boot: int, now: int
) -> tuple[RunNoted, ...]:
    """The longer leases of the runs that this life of a runner has and lists."""
    known = (subject.runs.get(name) for name in runs)
    return tuple(
        RunNoted(*run.named, *(run.attempt, "running", now + LEASE))
        for run in known
        if run is not None
        and run.phase in _HAD
        and (run.runner, run.boot) == (runner, boot)
        and (run.lease_until is None or run.lease_until - now < RENEWED_BELOW)
    )
