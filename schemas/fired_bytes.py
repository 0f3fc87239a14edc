"""
How does a fire become bytes fast?

Every fire writes one `Fired`, so its layout stands here by hand; that it equals what the schema
says is a test. Numbers that the fires of one batch share come out of a memo. Everything else that
is written goes through shapes.py.
"""

from __future__ import annotations

from schemas.binary import LongMemo, long_bytes, text_bytes
from schemas.events import Fired, Outcome, Reason, ScopeResult, Stamp

_INSTANTS = LongMemo()
_OUTCOMES = {outcome: long_bytes(i) for i, outcome in enumerate(Outcome)}
_REASONS: dict[Reason | None, bytes] = {None: b"\0"}
_REASONS |= {reason: b"\2" + long_bytes(i) for i, reason in enumerate(Reason)}
_TRUTH = {False: b"\0", True: b"\1"}


def fired_bytes(header: bytes, event: Fired, stamp: Stamp) -> bytes:
    """The message; raises what str and int raise when a value is of another type."""
    memo = _INSTANTS
    name, version, incarnation, nominal, due, wall, second, origin, late, scopes = event[:10]
    next_nominal, next_due, deferred_at, deferrals, evidence = event[10:]
    decided_at, partition, offset, globals_offset, sequence, caused_by, command_id, trace = stamp
    actor, schedule = caused_by.encode(), name.encode()
    return b"".join(
        (
            header,
            memo[decided_at],
            memo[partition],
            b"\0" if offset is None else b"\2" + long_bytes(offset),
            memo[globals_offset],
            long_bytes(sequence),
            memo[len(actor)],
            actor,
            b"\0" if command_id is None else b"\2" + text_bytes(command_id),
            b"\0" if trace is None else b"\2" + text_bytes(trace),
            memo[len(schedule)],
            schedule,
            long_bytes(version),
            long_bytes(incarnation),
            memo[nominal],
            memo[due],
            memo[wall],
            memo[second],
            b"\0" if origin is None else b"\2" + text_bytes(origin),
            _TRUTH[late],
            _scopes(scopes) if scopes else b"\0",
            memo[next_nominal],
            memo[next_due],
            b"\0" if deferred_at is None else b"\2" + long_bytes(deferred_at),
            memo[deferrals],
            b"\0" if evidence is None else b"\2" + text_bytes(evidence),
        )
    )


def _scopes(scopes: tuple[ScopeResult, ...]) -> bytes:
    parts = [_INSTANTS[len(scopes)]]
    for target, run, outcome, reason in scopes:
        scope, name = target.encode(), run.encode()
        parts += (
            _INSTANTS[len(scope)],
            scope,
            _INSTANTS[len(name)],
            name,
            _OUTCOMES[outcome],
            _REASONS[reason],
        )
    parts.append(b"\0")
    return b"".join(parts)
