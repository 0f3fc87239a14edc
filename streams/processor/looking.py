"""
How is one cause decided again, with nothing written but a list?

The batch over it, and the world after each record of horae.globals. Which causes there were is
replay.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from schemas.events import Stamp
from schemas.topics import EVENTS
from streams.decider.state import World
from streams.decider.worldview import fold
from streams.processor.batch import Batch
from streams.processor.draft import Record
from streams.processor.globals import Told
from streams.processor.recorded import Bytes


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
