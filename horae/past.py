"""
What has been written into the ledger so far?

Reads one partition of horae.events after the other to its present end, and horae.globals, without
joining a group: nothing is kept, so that a ledger of any length can be read. What is being written
is tail.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from types import TracebackType
from typing import Final, NamedTuple, Self

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from horae.client.faults import NoTopic, NotReachable
from horae.client.options import consumer
from schemas.codec import Recorded, decode_as, decode_event
from schemas.faults import Unreadable
from schemas.identity import partition_of
from schemas.schedule import ScheduleRow
from schemas.topics import EVENTS, GLOBALS, SCHEDULES, STATE
from streams.account.worlds import GlobalNote
from streams.clock import Deadline
from streams.decider.state import Plan
from streams.processor.globals import read_global
from streams.processor.partitions import plan_of

_CALL: Final = 10.0
_SILENCE: Final = 15.0
_BATCH: Final = 5_000
_PATIENCE: Final = 0.2

Told = Callable[[int, int], None]
"""Told how many records are read, and of how many."""


class Place(NamedTuple):
    """A partition and what it has at the moment: offsets in [low, high)."""

    partition: int
    low: int
    high: int


class Past:
    """The log of one broker up to now. Not to be shared between threads."""

    def __init__(self, bootstrap: str, told: Told | None = None) -> None:
        self._bootstrap = bootstrap
        self._told = told
        options = {
            "client.id": "horae-past",
            "enable.partition.eof": True,
            # So long a partition's end is waited at, and the next one's first record behind it.
            "fetch.wait.max.ms": 10,
        }
        self._consumer = Consumer({**consumer(bootstrap), **options})
        self._read = 0
        self.unreadable = 0
        """Records of the ledger that are none of ours, and were left out."""
        try:
            self.places = self._places(EVENTS)
        except BaseException:
            self._consumer.close()
            raise
        self._total = sum(place.high - place.low for place in self.places)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._consumer.close()

    def of(self, subjects: Collection[str]) -> list[Place]:
        """The partitions that these subjects live in; of none named, all."""
        partitions = {partition_of(subject, len(self.places)) for subject in subjects}
        found = [one for one in self.places if not subjects or one.partition in partitions]
        self._total = sum(place.high - place.low for place in found)
        return found

    def events(self, place: Place) -> Iterator[Recorded]:
        """The events of one partition, in their order."""
        for message in self._messages(EVENTS, place):
            value = message.value()
            if value is None:
                continue
            try:
                yield decode_event(value)
            except Unreadable:
                self.unreadable += 1

    def globals(self) -> list[GlobalNote]:
        """All records of horae.globals that are left."""
        found = []
        for place in self._places(GLOBALS):
            for message in self._messages(GLOBALS, place):
                told = read_global(message.key(), message.value(), message.offset() or 0)
                found.append(GlobalNote(told.offset, told.name, told.record))
        return found

    def plans(self, wanted: Callable[[str], bool]) -> dict[str, Plan]:
        """The schedules of the public table, as they are now; also in the midst of reading."""
        with Past(self._bootstrap) as other:
            return other._plans(wanted)

    def state(self, subject: str) -> Iterator[tuple[bytes, bytes | None]]:
        """The records of horae.state in the subject's partition, oldest first; None: it is gone."""
        place = self._places(STATE)[partition_of(subject, len(self.places))]
        for message in self._messages(STATE, place):
            yield message.key() or b"", message.value()

    def _plans(self, wanted: Callable[[str], bool]) -> dict[str, Plan]:
        found: dict[str, Plan] = {}
        for place in self._places(SCHEDULES):
            for message in self._messages(SCHEDULES, place):
                schedule = (message.key() or b"").decode(errors="replace")
                if wanted(schedule):
                    self._put(found, schedule, message.value())
        return found

    def _put(self, found: dict[str, Plan], schedule: str, value: bytes | None) -> None:
        if value is None:
            found.pop(schedule, None)
            return
        try:
            found[schedule] = plan_of(schedule, decode_as(value, ScheduleRow))
        except Unreadable:
            self.unreadable += 1

    def _places(self, topic: str) -> list[Place]:
        try:
            known = self._consumer.list_topics(topic, timeout=_CALL).topics[topic].partitions
            if not known:
                raise NoTopic(self._bootstrap, topic, sending=False)
            return [
                Place(number, *self._consumer.get_watermark_offsets(place, timeout=_CALL))
                for number in sorted(known)
                for place in [TopicPartition(topic, number)]
            ]
        except KafkaException as fault:
            raise self._not_reachable(fault.args[0]) from fault

    def _messages(self, topic: str, place: Place) -> Iterator[Message]:
        if place.low >= place.high:
            return
        self._consumer.assign([TopicPartition(topic, place.partition, place.low)])
        silent = Deadline.after(_SILENCE)
        is_over = False
        while not is_over:
            batch = self._next()
            if batch:
                silent = Deadline.after(_SILENCE)
            elif silent.over:
                raise self._not_reachable(f"{topic} was not read to its end")
            found = [message for message in batch if message.error() is None]
            is_over = self._is_over(batch, place.high)
            yield from (one for one in found if (one.offset() or 0) < place.high)
            if topic == EVENTS and self._told is not None:
                self._read += len(found)
                self._told(self._read, self._total)

    def _next(self) -> list[Message]:
        """What is there. Asked for many, the client would wait until there are so many."""
        first = self._consumer.poll(_PATIENCE)
        return [] if first is None else [first, *self._consumer.consume(_BATCH, 0)]

    def _is_over(self, batch: list[Message], high: int) -> bool:
        """Whether all is read that was there at the start, or that is committed now."""
        for error in (message.error() for message in batch):
            if error is None:
                continue
            if error.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 - so it is called
                return True
            # A position that is gone is the end of it; all else heals itself, or falls silent.
            if error.code() == KafkaError._AUTO_OFFSET_RESET:  # noqa: SLF001 - so it is called
                raise self._not_reachable("retention has overtaken the reading")
        return bool(batch) and (batch[-1].offset() or 0) >= high - 1

    def _not_reachable(self, error: object) -> NotReachable:
        detail = error.str() if isinstance(error, KafkaError) else str(error)
        return NotReachable(self._bootstrap, detail, sending=False)
