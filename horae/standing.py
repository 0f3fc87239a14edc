"""
What holds for everyone, as horae.globals says it now?

Reads the one partition to its end, without joining a group: the hold, the shared calendars and the
freezes, each with the offset of its record. What a processor makes of it is streams/decider.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

from horae.client.faults import NoTopic, NotReachable
from horae.client.options import consumer
from schemas.globals import Calendar, Freeze, GlobalRecord, Hold
from schemas.topics import GLOBALS
from streams.clock import Deadline
from streams.decider.worldview import name_under
from streams.processor.globals import read_global

_PAUSE = 0.2
_BATCH = 1_000


class Noted(NamedTuple):
    """A record that is in force, and its offset."""

    offset: int
    record: GlobalRecord


@dataclass(frozen=True, slots=True)
class Standing:
    """The last readable record under each key."""

    noted: dict[str, Noted]

    @property
    def hold(self) -> Hold | None:
        """The hold over everything, also one that was lifted."""
        found = self.noted.get("hold")
        return found.record if found is not None and isinstance(found.record, Hold) else None

    @property
    def calendars(self) -> dict[str, tuple[int, Calendar]]:
        """The shared calendars with their versions, by name."""
        return {
            name_under(Calendar, key) or key: (offset, record)
            for key, (offset, record) in sorted(self.noted.items())
            if isinstance(record, Calendar) and not record.removed
        }

    @property
    def freezes(self) -> dict[str, tuple[int, Freeze]]:
        """The freezes that were not lifted, also those that are over, by name."""
        return {
            name_under(Freeze, key) or key: (offset, record)
            for key, (offset, record) in sorted(self.noted.items())
            if isinstance(record, Freeze) and not record.lifted
        }


def standing(bootstrap: str, within: float) -> Standing:
    """What is in force now; a fault if the broker does not answer within so many seconds."""
    reader = Consumer({**consumer(bootstrap), "client.id": "horae-standing"})
    try:
        return Standing(dict(_noted(reader, bootstrap, within)))
    except KafkaException as fault:
        error = fault.args[0]
        detail = error.str() if isinstance(error, KafkaError) else str(error)
        raise NotReachable(bootstrap, detail, sending=False) from fault
    finally:
        reader.close()


def _noted(reader: Consumer, bootstrap: str, within: float) -> Iterator[tuple[str, Noted]]:
    place = TopicPartition(GLOBALS, 0, OFFSET_BEGINNING)
    if not reader.list_topics(GLOBALS, timeout=within).topics[GLOBALS].partitions:
        raise NoTopic(bootstrap, GLOBALS, sending=False)
    _, end = reader.get_watermark_offsets(place, timeout=within)
    reader.assign([place])
    deadline = Deadline.after(within)
    while end and reader.position([place])[0].offset < end:
        if deadline.over:
            raise NotReachable(bootstrap, f"{GLOBALS} was not read to its end", sending=False)
        first = reader.poll(_PAUSE)
        for message in [first, *reader.consume(_BATCH, 0)] if first is not None else ():
            if message.error() is None:
                told = read_global(message.key(), message.value(), message.offset() or 0)
                if told.record is not None:
                    yield told.name, Noted(told.offset, told.record)
