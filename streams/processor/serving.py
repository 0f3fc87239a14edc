"""
Which partitions are ours, and how far has each come?

Taken by the group, restored, caught up with the inbox, firing; or stopped, when something about its
log is wrong. How one is restored is restore.py; what is decided about it is batch.py.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from schemas.topics import COMMANDS
from streams.calendar.occurrences import NEVER
from streams.clock import Clock
from streams.faults import Halt, PartitionStopped
from streams.processor import collector
from streams.processor.globals import Globals
from streams.processor.inbox import Inbox
from streams.processor.intake import InboxRecord
from streams.processor.partitions import Partition, Phase, Rung
from streams.processor.rechecks import Rechecks
from streams.processor.restore import Restore
from streams.processor.second_looks import SecondLooks, look_again
from streams.processor.shape import Shape
from streams.processor.silence import Silence, put_unheard_aside

log = logging.getLogger(__name__)

IN_PASSING = 0.01
"""Seconds of an iteration given to a restore while other partitions fire."""
UNDISTURBED = 0.2
GLOBALS_DEADLINE = 30.0
WARMED_AT_ONCE = 100


class Serving:
    """The partitions of this process; also the inbox's `Ownership`."""

    def __init__(self, count: int) -> None:
        self.count = count
        """Partitions of the inbox."""
        self.stopped: dict[int, str] = {}
        """Partitions that an operator has to look at, and why."""
        self._partitions: dict[int, Partition] = {}
        self._waiting: list[Partition] = []
        self._cold: list[list[Rung]] = []
        """Timers of restored schedules that were never looked at, the next ones last."""
        self._taken: list[int] = []
        self._inbox: Inbox
        self._restore: Restore
        self._name: str
        self._knows_globals = False
        self.rechecks = Rechecks()
        """Schedules that are looked at because the calendar may have changed."""
        self._second_looks = SecondLooks()
        self._silence: Silence | None = None

    def serve(
        self, inbox: Inbox, restore: Restore, name: str, silence: Silence | None = None
    ) -> None:
        """Begin, with the inbox whose ownership this is, under this process's name."""
        self._silence = silence
        self._inbox = inbox
        self._restore = restore
        self._name = name

    # ------------------------------------------------------------------ Ownership

    def taken(self, partitions: list[int]) -> None:
        """Remember to restore these; inside the group's callback nothing slow may happen."""
        self._taken += partitions

    def lost(self, partitions: list[int]) -> None:
        """Forget these at once: another process decides about them from now on."""
        gone = set(partitions)
        for number in gone:
            self._partitions.pop(number, None)
            self.stopped.pop(number, None)
        self._taken = [number for number in self._taken if number not in gone]
        self._waiting = [one for one in self._waiting if one.number not in gone]
        self._restore.forget(partitions)
        self.rechecks.lost(gone)

    # ------------------------------------------------------------------ on their way

    def go_on(self, globals_: Globals) -> None:
        """Bring every partition one step nearer to firing."""
        self.rechecks.follow(globals_.world, self._partitions.values())
        self._second_looks.follow(globals_.world, self._partitions.values())
        if self._taken:
            self._restore.begin(self._taken)
            self._taken = []
        self._admit(self._restore.step(IN_PASSING if self._partitions else UNDISTURBED), globals_)
        while self._restore.stopped:
            self.stop(self._restore.stopped.pop())
        for partition in self._partitions.values():
            if partition.phase is Phase.CLAIMING and self._is_claimed(partition):
                self._inbox.go_on_from({partition.number: partition.owner.next_offset})
                partition.phase = Phase.CATCHING_UP
            if partition.phase is Phase.CATCHING_UP and self._is_caught_up(partition):
                partition.phase = Phase.FIRING

    def stop(self, fault: PartitionStopped) -> None:
        """Leave a partition alone and say so until somebody has looked."""
        log.error("%s", fault)
        self.stopped[fault.partition] = str(fault)
        self._partitions.pop(fault.partition, None)
        self.rechecks.lost({fault.partition})
        self._inbox.rest([fault.partition])

    def read_again(self, partitions: Iterable[int]) -> None:
        """Read these on from the last command that was committed."""
        self._inbox.go_on_from(
            {
                number: self._partitions[number].owner.next_offset
                for number in partitions
                if number in self._partitions
            }
        )

    def _admit(self, restored: list[Partition], globals_: Globals) -> None:
        """Serve what is restored, once it is known what holds for everyone."""
        if restored:
            globals_.catch_up(GLOBALS_DEADLINE)
            collector.settle()
        self._waiting += restored
        self._cold += [one.timers.entries() for one in restored]
        self._knows_globals = not self._waiting or globals_.is_caught_up
        settings = globals_.world.settings
        if self._knows_globals and settings is not None:
            self._require_count(settings.partitions)
            admitted, self._waiting = self._waiting, []
            self._partitions |= {one.number: one for one in admitted}
            for one in admitted:
                self.rechecks.admitted(one, globals_.world)
                look_again(one)
                if self._silence is not None:
                    self._silence.begin(one)

    def _require_count(self, noted: int) -> None:
        """Halt where a subject may have moved to another partition, away from its schedules."""
        if noted not in {0, self.count}:
            raise Halt(
                f"{COMMANDS} has {self.count} partitions and had {noted} when its first schedules"
                " were asked for: subjects would be in other partitions than what is known of them."
                " The number cannot be changed; bring what there is into a new cluster"
            )

    def _is_claimed(self, partition: Partition) -> bool:
        """Whether the log says that this partition is ours."""
        owner = partition.owner
        return owner.instance == self._name and owner.written_at > 0

    def _is_caught_up(self, partition: Partition) -> bool:
        return self._here(partition) >= partition.inbox_end

    def _here(self, partition: Partition) -> int:
        """What is read next of a partition's inbox; what this iteration has read is behind it."""
        return max(self._inbox.position(partition.number), partition.owner.next_offset)

    # ------------------------------------------------------------------ what is served

    @property
    def is_reading(self) -> bool:
        """Whether a partition is on its way into memory, so that an iteration waits for that."""
        return bool(self._taken) or len(self._restore) > 0

    def phases(self) -> dict[str, int]:
        """How many partitions are how far."""
        counts = {phase.value: 0 for phase in Phase}
        for partition in list(self._partitions.values()):  # asked from another thread too
            counts[partition.phase.value] += 1
        counts[Phase.RESTORING.value] += len(self._restore) + len(self._waiting)
        counts[Phase.STOPPED.value] += len(self.stopped)
        return counts

    def restoring(self) -> dict[int, float]:
        """The share of its log that was read, for each partition under way."""
        return self._restore.progress

    def schedules(self) -> int:
        """Schedules in memory."""
        return sum(len(one.residents) for one in self._partitions.values())

    def lag(self) -> int:
        """Commands that are in the inbox and not decided yet."""
        return sum(
            self._inbox.lag(number, one.owner.next_offset)
            for number, one in self._partitions.items()
        )

    def get(self, number: int) -> Partition | None:
        """The partition, if commands for it may be decided."""
        return self._partitions.get(number)

    def next_offset(self, number: int) -> int | None:
        """Where a partition that is served goes on in the inbox."""
        partition = self._partitions.get(number)
        return None if partition is None else partition.owner.next_offset

    def announcer(self) -> Partition | None:
        """Partition 0, whose owner answers for horae.globals; the limits may wait for it."""
        if not self._knows_globals:
            return None
        served = self._partitions.get(0)
        return served or next((one for one in self._waiting if one.number == 0), None)

    def unclaimed(self) -> list[Partition]:
        """Partitions that wait for our name to be written down as their owner's."""
        return [
            one
            for one in self._partitions.values()
            if one.phase is Phase.CLAIMING and not self._is_claimed(one)
        ]

    def firing(self) -> list[Partition]:
        """Partitions whose timers may ring."""
        return [one for one in self._partitions.values() if one.phase is Phase.FIRING]

    def next_due(self) -> int:
        """When the next timer rings."""
        return min((one.timers.next_due() for one in self.firing()), default=NEVER)

    def pop_due(self, now: int, cap: int) -> list[Rung]:
        """Up to `cap` due schedules, shared fairly; of a partition by due instant, then id."""
        firing = self.firing()
        if not firing:
            return []
        if self._silence is not None:
            self._silence.listen(firing, self._here)
        share = max(1, cap // len(firing))
        due: list[Rung] = []
        full = []
        for partition in firing:
            popped = partition.timers.pop_due(now, share)
            due += put_unheard_aside(partition, popped, now)
            if len(popped) == share:
                full.append(partition)
        for partition in full:
            if len(due) < cap:
                popped = partition.timers.pop_due(now, cap - len(due))
                due += put_unheard_aside(partition, popped, now)
        return due

    @staticmethod
    def put_back(due: Iterable[Rung]) -> None:
        """Ring these again: their batch was dropped."""
        for entry in due:
            entry[2].home.timers.put(entry)

    def topics_of(self, records: Sequence[InboxRecord], due: Iterable[Rung]) -> set[str]:
        """The targets that a batch may write to."""
        shapes = {resident.shape for _, _, resident in due}
        topics: set[str | None] = {shape.topic for shape in shapes if isinstance(shape, Shape)}
        if None in shapes or ... in shapes:
            topics |= {one.topic(name) for _, name, one in due if not isinstance(one.shape, Shape)}
        for record in records:
            served = self._partitions.get(record.partition)
            schedule = (record.key or b"").partition(b"#")[0].decode(errors="replace")
            if served is not None and schedule in served.residents:
                topics.add(served.residents[schedule].topic(schedule))
        return {topic for topic in topics if topic is not None}

    def warm(self, until: int, clock: Clock) -> None:
        """Use idle time up to `until` (monotonic) to learn how restored schedules fire plainly.

        Learning costs more than firing: what is known before a peak need not be learnt in it.
        """
        while self._cold and clock.monotonic() < until:
            entries = self._cold[-1]
            for _, schedule, resident in entries[-WARMED_AT_ONCE:]:
                resident.plainly(schedule)
            del entries[-WARMED_AT_ONCE:]
            if not entries:
                self._cold.pop()
