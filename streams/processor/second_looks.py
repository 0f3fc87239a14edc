"""
Which subjects are looked at although no timer of theirs rang?

Those with runs that wait, when what kept them waiting may be gone without anybody having said so to
them: a hold over everything was lifted, or a subject may have more runs at once; and once when
their partition became ours, since nobody knows what changed before.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemas.snapshot import RunPhase
from streams.decider.state import World
from streams.processor.household import AT_ONCE
from streams.processor.partitions import Partition


class SecondLooks:
    """What held for everyone the last time."""

    def __init__(self) -> None:
        self._held = False
        self._most = 0

    def follow(self, world: World, partitions: Iterable[Partition]) -> None:
        """Look at the subjects in these again, if more may begin now than before."""
        held, most = world.held, world.settings.max_concurrent if world.settings else 0
        lifted, raised = self._held and not held, most != self._most
        self._held, self._most = held, most
        if lifted or raised:
            for partition in partitions:
                look_again(partition)


def look_again(partition: Partition) -> None:
    """Let the timers of all subjects ring in which a run waits."""
    for subject, at_rest in partition.subjects.items():
        runs = at_rest.subject.runs.values()
        if not at_rest.owed and any(run.phase is RunPhase.WAITING for run in runs):
            at_rest.owe()
            partition.timers.put((AT_ONCE, f"{subject}/", at_rest))
