"""What do the two processes of the traffic count?"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

_SECONDS = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60)


class TrafficMetrics:
    """The numbers of one worker."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.samples = Counter("horae_traffic_samples", "Samples taken in", registry=registry)
        self.left_out = Counter(
            "horae_traffic_left_out", "Samples that do not count", ["reason"], registry=registry
        )
        self.rejects = Counter(
            "horae_traffic_rejects", "Records that could not be read", registry=registry
        )
        self.forwarded = Counter(
            "horae_traffic_forwarded", "Samples of another partition", registry=registry
        )
        self.minutes = Counter("horae_traffic_minutes", "Minutes written", registry=registry)
        self.amended = Counter(
            "horae_traffic_amended",
            "Minutes written anew after somebody else wrote them",
            registry=registry,
        )
        self.partitions = Gauge(
            "horae_traffic_partitions", "Partitions of this worker", registry=registry
        )
        self.restored = Histogram(
            "horae_traffic_restore_seconds",
            "Reading one partition's minutes back",
            buckets=_SECONDS,
            registry=registry,
        )
        self.age = Gauge(
            "horae_traffic_age_seconds",
            "From the sample to its minute in the log, of the last one",
            registry=registry,
        )


class SamplerMetrics:
    """The numbers of one sampler."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.deployments = Gauge(
            "horae_sampler_deployments", "Deployments that are looked at", registry=registry
        )
        self.looks = Counter(
            "horae_sampler_looks", "Looks by how they ended", ["outcome"], registry=registry
        )
        self.took = Histogram(
            "horae_sampler_look_seconds", "One look", buckets=_SECONDS, registry=registry
        )
        self.undelivered = Gauge(
            "horae_sampler_undelivered", "Records the broker does not have yet", registry=registry
        )
        self.lost = Counter(
            "horae_sampler_lost", "Records that did not reach the broker", registry=registry
        )
        self.list_age = Gauge(
            "horae_sampler_list_age_seconds",
            "Since the list of deployments was read; while the views are away it grows",
            registry=registry,
        )
