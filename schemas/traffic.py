"""
What was seen of a deployment's traffic?

A sample is one look, a minute all looks whose instant lies in it: absolute values, so that the same
samples give the same minute whatever came late, twice or in another order. Instants and durations
are integer microseconds, rates thousandths of a request a minute.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Sample:
    """What a sampler, or the service itself, saw at one moment; the moment is its identity."""

    sampled_at: int
    in_flight: int
    waiting: int
    finished: int | None = None
    """Requests that ended since the sample before; None: that is not known."""
    micros: int | None = None
    """How long these took, all together."""


class MinuteKind(StrEnum):
    """Whether there were requests."""

    UNKNOWN = "unknown"
    """None was seen, but some may have come and gone between two looks."""
    IDLE = "idle"
    """There was none."""
    ACTIVE = "active"


@dataclass(frozen=True, slots=True)
class TrafficMinute:
    """All that was seen of a subject in one minute; its key is `subject|minute`."""

    minute: int
    """The instant at which it begins."""
    kind: MinuteKind
    rate: int | None
    """Thousandths of a request a minute; None: it cannot be told."""
    in_flight: int
    """The sum over all samples."""
    waiting: int
    finished: int | None
    """None: no sample knows."""
    micros: int | None
    samples: tuple[Sample, ...] = ()
    """In the order of their instants."""
