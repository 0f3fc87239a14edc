"""
Who does the work that records ask for, and what do they say about it?

One worker reads the topic and reports about each attempt in the way that a hash of it chooses: in
time, late, several times, in another order, with too many words, for another subject, or not at
all. It sends through an ordinary producer, now and then into the wrong partition.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from threading import Event, Thread
from typing import Any, Final, NamedTuple

from confluent_kafka import Consumer, Producer, TopicPartition

from schemas.commands import ReportRun, ReportStatus
from schemas.identity import partition_of, subject_of
from schemas.reading import command_record
from schemas.topics import COMMANDS
from tests.acceptance.senders import GIVE_UP, unhurried
from tests.processor.lives import now

SECOND: Final = 1_000_000
Said = tuple[float, ReportStatus]
"""So many seconds after the record was read."""
OK, FAILED, RUNNING = ReportStatus.SUCCESS, ReportStatus.FAILED, ReportStatus.RUNNING
WAYS: Final[tuple[tuple[int, str, tuple[Said, ...]], ...]] = (
    (40, "done", ((0.1, OK),)),
    (12, "slow", ((0.5, RUNNING), (4, RUNNING), (9, OK))),
    (12, "failed", ((0.5, FAILED),)),
    (8, "silent", ()),
    (6, "twice", ((0.2, OK), (0.2, OK))),
    (5, "of two minds", ((0.2, FAILED), (0.3, OK))),
    (5, "the end first", ((0.3, OK), (0.5, RUNNING))),
    (4, "gave up", ((1, RUNNING), (2, ReportStatus.CANCELLED))),
    (3, "too long", ((1, ReportStatus.TIMEOUT),)),
    (3, "a subject that is not its", ((0.2, OK),)),
    (2, "a run that never was", ((0.2, OK),)),
)
"""How often, what it is called, and what is said when."""


class Report(NamedTuple):
    """Something that will be said."""

    at: int
    number: int
    subject: str
    command: ReportRun


@dataclass(slots=True)
class Worker:
    """A thread that works until it is told to stop."""

    rng: Random
    bootstrap: str
    partitions: int
    places: list[TopicPartition]
    """Where work is asked for."""
    ways: Counter[str] = field(default_factory=Counter)
    fault: BaseException | None = None
    _said: int = 0
    _later: list[Report] = field(default_factory=list)
    _stopping: Event = field(default_factory=Event)
    _thread: Thread | None = None

    def start(self) -> None:
        """Begin."""
        self._thread = Thread(target=self._run, name="worker", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Say nothing more, and wait until all that was said is in the log."""
        self._stopping.set()
        assert self._thread is not None
        self._thread.join(GIVE_UP + 30)
        assert not self._thread.is_alive(), "the worker did not end"
        if self.fault is not None:
            raise self.fault

    def _run(self) -> None:
        try:
            self._work()
        except BaseException as fault:  # noqa: BLE001 - raised by `stop`
            self.fault = fault

    def _work(self) -> None:
        lost: list[Any] = []
        producer = Producer(unhurried(self.bootstrap, lost))
        consumer = Consumer({
            "bootstrap.servers": self.bootstrap, "group.id": "worker", "log_level": 0,
            "enable.auto.commit": False, "isolation.level": "read_committed",
        })  # fmt: skip
        try:
            consumer.assign(self.places)
            while not self._stopping.is_set():
                for message in consumer.consume(100, 0.05):
                    if message.error() is None:
                        self._begin(dict(message.headers() or []))
                self._say(producer)
                producer.poll(0)
            left = producer.flush(GIVE_UP)
            assert (left, lost) == (0, []), "the log did not take what was reported"
        finally:
            consumer.close()

    def _begin(self, headers: dict[str, Any]) -> None:
        """Choose what will be said about an attempt."""
        rng = self.rng
        [(_, way, said)] = rng.choices(WAYS, [often for often, *_ in WAYS])
        self.ways[way] += 1
        subject = subject_of(headers["horae-schedule"].decode())
        run, attempt = headers["horae-run"].decode(), headers.get("horae-attempt")
        if way == "a subject that is not its":
            subject = "w0" if subject != "w0" else "w1"
        if way == "a run that never was":
            run = "jr_neverneverno"
        number = None if attempt is None or rng.random() < 0.3 else int(attempt)
        detail = "ö" * rng.choice((0, 0, 10, 1_000))
        for seconds, status in said:
            at = now() + int(seconds * SECOND * rng.uniform(0.5, 1.5))
            self._said += 1
            command = ReportRun(run, status, number, detail)
            heapq.heappush(self._later, Report(at, self._said, subject, command))

    def _say(self, producer: Producer) -> None:
        """Say what is to be said by now."""
        while self._later and self._later[0].at <= now():
            _, number, subject, command = heapq.heappop(self._later)
            key, value = command_record(f"{subject}/", command, f"report-{number}")
            home = partition_of(subject, self.partitions)
            where = home if self.rng.random() < 0.85 else (home + 1) % self.partitions
            producer.produce(COMMANDS, key=key, value=value, partition=where)
