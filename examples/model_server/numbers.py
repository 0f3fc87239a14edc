"""
What does the server count, and how does it say so?

The names and labels are those of vLLM; every number is a count of requests that there were.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Gauge, Histogram, generate_latest

_LABELS = ("engine", "model_name")
_SECONDS = (0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960)


class Numbers:
    """The requests of one model."""

    def __init__(self, model: str) -> None:
        self.running = 0
        self.waiting = 0
        self.refused = 0
        """Requests that met a sleeping server; vLLM has no such number, so it is not shown."""
        self._registry = CollectorRegistry()
        for name, what, count in (
            ("running", "in model execution batches", lambda: self.running),
            ("waiting", "waiting to be processed", lambda: self.waiting),
        ):
            gauge = Gauge(
                f"vllm:num_requests_{name}",
                f"Number of requests {what}.",
                _LABELS,
                registry=self._registry,
            )
            gauge.labels("0", model).set_function(count)
        self._latency = Histogram(
            "vllm:e2e_request_latency_seconds",
            "Histogram of e2e request latency in seconds.",
            _LABELS,
            registry=self._registry,
            buckets=_SECONDS,
        ).labels("0", model)

    def finish(self, seconds: float) -> None:
        """Count a request that is over."""
        self._latency.observe(seconds)

    def page(self) -> bytes:
        """All of it, in the text format of Prometheus."""
        return generate_latest(self._registry)
