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
from dataclasses import dataclass, field
from typing import Any, Protocol

from confluent_kafka import Consumer, TopicPartition

from schemas.codec import decode_as
from schemas.faults import Unreadable
from schemas.snapshot import Answer, Owner
from schemas.topics import COMMANDS, SCHEDULES, STATE
from streams.clock import Deadline
from streams.faults import PartitionStopped, StartOver
from streams.processor.offsets import Offsets
from streams.processor.partitions import Partition, Resident
from streams.processor.transaction import fence_out
from streams.settings import ProcessorSettings

log = logging.getLogger(__name__)

CHUNK = 20_000
Place = tuple[str, int]


class GroupOffsets(Protocol):
    """Who knows the group's stable offsets."""

    def committed(self, partition: int, within: float) -> int | None:
        """The offset that the group committed, after what is pending is decided."""


@dataclass(slots=True)
class _TakeOver:
    """One partition on its way into memory."""

    number: int
    deadline: Deadline
    since: dict[Place, int]
    """Where each topic's partition begins."""
    until: dict[Place, int]
    """Read each topic up to here; first the stable ends, then the true ones."""
    begun_at: int
    fenced: bool = False
    committed: int | None = None
    owner: Owner | None = None
    rows: dict[str, bytes] = field(default_factory=dict)
    cursors: dict[str, bytes] = field(default_factory=dict)
    answers: dict[str, bytes] = field(default_factory=dict)
    read: int = 0


class Restore:
    """All take-overs under way."""

    def __init__(
        self, settings: ProcessorSettings, name: str, offsets: Offsets, group: GroupOffsets
    ) -> None:
        self._settings = settings
        self._name = name
        self._offsets = offsets
        self._group = group
        self._under_way: dict[int, _TakeOver] = {}
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

    def begin(self, numbers: list[int], now: int) -> None:
        """Take these partitions over."""
        places = _places(numbers)
        stable, since = self._offsets.stable_ends(places), self._offsets.beginnings(places)
        for number in numbers:
            self._under_way[number] = _TakeOver(
                number=number,
                deadline=Deadline.after(self._settings.restore_deadline),
                since={place: at for place, at in since.items() if place[1] == number},
                until={place: at for place, at in stable.items() if place[1] == number},
                begun_at=now,
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
        """Read on for about `patience` seconds; returns what is whole by now.

        Raises PartitionStopped for a partition whose log is not what it should be.
        """
        if not self._under_way:
            return []
        for message in self._consumer.consume(CHUNK, patience):
            self._take(message)
        whole = []
        for take_over in list(self._under_way.values()):
            if self._is_read(take_over) and self._go_on(take_over):
                whole.append(self._finish(take_over))
            elif take_over.deadline.over:
                raise StartOver(f"partition {take_over.number} was not restored in time")
        return whole

    @property
    def progress(self) -> dict[int, float]:
        """The share of the log that was read, for each partition under way."""
        return {number: self._share(one) for number, one in self._under_way.items()}

    def __bool__(self) -> bool:
        return bool(self._under_way)

    def close(self) -> None:
        """Stop reading."""
        self._consumer.close()

    def _take(self, message: Any) -> None:
        take_over = self._under_way.get(message.partition())
        if take_over is None or message.error() is not None:
            if message.error() is not None:
                log.warning("restore: %s", message.error().str())
            return
        take_over.read += 1
        key, value = message.key(), message.value()
        if message.topic() == SCHEDULES:
            _put(take_over.rows, key.decode(), value)
            return
        kind = key[:2]
        if kind == b"p|":
            _put(take_over.cursors, key[2:].decode(), value)
        elif kind == b"o|":
            take_over.owner = decode_as(value, Owner)
        elif kind == b"c|":
            _put(take_over.answers, key[2:].decode(), value)
        else:
            self._stop(take_over, f"{STATE} holds {key!r}, which this version does not know")

    def _is_read(self, take_over: _TakeOver) -> bool:
        here = self._here(take_over)
        return all(here[place] >= end for place, end in take_over.until.items())

    def _here(self, take_over: _TakeOver) -> dict[Place, int]:
        """What is read next of each topic; an empty partition has no position of its own."""
        places = [TopicPartition(*place) for place in take_over.until]
        return {
            (at.topic, at.partition): max(at.offset, take_over.since[at.topic, at.partition])
            for at in self._consumer.position(places)
        }

    def _go_on(self, take_over: _TakeOver) -> bool:
        """After the stable end: make sure nobody can add to it, then read to the true end."""
        if take_over.fenced:
            return True
        owner = take_over.owner
        if owner is not None and owner.instance not in self._offsets.members() | {self._name}:
            log.info("partition %d: fencing out %s", take_over.number, owner.instance)
            fence_out(self._settings, owner.instance)
        take_over.committed = self._group.committed(
            take_over.number, min(30.0, take_over.deadline.left)
        )
        take_over.until = self._offsets.ends(_places([take_over.number]))
        take_over.fenced = True
        return self._is_read(take_over)

    def _finish(self, take_over: _TakeOver) -> Partition:
        number = take_over.number
        self.forget([number])
        inbox = TopicPartition(COMMANDS, number)
        owner = take_over.owner or self._first_owner(take_over, inbox)
        owner = self._checked(take_over, owner, inbox)
        partition = Partition(number, owner)
        gc.disable()
        try:
            _fill(partition, take_over)
        except (Unreadable, KeyError) as fault:
            raise PartitionStopped(number, f"its state cannot be read: {fault!r}") from fault
        finally:
            gc.enable()
        partition.inbox_end = self._offsets.end(inbox)
        log.info("partition %d: %d schedules restored", number, len(partition.residents))
        return partition

    def _first_owner(self, take_over: _TakeOver, inbox: TopicPartition) -> Owner:
        if take_over.committed is not None or take_over.rows or take_over.cursors:
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

    def _checked(self, take_over: _TakeOver, owner: Owner, inbox: TopicPartition) -> Owner:
        """The owner's record, if it fits the inbox that is there."""
        topic_id = self._offsets.topic_id(COMMANDS)
        if owner.topic_id != topic_id:
            return self._adopted(take_over, owner, topic_id, inbox)
        committed = take_over.committed
        if committed is not None and committed != owner.next_offset and take_over.owner:
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
        self, take_over: _TakeOver, owner: Owner, topic_id: str, inbox: TopicPartition
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

    def _stop(self, take_over: _TakeOver, detail: str) -> None:
        self.forget([take_over.number])
        raise PartitionStopped(take_over.number, detail)

    def _share(self, take_over: _TakeOver) -> float:
        end = sum(take_over.until.values())
        here = sum(self._here(take_over).values())
        return 1.0 if end == 0 else min(1.0, here / end)


def _places(numbers: list[int]) -> list[TopicPartition]:
    return [TopicPartition(topic, n) for n in numbers for topic in (STATE, SCHEDULES)]


def _put(table: dict[str, bytes], key: str, value: bytes | None) -> None:
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value


def _fill(partition: Partition, take_over: _TakeOver) -> None:
    """Make residents of what was read; every row has its cursor and the other way round."""
    rows, cursors = take_over.rows, take_over.cursors
    if len(rows) != len(cursors):
        odd = rows.keys() ^ cursors.keys()
        raise KeyError(f"{len(odd)} schedules without row or cursor, such as {min(odd)}")
    residents = partition.residents
    while rows:
        schedule, row = rows.popitem()
        residents[schedule] = Resident(row, cursors.pop(schedule))
    partition.timers.load((one.due, schedule, one) for schedule, one in residents.items())
    answers = [(once, decode_as(value, Answer)) for once, value in take_over.answers.items()]
    for once, answer in sorted(answers, key=lambda one: one[1].answered_at):
        partition.keep_answer(once, answer)
