"""
How does a real processor live over the log in memory?

`streams.processor` as it is, put together by its own `build`: loop, batch, restore, transactions
and all. Only the client library, the clock and what measures or collects are other ones. One life
is stepped by world.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from streams import clock as clock_module
from streams import edges
from streams.processor import (
    collector,
    inbox,
    loop,
    main,
    offsets,
    replay,
    reporting,
    restore,
    serving,
    suspects,
    targets,
    transaction,
    watch,
)
from streams.processor import (
    globals as globals_module,
)
from streams.processor.loop import Processor
from streams.settings import ProcessorSettings
from tests.simulation.admin import AdminClient
from tests.simulation.consumer import Consumer
from tests.simulation.producer import Producer

SECOND = 1_000_000
BOOTSTRAP = "memory"
NOISY = (
    *(globals_module, inbox, loop, main, reporting, restore, serving, suspects),
    *(targets, transaction, watch),
)
"""Modules that log what is expected here."""


class Crash(BaseException):
    """The process is gone, at this very place; nothing of it runs any more."""


@dataclass(slots=True)
class Time:
    """The true time, that of the broker."""

    now: int
    zone_data: int

    def pass_by(self, micros: int) -> None:
        """Let it pass."""
        self.now += micros

    # what streams/clock.py takes from the module `time`

    def monotonic(self) -> float:
        return self.now / SECOND

    def sleep(self, seconds: float) -> None:
        self.now += int(seconds * SECOND)


@dataclass(slots=True)
class LeaningClock:
    """The clocks of one machine."""

    time: Time
    lean: int = 0

    def wall(self) -> int:
        """The true time, as far as this machine knows it."""
        return self.time.now + self.lean

    def monotonic(self) -> int:
        """What passes whatever the wall clock says."""
        return self.time.now


class Hand:
    """Makes a call in this very thread: nothing here takes longer than it should."""

    def __init__(self, name: str) -> None:
        self.name = name

    def ask(self, call: Callable[..., Any], *given: Any, within: float) -> None:
        """Call it."""
        del within
        call(*given)

    def close(self) -> None:
        """Nothing to end."""


class Unmeasured:
    """Takes every measurement, and keeps none."""

    def __getattr__(self, _name: str) -> Unmeasured:
        return self

    def __call__(self, *_given: Any, **_named: Any) -> Unmeasured:
        return self


METRICS: Any = Unmeasured()
SETTINGS = ProcessorSettings(
    bootstrap=BOOTSTRAP, gap=0.0, batch_cap=50, transaction_timeout=4.0, restore_deadline=600.0
)


@contextmanager
def simulated(time: Time) -> Iterator[pytest.MonkeyPatch]:
    """Let processors speak to the log in memory, and live in its time."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (edges, inbox, restore, globals_module):
            patch.setattr(module, "Consumer", Consumer)
        for module in (transaction, watch):
            patch.setattr(module, "Producer", Producer)
        patch.setattr(offsets, "AdminClient", AdminClient)
        patch.setattr(transaction, "Hand", Hand)
        patch.setattr(clock_module, "time", time)
        patch.setattr(collector, "settle", lambda: None)
        patch.setattr(restore, "gc", SimpleNamespace(disable=lambda: None, enable=lambda: None))
        for module in (main, replay):
            patch.setattr(module, "zone_data_number", lambda: time.zone_data)
        for module in NOISY:
            patch.setattr(module, "log", METRICS)
        yield patch


class Life:
    """One processor, from its start to its end."""

    def __init__(self, name: str, clock: LeaningClock, cap: int) -> None:
        self.name = name
        self.clock = clock
        self._parts = ExitStack()
        self.processor: Processor = main.build(
            SETTINGS.model_copy(update={"max_concurrent_per_app": cap}),
            *(name, clock, METRICS, self._parts),
        )

    @property
    def consumer(self) -> Consumer:
        """Its consumer of the inbox."""
        found: Any = self.processor.inbox._consumer
        assert isinstance(found, Consumer)
        return found

    def close(self) -> None:
        """End as after a signal, or as a process does that starts over."""
        self._parts.close()
