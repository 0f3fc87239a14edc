"""
What does a log look like that already holds many schedules?

Writes rows, cursors and owners' records straight into the tables, as a processor would have left
them: defining a million schedules one by one is not what is measured. `python -m bench.prepared
BOOTSTRAP minute COUNT DUE [MORE]` makes COUNT schedules of every minute that are due at DUE, and
MORE further versions of their cursors; `spread COUNT DUE` makes COUNT schedules of every second,
each at an instant of its own inside the second.
"""

from __future__ import annotations

import sys

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from schemas.codec import encode, pack_cursor
from schemas.definition import SECOND, Cron, Definition, Emit, Interval, Timing
from schemas.identity import partition_of, subject_of
from schemas.schedule import ScheduleRow, Status
from schemas.snapshot import Cursor, Owner
from schemas.topics import COMMANDS, SCHEDULES, STATE
from streams.calendar.zones import zone_data_number
from streams.processor.keys import cursor_key, owner_key
from streams.processor.offsets import Offsets
from streams.settings import ProcessorSettings
from streams.topics_check import TopicsOf, Wishes

PARTITIONS = 12
TARGET = "bench.out"


def create_topics(bootstrap: str) -> None:
    """The scheduler's topics and one for what is emitted."""
    topics = TopicsOf(bootstrap)
    topics.create(topics.look(Wishes()).missing)
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(TARGET, PARTITIONS, 1)])[TARGET].result()


class Log:
    """The tables of a processor, written from outside."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "linger.ms": 20,
                "batch.size": 1_000_000,
                "queue.buffering.max.messages": 500_000,
                "queue.buffering.max.kbytes": 1_000_000,
            }
        )

    def minute(self, count: int, due: int, more: int = 0) -> None:
        """Schedules of every minute, all due at one instant; then newer cursors."""
        timings: tuple[Timing, ...] = (Cron("* * * * *"),)
        cursor = _cursor(due - 1, due)
        for number in range(count):
            self._schedule(_name(number), timings, cursor)
        for number in range(more):
            schedule = _name(number * 7_919 % count)
            self._put(STATE, _home(schedule), cursor_key(schedule), cursor)
        self._close(due)

    def spread(self, count: int, due: int) -> None:
        """Schedules of every second, spread evenly over it."""
        for number in range(count):
            at = due + number * SECOND // count
            timings: tuple[Timing, ...] = (Interval(micros=SECOND, anchor=at),)
            self._schedule(_name(number), timings, _cursor(at - 1, at))
        self._close(due)

    def _schedule(self, schedule: str, timings: tuple[Timing, ...], cursor: bytes) -> None:
        partition = _home(schedule)
        self._put(SCHEDULES, partition, schedule.encode(), _row(schedule, timings))
        self._put(STATE, partition, cursor_key(schedule), cursor)

    def _close(self, due: int) -> None:
        settings = ProcessorSettings.model_validate({"bootstrap": self._bootstrap})
        topic_id = Offsets(settings, "bench").topic_id(COMMANDS)
        for partition in range(PARTITIONS):
            owner = Owner("nobody", 0, topic_id, 0, 0, -1, due)
            self._put(STATE, partition, owner_key(partition), encode(owner))
        self._producer.flush()

    def _put(self, topic: str, partition: int, key: bytes, value: bytes) -> None:
        while True:
            try:
                self._producer.produce(topic, value, key, partition)
            except BufferError:
                self._producer.poll(0.05)
            else:
                return


def _name(number: int) -> str:
    return f"tenant-{number % 5_000:04d}/report-{number:07d}"


def _home(schedule: str) -> int:
    return partition_of(subject_of(schedule), PARTITIONS)


def _row(schedule: str, timings: tuple[Timing, ...]) -> bytes:
    value = f'{{"report":"{schedule}","format":"pdf","to":"someone@example.org"}}'.encode()
    definition = Definition(timings, Emit(TARGET, schedule.encode(), value))
    return encode(ScheduleRow(0, 0, 0, 0, "service:bench", Status.ENABLED, definition))


def _cursor(mark: int, due: int) -> bytes:
    return pack_cursor(Cursor(mark, mark, due, due, 0, 0, 0, zone_data_number(), 0))


if __name__ == "__main__":
    where, kind, *numbers = sys.argv[1:]
    getattr(Log(where), kind)(*map(int, numbers))
