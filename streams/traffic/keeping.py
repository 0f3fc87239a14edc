"""
How do samples become minutes in the log, each as it is, whoever else writes?

The worker's partitions, each with what is known of it. A batch is taken in, what the log lacks is
written, and only when the broker has it is the batch over. Where own records lie tells whether
somebody else wrote in between, such as a worker that was frozen while its partition went to this
one: that is read, and every minute of which the other's record holds less is written anew. Which
client brings samples and takes minutes is worker.py.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import NamedTuple, ParamSpec, Protocol, TypeVar

from schemas.codec import encode
from schemas.instants import format_instant
from schemas.topics import REJECTED, SAMPLES, TRAFFIC
from schemas.traffic import TrafficMinute
from schemas.units import MINUTE, SECOND
from streams.clock import Clock
from streams.faults import Halt
from streams.traffic.arrivals import FORWARDED, Arrived, Look, Misdated, Spoiled, take_in
from streams.traffic.known import KEPT, Known, Name, Record
from streams.traffic.metrics import TrafficMetrics

log = logging.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")

LONGEST_PAUSE = MINUTE
_MOST_ROUNDS = 100
"""Somebody who writes against us is no worker of ours."""


class Letter(NamedTuple):
    """A record that is to be written."""

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()


Send = Callable[[Letter], Awaitable[Awaitable[int]]]
"""Sends a record; the second wait is for the broker, and gives the offset."""


class Reading(Protocol):
    """What is asked of the log of minutes; the calls block."""

    def known_since(self, partition: int, since: int) -> Known:
        """All that is in the log of minutes that began then or later."""
        ...

    def history(self, partition: int, names: set[Name], end: int) -> list[Record]:
        """Every record of these minutes before that offset."""
        ...

    def between(self, partition: int, start: int, end: int) -> list[Record]:
        """The records from one offset to before another."""
        ...

    def ends(self, partitions: Iterable[int]) -> dict[int, int]:
        """The offset that the next record gets."""
        ...


class Means(NamedTuple):
    """What a keeper works with."""

    send: Send
    written: Reading
    thread: Executor
    """In which the log is read."""
    clock: Clock
    partitions: int
    """Of the topic."""
    metrics: TrafficMetrics


class _Owed(NamedTuple):
    """What the log lacks of one partition."""

    partition: int
    known: Known
    told: dict[Name, TrafficMinute]


class Keeper:
    """The partitions of one worker."""

    def __init__(self, means: Means) -> None:
        self._means = means
        self._owned: dict[int, Known | None] = {}
        self._one_at_a_time = asyncio.Lock()
        self.looked_at: int | None = None
        """When it last saw to its partitions, none included; monotonic. None: it has none yet."""

    def own(self, partitions: Iterable[int]) -> None:
        """These, and no others, are the worker's now; what was known before may be old."""
        self._owned = dict.fromkeys(partitions)
        self._means.metrics.partitions.set(len(self._owned))

    def is_stuck(self) -> bool:
        """Whether it has not seen to its partitions for long."""
        if self.looked_at is None:
            return False
        return self._means.clock.monotonic() - self.looked_at > LONGEST_PAUSE

    def drop(self) -> None:
        """None is the worker's any more."""
        self.own(())

    def owns(self, partition: int) -> bool:
        """Whether a partition is the worker's."""
        return partition in self._owned

    async def take(self, records: Sequence[Arrived]) -> None:
        """Return when the log holds what follows from these; those of others are left alone."""
        async with self._one_at_a_time:
            letters: list[Letter] = []
            theirs: dict[int, list[Arrived]] = {}
            for record in records:
                theirs.setdefault(record.partition, []).append(record)
            for partition, arrived in theirs.items():
                known = await self._known(partition, min(one.appended_at for one in arrived))
                if known is not None:
                    letters += filter(None, [self._take_in(known, one) for one in arrived])
            await self._deliver(letters)
            await self._settle(theirs)
            for partition, arrived in theirs.items():
                known = self._owned.get(partition)
                if known is not None:
                    known.forget(arrived[-1].appended_at)

    async def look(self) -> None:
        """See whether somebody else wrote into the worker's partitions, and mend it."""
        async with self._one_at_a_time:
            now = self._means.clock.wall()
            for partition in list(self._owned):
                if self._owned.get(partition, "other's") is None:
                    await self._known(partition, now)
            known = {number: one for number, one in self._owned.items() if one is not None}
            for partition, end in (await self._ask(self._means.written.ends, known)).items():
                if end > known[partition].end:
                    await self._read(partition, known[partition], known[partition].end, end)
            await self._settle(known, amended=True)
            self.looked_at = self._means.clock.monotonic()

    async def _known(self, partition: int, appended_at: int) -> Known | None:
        """What is known of a partition, if it is ours; None: it went while that was read."""
        known = self._owned.get(partition)
        if partition not in self._owned or (known is not None and known.serves(appended_at)):
            return known
        owned, clock = self._owned, self._means.clock
        begun = clock.monotonic()
        known = await self._ask(self._means.written.known_since, partition, appended_at - KEPT)
        self._means.metrics.restored.observe((clock.monotonic() - begun) / SECOND)
        if self._owned is not owned:
            return None
        owned[partition] = known
        return known

    def _take_in(self, known: Known, record: Arrived) -> Letter | None:
        metrics, partition = self._means.metrics, record.partition
        found = take_in(record, self._means.partitions)
        match found:
            case Look(subject, sample):
                metrics.samples.inc()
                if not known.see(subject, sample):
                    metrics.left_out.labels("too_many").inc()
                return None
            case Misdated(how):
                metrics.left_out.labels(how).inc()
                return None
            case Spoiled():
                metrics.rejects.inc()
                log.warning(
                    "%s [%d] at %d: %s", SAMPLES, partition, record.offset, found.error[:300]
                )
                rejected = encode(found.rejected(self._means.clock.wall()))
                return Letter(REJECTED, partition, None, rejected)
            case _:
                metrics.forwarded.inc()
                headers = ((FORWARDED, found.origin),)
                return Letter(SAMPLES, found.to, record.key, record.value, headers)

    async def _settle(self, partitions: Iterable[int], *, amended: bool = False) -> None:
        """Write what is owed until the log says all that is known."""
        waiting = list(partitions)
        for _ in range(_MOST_ROUNDS):
            owed = list(self._owed(waiting))
            if not owed:
                return
            await self._write(owed)
            metrics = self._means.metrics
            (metrics.amended if amended else metrics.minutes).inc(
                sum(len(one.told) for one in owed)
            )
            waiting, amended = [one.partition for one in owed], True
        raise Halt(f"somebody else writes into {TRAFFIC} without end")

    def _owed(self, partitions: Iterable[int]) -> Iterator[_Owed]:
        for partition in partitions:
            known = self._owned.get(partition)
            told = {} if known is None else known.owed()
            if known is not None and told:
                yield _Owed(partition, known, told)

    async def _write(self, owed: Sequence[_Owed]) -> None:
        """Write them all, and read what somebody else wrote in between."""
        letters = [
            Letter(TRAFFIC, one.partition, minute_key(name), encode(minute))
            for one in owed
            for name, minute in one.told.items()
        ]
        offsets = iter(await self._deliver(letters))
        newest = max(minute.samples[-1].sampled_at for one in owed for minute in one.told.values())
        self._means.metrics.age.set((self._means.clock.wall() - newest) / SECOND)
        for partition, known, told in owed:
            for gap in known.wrote(dict(zip(told, offsets, strict=False)), told):
                await self._read(partition, known, gap.start, gap.stop)

    async def _read(self, partition: int, known: Known, start: int, end: int) -> None:
        """Take in what somebody else wrote."""
        records = await self._ask(self._means.written.between, partition, start, end)
        log.info("somebody else wrote %s [%d] from %d to %d", TRAFFIC, partition, start, end - 1)
        forgotten = known.strange(records)
        if forgotten:
            known.read(await self._ask(self._means.written.history, partition, forgotten, start))
        known.read(records)
        known.end = max(known.end, end)

    async def _deliver(self, letters: Sequence[Letter]) -> list[int]:
        """Their offsets, once the broker has all of them."""
        # In order, all under way at once: of one partition they lie one behind the other.
        waits = [await self._means.send(letter) for letter in letters]
        return list(await asyncio.gather(*waits))

    async def _ask(self, call: Callable[P, R], *args: P.args, **named: P.kwargs) -> R:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._means.thread, partial(call, *args, **named))


def minute_key(name: Name) -> bytes:
    """The key of a minute: `subject|<its beginning>`."""
    return f"{name.subject}|{format_instant(name.minute)}".encode()
