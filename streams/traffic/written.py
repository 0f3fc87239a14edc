"""
What has anybody written about a partition's minutes?

Reads horae.traffic at given places, beside the worker's own client and in a thread of its own: what
is known of a partition is made from it, and what somebody else wrote in between is found in it. The
calls block; how they are awaited is keeping.py.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Any

from confluent_kafka import Consumer, KafkaException, TopicPartition

from schemas.codec import decode_as
from schemas.faults import Unreadable
from schemas.instants import parse_instant
from schemas.topics import TRAFFIC
from schemas.traffic import TrafficMinute
from streams.clock import Deadline
from streams.edges import Edges
from streams.faults import Halt
from streams.traffic.known import Known, Name, Record

log = logging.getLogger(__name__)

ASKED_WITHIN = 10.0
READ_WITHIN = 120.0
_AT_ONCE = 10_000


class Written:
    """The log of minutes, read back."""

    def __init__(self, bootstrap: str, client: str) -> None:
        servers: dict[str, Any] = {"bootstrap.servers": bootstrap, "client.id": client}
        self._consumer = Consumer(
            {
                **servers,
                "group.id": f"{client}-back",
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "auto.offset.reset": "earliest",
                "allow.auto.create.topics": False,
                "isolation.level": "read_uncommitted",
                "fetch.wait.max.ms": 20,
            },
            logger=log,
        )
        self._edges = Edges(servers, committed=False)

    def known_since(self, partition: int, since: int) -> Known:
        """All that is in the log of minutes that began then or later; an instant."""
        end = self.ends([partition])[partition]
        known = Known(since, end)
        known.read(self.between(partition, self._offset_at(partition, since, end), end))
        return known

    def history(self, partition: int, names: set[Name], end: int) -> list[Record]:
        """Every record of these minutes before that offset, however long ago it was written."""
        start = self._offset_at(partition, min(name.minute for name in names), end)
        return [one for one in self.between(partition, start, end) if one.name in names]

    def between(self, partition: int, start: int, end: int) -> list[Record]:
        """The records from one offset to before another; what is none of ours is left out."""
        return list(filter(None, map(_record, self._read(partition, start, end))))

    def ends(self, partitions: Iterable[int]) -> dict[int, int]:
        """The offset that the next record gets."""
        found = self._edges.ends([(TRAFFIC, number) for number in partitions], ASKED_WITHIN)
        return {partition: offset for (_, partition), offset in found.items()}

    def close(self) -> None:
        """Let go of the broker."""
        self._edges.close()
        self._consumer.close()

    def _offset_at(self, partition: int, instant: int, end: int) -> int:
        """Where the records begin that were appended then or later."""
        # A minute before 1970 is before every record, and a negative time has a meaning of its own.
        asked = TopicPartition(TRAFFIC, partition, max(instant // 1_000, 0))
        found = _offset(self._consumer.offsets_for_times([asked], ASKED_WITHIN))
        return end if found < 0 else found

    def _read(self, partition: int, start: int, end: int) -> Iterator[Any]:
        deadline = Deadline.after(READ_WITHIN)
        place = TopicPartition(TRAFFIC, partition, start)
        self._consumer.assign([place])
        # Its position, not its last record, says how far it is: others may have been compacted.
        while start < end and _offset(self._consumer.position([place])) < end:
            if deadline.over:
                raise Halt(f"{TRAFFIC} [{partition}] could not be read up to {end}")
            for message in self._consumer.consume(_AT_ONCE, 0.1):
                if message.error() is not None:
                    raise KafkaException(message.error())
                if (message.offset() or 0) < end:
                    yield message
        self._consumer.unassign()


def _offset(places: list[TopicPartition]) -> int:
    """Of the one that was asked for; negative where there is none."""
    [found] = places
    if found.error is not None:
        raise KafkaException(found.error)
    return int(found.offset or 0)


def _record(message: Any) -> Record | None:
    value: bytes | None = message.value()
    if not value:
        return None
    try:
        minute = decode_as(value, TrafficMinute)
        subject, _, instant = (message.key() or b"").decode().rpartition("|")
        name = Name(subject, parse_instant(instant))
    except (Unreadable, ValueError) as fault:
        place = f"{TRAFFIC} [{message.partition()}] at {message.offset()}"
        log.warning("%s is no minute of ours: %s", place, fault)
        return None
    return Record(message.offset(), name, minute.samples)
