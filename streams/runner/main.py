"""
How is a runner put together?

A name and a number for this life, what an earlier one has left is removed, then the end of control
is taken, then the first beat is in the log, and only then are orders read: so whatever was said to
an earlier life is over before this one asks for anything.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import FrameType

from schemas.topics import Planned, orders_topic
from streams.clock import SystemClock
from streams.instance import claim_instance
from streams.runner.allowed import Allowed
from streams.runner.beats import Beats
from streams.runner.carrying import Means
from streams.runner.claims import Claims
from streams.runner.draining import Drain
from streams.runner.executors import executors_for
from streams.runner.letters import Writer
from streams.runner.loop import Loop
from streams.runner.metrics import RunnerMetrics
from streams.runner.news import Inbox
from streams.runner.post import Post
from streams.runner.readers import (
    Control,
    Orders,
    Reader,
    control_ends,
    control_options,
    orders_options,
)
from streams.runner.recovery import keep_boot, next_boot, sweep
from streams.runner.slots import Slots
from streams.runner.work import Executors, Runner
from streams.settings import RunnerSettings
from streams.telemetry import Face
from streams.topics_check import TopicsOf, require_topics
from streams.topics_outlook import Outlook

log = logging.getLogger(__name__)

HELLO_WITHIN = 5.0
SENT_WITHIN = 15.0
"""Seconds that the last reports get, once nothing runs any more."""
CLOSED_WITHIN = 5.0


def run_runner(settings: RunnerSettings | None = None) -> None:
    """Run until a signal says stop; Halt is raised if its name is taken."""
    settings = settings or RunnerSettings()
    asked_to_end = count_signals()
    found = require_topics(settings.bootstrap)
    prepare_pools(settings, found)
    with ExitStack() as parts:
        instance = claim_instance(settings.state, settings.name)
        parts.callback(instance.release)
        folder = settings.state / instance.name
        runner = Runner(instance.name, next_boot(folder, SystemClock().wall()))
        log.info("runner %s, life %d, pools %s", *runner, ", ".join(pools_of(settings)))
        life = Life(settings, runner, folder, found.partitions, parts)
        if life.say_hello(asked_to_end):
            try:
                life.loop.run(asked_to_end)
            finally:
                if life.loop.later_boot > runner.boot:  # what begins next is a later one still
                    keep_boot(folder, life.loop.later_boot)


class Life:
    """The parts of one life, in the order in which they are needed."""

    def __init__(
        self,
        settings: RunnerSettings,
        runner: Runner,
        folder: Path,
        partitions: int,
        parts: ExitStack,
    ) -> None:
        clock = SystemClock()
        allowed = Allowed(settings)
        executors = executors_for(runner, allowed, folder, settings.engine)
        parts.callback(_close, executors)
        sweep(executors.values())
        pools = pools_of(settings)
        self._beats = Beats(runner.boot, partitions, settings.slots, pools)
        self._writer = Writer(runner, partitions)
        self._post = Post(settings.bootstrap, runner.name)
        parts.callback(self._post.close, SENT_WITHIN)
        inbox, slots, metrics = Inbox(), Slots(settings.slots), RunnerMetrics()
        metrics.slots.set(settings.slots)
        ends = control_ends(settings, runner.name)
        self._control = Reader(
            "control", control_options(settings, runner.name), Control(runner.name, ends, inbox)
        )
        self._orders = [
            Reader(f"orders {pool}", orders_options(settings, runner.name, pool), orders)
            for pool in pools
            for orders in [Orders(pool, slots, inbox, self._post.now)]
        ]
        self._is_ready = False
        for reader in (self._control, *self._orders):
            parts.callback(reader.close, CLOSED_WITHIN)
        if settings.port:
            face = Face(settings.port, metrics.registry, self.health, settings.host)
            parts.callback(face.close)
        means = Means(
            executors, allowed, os.environ, clock, settings.max_output_bytes, settings.grace
        )
        drain = Drain(settings.drain, self._close_orders)
        self.loop = Loop(
            Claims(runner.boot),
            self._beats,
            slots,
            inbox,
            self._post,
            self._writer,
            means,
            metrics,
            drain,
        )

    def say_hello(self, asked_to_end: Callable[[], int]) -> bool:
        """Return once every partition has the first beat; False: told to end before that."""
        letters = [self._writer.beat(*place) for place in self._beats.to_all(()).items()]
        while not self._post.deliver(letters, HELLO_WITHIN):
            if asked_to_end():
                return False
        for reader in (self._control, *self._orders):
            reader.begin()
        self._is_ready = True
        return True

    def health(self) -> dict[str, str]:
        """What is wrong, by name; empty when all is well."""
        if not self._is_ready:
            return {"runner": "is starting"}
        away = any(reader.away for reader in (self._control, *self._orders))
        return {"broker": "cannot be reached"} if away else {}

    def _close_orders(self) -> None:
        for reader in self._orders:
            reader.ask_to_close()


def pools_of(settings: RunnerSettings) -> tuple[str, ...]:
    """The pools that a runner works for, each once."""
    return tuple(dict.fromkeys(one for part in settings.pools.split(",") if (one := part.strip())))


def prepare_pools(settings: RunnerSettings, found: Outlook) -> None:
    """Create the topics of pools that nobody has worked for so far."""
    topics = TopicsOf(settings.bootstrap)
    there = topics.names()
    [like] = [topic for topic in found.planned if topic.name == orders_topic()]
    missing: list[Planned] = [
        replace(like, name=orders_topic(pool))
        for pool in pools_of(settings)
        if orders_topic(pool) not in there
    ]
    for topic in missing:
        log.info("creating %s", topic.name)
    topics.create(missing)


def count_signals() -> Callable[[], int]:
    """How often SIGTERM or SIGINT has come."""
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    signal.signal(signal.SIGTERM, note)
    signal.signal(signal.SIGINT, note)
    return lambda: len(came)


def _close(executors: Executors) -> None:
    for each in {id(one): one for one in executors.values()}.values():
        each.close()
