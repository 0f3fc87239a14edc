"""
How are policies written as JSON?

The inverse of reading_policies.py: what is read back is the same, and values at the default of
their preset are left out. A filter that is damaged is refused, since it could be taken for
everything.
"""

from __future__ import annotations

from typing import Any

from schemas.definition import Definition
from schemas.durations import format_duration
from schemas.policies import NO_RETRY, Gate, Overlap, Retry, Scope, Tracking
from schemas.policy_limits import check_filter
from schemas.presets import Defaults, usual_overlap


def policies_json(definition: Definition, usual: Defaults) -> dict[str, Any]:
    """The fields of a definition about overlap, failures, targets and gates."""
    found: dict[str, Any] = {}
    overlap = usual_overlap(usual, definition.action.tracked)
    if definition.overlap != overlap:
        found["overlap"] = _overlap(definition.overlap, overlap)
    if definition.retry != NO_RETRY:
        found["retry"] = _retry(definition.retry)
    if definition.timeout is not None:
        found["timeout"] = format_duration(micros=definition.timeout)
    if definition.pause_on_failure:
        found["pause_on_failure"] = definition.pause_on_failure
    if definition.scopes is not None:
        found["scopes"] = scopes_json(definition.scopes)
    if definition.gate != usual.gate:
        found["gate"] = _gate(definition.gate, usual.gate or Gate())
    if definition.manual is not usual.manual:
        found["manual"] = definition.manual.value
    return found


def tracking_json(tracked: Tracking | None) -> bool | dict[str, str]:
    """Whether somebody reports, and how long a silence may be."""
    if tracked is None:
        return False
    return True if tracked == Tracking() else {"lease": format_duration(micros=tracked.lease)}


def scopes_json(scopes: tuple[Scope, ...]) -> list[str | dict[str, Any]]:
    """Targets in their order; FieldFault if a filter says nothing."""
    return [_scope(scope, f"scopes[{i}]") for i, scope in enumerate(scopes)]


def _scope(scope: Scope, path: str) -> str | dict[str, Any]:
    if scope.filter is None:
        return scope.target
    found = check_filter(scope.filter, path)
    return {"target": scope.target, found.kind.value: list(found.values)}


def _overlap(overlap: Overlap, usual: Overlap) -> str | dict[str, Any]:
    found: dict[str, Any] = {"mode": overlap.mode.value}
    if overlap.limit != usual.limit:
        found["limit"] = overlap.limit
    if overlap.max_wait != usual.max_wait:
        found["max_wait"] = format_duration(micros=overlap.max_wait)
    if overlap.across is not usual.across:
        found["across"] = overlap.across.value
    if overlap.supersedes is not usual.supersedes:
        found["supersedes"] = overlap.supersedes
    if overlap.full is not usual.full:
        found["full"] = overlap.full.value
    return found if len(found) > 1 else overlap.mode.value


def _retry(retry: Retry) -> dict[str, Any]:
    found: dict[str, Any] = {"max": retry.most}
    if retry.backoff != NO_RETRY.backoff:
        found["backoff"] = format_duration(micros=retry.backoff)
    if retry.longest != NO_RETRY.longest:
        found["longest"] = format_duration(micros=retry.longest)
    return found


def _gate(gate: Gate | None, usual: Gate) -> str | dict[str, Any] | None:
    if gate is None:
        return None
    spans = {
        name: (getattr(gate, name), getattr(usual, name))
        for name in ("quiet", "fresh", "look", "max_wait")
    }
    found = {
        name: format_duration(micros=micros)
        for name, (micros, default) in spans.items()
        if micros != default
    }
    return found or "quiet"
