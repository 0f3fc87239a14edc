"""
Which record does a fire write into its target topic?

The user's key, value and headers byte for byte, and our own headers once: which schedule, which
occurrence, its nominal time, the run id, when it was fired, and a trace parent; the target and the
components if the schedule has scopes, the attempt if somebody reports about it. Pure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from schemas.definition import Definition
from schemas.identity import run_digest, trace_parent_of
from schemas.instants import format_instant
from schemas.policies import Scope

Header = tuple[str, bytes | None]
Headers = list[tuple[str, str | bytes | None]] | None
"""As the Kafka client takes them."""

OURS = frozenset(
    {"horae-schedule", "horae-occurrence", "horae-nominal", "horae-run", "horae-fired-at",
     "horae-scope", "horae-components", "horae-attempt", "traceparent"}
)  # fmt: skip
"""Not repeated when a delivered record is scheduled a second time (KPR-40)."""


class Begun(NamedTuple):
    """One piece of work that begins: an attempt of an occurrence for a scope."""

    schedule: str
    occurrence: str
    nominal: int
    scope: str
    run: str
    attempt: int = 1


class Emitted(NamedTuple):
    """One record for a target topic."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: Headers


def emitted(definition: Definition, begun: Begun, decided_at: int, trace: str | None) -> Emitted:
    """The record that asks for this work."""
    action = definition.action
    headers: list[tuple[str, str | bytes | None]] = [
        ("horae-schedule", begun.schedule.encode()),
        ("horae-occurrence", begun.occurrence.encode()),
        ("horae-nominal", format_instant(begun.nominal).encode()),
        ("horae-run", begun.run.encode()),
        ("horae-fired-at", format_instant(decided_at).encode()),
        ("traceparent", trace.encode() if trace else _trace_parent(begun)),
    ]
    if definition.scopes is not None:
        headers += _of_scope(definition.scopes, begun.scope)
    if action.tracked is not None:
        headers.append(("horae-attempt", str(begun.attempt).encode()))
    if action.headers:
        headers = [*(one for one in action.headers if one[0] not in OURS), *headers]
    return Emitted(action.topic, action.key, action.value, headers)


def _of_scope(scopes: tuple[Scope, ...], target: str) -> Iterator[tuple[str, bytes]]:
    """The target, and which components of it if not all."""
    yield "horae-scope", target.encode()
    filter_ = next((one.filter for one in scopes if one.target == target), None)
    if filter_ is not None:
        found = {filter_.kind.value: filter_.values}
        yield "horae-components", json.dumps(found, ensure_ascii=False).encode()


def _trace_parent(begun: Begun) -> bytes:
    """A trace of its own for each occurrence that no traced command caused: always the same."""
    return trace_parent_of(run_digest(begun.occurrence.encode(), begun.scope.encode()))
