"""
What may overlap, retries, gates, scopes and filters hold, whatever they were written in?

Asked of what came as Avro and of what JSON said alike; fields are named as reading_policies.py
names them. What a policy means is streams/decider.
"""

from __future__ import annotations

from collections.abc import Sequence

from schemas.actions import Act
from schemas.definition import Definition
from schemas.faults import FieldFault
from schemas.identity import MAX_ID_BYTES, forbidden_in
from schemas.json_text import check_text
from schemas.policies import (
    ALONE,
    NO_RETRY,
    Filter,
    FilterKind,
    Gate,
    Overlap,
    OverlapMode,
    Retry,
    Scope,
    Tracking,
)
from schemas.units import DAY, HOUR, SECOND

SHORTEST = SECOND
"""Of all lengths of time here: a timer is no finer."""
LONGEST = 56 * DAY
MAX_BESIDE = 10_000
"""Runs at once, or waiting, of one scope."""
MAX_RETRIES = 1_000
MAX_FAILURES = 1_000
MAX_SCOPES = 1_000
MAX_VALUES = 1_000
"""Of one filter."""
MAX_VALUE_BYTES = 400
_LIMITED = (OverlapMode.ALLOW, OverlapMode.QUEUE)
_WAITING = (OverlapMode.QUEUE, OverlapMode.LATEST)
_UNTRACKED = "needs emit.tracked: an emit that nobody reports about is over at once"


def check_policies(definition: Definition) -> None:
    """Refuse, by its name, a policy that no definition may have."""
    if definition.action.tracked is not None:
        check_tracking(definition.action.tracked, "emit.tracked")
    check_overlap(definition.overlap, "overlap")
    check_retry(definition.retry, "retry")
    if definition.timeout is not None:
        check_span(definition.timeout, "timeout")
    check_failures(definition.pause_on_failure, "pause_on_failure")
    if definition.scopes is not None:
        check_scopes(definition.scopes, "scopes")
    if definition.gate is not None:
        check_gate(definition.gate, "gate")
    check_span(definition.start_within, "start_within")
    check_tracked(definition)


def check_tracked(definition: Definition) -> None:
    """Refuse what is decided about runs where none stays open, or none is for runners."""
    action = definition.action
    if action.work is None and definition.start_within != HOUR:
        raise FieldFault("start_within", "only with http, command, exec, fresh or deployment")
    if definition.hold_on_failure and not isinstance(action.work, Act):
        raise FieldFault("hold_on_failure", "only with deployment: it holds its sleep and wake")
    if definition.scopes is not None and isinstance(action.work, Act):
        # Its target is the subject: each of several would have the same done to that once more.
        raise FieldFault(
            "scopes", "not with deployment: it acts on its subject, and on nothing else"
        )
    if action.tracked is not None:
        return
    for path, usual in (
        ("overlap", definition.overlap == ALONE),
        ("retry", definition.retry == NO_RETRY),
        ("timeout", definition.timeout is None),
        ("pause_on_failure", not definition.pause_on_failure),
    ):
        if not usual:
            raise FieldFault(path, _UNTRACKED)


def check_tracking(tracking: Tracking, path: str) -> Tracking:
    """Give a tracking back if its lease is a length of time."""
    check_span(tracking.lease, f"{path}.lease")
    return tracking


def check_overlap(overlap: Overlap, path: str) -> Overlap:
    """Give an overlap rule back if its mode has what it says."""
    if overlap.limit is not None:
        if overlap.mode not in _LIMITED:
            raise FieldFault(f"{path}.limit", f"only with allow or queue, not {overlap.mode.value}")
        _check_between(overlap.limit, 1, MAX_BESIDE, f"{path}.limit")
    if overlap.max_wait != ALONE.max_wait and overlap.mode not in _WAITING:
        raise FieldFault(f"{path}.max_wait", f"only with queue or latest, not {overlap.mode.value}")
    check_span(overlap.max_wait, f"{path}.max_wait")
    if overlap.full is not ALONE.full and overlap.mode is not OverlapMode.QUEUE:
        raise FieldFault(f"{path}.full", f"only with queue, not {overlap.mode.value}")
    return overlap


def check_retry(retry: Retry, path: str) -> Retry:
    """Give a rule for further attempts back if there are not too many, nor too close."""
    _check_between(retry.most, 0, MAX_RETRIES, f"{path}.max")
    check_span(retry.backoff, f"{path}.backoff")
    check_span(retry.longest, f"{path}.longest")
    if retry.backoff > retry.longest:
        raise FieldFault(f"{path}.backoff", f"must not be longer than {path}.longest")
    return retry


def check_failures(count: int, path: str) -> int:
    """Give a number of failures back; 0 is for never."""
    return _check_between(count, 0, MAX_FAILURES, path)


def check_gate(gate: Gate, path: str) -> Gate:
    """Give a gate back if each of its times is one."""
    check_span(gate.quiet, f"{path}.quiet")
    check_span(gate.fresh, f"{path}.fresh")
    check_span(gate.look, f"{path}.look")
    check_span(gate.max_wait, f"{path}.max_wait")
    return gate


def check_scopes(scopes: Sequence[Scope], path: str, *, least: int = 0) -> None:
    """Refuse targets that are doubled, too many or too few (`least`), or none at all.

    Without `least` there may be none: so is a schedule whose targets are gone.
    """
    if len(scopes) < least:
        raise FieldFault(path, "needs at least one target")
    if len(scopes) > MAX_SCOPES:
        raise FieldFault(path, f"has {MAX_SCOPES:,} entries at most, not {len(scopes):,}")
    met: set[str] = set()
    for i, scope in enumerate(scopes):
        check_scope(scope, f"{path}[{i}]")
        if scope.target in met:
            raise FieldFault(f"{path}[{i}].target", f"{scope.target[:40]!r} is there twice")
        met.add(scope.target)


def check_scope(scope: Scope, path: str) -> Scope:
    """Give a scope back if it names a target, and what of it."""
    check_target(scope.target, f"{path}.target")
    if scope.filter is not None:
        check_filter(scope.filter, path)
    return scope


def check_target(target: str, path: str) -> str:
    """Give the name of a target back if a key can hold it."""
    check_text(target, path)
    if not target.strip():
        raise FieldFault(path, "must not be empty")
    found = forbidden_in(target)
    if found is not None:
        raise FieldFault(path, f"{found!r} is not allowed in a name (nor # @ ~ | or control)")
    if len(target.encode()) > MAX_ID_BYTES:
        raise FieldFault(path, f"a name has {MAX_ID_BYTES} bytes at most")
    return target


def check_filter(found: Filter, path: str) -> Filter:
    """Give a filter back if it says what it takes; one that does not is never everything.

    `path` is that of its scope. A type may be there twice, a component not.
    """
    if found.kind not in tuple(FilterKind):
        raise FieldFault(path, f"a filter is of types or ids, not of {found.kind!r}")
    path = f"{path}.{FilterKind(found.kind).value}"
    if not found.values:
        raise FieldFault(path, "needs at least one value; without a filter it is all of it")
    if len(found.values) > MAX_VALUES:
        raise FieldFault(path, f"has {MAX_VALUES:,} entries at most, not {len(found.values):,}")
    met: set[str] = set()
    for i, value in enumerate(found.values):
        _check_value(value, f"{path}[{i}]")
        if value in met and found.kind is FilterKind.IDS:
            raise FieldFault(f"{path}[{i}]", f"{value[:40]!r} is there twice")
        met.add(value)
    return found


def check_span(micros: int, path: str) -> int:
    """Give a length of time back if it is one a timer can keep, microseconds."""
    if not SHORTEST <= micros <= LONGEST:
        raise FieldFault(path, f"must be from 1 s to {LONGEST // DAY} days long")
    return micros


def _check_value(value: str, path: str) -> None:
    if not check_text(value, path).strip():
        raise FieldFault(path, "must not be empty")
    if len(value.encode()) > MAX_VALUE_BYTES:
        raise FieldFault(path, f"has {MAX_VALUE_BYTES} bytes at most")


def _check_between(number: int, least: int, most: int, path: str) -> int:
    if not least <= number <= most:
        raise FieldFault(path, f"must be from {least:,} to {most:,}, not {number}")
    return number
