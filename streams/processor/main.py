"""
How is a processor put together, and what happens when it must start over?

`run_processor` claims a name, checks the topics, and builds the parts in the order that keeps
exactly-once: the producer first, which aborts what an earlier life left open, then the group. A
fault that calls for it throws all memory away and builds everything anew from the log.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from types import FrameType

from confluent_kafka import KafkaException

from schemas.topics import COMMANDS
from streams.calendar.zones import zone_data_number
from streams.clock import Clock, Deadline, SystemClock, pause
from streams.faults import AbortBatch, StartOver
from streams.instance import claim_instance
from streams.processor import collector
from streams.processor.globals import Globals
from streams.processor.inbox import Inbox
from streams.processor.loop import Processor
from streams.processor.offsets import Offsets
from streams.processor.reporting import Reporter
from streams.processor.restore import Restore
from streams.processor.serving import Serving
from streams.processor.silence import Silence
from streams.processor.targets import Targets
from streams.processor.transaction import Transactions
from streams.processor.watch import Watch
from streams.settings import ProcessorSettings
from streams.telemetry import Face, ProcessorMetrics
from streams.topics_check import require_topics

log = logging.getLogger(__name__)

FIRST_WAIT = 0.2
LONGEST_WAIT = 10.0
QUIET_LIFE = 60.0
"""After so many seconds without a fault, the next one is the first again."""


def run_processor(settings: ProcessorSettings | None = None) -> None:
    """Run until a signal says stop; Halt is raised when an operator has to look."""
    settings = settings or ProcessorSettings()
    stopping = stop_on_signals()
    require_topics(settings.bootstrap)
    instance = claim_instance(settings.locks, settings.instance)
    metrics, pulse = ProcessorMetrics(), Pulse()
    with ExitStack() as parts:
        parts.callback(instance.release)
        where = "not served"
        if settings.port:
            face = face_of(settings, metrics, pulse)
            parts.callback(face.close)
            where = f"http://{settings.host}:{face.port}/metrics"
        log.info("processor %s at %s, metrics %s", instance.name, settings.bootstrap, where)
        live_on(settings, instance.name, metrics, pulse, stopping)


def face_of(settings: ProcessorSettings, metrics: ProcessorMetrics, pulse: Pulse) -> Face:
    """Metrics and health over HTTP; an OSError names the address and its setting."""
    try:
        return Face(settings.port, metrics.registry, pulse.health, settings.host)
    except OSError as fault:
        where = f"{settings.host}:{settings.port}"
        raise OSError(fault.errno, f"{fault.strerror} (HORAE_PROCESSOR_PORT)", where) from fault


class Pulse:
    """How the process is doing, over all its lives; asked from another thread."""

    def __init__(self) -> None:
        self.reporter: Reporter | None = None
        """Of the life that there is now."""

    def health(self) -> dict[str, str]:
        """What is wrong, by name; empty when all is well."""
        reporter = self.reporter
        return {"processor": "is starting"} if reporter is None else reporter.health()


def live_on(
    settings: ProcessorSettings,
    name: str,
    metrics: ProcessorMetrics,
    pulse: Pulse,
    stopping: Callable[[], bool],
) -> None:
    """One life after another, with growing pauses, until told to stop."""
    wait = FIRST_WAIT
    while not stopping():
        quiet = Deadline.after(QUIET_LIFE)
        try:
            live(settings, name, metrics, pulse, stopping)
        except (AbortBatch, StartOver, KafkaException) as fault:
            wait = FIRST_WAIT if quiet.over else min(wait * 2, LONGEST_WAIT)
            log.warning("starting over in %.1f s: %s", wait, fault)
            metrics.aborts.labels("StartOver").inc()
        else:
            return
        collector.forget_everything()
        rested = Deadline.after(wait)
        while not rested.over and not stopping():
            pause(min(0.1, rested.left))


def live(
    settings: ProcessorSettings,
    name: str,
    metrics: ProcessorMetrics,
    pulse: Pulse,
    stopping: Callable[[], bool],
) -> None:
    """One life of a processor, from an empty memory to a stop or a fault."""
    with ExitStack() as parts:
        processor = build(settings, name, SystemClock(), metrics, parts)
        pulse.reporter = processor.reporter
        try:
            processor.run(stopping)
        finally:
            pulse.reporter = None


def build(
    settings: ProcessorSettings,
    name: str,
    clock: Clock,
    metrics: ProcessorMetrics,
    parts: ExitStack,
) -> Processor:
    """Put a processor together; `parts` closes what was opened, the group first."""
    offsets = Offsets(settings, name)
    parts.callback(offsets.close)
    transactions = Transactions(settings, name)
    parts.callback(transactions.close)
    watch = Watch(settings, name, clock)
    parts.callback(watch.close)
    count = offsets.partitions(COMMANDS)
    targets = Targets(offsets.admin, count)
    globals_ = Globals(settings, name, offsets)
    parts.callback(globals_.close)
    globals_.see(replace(globals_.world, targets=targets.seen, zone_data=zone_data_number()))
    serving = Serving(count)
    inbox = Inbox(settings, name, serving)
    restore = Restore(settings, name, offsets, inbox)
    parts.callback(restore.close)
    parts.callback(inbox.close)  # first of all: then nobody is told of what is closed already
    silence = Silence(offsets.inbox_ends, clock.wall)
    serving.serve(inbox, restore, name, silence)
    reporter = Reporter(metrics, clock, serving, watch)
    return Processor(
        settings, name, clock, reporter, inbox, transactions, serving, globals_, targets, watch
    )


def stop_on_signals() -> Callable[[], bool]:
    """Whether SIGTERM or SIGINT has come."""
    came: list[int] = []

    def note(number: int, _frame: FrameType | None) -> None:
        came.append(number)

    signal.signal(signal.SIGTERM, note)
    signal.signal(signal.SIGINT, note)
    return lambda: bool(came)
