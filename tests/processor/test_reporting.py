"""What a processor says of itself is true, also when it comes to nothing that it does."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from streams.clock import SystemClock
from streams.faults import AbortBatch
from streams.processor.batch import Batch
from streams.processor.partitions import Phase
from streams.processor.reporting import TOO_MANY_DROPPED, Reporter
from streams.telemetry import ProcessorMetrics


def test_health_tells_of_batches_that_are_dropped_in_a_row() -> None:
    serving = SimpleNamespace(stopped={}, phases=lambda: {one.value: 1 for one in Phase})
    reporter = Reporter(
        ProcessorMetrics(),
        SystemClock(),
        cast(Any, serving),
        cast(Any, SimpleNamespace(objection=None)),
    )
    for _ in range(TOO_MANY_DROPPED - 1):
        reporter.aborted(AbortBatch("horae.events is gone"))
    assert "batches" not in reporter.health()
    reporter.aborted(AbortBatch("horae.events is gone"))
    assert "horae.events is gone" in reporter.health()["batches"]
    empty = SimpleNamespace(skipped={}, fired_due=[])
    reporter.ended(cast(Batch, empty))

    assert "batches" not in reporter.health()
