"""
How is a process doing?

Metrics and health of one role over HTTP: `/metrics` for Prometheus, `/healthz` for whoever restarts
things. What is counted is named here; the loops only report.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.core import HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from typing_extensions import override

Health = Callable[[], dict[str, str]]
"""What is wrong, by name; empty when all is well."""

_SECONDS = (0.005, 0.01, 0.02, 0.035, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3_600, 86_400)
_SIZES = (1, 10, 100, 500, 1_000, 2_000, 5_000, 10_000)


class BulkHistogram(Collector):
    """A histogram that takes a whole batch at once: one observation each would cost too much."""

    def __init__(self, name: str, documentation: str, bounds: tuple[float, ...]) -> None:
        self._name = name
        self._documentation = documentation
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def observe(self, values: Iterable[float]) -> None:
        """Count these values."""
        bounds, counts = self._bounds, self._counts
        total = 0.0
        for value in values:
            counts[bisect_left(bounds, value)] += 1
            total += value
        self._sum += total

    @override
    def collect(self) -> Iterator[Metric]:
        """What Prometheus asks for."""
        seen = 0
        buckets: list[tuple[str, float]] = []
        for bound, count in zip((*self._bounds, float("inf")), self._counts, strict=True):
            seen += count
            buckets.append(("+Inf" if bound == float("inf") else str(bound), seen))
        yield HistogramMetricFamily(self._name, self._documentation, buckets, self._sum)


class ProcessorMetrics:
    """What a processor counts."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.lateness = BulkHistogram(
            "horae_lateness_seconds", "Due instant to commit of each fire", _SECONDS
        )
        registry.register(self.lateness)
        self.fires = Counter("horae_fires", "Occurrences fired", registry=registry)
        self.skips = Counter("horae_skips", "What never began", ["reason"], registry=registry)
        self.commands = Counter("horae_commands", "Records of the inbox decided", registry=registry)
        self.rejects = Counter("horae_rejects", "Records that could not be read", registry=registry)
        self.aborts = Counter("horae_aborts", "Batches aborted", ["fault"], registry=registry)
        self.batch_size = Histogram(
            "horae_batch_fires", "Fires in one batch", buckets=_SIZES, registry=registry
        )
        self.build = Histogram(
            "horae_batch_build_seconds", "Deciding one batch", buckets=_SECONDS, registry=registry
        )
        self.commit = Histogram(
            "horae_batch_commit_seconds", "Its commit", buckets=_SECONDS, registry=registry
        )
        self.schedules = Gauge("horae_schedules", "Schedules in memory", registry=registry)
        self.partitions = Gauge(
            "horae_partitions", "Partitions of this process", ["phase"], registry=registry
        )
        self.overdue = Gauge(
            "horae_overdue_seconds", "Age of the oldest instant that is due", registry=registry
        )
        self.lag = Gauge("horae_inbox_lag", "Commands not decided yet", registry=registry)
        self.restored = Gauge(
            "horae_restore_progress", "Share of its log read", ["partition"], registry=registry
        )
        self.loaded = Gauge(
            "horae_loaded_seconds", "Start to all partitions loaded; 0: not yet", registry=registry
        )
        self.first_fire = Gauge(
            "horae_first_fire_seconds", "Start to the first fire; 0: not yet", registry=registry
        )
        self.clock_difference = Gauge(
            "horae_clock_difference_seconds", "The broker's clock minus ours", registry=registry
        )


class Face:
    """The HTTP server of one role, on loopback unless told otherwise."""

    def __init__(
        self, port: int, registry: CollectorRegistry, health: Health, host: str = "127.0.0.1"
    ) -> None:
        handler = _handler(registry, health)
        self._server = ThreadingHTTPServer((host, port), handler)
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, name="telemetry", daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self._server.server_address[1])

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(registry: CollectorRegistry, health: Health) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/metrics":
                self._answer(200, CONTENT_TYPE_LATEST, generate_latest(registry))
            elif self.path == "/healthz":
                wrong = health()
                body = json.dumps({"healthy": not wrong, "wrong": wrong}).encode()
                self._answer(503 if wrong else 200, "application/json", body)
            else:
                self._answer(404, "text/plain", b"/metrics or /healthz\n")

        @override
        def log_message(self, *_: object) -> None:
            """Scrapes are not news."""

        def _answer(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler
