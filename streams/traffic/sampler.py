"""
When is which deployment looked at, and what is said of it?

Each at instants of its own, a fixed time apart, so that a thousand of them are no wave. A sample
goes to horae.samples, and what it means for the deployment's sleep into the inbox. Those that did
not answer last time have a lane of their own: slow and dead ones hold up nobody else. The list of
deployments comes from the views; while these are away the last one stays.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from schemas.codec import encode
from schemas.commands import ReportActivity
from schemas.deployments import Metrics
from schemas.identity import partition_of
from schemas.reading import command_record
from schemas.topics import COMMANDS, SAMPLES
from schemas.traffic import Sample
from schemas.units import SECOND
from streams.clock import Clock
from streams.scrape import Counts
from streams.traffic.counting import Counting
from streams.traffic.keeping import Letter
from streams.traffic.looking import Looker, NoLook
from streams.traffic.metrics import SamplerMetrics
from streams.traffic.settings import SamplerSettings

log = logging.getLogger(__name__)

ACTOR = (("horae-actor", b"service:sampler"),)


@dataclass(frozen=True, slots=True)
class Watched:
    """A deployment whose traffic is measured."""

    subject: str
    metrics: Metrics
    served: int | None = None
    """How many requests it had finished at the last look that anybody knows of."""
    sampled_at: int | None = None
    usual: int | None = None
    """Thousandths of a request a minute, at this hour of the week."""


class Sampling(NamedTuple):
    """What a sampler works with."""

    settings: SamplerSettings
    listed: Callable[[], Iterable[Watched]]
    """Asks the views; blocks, and may fail."""
    post: Callable[[Letter], None]
    """Takes a record and returns at once."""
    partitions: int
    clock: Clock
    metrics: SamplerMetrics


@dataclass(slots=True)
class _Watch:
    """One deployment, as long as it is in the list."""

    watched: Watched
    counting: Counting
    failed: str | None = None
    """How the last look ended, if it showed nothing."""
    task: asyncio.Task[None] | None = field(default=None, repr=False)


class Sampler:
    """Looks at all deployments of the list."""

    def __init__(self, sampling: Sampling, looker: Looker) -> None:
        self._with = sampling
        self._looker = looker
        at_once = sampling.settings.at_once
        self._sound = asyncio.Semaphore(at_once)
        self._suspect = asyncio.Semaphore(max(at_once // 4, 1))
        self._watches: dict[str, _Watch] = {}
        self._listed_at: int | None = None

    @property
    def has_list(self) -> bool:
        """Whether the list was read at least once."""
        return self._listed_at is not None

    async def run(self, stopping: asyncio.Event) -> None:
        """Look at them until told to stop."""
        try:
            while not stopping.is_set():
                await self._refresh()
                try:
                    await asyncio.wait_for(stopping.wait(), self._with.settings.refresh)
                except TimeoutError:
                    continue
        finally:
            self._keep(())

    async def _refresh(self) -> None:
        clock, metrics = self._with.clock, self._with.metrics
        try:
            listed = await asyncio.to_thread(lambda: list(self._with.listed()))
        except Exception as fault:  # noqa: BLE001 - whatever the views have: the last list stays
            if self._listed_at is not None:
                metrics.list_age.set((clock.monotonic() - self._listed_at) / SECOND)
            log.warning("the list of deployments cannot be read, the last one stays: %s", fault)
            return
        self._listed_at = clock.monotonic()
        metrics.list_age.set(0)
        self._keep(listed)

    def _keep(self, listed: Iterable[Watched]) -> None:
        """Begin with those that are new, and let go of those that are gone."""
        wanted = {watched.subject: watched for watched in listed}
        for subject in self._watches.keys() - wanted.keys():
            gone = self._watches.pop(subject)
            if gone.task is not None:
                gone.task.cancel()
        for subject, watched in wanted.items():
            watch = self._watches.get(subject)
            if watch is None:
                counting = Counting.after(watched.served, watched.sampled_at)
                watch = self._watches[subject] = _Watch(watched, counting)
                watch.task = asyncio.create_task(self._follow(watch))
            elif watch.watched.metrics != watched.metrics:  # its counters are others
                watch.counting = Counting()
            watch.watched = watched
        self._with.metrics.deployments.set(len(self._watches))

    async def _follow(self, watch: _Watch) -> None:
        interval = self._with.settings.interval
        loop = asyncio.get_running_loop()
        due = loop.time() + interval * place_of(watch.watched.subject)
        while True:
            await asyncio.sleep(due - loop.time())
            async with self._sound if watch.failed is None else self._suspect:
                await self._look_at(watch)
            # A look that was late is not made up for.
            due += interval * max(1, -((due - loop.time()) // interval))

    async def _look_at(self, watch: _Watch) -> None:
        metrics, clock = self._with.metrics, self._with.clock
        begun = clock.monotonic()
        try:
            self._tell(watch, await self._looker.look(watch.watched.metrics))
        except NoLook as fault:
            self._note(watch, fault.outcome, str(fault))
        except Exception as fault:  # one of which nothing can be told stops no other, nor itself
            if watch.failed != "failed":
                log.exception("%s: a look failed", watch.watched.subject)
            self._note(watch, "failed", str(fault))
        else:
            self._note(watch, "seen", "")
        metrics.took.observe((clock.monotonic() - begun) / SECOND)

    def _note(self, watch: _Watch, outcome: str, detail: str) -> None:
        self._with.metrics.looks.labels(outcome).inc()
        failed = None if outcome == "seen" else outcome
        if failed != watch.failed:  # once, and not every 15 seconds
            say = log.info if failed is None else log.warning
            say("%s: %s", watch.watched.subject, detail or "its metrics can be read")
        watch.failed = failed

    def _tell(self, watch: _Watch, counts: Counts) -> None:
        subject, counting = watch.watched.subject, watch.counting
        sample = counting.look(self._with.clock.wall(), counts)
        home = partition_of(subject, self._with.partitions)
        post = self._with.post
        post(Letter(SAMPLES, home, subject.encode(), encode(sample), ACTOR))
        key, value = command_record(f"{subject}/", self._activity(watch, sample, counts), "")
        post(Letter(COMMANDS, home, key, value, ACTOR))

    def _activity(self, watch: _Watch, sample: Sample, counts: Counts) -> ReportActivity:
        return ReportActivity(
            in_flight=sample.in_flight,
            waiting=sample.waiting,
            sampled_at=sample.sampled_at,
            last_request=watch.counting.last_request,
            served=counts.finished,
            rate=watch.counting.rate(),
            usual=watch.watched.usual,
        )


def place_of(subject: str) -> float:
    """Where between two looks at all others this one has its own: from 0 to below 1."""
    return int.from_bytes(blake2b(subject.encode(), digest_size=4).digest()) / (1 << 32)
