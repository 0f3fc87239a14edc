"""
What does a page of metrics say about the requests of a deployment?

Four numbers out of the text that Prometheus reads, each the sum over all label sets: of several
models or engines behind one address all count. Only the lines that are meant are read, so that
nothing else on the page can be in the way. Whoever asks for the page sends it on; pure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from prometheus_client.parser import text_string_to_metric_families

from schemas.deployments import Metrics

MOST = 9e12
"""More than any server counts; in seconds its microseconds still have 63 bits."""


class NotMeasured(Exception):
    """A page does not say whether there are requests; the text says what is missing."""


class Counts(NamedTuple):
    """What a server counts; it begins anew when the server does."""

    in_flight: int
    waiting: int
    """0 also for a server that has no such number: it keeps no queue."""
    seconds: float | None
    """How long all finished requests together took; None: the page does not say."""
    finished: int | None
    """How many there were; None: the page does not say."""


def counts_of(text: str, metrics: Metrics) -> Counts:
    """Read a page; NotMeasured if it holds no number of requests in flight."""
    sums = _sums(text, frozenset((metrics.in_flight, metrics.waiting, metrics.seconds,
                                  metrics.finished)))  # fmt: skip
    in_flight = sums.get(metrics.in_flight)
    if in_flight is None:
        raise NotMeasured(f"there is no number {metrics.in_flight} on the page of metrics")
    seconds, finished = sums.get(metrics.seconds), sums.get(metrics.finished)
    return Counts(
        # Upwards: an average of 0.2 requests is not none.
        math.ceil(in_flight),
        math.ceil(sums.get(metrics.waiting, 0.0)),
        seconds,
        None if finished is None else int(finished),
    )


def _sums(text: str, names: frozenset[str]) -> dict[str, float]:
    """The numbers with these names, each summed up; what is no number of anything is refused."""
    sums: dict[str, float] = {}
    try:
        for family in text_string_to_metric_families("\n".join(_meant(text, names)) + "\n"):
            for sample in family.samples:
                if sample.name in names:
                    sums[sample.name] = sums.get(sample.name, 0.0) + float(sample.value)
    except ValueError as fault:
        raise NotMeasured(f"the page of metrics cannot be read: {fault}") from fault
    for name, value in sums.items():
        if not 0 <= value <= MOST:  # nor is what is no number at all
            raise NotMeasured(f"{name} is {value:g} on the page of metrics")
    return sums


def _meant(text: str, names: frozenset[str]) -> Iterator[str]:
    """The lines of the numbers with these names."""
    # A label may hold what else ends a line elsewhere.
    for line in text.split("\n"):
        words = line.partition("{")[0].split(None, 1)
        if words and words[0] in names:
            yield line
