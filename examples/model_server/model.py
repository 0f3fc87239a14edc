"""
What is a model that sleeps and wakes, if nothing is computed?

Requests that take their time, a few at once while others wait, and a state. Lives in one event
loop: what is between two awaits is done at once, so that no number is ever half of the truth.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from examples.model_server.numbers import Numbers

AT_ONCE = 8
"""Requests that are worked on at the same time."""
WEIGHTS, CACHE = "weights", "kv_cache"
"""What sleeps, by vLLM's names."""


class Refused(Exception):
    """The server does not do it, and says so with this status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(slots=True)
class Faults:
    """What is to go wrong; for trying things out."""

    sleeps: int = 0
    """How many of the next sleeps fail."""
    wakes: int = 0
    """How many of the next wakes fail."""
    sleep_seconds: float = 0.0
    """How long a sleep takes to come about."""
    wake_seconds: float = 0.0
    locked: bool = False
    """Somebody holds the server: nobody else may have it sleep or wake."""
    sick: bool = False
    """It answers that its health is bad."""


class Model:
    """One model, awake at first."""

    def __init__(self, name: str, seconds: float) -> None:
        self.numbers = Numbers(name)
        self.name = name
        self.seconds = seconds
        """How long a request takes that does not say."""
        self.faults = Faults()
        self._asleep: frozenset[str] = frozenset()
        self._has_weights = True
        self._slots = asyncio.Semaphore(AT_ONCE)

    @property
    def is_asleep(self) -> bool:
        """Whether any part of it sleeps."""
        return bool(self._asleep)

    async def answer(self, seconds: float | None = None) -> None:
        """Carry one request out; Refused while it sleeps, or has no weights to answer with."""
        if self.is_asleep:
            raise Refused(503, "the server is asleep")
        if not self._has_weights:
            raise Refused(500, "the weights were dropped and not loaded again")
        self.numbers.waiting += 1
        began = asyncio.get_running_loop().time()
        try:
            await self._slots.acquire()
        finally:
            self.numbers.waiting -= 1
        self.numbers.running += 1
        try:
            await asyncio.sleep(self.seconds if seconds is None else seconds)
        finally:
            self.numbers.running -= 1
            self._slots.release()
        self.numbers.finish(asyncio.get_running_loop().time() - began)

    async def sleep(self, level: int) -> None:
        """Fall asleep; level 2 drops the weights. Requests that are under way end all the same."""
        self._check_free()
        if self.faults.sleeps:
            self.faults.sleeps -= 1
            raise Refused(500, "the sleep failed, as it was asked to")
        await asyncio.sleep(self.faults.sleep_seconds)
        self._asleep = frozenset({WEIGHTS, CACHE})
        self._has_weights = self._has_weights and level < 2

    async def wake(self, tags: frozenset[str]) -> None:
        """Wake up, with tags only these parts."""
        self._check_free()
        if self.faults.wakes:
            self.faults.wakes -= 1
            raise Refused(500, "the wake failed, as it was asked to")
        await asyncio.sleep(self.faults.wake_seconds)
        self._asleep = self._asleep - (tags or {WEIGHTS, CACHE})

    def reload(self) -> None:
        """Load the weights anew."""
        if WEIGHTS in self._asleep:
            raise Refused(500, "there is no memory for the weights: they are asleep")
        self._has_weights = True

    def _check_free(self) -> None:
        if self.faults.locked:
            raise Refused(423, "somebody holds the server")


class Load:
    """Requests that come by themselves."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._coming: asyncio.Task[None] | None = None
        self._under_way: set[asyncio.Task[None]] = set()

    def dial(self, rate: float, seconds: float) -> None:
        """From now on so many requests a minute, each of so many seconds; 0: none."""
        self.stop()
        if rate > 0:
            self._coming = asyncio.create_task(self._come(60 / rate, seconds))

    def stop(self) -> None:
        """No more requests come; those that are under way go on."""
        if self._coming is not None:
            self._coming.cancel()
            self._coming = None

    async def _come(self, every: float, seconds: float) -> None:
        while True:
            request = asyncio.create_task(self._one(seconds))
            self._under_way.add(request)
            request.add_done_callback(self._under_way.discard)
            await asyncio.sleep(every)

    async def _one(self, seconds: float) -> None:
        try:
            await self._model.answer(seconds)
        except Refused:
            self._model.numbers.refused += 1
