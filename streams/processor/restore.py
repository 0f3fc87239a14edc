"""
How does a partition get into memory, whole, before anything of it is decided?

A take-over goes through its steps while other partitions fire on: read what is stable, fence the
last owner out if it is gone, wait for the group's stable offset, then read to the ends as an
uncommitted reader sees them. `step` is called once an iteration and never takes long; every wait
has a limit.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Protocol

from confluent_kafka import Consumer, KafkaException, TopicPartition

from schemas.faults import Unreadable
from schemas.snapshot import Owner
from schemas.topics import COMMANDS, SCHEDULES, STATE
from streams.clock import Deadline
from streams.faults import PartitionStopped, RetryCall, StartOver
from streams.processor.offsets import Offsets
from streams.processor.partitions import Partition
from streams.processor.takeover import Place, TakeOver, fill
from streams.processor.transaction import fence_out
from streams.settings import ProcessorSettings

log = logging.getLogger(__name__)

CHUNK = 20_000
ACQUAINTED = 2.0
ONE_LOOK = 0.25
"""Seconds that a question may take whose answer may be pending: others fire meanwhile."""


class GroupOffsets(Protocol):
    """Who knows the group's stable offsets."""

    def committed(self, partition: int, within: float) -> int | None:
        """The offset that the group committed; RetryCall while a commit is pending."""


class Restore:
    """All take-overs under way."""

    def __init__(
        self, settings: ProcessorSettings, name: str, offsets: Offsets, group: GroupOffsets
    ) -> None:
        self._settings = settings
        self._name = name
        self._offsets = offsets
        self._group = group
        self._under_way: dict[int, TakeOver] = {}
        self._rounds = 0
        self._fenced_out: dict[str, int] = {}
        """Instances that were fenced out, and in which round."""
        self.stopped: list[PartitionStopped] = []
        """Partitions whose log is not what it should be; whoever steps takes them from here."""
        self._consumer = Consumer(
            {
                "bootstrap.servers": settings.bootstrap,
                "client.id": f"{name}-restore",
                "group.id": f"{settings.group}-restore-{name}",
                "isolation.level": "read_committed",
                "auto.offset.reset": "error",
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "fetch.wait.max.ms": 20,
                "fetch.message.max.bytes": 8 * 1024 * 1024,
                "queued.max.messages.kbytes": 256 * 1024,
                "queued.min.messages": 500_000,
                "log_level": 3,
            }
        )
        # A client that knows its topics' leaders begins to fetch at once; one that has to ask for
        # them does so once a second.
        with suppress(KafkaException):
            for topic in (STATE, SCHEDULES):
                self._consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=ACQUAINTED)

    def begin(self, numbers: list[int]) -> None:
        """Take these partitions over."""
        self._rounds += 1
        places = _places(numbers)
        stable, since = self._offsets.stable_ends(places), self._offsets.beginnings(places)
        for number in numbers:
            self._under_way[number] = TakeOver(
                number=number,
                deadline=Deadline.after(self._settings.restore_deadline),
                since={place: at for place, at in since.items() if place[1] == number},
                until={place: at for place, at in stable.items() if place[1] == number},
                round=self._rounds,
            )
        self._consumer.incremental_assign(
            [TopicPartition(*place, offset) for place, offset in since.items()]
        )

    def forget(self, numbers: list[int]) -> None:
        """These are no longer ours."""
        ours = [number for number in numbers if self._under_way.pop(number, None)]
        if ours:
            self._consumer.incremental_unassign(_places(ours))

    def step(self, patience: float) -> list[Partition]:
        """Read on for about `patience` seconds; returns what is whole by now."""
        if not self._under_way:
            return []
        self._take(self._consumer.consume(CHUNK, patience))
        whole = []
        for take_over in list(self._under_way.values()):
            try:
                if self._is_read(take_over) and self._go_on(take_over):
                    whole.append(self._finish(take_over))
                elif take_over.deadline.over:
                    raise StartOver(self._too_late(take_over))
            except (PartitionStopped, Unreadable, UnicodeDecodeError) as fault:
                self.forget([take_over.number])
                self.stopped.append(_stopped(take_over, fault))
        return whole

    @property
    def progress(self) -> dict[int, float]:
        """The share of the log that was read, for each partition under way."""
        return {number: self._share(one) for number, one in self._under_way.items()}

    def __len__(self) -> int:
        return len(self._under_way)

    def close(self) -> None:
        """Stop reading."""
        self._consumer.close()

    def _take(self, messages: Iterable[Any]) -> None:
        """Keep the newest value of each key."""
        for message in messages:
            take_over = self._under_way.get(message.partition())
            if message.error() is not None:
                log.warning("restore: %s", message.error().str())
            elif take_over is not None:
                table, key, value = (
                    take_over.tables[message.topic()],
                    message.key(),
                    message.value(),
                )
                if value is None:
                    table.pop(key or b"", None)
                else:
                    table[key or b""] = value

    def _is_read(self, take_over: TakeOver) -> bool:
        here = self._here(take_over)
        return all(here[place] >= end for place, end in take_over.until.items())

    def _here(self, take_over: TakeOver) -> dict[Place, int]:
        """What is read next of each topic; an empty partition has no position of its own."""
        places = [TopicPartition(*place) for place in take_over.until]
        return {
            (at.topic, at.partition): max(at.offset, take_over.since[at.topic, at.partition])
            for at in self._consumer.position(places)
        }

    def _go_on(self, take_over: TakeOver) -> bool:
        """After the stable end: make sure nobody can add to it, then read to the true end."""
        if take_over.final:
            return True
        if not take_over.fenced:
            self._fence(take_over)
            take_over.fenced = True
        try:
            take_over.committed = self._group.committed(take_over.number, ONE_LOOK)
        except RetryCall:
            return False
        take_over.until = self._offsets.ends(_places([take_over.number]))
        take_over.final = True
        return self._is_read(take_over)

    def _fence(self, take_over: TakeOver) -> None:
        """See to it that the last owner, if it is gone, leaves nothing open and adds nothing."""
        owner = take_over.owner
        if owner is None:
            return
        instance = owner.instance
        if self._fenced_out.get(instance, 0) >= take_over.round:
            return  # since this partition is ours
        if instance not in self._offsets.members() | {self._name}:
            log.info("partition %d: fencing out %s", take_over.number, instance)
            fence_out(self._settings, instance)
            self._fenced_out[instance] = self._rounds

    def _finish(self, take_over: TakeOver) -> Partition:
        number = take_over.number
        self.forget([number])
        inbox = TopicPartition(COMMANDS, number)
        owner = take_over.owner or self._first_owner(take_over, inbox)
        owner = self._checked(take_over, owner, inbox)
        partition = Partition(number, owner)
        gc.disable()
        try:
            fill(partition, take_over)
        finally:
            gc.enable()
        partition.inbox_end = self._offsets.end(inbox)
        log.info("partition %d: %d schedules restored", number, len(partition.residents))
        return partition

    def _first_owner(self, take_over: TakeOver, inbox: TopicPartition) -> Owner:
        if take_over.committed is not None or not take_over.is_empty:
            self._stop(take_over, "its state has no owner's record, but something was decided")
        begin = self._offsets.beginnings([inbox])[inbox.topic, inbox.partition]
        return Owner(
            instance=self._name,
            next_offset=begin,
            topic_id=self._offsets.topic_id(COMMANDS),
            base=0,
            next_sequence=0,
            globals_offset=-1,
            written_at=0,
        )

    def _checked(self, take_over: TakeOver, owner: Owner, inbox: TopicPartition) -> Owner:
        """The owner's record, if it fits the inbox that is there."""
        topic_id = self._offsets.topic_id(COMMANDS)
        if owner.topic_id != topic_id:
            return self._adopted(take_over, owner, topic_id, inbox)
        committed = take_over.committed
        if committed is not None and committed != owner.next_offset and owner.written_at:
            self._stop(
                take_over,
                f"the state goes on at offset {owner.next_offset}, the group at {committed}",
            )
        begin = self._offsets.beginnings([inbox])[inbox.topic, inbox.partition]
        if owner.next_offset < begin:
            self._stop(
                take_over,
                f"the next command is {owner.next_offset}, but the inbox begins at {begin}:"
                " retention passed it while nobody was reading",
            )
        return owner

    def _adopted(
        self, take_over: TakeOver, owner: Owner, topic_id: str, inbox: TopicPartition
    ) -> Owner:
        """The same state under another inbox, if the operator said so."""
        if self._settings.adopt_inbox != topic_id:
            self._stop(
                take_over,
                f"the inbox is another topic (id {topic_id}, known {owner.topic_id}); if that is"
                f" meant, start once with HORAE_ADOPT_INBOX={topic_id}",
            )
        begin = self._offsets.beginnings([inbox])[inbox.topic, inbox.partition]
        base = owner.base + owner.next_offset
        log.warning("partition %d: adopted inbox %s, base %d", take_over.number, topic_id, base)
        return Owner(
            self._name, begin, topic_id, base, owner.next_sequence, owner.globals_offset, 0
        )

    def _stop(self, take_over: TakeOver, detail: str) -> None:
        raise PartitionStopped(take_over.number, detail)

    def _too_late(self, take_over: TakeOver) -> str:
        """What a take-over still waited for when its time was over."""
        here = self._here(take_over)
        left = [
            f"{place[0]} is read to {here[place]} of {end}"
            for place, end in take_over.until.items()
            if here[place] < end
        ]
        waited_for = "; ".join(left) or "the group's offset is not settled"
        return f"partition {take_over.number} was not restored in time: {waited_for}"

    def _share(self, take_over: TakeOver) -> float:
        end = sum(take_over.until.values())
        here = sum(self._here(take_over).values())
        return 1.0 if end == 0 else min(1.0, here / end)


def _stopped(take_over: TakeOver, fault: Exception) -> PartitionStopped:
    if isinstance(fault, PartitionStopped):
        return fault
    return PartitionStopped(take_over.number, f"its state cannot be read: {fault}")


def _places(numbers: list[int]) -> list[TopicPartition]:
    return [TopicPartition(topic, n) for n in numbers for topic in (STATE, SCHEDULES)]
