"""
How is one cause decided again, with nothing written but a list?

The batch over it, the world after each record of horae.globals, and the targets as the recorded
events tell of them. Which causes there were is replay.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from schemas.definition import Action
from schemas.events import (
    BackfillProgressed,
    CommandRefused,
    Deferred,
    Event,
    Fired,
    GlobalChanged,
    Reason,
    RunEnded,
    RunOffered,
    RunRetries,
    RunStarted,
    ScheduleChanged,
    Skipped,
    Stamp,
)
from schemas.identity import subject_of
from schemas.topics import EVENTS
from streams.decider.pools import topic_of
from streams.decider.state import Schedule, Target, World
from streams.decider.subject import NOBODY, Subject
from streams.decider.worldview import fold
from streams.processor.batch import Batch
from streams.processor.draft import Record
from streams.processor.globals import Told
from streams.processor.recorded import Bytes, Kept

_OF_TARGETS = (Reason.TARGET_UNAVAILABLE, Reason.WITHDRAWN)
"""Reasons whose evidence may be the words of a target; of other ones it is about other runs."""

_AFTER_TARGETS = (Reason.OVERLAP, Reason.CAPACITY, Reason.BUFFER_FULL, Reason.NO_SCOPE)
"""Reasons that come up only where the target takes the record."""


class Look:
    """A batch that writes into a list."""

    def __init__(self, world: World, stamp: Stamp, partitions: int) -> None:
        self.batch = Batch(world, stamp.decided_at, self._write, partitions)
        self._events: list[Bytes] = []

    def end(self) -> list[Bytes]:
        """Keep the batch; what it wrote into the ledger."""
        self.batch.close("replay")
        self.batch.keep()
        return self._events

    def _write(self, records: Iterable[Record]) -> None:
        for topic, _, key, value, _ in records:
            if topic == EVENTS:
                self._events.append((key or b"", value or b""))


def worlds_of(globals_: list[Told]) -> list[World]:
    """The world before the first record of horae.globals, and after each."""
    worlds = [World()]
    for told in sorted(globals_, key=lambda one: one.offset):
        if told.record is not None:
            worlds.append(fold(worlds[-1], told.record, told.offset, told.name))
    return worlds


def targets_of(
    group: Iterable[Kept],
    states: Mapping[str, Schedule | None],
    subjects: Mapping[str, Subject],
) -> dict[str, Target]:
    """The targets as they showed themselves: refusing with the recorded words, or in order."""
    words: dict[str, str] = {}
    in_order: set[str] = set()
    edited: dict[str, Action] = {}
    for event in (record.event for record in group):
        if isinstance(event, GlobalChanged):
            continue
        state = states.get(event.schedule)
        if isinstance(event, ScheduleChanged):
            edited[event.schedule] = event.definition.action
        if state is None:
            continue
        action = edited.get(event.schedule, state.plan.definition.action)
        known = subjects.get(subject_of(event.schedule), NOBODY)
        topic = action.topic if action.work is None else topic_of(action.work, known.notes)
        if _was_taken(event):
            in_order.add(topic)
        words[topic] = _refusal(event, topic) or words.get(topic, "")
    return {
        topic: Target(fault=said) for topic, said in words.items() if said and topic not in in_order
    }


def _was_taken(event: Event) -> bool:
    """Whether the target was asked and had nothing against it: other runs are asked about later."""
    if isinstance(event, Skipped):
        return event.reason in _AFTER_TARGETS
    return isinstance(event, Fired | RunStarted | RunOffered)


def _refusal(event: Event, topic: str) -> str | None:
    """The words of a target in an event; what begins otherwise there was said by somebody else."""
    said: str | None = None
    match event:
        case Skipped(reason=why) | Deferred(reason=why):
            return event.evidence if why in _OF_TARGETS else None
        case CommandRefused(field="emit.topic" | "pool"):
            return event.message
        case BackfillProgressed():
            said = event.waits
        case RunRetries() | RunEnded():
            said = event.detail
        case _:
            pass
    return said if said and said.startswith(f"topic {topic!r} ") else None
