"""
How are the topics read?

From the offsets that the caller gives, in all partitions, by a consumer that commits nothing and
never jumps: with a part of the log gone it says so. All of Kafka's untyped client that projections
need is in this file. Whether stored offsets fit the log is continuity.py.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient

from projections.faults import BadRecord, LogRefuses, RebuildNeeded, Transient

logger = logging.getLogger(__name__)

ASK_SECONDS = 10.0
_GONE = {KafkaError._AUTO_OFFSET_RESET, KafkaError._LOG_TRUNCATION}  # noqa: SLF001 - public names
_FOR_GOOD = {
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._UNKNOWN_TOPIC,  # noqa: SLF001 - the library's spelling of "local error"
    KafkaError._UNKNOWN_PARTITION,  # noqa: SLF001
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.SASL_AUTHENTICATION_FAILED,
}

_MOST_BYTES = 64 * 1024 * 1024
"""About so much is read at once: a batch is in memory several times over."""
_LIGHT = 1_024
"""What a record is taken to have before any was read."""

CONSUMER_SETTINGS: Mapping[str, Any] = {
    # set by hand, every one: a default that differs between versions must not decide
    "group.id": "horae-projector",
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "auto.offset.reset": "error",
    "isolation.level": "read_committed",
    "allow.auto.create.topics": False,
    "enable.partition.eof": False,
    "fetch.wait.max.ms": 100,
}


class Record(Protocol):
    """One record of a topic, as the client hands it out."""

    def topic(self) -> str:
        """Its topic."""
        ...

    def partition(self) -> int:
        """Its partition."""
        ...

    def offset(self) -> int:
        """Its offset."""
        ...

    def key(self) -> bytes | None:
        """Its key."""
        ...

    def value(self) -> bytes | None:
        """Its value; None says that what the key names is gone."""
        ...

    def timestamp(self) -> tuple[int, int]:
        """The kind of its time, and the time in milliseconds."""
        ...


class Place(NamedTuple):
    """One partition of one topic."""

    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class Position:
    """The next record to read; the epoch of the leader tells a truncated log from a whole one."""

    next_offset: int
    leader_epoch: int | None = None


@dataclass(frozen=True, slots=True)
class Extent:
    """What the broker has of a partition."""

    topic_id: str
    start: int
    end: int


def name_in(record: Record) -> str:
    """The record's key as text."""
    key = record.key()
    if not key:
        raise BadRecord("the record has no key")
    return key.decode()


class Log:
    """Some topics, read from given offsets."""

    def __init__(self, bootstrap: str, topics: Iterable[str]) -> None:
        self._topics = tuple(topics)
        servers: dict[str, Any] = {"bootstrap.servers": bootstrap, "client.id": "horae-projector"}
        self._admin = AdminClient(servers, logger=logger)
        self._consumer = Consumer({**servers, **CONSUMER_SETTINGS}, logger=logger)
        everything = {**servers, **CONSUMER_SETTINGS, "isolation.level": "read_uncommitted"}
        self._edges = Consumer(everything, logger=logger)
        """Reads nothing: it is asked where partitions begin and end."""
        self._positions: dict[Place, Position] = {}
        self._weight = _LIGHT
        """Bytes of a record, as those that were read last had them."""

    def extents(self) -> dict[Place, Extent]:
        """What the broker has of every partition; the end counts uncommitted records too."""
        try:
            asked = self._admin.describe_topics(
                TopicCollection(list(self._topics)), request_timeout=ASK_SECONDS
            )
            found = {topic: future.result() for topic, future in asked.items()}
            places = [
                Place(topic, partition.id)
                for topic, description in found.items()
                for partition in description.partitions
            ]
            starts = self._offsets(places, OFFSET_BEGINNING)
            ends = self._offsets(places, OFFSET_END)
        except KafkaException as error:
            raise _fault(error.args[0]) from error
        return {
            place: Extent(str(found[place.topic].topic_id), starts[place], ends[place])
            for place in places
        }

    def _offsets(self, places: Iterable[Place], which: int) -> dict[Place, int]:
        # Not by the administration's call that is made for this: it aborts the process when a
        # broker that was killed comes back in the middle of it.
        asked = [TopicPartition(*place, which) for place in places]
        found = {}
        for at in self._edges.offsets_for_times(asked, ASK_SECONDS):
            if at.error is not None:
                raise KafkaException(at.error)
            if at.offset < 0:  # a leader that has not answered
                raise KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE))
            found[Place(at.topic, at.partition)] = at.offset
        return found

    def start(self, positions: Mapping[Place, Position]) -> None:
        """Read from here on."""
        self._positions = dict(positions)
        self._consumer.assign([_at(place, position) for place, position in positions.items()])

    def read(self, most: int, seconds: float) -> list[Record]:
        """What there is, up to so many records; waits so long for the number to come together.

        Of heavy ones, such as ends of runs with their output, fewer are taken.
        """
        most = max(1, min(most, _MOST_BYTES // self._weight))
        messages: list[Any] = self._consumer.consume(most, seconds)
        if messages:
            self._weight = max(1, sum(map(len, messages)) // len(messages))
        for message in messages:
            error = message.error()
            if error is not None:
                raise _fault(error)
        return messages

    def positions(self) -> dict[Place, Position]:
        """The next record of every partition; transaction markers are behind us, too."""
        for at in self._consumer.position([TopicPartition(*place) for place in self._positions]):
            if at.offset >= 0:
                epoch = at.leader_epoch
                place = Place(at.topic, at.partition)
                self._positions[place] = Position(at.offset, epoch)
        return dict(self._positions)

    def ends(self) -> dict[Place, int]:
        """Where each partition ended when it was last fetched from; nobody is asked for it."""
        found = {}
        for place, position in self._positions.items():
            _, end = self._consumer.get_watermark_offsets(TopicPartition(*place), cached=True)
            found[place] = max(end, position.next_offset)
        return found

    def pause(self, places: Iterable[Place]) -> None:
        """Read nothing from these partitions for now."""
        self._consumer.pause([TopicPartition(*place) for place in places])

    def resume(self, places: Iterable[Place]) -> None:
        """Read from these partitions again."""
        self._consumer.resume([TopicPartition(*place) for place in places])

    def close(self) -> None:
        """Leave the broker."""
        self._consumer.close()
        self._edges.close()


def _at(place: Place, position: Position) -> TopicPartition:
    epoch = position.leader_epoch
    if epoch is None or epoch < 0:
        return TopicPartition(*place, position.next_offset)
    return TopicPartition(*place, position.next_offset, leader_epoch=epoch)


def _fault(error: KafkaError) -> Exception:
    """The client's error as a fault of ours."""
    code = error.code()
    if code in _GONE:
        return RebuildNeeded(
            "the log has no record at the place to read from, `horae rebuild` builds the views"
            f" anew: {error.str()}"
        )
    if code in _FOR_GOOD or error.fatal():
        return LogRefuses(f"{error.name()}: {error.str()}")
    return Transient(f"{error.name()}: {error.str()}")
