"""
What does a processor tell about itself?

Turns iterations and batches into the metrics of streams/telemetry.py, and the state of its
partitions into health. Decides nothing.
"""

from __future__ import annotations

import logging

from schemas.definition import SECOND
from streams.calendar.occurrences import NEVER
from streams.clock import Clock
from streams.processor.batch import Batch
from streams.processor.intake import LONGEST_ERROR
from streams.processor.partitions import Phase
from streams.processor.serving import Serving
from streams.processor.watch import Watch
from streams.telemetry import ProcessorMetrics

log = logging.getLogger(__name__)

GAUGES_EVERY = SECOND
SILENT_AFTER = 30 * SECOND
"""A loop that has not come round for so long is stuck."""
TOO_MANY_DROPPED = 5
"""Batches dropped in a row, after which nothing seems to come of trying again."""


class Reporter:
    """The counting side of one processor."""

    def __init__(
        self, metrics: ProcessorMetrics, clock: Clock, serving: Serving, watch: Watch
    ) -> None:
        self._metrics = metrics
        self._clock = clock
        self._serving = serving
        self._watch = watch
        self._began_at = self._polled_at = clock.monotonic()
        self._built_at = 0
        self._gauged_at = 0
        self._is_loaded = self._has_fired = False
        self._dropped = 0
        """Batches dropped since the last that was committed."""
        self._last_fault = ""
        self._shown: set[int] = set()
        """Partitions whose progress is among the metrics."""
        metrics.loaded.set(0)
        metrics.first_fire.set(0)

    def polled(self) -> int:
        """An iteration begins; returns the monotonic time."""
        self._polled_at = self._clock.monotonic()
        if self._polled_at - self._gauged_at > GAUGES_EVERY:
            self._gauged_at = self._polled_at
            self._gauge()
        return self._polled_at

    def built(self, batch: Batch, commands: int) -> None:
        """A batch is decided and about to be committed."""
        self._built_at = self._clock.monotonic()
        metrics = self._metrics
        metrics.build.observe((self._built_at - self._polled_at) / SECOND)
        metrics.commands.inc(commands)
        metrics.rejects.inc(batch.rejected)

    def ended(self, batch: Batch) -> int:
        """A batch is committed, or there was none; returns the monotonic time."""
        now = self._clock.monotonic()
        if not self._is_loaded:
            self._look_whether_loaded(now)
        if not batch:
            return now
        self._dropped = 0
        metrics = self._metrics
        metrics.commit.observe((now - self._built_at) / SECOND)
        for reason, count in batch.skipped.items():
            metrics.skips.labels(reason).inc(count)
        if batch.fired_due:
            if not self._has_fired:
                self._has_fired = True
                metrics.first_fire.set((now - self._began_at) / SECOND)
            wall = self._clock.wall()
            metrics.fires.inc(len(batch.fired_due))
            metrics.batch_size.observe(len(batch.fired_due))
            metrics.lateness.observe([(wall - due) / SECOND for due in batch.fired_due])
        return now

    def aborted(self, fault: Exception) -> None:
        """A batch was dropped."""
        self._metrics.aborts.labels(type(fault).__name__).inc()
        self._dropped += 1
        self._last_fault = str(fault)[:LONGEST_ERROR]
        if self._dropped == TOO_MANY_DROPPED:
            log.error("%s", self._in_a_row())

    def health(self) -> dict[str, str]:
        """What is wrong, by name; empty when all is well. Called from another thread."""
        wrong = {f"partition {n}": why for n, why in list(self._serving.stopped.items())}
        phases = self._serving.phases()
        if not phases[Phase.FIRING.value] + phases[Phase.CATCHING_UP.value]:
            wrong["partitions"] = "owns none, or none is loaded"
        restoring = phases[Phase.RESTORING.value] + phases[Phase.CLAIMING.value]
        if restoring:
            wrong["restoring"] = f"{restoring} partitions are being restored"
        if self._watch.objection:
            wrong["clock"] = self._watch.objection
        if self._dropped >= TOO_MANY_DROPPED:
            wrong["batches"] = self._in_a_row()
        silent = self._clock.monotonic() - self._polled_at
        if silent > SILENT_AFTER:
            wrong["loop"] = f"has not come round for {silent // SECOND} s"
        return wrong

    def _in_a_row(self) -> str:
        return f"{self._dropped} were dropped in a row, the last one: {self._last_fault}"

    def _gauge(self) -> None:
        metrics, serving = self._metrics, self._serving
        metrics.schedules.set(serving.schedules())
        for phase, count in serving.phases().items():
            metrics.partitions.labels(phase).set(count)
        self._show_progress()
        due = serving.next_due()
        overdue = 0 if due == NEVER else max(0, self._clock.wall() - due)
        metrics.overdue.set(overdue / SECOND)
        metrics.lag.set(serving.lag())
        if self._watch.difference is not None:
            metrics.clock_difference.set(self._watch.difference / SECOND)

    def _look_whether_loaded(self, now: int) -> None:
        """Note when all that this life was given first had been read and caught up with."""
        phases = self._serving.phases()
        firing = phases.pop(Phase.FIRING.value)
        if firing and not sum(phases.values()) - phases[Phase.STOPPED.value]:
            self._is_loaded = True
            log.info("all %d partitions of mine fire", firing)
            self._metrics.loaded.set((now - self._began_at) / SECOND)

    def _show_progress(self) -> None:
        whole = {one.number: 1.0 for one in self._serving.firing()}
        shares = whole | self._serving.restoring()
        for gone in self._shown - shares.keys():
            self._metrics.restored.remove(str(gone))
        for number, share in shares.items():
            self._metrics.restored.labels(str(number)).set(share)
        self._shown = set(shares)
