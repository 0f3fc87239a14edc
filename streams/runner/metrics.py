"""What does a runner count?"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_SECONDS = (0.01, 0.02, 0.035, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3_600, 86_400)


class RunnerMetrics:
    """The numbers of one runner."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.slots = Gauge("horae_runner_slots", "Slots of this runner", registry=registry)
        self.used = Gauge("horae_runner_slots_used", "Slots that are taken", registry=registry)
        self.claims = Counter("horae_runner_claims", "Orders that were claimed", registry=registry)
        self.grants = Counter("horae_runner_grants", "Grants that came", registry=registry)
        self.denials = Counter("horae_runner_denials", "Claims refused", registry=registry)
        self.unanswered = Counter(
            "horae_runner_claims_unanswered", "Claims without an answer in time", registry=registry
        )
        self.declines = Counter(
            "horae_runner_declines", "Attempts that were given back", registry=registry
        )
        self.outcomes = Counter(
            "horae_runner_outcomes", "Attempts that ended", ["status"], registry=registry
        )
        self.lateness = Histogram(
            "horae_runner_start_seconds",
            "Due instant to start of each first attempt",
            buckets=_SECONDS,
            registry=registry,
        )
        self.undelivered = Gauge(
            "horae_runner_undelivered", "Reports the broker does not have yet", registry=registry
        )
