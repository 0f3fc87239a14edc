"""
What do two keepers do to one log, when one of them is stopped in the middle?

A partition of samples and one of minutes in memory, and two workers of which each may believe that
the partition is its own: whoever is frozen has taken samples and not written yet, and goes on long
after the other has begun.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import Any

from typing_extensions import override

from schemas.codec import decode_as, encode
from schemas.instants import parse_instant
from schemas.topics import TRAFFIC
from schemas.traffic import Sample, TrafficMinute
from schemas.units import MINUTE
from streams.clock import SteppedClock
from streams.traffic.arrivals import Arrived
from streams.traffic.keeping import Keeper, Letter, Means
from streams.traffic.known import Known, Name, Record
from streams.traffic.metrics import TrafficMetrics

NOON = 1_796_040_000_000_000 // MINUTE * MINUTE
SUBJECT = b"chat"


class AtOnce(Executor):
    """Does what it is given where it is asked."""

    @override
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The answer."""
        done: Future[Any] = Future()
        done.set_result(fn(*args, **kwargs))
        return done


@dataclass(slots=True)
class MinuteLog:
    """A partition of horae.traffic, and what else was written."""

    clock: SteppedClock
    records: list[tuple[int, Record]] = field(default_factory=list)
    """With their append times."""
    others: list[Letter] = field(default_factory=list)

    def write(self, letter: Letter) -> int:
        """The offset."""
        if letter.topic != TRAFFIC:
            self.others.append(letter)
            return len(self.others) - 1
        subject, _, minute = (letter.key or b"").decode().rpartition("|")
        samples = decode_as(letter.value or b"", TrafficMinute).samples
        offset = len(self.records)
        record = Record(offset, Name(subject, parse_instant(minute)), samples)
        self.records.append((self.clock.now, record))
        return offset

    def known_since(self, _partition: int, since: int) -> Known:
        """As written.py does."""
        known = Known(since, len(self.records))
        known.read(record for at, record in self.records if at >= since)
        return known

    def history(self, _partition: int, names: set[Name], end: int) -> list[Record]:
        """As written.py does."""
        return [record for _, record in self.records[:end] if record.name in names]

    def between(self, _partition: int, start: int, end: int) -> list[Record]:
        """As written.py does."""
        return [record for _, record in self.records[start:end]]

    def ends(self, partitions: Iterable[int]) -> dict[int, int]:
        """As written.py does."""
        return dict.fromkeys(partitions, len(self.records))

    def last(self) -> dict[int, tuple[Sample, ...]]:
        """What a view holds, by minute."""
        return {record.name.minute: record.samples for _, record in self.records}


@dataclass(slots=True)
class Side:
    """One worker: its keeper, and whether it does anything at the moment."""

    log: MinuteLog
    metrics: TrafficMetrics = field(default_factory=TrafficMetrics)
    runs: asyncio.Event = field(default_factory=asyncio.Event)
    keeper: Keeper = field(init=False)
    busy: asyncio.Task[None] | None = None
    hears_late: bool = False
    """It is told that the partition is gone as soon as it has written, and mends nothing."""

    def __post_init__(self) -> None:
        self.runs.set()
        self.keeper = Keeper(Means(self._send, self.log, AtOnce(), self.log.clock, 1, self.metrics))

    async def _send(self, letter: Letter) -> Awaitable[int]:
        await self.runs.wait()
        sent: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        sent.set_result(self.log.write(letter))
        if self.hears_late:
            self.keeper.drop()
        return sent


class House:
    """The group of both: who has the partition, and up to where it is acknowledged."""

    def __init__(self, samples: list[Sample], clock: SteppedClock | None = None) -> None:
        self.clock = clock or SteppedClock(NOON + 10 * MINUTE)
        self.samples = samples
        self.log = MinuteLog(self.clock)
        self.sides = (Side(self.log), Side(self.log))
        self.owner = 0
        self.generation = 0
        self.acknowledged = 0
        self.give_to(0)

    def give_to(self, side: int) -> None:
        """The partition goes to that one; one that is frozen does not hear of it."""
        self.owner, self.generation = side, self.generation + 1
        self.position = self.acknowledged
        for number, one in enumerate(self.sides):
            if number == side:
                one.keeper.own([0])
            elif one.runs.is_set():
                one.keeper.drop()

    def freeze(self, side: int) -> None:
        """It writes nothing any more."""
        self.sides[side].runs.clear()

    async def thaw(self, side: int, *, mends: bool = False) -> None:
        """It writes what it was about to, and hears what has happened then, or when it is done."""
        one = self.sides[side]
        one.hears_late = not mends and side != self.owner
        one.runs.set()
        if one.busy is not None:
            await one.busy
        one.hears_late = False
        if side != self.owner:
            one.keeper.drop()

    async def take(self, most: int) -> None:
        """Whoever has the partition takes so many of the samples that are next."""
        one = self.sides[self.owner]
        if one.busy is not None and not one.busy.done():
            return
        start, self.position = self.position, min(self.position + most, len(self.samples))
        batch = [self._arrived(number) for number in range(start, self.position)]
        one.busy = asyncio.create_task(self._taken(one, batch, self.generation, self.position))
        for _ in range(50):  # as far as it comes
            await asyncio.sleep(0)

    async def _taken(self, one: Side, batch: list[Arrived], generation: int, end: int) -> None:
        await one.keeper.take(batch)
        if generation == self.generation:
            self.acknowledged = end

    def _arrived(self, number: int) -> Arrived:
        return Arrived(0, number, self.clock.now, SUBJECT, encode(self.samples[number]))
