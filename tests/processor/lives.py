"""
How does a test live a processor's life, one iteration at a time?

A processor built like the real one, in this process, stepped by the test; several are stepped in
turn. What only a process of its own can show (kill, freeze) is forked.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count

from typing_extensions import override

from schemas.definition import SECOND, Definition, Emit, Interval, Once
from streams.clock import Clock, SystemClock
from streams.processor.loop import Processor
from streams.processor.main import build
from streams.processor.partitions import Phase
from streams.settings import ProcessorSettings
from streams.telemetry import ProcessorMetrics
from tests.processor.cluster import Cluster

_NUMBERS = count(1)


class LeaningClock(SystemClock):
    """The machine's clocks, with a wall clock that a test may put forward or back."""

    def __init__(self, lean: int = 0) -> None:
        self.lean = lean

    @override
    def wall(self) -> int:
        """The machine's wall clock, plus the lean."""
        return super().wall() + self.lean


def settings_for(cluster: Cluster, **changed: object) -> ProcessorSettings:
    """Short sessions and time-outs, so that a test need not wait for long ones."""
    chosen: dict[str, object] = {
        "bootstrap": cluster.bootstrap,
        "session_timeout": 1.5,
        "transaction_timeout": 4.0,
        "restore_deadline": 30.0,
    }
    return ProcessorSettings(**(chosen | changed))  # type: ignore[arg-type]


@dataclass(slots=True)
class Life:
    """One processor, from build to close."""

    name: str
    processor: Processor
    parts: ExitStack
    metrics: ProcessorMetrics
    closed: bool = field(default=False)

    @property
    def firing(self) -> set[int]:
        """The partitions whose timers may ring."""
        return {one.number for one in self.processor.serving.firing()}

    @property
    def phases(self) -> dict[str, int]:
        """How many partitions are how far, without the zeros."""
        return {phase: n for phase, n in self.processor.serving.phases().items() if n}

    @property
    def fires(self) -> int:
        """How often it fired."""
        return int(self.metrics.fires._value.get())

    def aborts(self, fault: str) -> int:
        """How many batches it dropped because of such a fault."""
        return int(self.metrics.aborts.labels(fault)._value.get())

    def close(self) -> None:
        """End it as a signal would."""
        if not self.closed:
            self.closed = True
            self.parts.close()


@contextmanager
def living(
    cluster: Cluster, name: str | None = None, clock: Clock | None = None, **settings: object
) -> Iterator[Life]:
    """A processor that is closed at the end of the block, unless it was before."""
    life = begin(cluster, name, clock, **settings)
    try:
        yield life
    finally:
        life.close()


def begin(
    cluster: Cluster, name: str | None = None, clock: Clock | None = None, **settings: object
) -> Life:
    """Build a processor; the caller closes it."""
    name = name or f"p{next(_NUMBERS)}"
    parts, metrics = ExitStack(), ProcessorMetrics()
    try:
        chosen = settings_for(cluster, **settings)
        processor = build(chosen, name, clock or SystemClock(), metrics, parts)
    except BaseException:
        parts.close()
        raise
    return Life(name, processor, parts, metrics)


def step_until(condition: Callable[[], object], *lives: Life, within: float = 15.0) -> None:
    """Step these in turn until it holds; fail if it does not in time."""
    deadline = time.monotonic() + within
    while not condition():
        shown = [(one.name, one.phases, one.processor.serving.stopped) for one in lives]
        assert time.monotonic() < deadline, f"not in {within:g} s: {shown}"
        for one in lives:
            one.processor.step()


def step_for(seconds: float, *lives: Life) -> None:
    """Step these in turn for a while, to see that something does not happen."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for one in lives:
            one.processor.step()


def until_firing(cluster: Cluster, *lives: Life) -> None:
    """Step until every partition is served by one of these."""
    everything = set(range(cluster.partitions))
    step_until(
        lambda: (
            set().union(*(one.firing for one in lives)) == everything
            and not any(one.phases.get(Phase.RESTORING.value) for one in lives)
        ),
        *lives,
    )


def now() -> int:
    """The wall clock, in whole milliseconds."""
    return SystemClock().wall() // 1_000 * 1_000


def once(topic: str, at: int, value: bytes = b"x", key: bytes | None = b"k") -> Definition:
    """Emit one record at an instant."""
    return Definition((Once(at),), Emit(topic, key=key, value=value))


def each_second(topic: str, *, every: int = SECOND, value: bytes = b"x") -> Definition:
    """Emit a record every so often."""
    return Definition((Interval(micros=every, anchor=0),), Emit(topic, key=b"k", value=value))


def far_ahead(topic: str) -> Definition:
    """A schedule that does not fire while the test runs."""
    return once(topic, now() + 86_400 * SECOND)
