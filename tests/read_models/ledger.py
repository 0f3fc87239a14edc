"""
What does a processor write, for tests of the views?

Events with all that a test does not care about filled in, as records in memory or in real topics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Event as Wait
from time import time_ns
from typing import Any

from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec

from projections.records import Sources
from schemas.codec import encode, encode_event
from schemas.definition import Cron, Definition, Emit
from schemas.events import (
    Deferred,
    Event,
    Fired,
    Outcome,
    Reason,
    ScheduleChanged,
    ScheduleDefined,
    ScopeResult,
    Skipped,
    Stamp,
)
from schemas.globals import Hold
from schemas.instants import format_instant
from schemas.schedule import PauseNote, ScheduleRow, Status
from schemas.traffic import MinuteKind, Sample, TrafficMinute

NOON = 1_795_953_600_000_000
"""2026-11-29T12:00:00Z."""
SECOND = 1_000_000
MINUTE = 60 * SECOND
DAY = 86_400 * SECOND

_spec: Any = OffsetSpec
LATEST = _spec.latest()

NIGHTLY = "shop/nightly"
RULE = Definition((Cron("0 12 * * *"),), Emit("jobs", b"k", b"go"), zone="Europe/Berlin")


def stamp(sequence: int = 1, at: int = NOON, **changes: Any) -> Stamp:
    plain = Stamp(at, 0, None, -1, sequence, "system")
    return plain._replace(**changes)


def fired(schedule: str = NIGHTLY, nominal: int = NOON, **changes: Any) -> Fired:
    work = (ScopeResult(schedule.partition("/")[0], "jr_abcdefghijkl", Outcome.STARTED),)
    plain = Fired(
        *(schedule, 7, 5, nominal, nominal, nominal, 0, None, False, work),
        *(nominal + DAY, nominal + DAY),
    )
    return plain._replace(**changes)


def skipped(schedule: str = NIGHTLY, first: int = NOON, **changes: Any) -> Skipped:
    plain = Skipped(
        *(schedule, 7, 5, first, first, 1, Reason.MISSED, first, 0, first + DAY, first + DAY)
    )
    return replace(plain, **changes)


def deferred(schedule: str = NIGHTLY, nominal: int = NOON, **changes: Any) -> Deferred:
    until = nominal + MINUTE
    plain = Deferred(
        schedule, 7, 5, nominal, nominal, Reason.TARGET_UNAVAILABLE, until, nominal, 1, "gone"
    )
    return replace(plain, **changes)


def defined(schedule: str = NIGHTLY, version: int = 5, rule: Definition = RULE) -> ScheduleDefined:
    return ScheduleDefined(schedule, version, version, rule, NOON - DAY, NOON)


def changed(schedule: str = NIGHTLY, version: int = 7, previous: int = 5) -> ScheduleChanged:
    rule = replace(RULE, description=f"version {version}")
    return ScheduleChanged(schedule, version, 5, previous, rule, NOON - DAY, NOON)


def row(version: int = 7, **changes: Any) -> ScheduleRow:
    plain = ScheduleRow(version, 5, NOON - DAY, NOON, "user:ada", Status.ENABLED, RULE)
    return replace(plain, **changes)


def paused_row(version: int = 7) -> ScheduleRow:
    return row(version, status=Status.PAUSED, pause=PauseNote("stocktaking", "user:bob", NOON))


@dataclass(frozen=True, slots=True)
class Written:
    """A record that no broker has seen."""

    of: str
    at: int
    name: bytes | None
    content: bytes | None
    within: int = 0

    def topic(self) -> str:
        return self.of

    def partition(self) -> int:
        return self.within

    def offset(self) -> int:
        return self.at

    def key(self) -> bytes | None:
        return self.name

    def value(self) -> bytes | None:
        return self.content

    def timestamp(self) -> tuple[int, int]:
        return 2, NOON // 1_000


@dataclass(slots=True)
class Notebook:
    """Records in memory, numbered like a log's."""

    sources: Sources = field(default_factory=Sources)
    records: list[Written] = field(default_factory=list)

    def event(self, event: Event, said: Stamp | None = None) -> Written:
        value = encode_event(event, said or stamp(len(self.records)))
        return self._add(self.sources.events, b"any", value)

    def schedule(self, name: str, content: ScheduleRow | None) -> Written:
        value = None if content is None else encode(content)
        return self._add(self.sources.schedules, name.encode(), value)

    def hold(self, said: Hold) -> Written:
        return self._add(self.sources.globals, b"hold", encode(said))

    def minute(self, subject: str, said: TrafficMinute) -> Written:
        name = f"{subject}|{format_instant(said.minute)}".encode()
        return self._add(self.sources.traffic, name, encode(said))

    def raw(self, topic: str, key: bytes | None, value: bytes | None) -> Written:
        return self._add(topic, key, value)

    def _add(self, topic: str, key: bytes | None, value: bytes | None) -> Written:
        self.records.append(Written(topic, len(self.records), key, value))
        return self.records[-1]


@dataclass(slots=True)
class Ledger:
    """Real topics with names of their own."""

    bootstrap: str
    sources: Sources
    partitions: int = 2
    sequence: int = 0
    _producer: Producer = field(init=False)

    def __post_init__(self) -> None:
        self._producer = Producer({"bootstrap.servers": self.bootstrap, "linger.ms": 5})

    def create(self, *names: str) -> None:
        kept = self.sources
        admin = AdminClient({"bootstrap.servers": self.bootstrap})
        wanted = names or (kept.schedules, kept.events, kept.globals, kept.traffic)
        topics = [
            NewTopic(name, 1 if name == kept.globals else self.partitions, 1) for name in wanted
        ]
        for future in admin.create_topics(topics).values():
            future.result()
        for topic in topics:
            self._await_leaders(admin, topic)

    @staticmethod
    def _await_leaders(admin: AdminClient, topic: NewTopic) -> None:
        """Return once every partition can be asked for its end."""
        while True:
            asked = {TopicPartition(topic.topic, p): LATEST for p in range(topic.num_partitions)}
            if all(future.exception() is None for future in admin.list_offsets(asked).values()):
                return
            Wait().wait(0.1)

    def delete(self, name: str) -> None:
        admin = AdminClient({"bootstrap.servers": self.bootstrap})
        admin.delete_topics([name])[name].result()

    def await_gone(self, name: str) -> None:
        """Return once the broker knows no such topic any more."""
        admin = AdminClient({"bootstrap.servers": self.bootstrap})
        while name in admin.list_topics(timeout=10).topics:
            Wait().wait(0.1)

    def events(self, *events: Event, partition: int = 0, **stamped: Any) -> None:
        for event in events:
            self.sequence += 1
            said = stamp(self.sequence, **{"partition": partition, **stamped})
            self.write(self.sources.events, b"any", encode_event(event, said), partition)
        self._producer.flush()

    def schedule(self, name: str, content: ScheduleRow | None) -> None:
        value = None if content is None else encode(content)
        self.write(self.sources.schedules, name.encode(), value, 0)
        self._producer.flush()

    def hold(self, said: Hold) -> None:
        self.write(self.sources.globals, b"hold", encode(said), 0)
        self._producer.flush()

    def minute(self, subject: str, said: TrafficMinute, partition: int = 0) -> None:
        name = f"{subject}|{format_instant(said.minute)}".encode()
        self.write(self.sources.traffic, name, encode(said), partition)
        self._producer.flush()

    def write(self, topic: str, key: bytes | None, value: bytes | None, partition: int) -> None:
        self._producer.produce(topic, key=key, value=value, partition=partition)

    def raw(self, *values: bytes, partition: int = 0) -> None:
        for value in values:
            self.write(self.sources.events, b"any", value, partition)
        self._producer.flush()


def this_minute() -> int:
    """When the present minute began: what profiles look at depends on the time."""
    return time_ns() // 60_000_000_000 * MINUTE


def traffic_minute(
    minute: int, kind: MinuteKind = MinuteKind.IDLE, rate: int | None = 0, samples: int = 4
) -> TrafficMinute:
    busy = int(kind is MinuteKind.ACTIVE)
    looks = tuple(
        Sample(minute + look * 15 * SECOND, busy, 0, busy, busy) for look in range(samples)
    )
    return TrafficMinute(minute, kind, rate, busy * samples, 0, busy * samples, samples, looks)


def minutes(count: int, since: int = NOON) -> Sequence[int]:
    return [since + minute * MINUTE for minute in range(count)]
