"""
How is the projection doing?

The projector's numbers for Prometheus and its health in words, and a small server for both. When
something is counted is projector.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from typing_extensions import override

from projections.folding import Parked
from projections.history import Trimmed
from projections.profiling import Profiled
from projections.writer import Applied, Lag
from schemas.snapshot import RunPhase

_RUN_SECONDS = (0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400)
_QUEUE_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 900, 3_600)
_STALE_SECONDS = 30.0
"""Without a committed batch or beat for so long, the projector is not well."""


@dataclass(frozen=True, slots=True)
class Health:
    """What a person or a supervisor wants to know first."""

    healthy: bool
    state: str
    version: int | None
    lag_records: int
    lag_seconds: float
    seconds_since_commit: float | None
    parked: int
    last_error: str | None


class Telemetry:
    """What is measured and said about one projector."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """`clock` only grows; it measures how long ago the last commit was."""
        self.registry = CollectorRegistry()
        self._clock = clock
        self._lock = Lock()
        self._state = "starting"
        self._version: int | None = None
        self._committed_at: float | None = None
        self._last_error: str | None = None
        self._lag_records = 0
        self._lag_seconds = 0.0
        self._parked_total = 0
        self.batches = 0
        place = ("topic", "partition")
        self._records_behind = Gauge(
            "horae_projection_lag_records",
            "Records not yet in the views.",
            place,
            registry=self.registry,
        )
        self._seconds_behind = Gauge(
            "horae_projection_lag_seconds",
            "Age of the views while behind.",
            place,
            registry=self.registry,
        )
        self._batch = Histogram(
            "horae_projection_batch_records",
            "Records in a batch.",
            buckets=(1, 10, 100, 1_000, 2_500, 5_000, 10_000, 25_000),
            registry=self.registry,
        )
        self._apply = Histogram(
            "horae_projection_apply_seconds",
            "Time of a batch's transaction.",
            registry=self.registry,
        )
        self._parked = Counter(
            "horae_projection_parked_total",
            "Records that could not become rows.",
            ("topic", "sqlstate"),
            registry=self.registry,
        )
        self._faults = Counter(
            "horae_projection_faults_total", "Faults by kind.", ("kind",), registry=self.registry
        )

        self._runs_open = Gauge(
            "horae_runs_open", "Runs that are not over.", ("status",), registry=self.registry
        )
        self._runs_ended = Counter(
            "horae_runs_ended_total",
            "Runs whose end came into the views.",
            ("status",),
            registry=self.registry,
        )
        self._run_time = Histogram(
            "horae_run_duration_seconds",
            "From the beginning of a run's first attempt to its end.",
            ("work",),
            buckets=_RUN_SECONDS,
            registry=self.registry,
        )
        self._queue_time = Histogram(
            "horae_run_queue_seconds",
            "From the fire to the beginning of a run's first attempt.",
            ("work",),
            buckets=_QUEUE_SECONDS,
            registry=self.registry,
        )
        self._trimmed = Counter(
            "horae_history_removed_total",
            "What of the past is no longer kept in the views.",
            ("what",),
            registry=self.registry,
        )
        self._profiled = Counter(
            "horae_profiles_computed_total",
            "Traffic profiles that were computed.",
            registry=self.registry,
        )
        self._profiles_left = Gauge(
            "horae_profiles_left",
            "1 while some traffic profiles are still to be computed.",
            registry=self.registry,
        )
        self._trim_left = Gauge(
            "horae_history_left",
            "1 while some of the past is still to be taken away.",
            registry=self.registry,
        )

    def state(self, state: str, version: int | None = None) -> None:
        """It is following, standing by, stopped."""
        with self._lock:
            self._state, self._version = state, version
            self._committed_at = self._clock()

    def committed(self, records: int, seconds: float, applied: Applied) -> None:
        """A batch or beat is in the tables."""
        if records:
            self._batch.observe(records)
            self._apply.observe(seconds)
        with self._lock:
            self.batches += 1
            self._committed_at = self._clock()
            for one in applied.parked:
                self._parked_total += 1
                self._parked.labels(one.record.topic(), one.sqlstate or "none").inc()
                self._last_error = f"parked {_where(one)}: {one.error}"

        for run in applied.ended:
            self._runs_ended.labels(run.status).inc()
            work = run.work or "other"
            if run.duration is not None:
                self._run_time.labels(work).observe(run.duration / 1_000_000)
            if run.queue_time is not None:
                self._queue_time.labels(work).observe(run.queue_time / 1_000_000)

    def open_runs(self, counts: Mapping[str, int]) -> None:
        """How many runs are in each state that is no end."""
        for phase in RunPhase:
            if phase is not RunPhase.ENDED:
                self._runs_open.labels(phase.value).set(counts.get(phase.value, 0))

    def trimmed(self, trimmed: Trimmed) -> None:
        """Some of the past was taken away."""
        self._trimmed.labels("runs").inc(trimmed.runs)
        self._trimmed.labels("outputs").inc(trimmed.outputs)
        self._trimmed.labels("traffic_hours").inc(trimmed.traffic_hours)
        self._trim_left.set(trimmed.left)

    def profiled(self, profiled: Profiled) -> None:
        """Some traffic profiles are as of now."""
        self._profiled.inc(profiled.subjects)
        self._profiles_left.set(profiled.left)

    def behind(self, lags: Iterable[Lag]) -> None:
        """How far the rows are behind."""
        records, seconds = 0, 0.0
        for lag in lags:
            self._records_behind.labels(lag.topic, lag.partition).set(lag.records)
            self._seconds_behind.labels(lag.topic, lag.partition).set(lag.seconds)
            records += lag.records
            seconds = max(seconds, lag.seconds)
        with self._lock:
            self._lag_records, self._lag_seconds = records, seconds

    def fault(self, fault: Exception) -> None:
        """Something went wrong."""
        self._faults.labels(type(fault).__name__).inc()
        with self._lock:
            self._last_error = f"{type(fault).__name__}: {fault}"

    def health(self) -> Health:
        """The present state in words."""
        with self._lock:
            age = None if self._committed_at is None else self._clock() - self._committed_at
            fresh = age is not None and age < _STALE_SECONDS
            return Health(
                healthy=self._state == "standby" or (self._state == "following" and fresh),
                state=self._state,
                version=self._version,
                lag_records=self._lag_records,
                lag_seconds=self._lag_seconds,
                seconds_since_commit=age,
                parked=self._parked_total,
                last_error=self._last_error,
            )


def serve(telemetry: Telemetry, host: str, port: int) -> ThreadingHTTPServer:
    """Answer /metrics and /healthz in a thread of its own, until the server is shut down."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer one question."""
            if self.path == "/metrics":
                self._answer(
                    HTTPStatus.OK, CONTENT_TYPE_LATEST, generate_latest(telemetry.registry)
                )
            elif self.path == "/healthz":
                health = telemetry.health()
                status = HTTPStatus.OK if health.healthy else HTTPStatus.SERVICE_UNAVAILABLE
                self._answer(status, "application/json", json.dumps(asdict(health)).encode())
            else:
                self._answer(HTTPStatus.NOT_FOUND, "text/plain", b"/metrics or /healthz\n")

        def _answer(self, status: HTTPStatus, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: a probe each second is no news."""

    server = ThreadingHTTPServer((host, port), Handler)
    Thread(target=server.serve_forever, name="horae-projector-http", daemon=True).start()
    return server


def _where(one: Parked) -> str:
    record = one.record
    return f"{record.topic()}[{record.partition()}]@{record.offset()}"
