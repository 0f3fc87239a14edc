"""
What holds for everyone right now?

Follows the one partition of horae.globals and folds it into the world that decisions are made in.
Every processor does; the owner of inbox partition 0 alone answers the senders (announcing.py). A
record that cannot be read changes nothing and is reported.
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import replace
from typing import Any, NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from schemas.codec import decode
from schemas.faults import FieldFault, Unreadable
from schemas.globals import GlobalRecord
from schemas.limits import check_global
from schemas.time_limits import check_name
from schemas.topics import GLOBALS
from streams.clock import Deadline
from streams.decider.state import World
from streams.decider.worldview import fold, name_under
from streams.faults import StartOver
from streams.processor.offsets import Offsets
from streams.settings import ProcessorSettings

log = logging.getLogger(__name__)

KEPT = 1_000
"""Records kept for the owner of partition 0 to answer; the topic is compacted and small."""


class Told(NamedTuple):
    """One record of horae.globals, or why it is none."""

    offset: int
    name: str
    record: GlobalRecord | None
    fault: str | None = None


class Globals:
    """The world, kept up with the topic."""

    def __init__(self, settings: ProcessorSettings, name: str, offsets: Offsets) -> None:
        self.world = World()
        self.told: deque[Told] = deque(maxlen=KEPT)
        self.published_at = 0
        """When the limits were published last, by the owner of partition 0."""
        self._offsets = offsets
        self._end = 0
        self._deadline = Deadline.after(0)
        self._here = TopicPartition(GLOBALS, 0, OFFSET_BEGINNING)
        self._consumer = Consumer(
            {
                "bootstrap.servers": settings.bootstrap,
                "client.id": f"{name}-globals",
                "group.id": f"{settings.group}-globals-{name}",
                "isolation.level": "read_committed",
                "auto.offset.reset": "error",
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "fetch.wait.max.ms": 20,
                "log_level": 3,
            }
        )
        self._consumer.assign([self._here])

    def follow(self) -> None:
        """Fold what has come since the last call; waits for nothing."""
        for message in self._consumer.consume(100, 0):
            self._take(message)

    def catch_up(self, within: float) -> None:
        """Ask to be read to the end as it is now, so that a hold that was set before holds."""
        self._end = self._offsets.end(self._here)
        self._deadline = Deadline.after(within)

    @property
    def is_caught_up(self) -> bool:
        """Whether all is read that was there when that was asked for."""
        if self._end == 0 or self._consumer.position([self._here])[0].offset >= self._end:
            return True
        if self._deadline.over:
            raise StartOver(f"{GLOBALS} could not be read to offset {self._end} in time")
        return False

    def see(self, world: World) -> None:
        """Decide under this world from now on (its targets changed)."""
        self.world = world

    def close(self) -> None:
        """Stop following."""
        self._consumer.close()

    def _take(self, message: Any) -> None:
        if message.error() is not None:
            log.warning("globals: %s", message.error().str())
            return
        told = read_global(message.key(), message.value(), message.offset())
        if told.record is None:
            log.error("horae.globals, offset %d: %s", told.offset, told.fault)
            self.see(replace(self.world, globals_offset=told.offset))
        else:
            self.see(fold(self.world, told.record, told.offset, told.name))
        self.told.append(told)


def read_global(key: bytes | None, value: bytes | None, offset: int) -> Told:
    """Read one record of horae.globals."""
    name = (key or b"").decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")
    if key is None or value is None:
        return Told(offset, name, None, "a record of horae.globals has a key and a value")
    try:
        record = decode(value)
    except Unreadable as fault:
        return Told(offset, name, None, str(fault))
    if not isinstance(record, GlobalRecord):
        return Told(offset, name, None, f"{type(record).__name__} does not belong here")
    named = name_under(type(record), name)
    if named is None:
        return Told(offset, name, None, f"{type(record).__name__} under the key {name!r}")
    try:
        check_global(record)
        if named:
            check_name(named, "key")
    except FieldFault as fault:
        return Told(offset, name, None, str(fault))
    return Told(offset, name, record)
