"""
How much is asked over HTTP, and how does it end?

The numbers of one process for Prometheus, counted by the doorway (doorway.py) and by whoever hands
in orders.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from schemas.replies import Reply

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Numbers:
    """What is counted."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "horae_api_requests_total",
            "Requests by what was asked and how it ended.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "horae_api_request_seconds",
            "How long a request took, waiting for its reply included.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._replies = Counter(
            "horae_api_replies_total",
            "Replies of processors to orders of requests.",
            ("command", "verdict"),
            registry=self.registry,
        )

    def asked(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request has ended."""
        self._requests.labels(method, route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def replied(self, reply: Reply) -> None:
        """An order has its reply."""
        self._replies.labels(reply.command, reply.verdict.value).inc()

    def shown(self) -> bytes:
        """As Prometheus reads it."""
        return generate_latest(self.registry)
