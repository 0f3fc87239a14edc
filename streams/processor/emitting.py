"""
Which record does a fire write into its target topic?

The user's key, value and headers byte for byte, and our own headers once: which schedule, which
occurrence, its nominal time, the run id, when it was fired, and a trace parent. Pure.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from schemas.definition import Emit
from schemas.events import Fired
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
        ("traceparent", trace.encode() if trace else traceparent(occurrence)),
    ]
    if action.headers:
        headers = [*(one for one in action.headers if one[0] not in OURS), *headers]
    return Emitted(action.topic, action.key, action.value, headers)


def traceparent(occurrence: bytes) -> bytes:
    """A W3C trace parent of its own for each occurrence that no command caused: always the same."""
    digest = blake2b(occurrence, digest_size=24).hexdigest()
    return f"00-{digest[:32]}-{digest[32:]}-01".encode()
