"""
How is a fire read fast?

Most records of the ledger are fires, so whoever reads it meets this layout above all others. The
answers are those of shapes.py, which is a test; instants that recur are looked up by their bytes.
Writing is fired_bytes.py.
"""

from __future__ import annotations

from typing import Any

from schemas import binary
from schemas.binary import read_bool, read_long, read_text
from schemas.events import Fired, Outcome, Reason, ScopeResult, Stamp
from schemas.faults import Unreadable
from schemas.shapes import Read

_OUTCOMES = tuple(Outcome)
_REASONS = tuple(Reason)
_new = tuple.__new__
"""Makes a named tuple of values in the order of its fields, at a third of the usual cost."""
_INSTANTS: dict[bytes, int] = {}


def read_fired(data: bytes, at: int) -> tuple[tuple[Fired, Stamp], int]:
    """A fire with its stamp, and where the message ends."""
    stamp, at = _stamp(data, at)
    schedule, at = read_text(data, at)
    version, at = read_long(data, at)
    incarnation, at = read_long(data, at)
    nominal, at = _instant(data, at)
    due, at = _instant(data, at)
    wall, at = _instant(data, at)
    second_pass, at = read_long(data, at)
    origin, at = _optional(data, at, read_text)
    late, at = read_bool(data, at)
    scopes, at = _scopes(data, at)
    following, at = _instant(data, at)
    next_due, at = _instant(data, at)
    deferred_at, at = _optional(data, at, read_long)
    deferrals, at = read_long(data, at)
    evidence, at = _optional(data, at, read_text)
    values = (
        *(schedule, version, incarnation, nominal, due, wall, second_pass, origin, late),
        *(scopes, following, next_due, deferred_at, deferrals, evidence),
    )
    return (_new(Fired, values), stamp), at


def _stamp(data: bytes, at: int) -> tuple[Stamp, int]:
    decided_at, at = _instant(data, at)
    partition, at = read_long(data, at)
    offset, at = _optional(data, at, read_long)
    globals_offset, at = read_long(data, at)
    sequence, at = read_long(data, at)
    actor, at = read_text(data, at)
    command_id, at = _optional(data, at, read_text)
    trace, at = _optional(data, at, read_text)
    made = (decided_at, partition, offset, globals_offset, sequence, actor, command_id, trace)
    return _new(Stamp, made), at


def _instant(data: bytes, at: int) -> tuple[int, int]:
    # eight bytes that were one whole number before are that number wherever they stand
    word = data[at : at + 8]
    value = _INSTANTS.get(word)
    if value is not None:
        return value, at + 8
    value, end = read_long(data, at)
    if end == at + 8:
        if len(_INSTANTS) >= binary.MEMO_ENTRIES:
            _INSTANTS.clear()
        _INSTANTS[word] = value
    return value, end


def _optional(data: bytes, at: int, read: Read) -> tuple[Any, int]:
    branch = data[at]
    if branch == 0:
        return None, at + 1
    if branch == 2:
        return read(data, at + 1)
    raise Unreadable("no branch of an optional value")


def _scopes(data: bytes, at: int) -> tuple[tuple[ScopeResult, ...], int]:
    found: list[ScopeResult] = []
    while True:
        count, at = read_long(data, at)
        if count == 0:
            return tuple(found), at
        if count < 0:  # other writers put the block's size after a negative count
            count = -count
            _, at = read_long(data, at)
        for _ in range(count):
            scope, at = read_text(data, at)
            run, at = read_text(data, at)
            outcome, at = _symbol(data, at, _OUTCOMES)
            reason, at = _optional(data, at, _reason)
            found.append(_new(ScopeResult, (scope, run, outcome, reason)))


def _reason(data: bytes, at: int) -> tuple[Reason, int]:
    return _symbol(data, at, _REASONS)


def _symbol(data: bytes, at: int, symbols: tuple[Any, ...]) -> tuple[Any, int]:
    twice = data[at]
    if twice & 0x81 or twice >> 1 >= len(symbols):
        raise Unreadable("no symbol of an enum")
    return symbols[twice >> 1], at + 1
