"""
What is written into the ledger, from some point on?

Reads horae.events committed, all partitions or the one of a subject, without joining a group. What
was there at the start comes in the order of decision, over all partitions (merging.py); what comes
later, as it comes. How an event is shown is ledger.py.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from types import TracebackType
from typing import Self

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from horae.client.faults import NoTopic, NotReachable
from horae.client.options import consumer
from horae.merging import Merge
from schemas.codec import Recorded, decode_event
from schemas.faults import Unreadable
from schemas.identity import partition_of, subject_of
from schemas.topics import EVENTS

_LOG = logging.getLogger(__name__)
_CALL = 10.0
_BATCH = 1_000
_WAITING = 20_000
"""So many events of a partition wait for those of others, and no more of it is read."""


class From(Enum):
    """Where reading begins, if not at an instant."""

    BEGINNING = "beginning"
    END = "end"


@dataclass(frozen=True, slots=True)
class Stretch:
    """What was read at once; `caught_up` when all that was there at the start has been read."""

    events: tuple[Recorded, ...]
    caught_up: bool


class Tail:
    """The ledger from some point on. Not to be shared between threads."""

    def __init__(
        self, bootstrap: str, start: From | int = From.END, schedule: str | None = None
    ) -> None:
        self._bootstrap = bootstrap
        self._schedule = schedule
        self._consumer = Consumer({**consumer(bootstrap), "client.id": "horae-tail"})
        self._ends: dict[int, int] = {}
        """Where partitions ended at the start that are not yet read to there."""
        self._merge = Merge(())
        self._later: list[Recorded] = []
        """What is behind those ends, kept until all of them are reached."""
        self._partitions: set[int] = set()
        self._resting: set[int] = set()
        """Partitions that are not read at the moment."""
        try:
            self._begin(start)
        except KafkaException as fault:
            self._consumer.close()
            error = fault.args[0]
            detail = error.str() if isinstance(error, KafkaError) else str(error)
            raise NotReachable(bootstrap, detail, sending=False) from fault

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._consumer.close()

    def read(self, within: float) -> Stretch:
        """What has come, or comes before so many seconds have passed."""
        first = self._consumer.poll(within)
        messages = [first, *self._consumer.consume(_BATCH, 0)] if first is not None else []
        for message in messages:
            error = message.error()
            if error is not None:
                # Positions are only lost if retention has overtaken us; all else heals itself.
                _LOG.warning("the ledger could not be read: %s", error.str())
                continue
            for recorded in self._read_one(message.value()):
                self._keep(message.partition() or 0, message.offset() or 0, recorded)
        return self._whose_turn_it_is()

    def _keep(self, partition: int, offset: int, recorded: Recorded) -> None:
        if offset < self._ends.get(partition, 0):
            self._merge.put(partition, recorded)
        else:
            self._later.append(recorded)

    def _whose_turn_it_is(self) -> Stretch:
        self._close_what_is_read()
        found = list(self._merge.take())
        if not self._ends:
            found += sorted(self._later, key=lambda recorded: recorded.stamp.decided_at)
            self._later = []
        self._rest_or_go_on()
        return Stretch(tuple(found), caught_up=not self._ends)

    def _rest_or_go_on(self) -> None:
        """Do not read far ahead in one partition while others are behind."""
        far = {
            partition for partition in self._merge.open if self._merge.waiting(partition) > _WAITING
        }
        if self._ends:
            far |= self._partitions - self._ends.keys()
        if far != self._resting:
            self._consumer.pause(_places(far - self._resting))
            self._consumer.resume(_places(self._resting - far))
            self._resting = far

    def _read_one(self, value: bytes | None) -> Iterator[Recorded]:
        if value is None:
            return
        try:
            recorded = decode_event(value)
        except Unreadable as fault:
            _LOG.warning("an event was left out: %s", fault)
            return
        if self._schedule in (None, getattr(recorded.event, "schedule", None)):
            yield recorded

    def _begin(self, start: From | int) -> None:
        found = self._consumer.list_topics(EVENTS, timeout=_CALL).topics[EVENTS]
        if not found.partitions:
            self._consumer.close()
            raise NoTopic(self._bootstrap, EVENTS, sending=False)
        wanted = sorted(found.partitions)
        if self._schedule is not None:
            wanted = [partition_of(subject_of(self._schedule), len(wanted))]
        places = [TopicPartition(EVENTS, partition) for partition in wanted]
        ends = {
            place.partition: self._consumer.get_watermark_offsets(place, timeout=_CALL)
            for place in places
        }
        begun = self._offsets(places, start, ends)
        self._ends = {
            partition: end for partition, (_, end) in ends.items() if begun[partition] < end
        }
        self._merge = Merge(self._ends)
        self._partitions = set(begun)
        self._consumer.assign(
            [TopicPartition(EVENTS, partition, at) for partition, at in begun.items()]
        )

    def _offsets(
        self,
        places: list[TopicPartition],
        start: From | int,
        ends: dict[int, tuple[int, int]],
    ) -> dict[int, int]:
        if start is From.BEGINNING:
            return {partition: low for partition, (low, _) in ends.items()}
        if start is From.END:
            return {partition: high for partition, (_, high) in ends.items()}
        asked = [TopicPartition(p.topic, p.partition, int(start) // 1_000) for p in places]
        return {
            # A negative offset says that nothing is as late as that.
            place.partition: place.offset if place.offset >= 0 else ends[place.partition][1]
            for place in self._consumer.offsets_for_times(asked, timeout=_CALL)
        }

    def _close_what_is_read(self) -> None:
        if not self._ends:
            return
        for place in self._consumer.position(_places(self._ends)):
            if place.offset >= self._ends[place.partition]:
                del self._ends[place.partition]
                self._merge.close(place.partition)


def _places(partitions: Iterable[int]) -> list[TopicPartition]:
    return [TopicPartition(EVENTS, partition) for partition in partitions]
