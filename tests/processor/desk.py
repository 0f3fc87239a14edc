"""
What does a processor do, without Kafka?

One partition, the batches over it and a log in memory: what a test needs to ask, let time pass and
read what was written. The loop's order is kept: commands first, then due timers, one batch a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from schemas.codec import decode_as
from schemas.commands import Command, Define
from schemas.definition import Cron, Definition, Emit
from schemas.events import Event
from schemas.globals import GlobalRecord, GlobalSettings
from schemas.instants import parse_instant
from schemas.reading import command_record
from schemas.replies import Reply
from schemas.snapshot import Owner
from schemas.topics import EVENTS, REPLIES, SCHEDULES, STATE
from streams.calendar.zones import zone_data_number
from streams.clock import Deadline
from streams.decider.state import Target, World
from streams.decider.worldview import fold
from streams.processor.batch import Batch
from streams.processor.draft import Write
from streams.processor.emitting import Header, Headers
from streams.processor.globals import Told
from streams.processor.intake import InboxRecord
from streams.processor.partitions import Partition, Phase
from streams.processor.rechecks import Rechecks
from streams.processor.recorded import Kept, kept
from streams.processor.second_looks import SecondLooks, look_again
from streams.processor.takeover import TakeOver, fill

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
NOON = parse_instant("2026-11-29T12:00:00Z")
HOURLY = Definition((Cron("0 * * * *"),), Emit("jobs", b"k", b"go"))


class Written(NamedTuple):
    """One record of a transaction."""

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    headers: Headers


def writing_into(written: list[Written]) -> Write:
    """A transaction that is a list."""
    return lambda records: written.extend(Written(*record) for record in records)


class Desk:
    """A partition of its own, number 0 of 1 unless told otherwise."""

    def __init__(self, now: int = NOON, partitions: int = 1, number: int = 0) -> None:
        self.now = now
        self.partitions = partitions
        self.partition = Partition(number, Owner("", 0, "topic", 0, 0, -1, 0))
        self.world = World(zone_data=zone_data_number())
        self.targets: dict[str, Target] = {}
        self.told: list[Told] = []
        self.inbox: list[InboxRecord] = []
        self.log: list[Written] = []
        """All that was committed."""
        self.rechecks = Rechecks()
        self.second_looks = SecondLooks()
        self.partition.phase = Phase.FIRING
        self.tell("settings", GlobalSettings(emit_topics=("jobs*",), at=now))

    def tell(self, name: str, record: GlobalRecord) -> None:
        """Put a record into horae.globals."""
        offset = len(self.told)
        self.told.append(Told(offset, name, record))
        self.world = fold(self.world, record, offset, name)

    def put(
        self,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[Header] = (),
        appended_at: int | None = None,
    ) -> int:
        """Put a record into the inbox; its offset."""
        offset = len(self.inbox)
        at = self.now if appended_at is None else appended_at
        record = InboxRecord(self.partition.number, offset, at, key, value, headers)
        self.inbox.append(record)
        return offset

    def ask(self, schedule: str, command: Command, command_id: str = "") -> int:
        """Put a command into the inbox; its offset."""
        key, value = command_record(schedule, command, command_id or f"id-{len(self.inbox)}")
        return self.put(key, value)

    def step(self, limit: int = 1_000) -> list[Written]:
        """One batch over what was asked and what is due, committed; what it wrote."""
        batch, written = self.draft(limit)
        batch.close("desk-1")
        batch.keep()
        self.log += written
        return written

    def draft(self, limit: int = 1_000) -> tuple[Batch, list[Written]]:
        """The same batch, neither closed nor kept."""
        written: list[Written] = []
        world = replace(self.world, targets=self.targets)
        batch = Batch(world, self.now, writing_into(written), self.partitions)
        self.rechecks.follow(world, [self.partition])
        self.second_looks.follow(world, [self.partition])
        for record in self.inbox[self.partition.owner.next_offset :]:
            batch.answer(self.partition, record)
        if not world.held:
            batch.recheck(self.rechecks.take())
            batch.ring(self.partition.timers.pop_due(self.now, limit))
        return batch, written

    def pass_time(self, micros: int) -> list[Written]:
        """Let time pass, then step."""
        self.now += micros
        return self.step()

    def restart(self) -> Partition:
        """The same partition from what was written of it; what was in memory before."""
        tables: dict[str, dict[bytes, bytes]] = {STATE: {}, SCHEDULES: {}}
        for topic, _, key, value, _ in self.log:
            if topic in tables and key is not None:
                tables[topic].pop(key, None)
                if value is not None:
                    tables[topic][key] = value
        before, number = self.partition, self.partition.number
        take_over = TakeOver(number, Deadline.after(1), {}, {}, 0, tables=tables)
        self.partition = Partition(number, take_over.owner or before.owner, phase=Phase.FIRING)
        fill(self.partition, take_over)
        look_again(self.partition)
        return before

    def ledger(self) -> list[Kept]:
        """The committed events, in their order."""
        return [kept(one.key or b"", one.value or b"") for one in self.log if one.topic == EVENTS]

    def events(self) -> list[Event]:
        """The same without stamps."""
        return [record.event for record in self.ledger()]

    def replies(self) -> list[Reply]:
        """The committed replies, in their order."""
        return [decode_as(one.value or b"", Reply) for one in self.log if one.topic == REPLIES]


def desk_with(*names: str) -> Desk:
    """A desk with these hourly schedules, `shop/a` alone unless told otherwise."""
    desk = Desk()
    for name in names or ("shop/a",):
        desk.ask(name, Define(HOURLY))
    desk.step()
    return desk


def last(written: list[Written], key: bytes) -> bytes | None:
    """The value under this key after all that was written."""
    return [one.value for one in written if one.key == key][-1]
