"""
What does a partition learn from a runner's beat?

That the runner is alive, in which life, and which runs of the partition it has. The first beat of a
later life is looked at for every subject, each other one only for the runs that it lists. What
follows for a subject is decider/beats.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from schemas.events import ScheduleEvent
from schemas.snapshot import RunnerNote
from streams.decider.beats import interrupted, of_earlier_lives, renewed
from streams.decider.state import World
from streams.processor.draft import Draft
from streams.processor.household import around
from streams.processor.intake import Heard


def hear(draft: Draft, heard: Heard, world: World, now: int) -> Iterator[ScheduleEvent]:
    """The events that follow; each has to be taken before the next is asked for."""
    runner, beat = heard.runner, heard.beat
    known = draft.runner(runner)
    if known is not None and known.boot > beat.boot:
        return
    draft.runners[runner] = RunnerNote(runner, beat.boot, now, beat.leaving, beat.slots, beat.pools)
    if known is None or known.boot < beat.boot:
        for subject in _with_earlier_lives(draft, runner, beat.boot):
            yield from interrupted(around(world, draft, f"{subject}/"), runner, beat.boot, now)
    listed: dict[str, list[str]] = {}
    for subject, run in beat.runs:
        listed.setdefault(subject, []).append(run)
    for subject in sorted(listed):
        yield from renewed(draft.subject(subject), listed[subject], runner, beat.boot, now)


def _with_earlier_lives(draft: Draft, runner: str, boot: int) -> list[str]:
    """The subjects with runs that an earlier life of the runner has."""
    names = {*draft.partition.subjects, *draft.subjects}
    return sorted(name for name in names if of_earlier_lives(draft.subject(name), runner, boot))
