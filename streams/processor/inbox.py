"""
What was asked since the last look, and which partitions are ours?

The consumer of horae.commands. `poll` is the only place where the group may move partitions; what
that means for the memory of this process is told to the `Ownership` given. Where a partition is
read from is never left to the group: it is not read at all before restore.py says where to go on.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from schemas.topics import COMMANDS
from streams.clock import Deadline, pause
from streams.faults import PartitionStopped, RetryCall, StartOver
from streams.processor.intake import InboxRecord
from streams.processor.membership import Membership, membership_of
from streams.processor.unpacking import SMALL_FETCHES, end_of_batch
from streams.settings import ProcessorSettings

log = logging.getLogger(__name__)

_PASSED = (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE)  # noqa: SLF001 - the client's own name
"""Retention, or somebody with rights, removed what is to be read next."""


class Ownership(Protocol):
    """Who is told when partitions come and go."""

    def taken(self, partitions: list[int]) -> None:
        """These are ours from now on; nothing is known of them yet."""

    def lost(self, partitions: list[int]) -> None:
        """These are somebody else's: forget them and commit nothing for them."""

    def stop(self, fault: PartitionStopped) -> None:
        """A partition cannot be read on: leave it alone, loudly."""


def consumer_options(settings: ProcessorSettings, name: str) -> dict[str, Any]:
    """Everything that exactly-once rests on, set by hand."""
    options: dict[str, Any] = {
        "bootstrap.servers": settings.bootstrap,
        "client.id": name,
        "group.id": settings.group,
        "group.protocol": settings.group_protocol,
        "isolation.level": "read_committed",
        "auto.offset.reset": "error",
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "enable.partition.eof": False,
        "max.poll.interval.ms": int(settings.max_poll_interval * 1000),
        "fetch.wait.max.ms": 20,
        "fetch.error.backoff.ms": 50,
        "retry.backoff.ms": 10,
        "log_level": 3,
        **SMALL_FETCHES,
    }
    if settings.group_protocol == "classic":
        options |= {
            "partition.assignment.strategy": "cooperative-sticky",
            "session.timeout.ms": int(settings.session_timeout * 1000),
            "heartbeat.interval.ms": max(200, int(settings.session_timeout * 1000) // 4),
        }
    return options


class Inbox:
    """The commands of the partitions that the group gave us."""

    def __init__(self, settings: ProcessorSettings, name: str, ownership: Ownership) -> None:
        self._ownership = ownership
        self._bootstrap = settings.bootstrap
        self._consumer = Consumer(consumer_options(settings, name) | {"error_cb": self._on_error})
        self._fault: StartOver | None = None
        self._assigned: set[int] = set()
        """Partitions that are assigned to the client; a fresh one of ours is not."""
        self.membership = Membership(b"", -1, "")
        """As of the last poll; the only one that offsets may be sent under."""
        self._consumer.subscribe(
            [COMMANDS],
            on_assign=self._on_assign,
            on_revoke=self._on_revoke,
            on_lost=self._on_revoke,
        )

    def poll(self, wait: float, most: int) -> list[InboxRecord]:
        """Wait up to `wait` seconds for a first record, then take what is there."""
        first = self._consumer.poll(wait)
        messages = [] if first is None else [first]
        if first is not None and most > 1:
            messages += self._consumer.consume(most - 1, 0)
        self.membership = membership_of(self._consumer.consumer_group_metadata())
        if self._fault is not None:
            raise self._fault
        return self._sorted_out(messages)

    def go_on_from(self, offsets: Mapping[int, int], within: float = 10.0) -> None:
        """Read these partitions from here on."""
        deadline = Deadline.after(within)
        places = [TopicPartition(COMMANDS, number, offset) for number, offset in offsets.items()]
        known = [place for place in places if place.partition in self._assigned]
        fresh = [place for place in places if place.partition not in self._assigned]
        for place in known:
            self._seek(place, deadline)
        self._consumer.resume(known)
        if fresh:
            self._consumer.incremental_assign(fresh)
            self._assigned |= {place.partition for place in fresh}

    def rest(self, partitions: Iterable[int]) -> None:
        """Read nothing of these partitions for now."""
        read = [number for number in partitions if number in self._assigned]
        self._consumer.pause([TopicPartition(COMMANDS, number) for number in read])

    def position(self, partition: int) -> int:
        """The offset that is read next, past markers and aborted records."""
        found: int = self._consumer.position([TopicPartition(COMMANDS, partition)])[0].offset
        return found

    def lag(self, partition: int, next_offset: int) -> int:
        """Records behind the last one decided, as far as the client has heard; no markers."""
        try:
            here = TopicPartition(COMMANDS, partition)
            _, end = self._consumer.get_watermark_offsets(here, cached=True)
            passed = self.position(partition)
        except KafkaException:
            return 0
        return max(0, end - max(next_offset, passed))

    def committed(self, partition: int, within: float) -> int | None:
        """The group's stable offset; RetryCall while a predecessor's commit is still pending."""
        try:
            found = self._consumer.committed([TopicPartition(COMMANDS, partition)], within)[0]
        except KafkaException as fault:
            raise _not_had(fault.args[0]) from fault
        if found.error is not None:
            raise _not_had(found.error)
        return None if found.offset < 0 else int(found.offset)

    def close(self) -> None:
        """Leave the group, so that others go on at once."""
        self._consumer.close()

    def _seek(self, where: TopicPartition, deadline: Deadline) -> None:
        """Seek; right after an assignment the client refuses that for a moment."""
        while True:
            try:
                self._consumer.seek(where)
            except KafkaException as fault:
                if fault.args[0].code() != KafkaError._STATE or deadline.over:  # noqa: SLF001 - the client's own name
                    raise StartOver(f"seek of {where}: {fault}") from fault
                pause(0.01)
            else:
                return

    def _sorted_out(self, messages: list[Message]) -> list[InboxRecord]:
        records = []
        spoiled: dict[int, Message] = {}
        for message in messages:
            error = message.error()
            if error is not None and error.code() == KafkaError._BAD_COMPRESSION:  # noqa: SLF001 - the client's own name
                spoiled[message.partition() or 0] = message
            elif self._is_record(message):
                records.append(_record(message))
        return records + [self._pass_over(message) for message in spoiled.values()]

    def _pass_over(self, message: Any) -> InboxRecord:
        """Go on behind a batch that the client cannot unpack; it would try again for ever."""
        number, first = message.partition(), message.offset()
        here = TopicPartition(COMMANDS, number, first)
        end = end_of_batch(self._bootstrap, here)
        self._seek(TopicPartition(COMMANDS, number, end), Deadline.after(10.0))
        fault = f"offsets {first} to {end - 1}: {message.error().str()}"
        return InboxRecord(number, end - 1, 0, None, None, (), fault)

    def _is_record(self, message: Message) -> bool:
        error = message.error()
        if error is None:
            return True
        if error.fatal():
            raise StartOver(error.str())
        number = message.partition()
        if error.code() in _PASSED and number is not None:
            detail = f"the next command is no longer in {COMMANDS} ({error.str()})"
            self._ownership.stop(PartitionStopped(number, detail))
        else:
            log.warning("inbox: %s", error.str())
        return False

    def _on_assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        # Not assigned before it is known where to go on. A logical offset, such as the beginning,
        # has the client ask the broker; if that answer is lost, because the broker dies, the
        # client goes there later, whatever was sought meanwhile, and all is read once more.
        consumer.incremental_assign([])
        self._ownership.taken([p.partition for p in partitions])

    def _on_revoke(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self._ownership.lost([p.partition for p in partitions])
        read = [one for one in partitions if one.partition in self._assigned]
        self._assigned -= {one.partition for one in read}
        consumer.incremental_unassign(read)

    def _on_error(self, error: KafkaError) -> None:
        log.warning("consumer: %s", error.str())
        if error.fatal():
            self._fault = StartOver(error.str())


def _not_had(error: KafkaError) -> RetryCall | StartOver:
    """Why there is no committed offset: it is not decided yet, or the group is not there."""
    detail = f"the committed offset is not to be had: {error.str()}"
    pending = error.code() in (KafkaError._TIMED_OUT, KafkaError.UNSTABLE_OFFSET_COMMIT)  # noqa: SLF001 - the client's own name
    return RetryCall(detail) if pending else StartOver(detail)


def _record(message: Any) -> InboxRecord:
    """A record as it was read; the client's types leave open what every record has."""
    fault = None
    try:
        headers = message.headers() or ()
    except (SystemError, UnicodeDecodeError) as raised:  # the first is what the client makes of it
        headers, fault = (), f"a header's name is not UTF-8: {raised.__cause__ or raised}"
    return InboxRecord(
        message.partition(),
        message.offset(),
        message.timestamp()[1] * 1_000,
        message.key(),
        message.value(),
        headers,
        fault,
    )
