"""
Which record does a fire write into its target topic?

The user's key, value and headers byte for byte, and our own headers once: which schedule, which
occurrence, its nominal time, the run id, when it was fired, and a trace parent. Pure.
"""

from __future__ import annotations

from typing import NamedTuple

from schemas.definition import Emit
from schemas.events import Fired
from schemas.identity import run_digest, trace_parent_of
from schemas.instants import format_instant

Header = tuple[str, bytes | None]
Headers = list[tuple[str, str | bytes | None]] | None
"""As the Kafka client takes them."""

OURS = frozenset(
    {"horae-schedule", "horae-occurrence", "horae-nominal", "horae-run", "horae-fired-at",
     "traceparent"}
)  # fmt: skip
"""Not repeated when a delivered record is scheduled a second time (KPR-40)."""


class Emitted(NamedTuple):
    """One record for a target topic."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: Headers


def emitted(
    action: Emit, fired: Fired, occurrence: bytes, decided_at: int, trace: str | None
) -> Emitted:
    """The record that this fire writes; `occurrence` is its id."""
    headers: list[tuple[str, str | bytes | None]] = [
        ("horae-schedule", fired.schedule.encode()),
        ("horae-occurrence", occurrence),
        ("horae-nominal", format_instant(fired.nominal).encode()),
        ("horae-run", fired.scopes[0].run.encode()),
        ("horae-fired-at", format_instant(decided_at).encode()),
        ("traceparent", trace.encode() if trace else _trace_parent(fired, occurrence)),
    ]
    if action.headers:
        headers = [*(one for one in action.headers if one[0] not in OURS), *headers]
    return Emitted(action.topic, action.key, action.value, headers)


def _trace_parent(fired: Fired, occurrence: bytes) -> bytes:
    """A trace of its own for each occurrence that no traced command caused: always the same."""
    return trace_parent_of(run_digest(occurrence, fired.scopes[0].scope.encode()))
