"""
What does a run write while it goes on?

Reads its chunks in horae.output from some point on, without joining a group. The topic keeps an
hour; what is left of a run that is over stands in the views. When it is over is not said there.
"""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Self

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from horae.client.faults import NoTopic, NotReachable
from horae.client.options import consumer
from schemas.codec import decode_as
from schemas.faults import Unreadable
from schemas.identity import partition_of
from schemas.orders import OutputChunk
from schemas.topics import OUTPUT

_LOG = logging.getLogger(__name__)
_CALL = 10.0
_BATCH = 1_000


class OutputTail:
    """The chunks of one run. Not to be shared between threads."""

    def __init__(self, bootstrap: str, subject: str, run: str, since: int) -> None:
        """From `since` on, microseconds of UTC; what is older than the topic keeps is gone."""
        self._bootstrap = bootstrap
        self._key = run.encode()
        self._consumer = Consumer({**consumer(bootstrap), "client.id": "horae-output"})
        try:
            self._place = self._begin(subject, since)
        except KafkaException as fault:
            self._consumer.close()
            raise _not_reachable(bootstrap, fault) from fault

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._consumer.close()

    def read(self, within: float) -> list[OutputChunk]:
        """What has come, or comes before so many seconds have passed."""
        first = self._consumer.poll(within)
        messages = [first, *self._consumer.consume(_BATCH, 0)] if first is not None else []
        return [chunk for message in messages for chunk in self._chunk(message)]

    def is_at(self, end: int) -> bool:
        """Whether all before that offset is read."""
        [place] = self._consumer.position([self._place])
        # before the first record the client knows no position
        return max(place.offset, self._place.offset) >= end

    def end(self) -> int:
        """Where the partition ends now."""
        try:
            _, end = self._consumer.get_watermark_offsets(self._place, timeout=_CALL)
        except KafkaException as fault:
            raise _not_reachable(self._bootstrap, fault) from fault
        return int(end)

    def _begin(self, subject: str, since: int) -> TopicPartition:
        found = self._consumer.list_topics(OUTPUT, timeout=_CALL).topics[OUTPUT]
        if not found.partitions:
            self._consumer.close()
            raise NoTopic(self._bootstrap, OUTPUT, sending=False)
        partition = partition_of(subject, len(found.partitions))
        asked = [TopicPartition(OUTPUT, partition, since // 1_000)]
        [place] = self._consumer.offsets_for_times(asked, timeout=_CALL)
        if place.offset < 0:  # nothing is as late as that
            _, end = self._consumer.get_watermark_offsets(place, timeout=_CALL)
            place = TopicPartition(OUTPUT, partition, end)
        self._consumer.assign([place])
        return place

    def _chunk(self, message: Message) -> list[OutputChunk]:
        error, value = message.error(), message.value()
        if error is not None:
            # Positions are only lost if retention has overtaken us; all else heals itself.
            _LOG.warning("the output could not be read: %s", error.str())
            return []
        if message.key() != self._key or value is None:
            return []
        try:
            return [decode_as(value, OutputChunk)]
        except Unreadable as fault:
            _LOG.warning("a part of the output was left out: %s", fault)
            return []


def _not_reachable(bootstrap: str, fault: KafkaException) -> NotReachable:
    error = fault.args[0]
    detail = error.str() if isinstance(error, KafkaError) else str(error)
    return NotReachable(bootstrap, detail, sending=False)
