"""
What does every bench of the processor need?

A real broker in a folder of its own with all topics, and a processor in this process whose
iterations the bench drives itself and whose fires it can time one by one.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.prepared import PARTITIONS, create_topics
from horae.local import jars, ports
from horae.local.kafka import Broker
from schemas.definition import SECOND
from streams.clock import SystemClock
from streams.processor.batch import Batch
from streams.processor.loop import Processor
from streams.processor.main import build
from streams.processor.partitions import Phase
from streams.settings import ProcessorSettings
from streams.telemetry import ProcessorMetrics

CLOCK = SystemClock()


@contextmanager
def broker() -> Iterator[Broker]:
    """A broker with the scheduler's topics and one for what is emitted."""
    folder = Path(tempfile.mkdtemp(prefix="horae-bench-"))
    files = jars.provide(jars.cache_folder(otherwise=folder / "cache"), lambda _here, _of: None)
    port = ports.choose()
    server = Broker(
        folder=folder / "kafka",
        jars=files,
        port=port,
        controller_port=ports.choose(besides=[port]),
        log=folder / "kafka.log",
    )
    server.start()
    try:
        create_topics(server.bootstrap)
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


def prepare_log(bootstrap: str, *given: object) -> None:
    """Run bench.prepared in a process of its own, so that its memory is not ours."""
    argv = [sys.executable, "-m", "bench.prepared", bootstrap, *(str(one) for one in given)]
    subprocess.run(argv, check=True)


@dataclass(slots=True)
class Driven:
    """A processor whose iterations the bench drives."""

    processor: Processor
    metrics: ProcessorMetrics
    fired: int = 0
    lateness: list[int] = field(default_factory=list)
    """Due instant to commit of each fire, microseconds."""

    def until_firing(self) -> None:
        """Restore everything and catch up."""
        phases = self.processor.serving.phases
        while phases()[Phase.FIRING.value] < PARTITIONS or not self.processor.watch.trusted:
            self.processor.step()

    def until(self, done: Callable[[], bool]) -> None:
        """Go on until the bench has seen enough."""
        while not done():
            self.processor.step()

    def forget(self) -> None:
        """Begin to count anew."""
        self.fired = 0
        self.lateness.clear()


@contextmanager
def driven(bootstrap: str, name: str = "bench", **settings: object) -> Iterator[Driven]:
    """A processor on this broker."""
    locks = Path(tempfile.mkdtemp(prefix="horae-bench-locks-"))
    metrics = ProcessorMetrics()
    given = ProcessorSettings.model_validate(
        {"bootstrap": bootstrap, "instance": name, "locks": locks, **settings}
    )
    with ExitStack() as parts:
        parts.callback(shutil.rmtree, locks, ignore_errors=True)
        processor = build(given, name, CLOCK, metrics, parts)
        found = Driven(processor, metrics)
        ended = processor.reporter.ended

        def counted(batch: Batch) -> int:
            committed_at = CLOCK.wall()
            found.fired += len(batch.fired_due)
            found.lateness += [committed_at - due for due in batch.fired_due]
            return ended(batch)

        processor.reporter.ended = counted  # type: ignore[method-assign]
        yield found


def resident_mib() -> float:
    """Memory that this process holds, in MiB."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / (1 << 20)


def next_minute(seconds_from_now: float) -> int:
    """The first whole minute at least so many seconds ahead, microseconds of UTC."""
    minute = 60 * SECOND
    return (CLOCK.wall() + int(seconds_from_now * SECOND)) // minute * minute + minute


def percentile(values: list[int], share: float) -> float:
    """The value that so large a share does not exceed, in milliseconds."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] / 1000
