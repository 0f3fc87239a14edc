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

from schemas.topics import COMMANDS
from streams.calendar.zones import zone_data_number
from streams.clock import Clock, SystemClock, pause
from streams.faults import StartOver
from streams.processor.globals import Globals
from streams.processor.inbox import Inbox
from streams.processor.instance import claim_instance
from streams.processor.loop import Processor
from streams.processor.offsets import Offsets
from streams.processor.reporting import Reporter
from streams.processor.restore import Restore
from streams.processor.serving import Serving
from streams.processor.targets import Targets
from streams.processor.transaction import Transactions
from streams.processor.watch import Watch
from streams.settings import ProcessorSettings
from streams.telemetry import Face, ProcessorMetrics
from streams.topics_check import require_topics

log = logging.getLogger(__name__)

FIRST_WAIT = 0.2
LONGEST_WAIT = 10.0


def run_processor(settings: ProcessorSettings | None = None) -> None:
    """Run until a signal says stop; Halt is raised when an operator has to look."""
    settings = settings or ProcessorSettings()
    stopping = stop_on_signals()
    require_topics(settings.bootstrap)
    instance = claim_instance(settings.locks, settings.instance)
    metrics = ProcessorMetrics()
    wait = FIRST_WAIT
    try:
        while not stopping():
            try:
                live(settings, instance.name, SystemClock(), metrics, stopping)
            except StartOver as fault:
                log.warning("starting over in %.1f s: %s", wait, fault)
                metrics.aborts.labels("StartOver").inc()
                pause(wait)
                wait = min(wait * 2, LONGEST_WAIT)
    finally:
        instance.release()


def live(
    settings: ProcessorSettings,
    name: str,
    clock: Clock,
    metrics: ProcessorMetrics,
    stopping: Callable[[], bool],
) -> None:
    """One life of a processor, from an empty memory to a stop or a fault."""
    with ExitStack() as parts:
        processor = build(settings, name, clock, metrics, parts)
        if settings.port:
            face = Face(settings.port, metrics.registry, processor.reporter.health)
            parts.callback(face.close)
        processor.run(stopping)


def build(
    settings: ProcessorSettings,
    name: str,
    clock: Clock,
    metrics: ProcessorMetrics,
    parts: ExitStack,
) -> Processor:
    """Put a processor together; `parts` closes what was opened, the group first."""
    offsets = Offsets(settings, name)
    transactions = Transactions(settings, name)
    parts.callback(transactions.close)
    watch = Watch(settings, name, clock)
    parts.callback(watch.close)
    targets = Targets(offsets.admin)
    globals_ = Globals(settings, name, offsets)
    parts.callback(globals_.close)
    globals_.see(replace(globals_.world, targets=targets.seen, zone_data=zone_data_number()))
    serving = Serving(offsets.partitions(COMMANDS))
    inbox = Inbox(settings, name, serving)
    parts.callback(inbox.close)
    restore = Restore(settings, name, offsets, inbox)
    parts.callback(restore.close)
    serving.serve(inbox, restore, name)
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
