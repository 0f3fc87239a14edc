"""
How does one processor live?

Poll, decide on an overlay, write and commit in one transaction, only then keep the overlay: `run`
and `step` are the whole of it. Which partitions are ours and how far each has come is serving.py;
what is decided is batch.py and the decider.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from schemas.definition import SECOND
from schemas.rejected import KEPT_BYTES
from schemas.topics import REJECTED
from streams.clock import Clock, pause
from streams.decider.state import World
from streams.faults import AbortBatch, Indigestible, ParkingRefused, PartitionStopped, TargetRefused
from streams.processor.announcing import announce, publish_limits
from streams.processor.batch import Batch
from streams.processor.globals import Globals
from streams.processor.inbox import Inbox
from streams.processor.intake import InboxRecord
from streams.processor.partitions import Rung
from streams.processor.rechecks import Stale
from streams.processor.reporting import Reporter
from streams.processor.serving import Serving
from streams.processor.suspects import FORESEEN, Suspects, told
from streams.processor.targets import Targets
from streams.processor.transaction import Transactions
from streams.processor.watch import Watch
from streams.settings import ProcessorSettings

log = logging.getLogger(__name__)

LONGEST_WAIT = 0.05
WARMING = SECOND // 50
"""How much of an idle iteration goes into what will be needed later."""


class Processor:
    """The parts of one processor, put together by main.py."""

    def __init__(  # noqa: PLR0913, PLR0917 - this is where they all meet
        self,
        settings: ProcessorSettings,
        name: str,
        clock: Clock,
        reporter: Reporter,
        inbox: Inbox,
        transactions: Transactions,
        serving: Serving,
        globals_: Globals,
        targets: Targets,
        watch: Watch,
    ) -> None:
        self.settings = settings
        self.name = name
        self.clock = clock
        self.reporter = reporter
        self.inbox = inbox
        self.transactions = transactions
        self.serving = serving
        self.globals = globals_
        self.targets = targets
        self.watch = watch
        self.looked_at = clock.monotonic()
        """When the last iteration began, monotonic microseconds; for health."""
        self._ended_at = 0
        self._full = False
        self._to_look_up: set[str] = set()
        self._parked_bytes = KEPT_BYTES
        self._suspects = Suspects()

    def run(self, stopping: Callable[[], bool]) -> None:
        """Turn commands and due times into events, one transaction at a time."""
        while not stopping():
            self.step()

    def step(self) -> None:
        """One iteration; whatever it does not commit, it has not done."""
        records = self.inbox.poll(self._patience(), self._suspects.most)
        self.looked_at = self.reporter.polled()
        self._look_around()
        due = [] if records and self._suspects.alone else self._due()
        stale = self.serving.rechecks.take() if self._may_fire(self.globals.world) else []
        batch = self._batch(records, due)
        try:
            self._decide(batch, records, due, stale)
            self._require_looked_up(batch.emitted_to)
            if batch:
                self.reporter.built(batch, len(records))
                self.transactions.commit(batch.close(self.name), self.inbox.membership)
        except (AbortBatch, PartitionStopped) as fault:
            self.serving.rechecks.put_back(stale)
            self._undo(records, due, fault)
            if isinstance(fault, ParkingRefused):
                self._park_less(batch.parking, fault)
            if isinstance(fault, Indigestible):
                self._look_for_it(records, fault)
        else:
            batch.keep()
            self._suspects.passed(self.serving.next_offset)
            self.targets.accepted()
            self._ended_at = self.reporter.ended(batch)

    # ------------------------------------------------------------------ before a batch

    def _patience(self) -> float:
        """How long the poll may wait: not while restoring, else for what is due, at most 50 ms."""
        if self._full or self.serving.is_reading:
            return 0.0
        now = self.clock.monotonic()
        gap = self.settings.gap - (now - self._ended_at) / SECOND
        if gap > 0:
            pause(gap)
        if not self._may_fire(self.globals.world):
            return LONGEST_WAIT
        if self.serving.rechecks.busy:
            return 0.0
        left = (self.serving.next_due() - self.clock.wall()) / SECOND
        if left > LONGEST_WAIT:
            self.serving.warm(now + WARMING, self.clock)
        return min(max(left, 0.0), LONGEST_WAIT)

    def _look_around(self) -> None:
        """Take in all that is not a command: reports, globals, clocks, partitions on their way."""
        self.transactions.serve()
        self.globals.follow()
        self.watch.look(self.globals.world.clock)
        self.serving.go_on(self.globals)

    def _due(self) -> list[Rung]:
        """The timers that this batch takes, in the order in which they are decided."""
        self._full = False
        if not self._may_fire(self.globals.world):
            return []
        cap = self.settings.batch_cap
        due = self.serving.pop_due(self.clock.wall(), cap)
        self._full = len(due) >= cap
        return due

    def _may_fire(self, world: World) -> bool:
        return self.watch.trusted and not world.held

    def _batch(self, records: Sequence[InboxRecord], due: list[Rung]) -> Batch:
        """A batch that knows the targets it may write to: no look-up inside a transaction."""
        topics = self.serving.topics_of(records, due) | self._to_look_up
        if any(rung[1].endswith("/") for rung in due):  # runs may have waited for a target
            topics |= self.targets.refusing
        self._to_look_up = set()
        self.targets.prepare(topics, self.clock.monotonic(), self.globals.world)
        self.transactions.fit(self.targets.smallest)
        world, now = self.globals.world, self.clock.wall()
        batch = Batch(world, now, self.transactions.write, self.serving.count)
        batch.parked_bytes = self._parked_bytes
        return batch

    # ------------------------------------------------------------------ the batch

    def _decide(
        self, batch: Batch, records: Sequence[InboxRecord], due: list[Rung], stale: list[Stale]
    ) -> None:
        first = self.serving.announcer()
        if first is not None:
            announce(batch, first, self.globals)
            publish_limits(batch, first, self.globals, self.settings)
        for unclaimed in self.serving.unclaimed():
            batch.claim(unclaimed)
        for record in records:
            self._answer(batch, record)
        if self._is_poll_old():
            self.serving.put_back(due)
            self.serving.rechecks.put_back(stale)
            return
        batch.recheck(stale)
        batch.ring(due)

    def _answer(self, batch: Batch, record: InboxRecord) -> None:
        partition = self.serving.get(record.partition)
        if partition is None:
            return
        if record.offset < partition.owner.next_offset:  # it would be done twice
            place = f"{record.partition}.{record.offset}"
            raise AbortBatch(f"the command at {place} was read again after it was decided")
        try:
            batch.answer(partition, self._suspects.marked(record))
        except FORESEEN:
            raise
        except Exception as fault:
            raise Indigestible(told(fault), (record.partition, record.offset)) from fault

    def _require_looked_up(self, topics: set[str]) -> None:
        """A target that came up in this very batch is looked up outside of its transaction."""
        self._to_look_up = topics - self.targets.seen.keys()
        if self._to_look_up:
            raise AbortBatch(f"{', '.join(sorted(self._to_look_up))}: not looked up yet")

    def _is_poll_old(self) -> bool:
        """So much time has passed that the group may be about to give our partitions away."""
        age = (self.clock.monotonic() - self.looked_at) / SECOND
        return age > self.settings.max_poll_interval / 2

    def _undo(
        self,
        records: Sequence[InboxRecord],
        due: list[Rung],
        fault: AbortBatch | PartitionStopped,
    ) -> None:
        """Leave no trace, and read the same commands again."""
        log.warning("batch dropped: %s", fault)
        self.reporter.aborted(fault)
        self.transactions.abort()
        self.serving.put_back(due)
        self.serving.read_again({record.partition for record in records})
        if isinstance(fault, TargetRefused):
            self.targets.quarantine(fault.topic, fault.detail, self.clock.monotonic())
        if isinstance(fault, PartitionStopped):
            self.serving.stop(fault)

    def _look_for_it(self, records: Sequence[InboxRecord], fault: Indigestible) -> None:
        """Find what cannot be answered, by reading less at once."""
        number = self._suspects.suspect(records, fault)
        if number is not None:
            self.serving.stop(PartitionStopped(number, fault.detail))

    def _park_less(self, partitions: set[int], fault: ParkingRefused) -> None:
        """Park only where a record lies; if that is not taken either, leave the record there."""
        if self._parked_bytes:
            self._parked_bytes = 0
            return
        for number in partitions:
            detail = f"a record cannot be read, and {REJECTED} does not take even its place"
            self.serving.stop(PartitionStopped(number, f"{detail}: {fault}"))
