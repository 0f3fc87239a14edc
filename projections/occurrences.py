"""
What does the view say of one occurrence?

Turns `Fired`, `Skipped` and `Deferred` into rows of `occurrences`. A row depends on the last event
of its occurrence alone, so a view built from a compacted log is the same. The order of the fields
here is the order of the columns in sql/layout.sql.
"""

from __future__ import annotations

from json.encoder import encode_basestring_ascii as quoted
from struct import Struct

from projections.encoding import (
    FALSE,
    NULL,
    TRUE,
    bigint,
    database_micros,
    field_count,
    instant,
    raw_jsonb,
    text,
)
from projections.folding import Batch, Order, Row
from schemas.definition import DAY
from schemas.events import Deferred, Fired, Outcome, Reason, ScopeResult, Skipped, Stamp

_COLUMNS = field_count(27)
_NO_ORIGIN = text("")
_NONE = NULL
_FIRED, _SKIPPED, _DEFERRED = text("fired"), text("skipped"), text("deferred")
_REASONS = {reason: text(reason.value) for reason in Reason}
_QUOTED_OUTCOMES = {outcome: quoted(outcome.value) for outcome in Outcome}

# Neighbouring fields that are never null are packed in one go: they are most of the work.
_two = Struct("!iqiq").pack
_three = Struct("!iqiqiq").pack


def fired(event: Fired, stamp: Stamp, batch: Batch) -> None:
    """The work of an occurrence was given out."""
    nominal = event.nominal
    at = database_micros(nominal)
    origin = event.origin
    row = b"".join(
        (
            _COLUMNS,
            text(event.schedule),
            _two(8, at, 8, event.incarnation),
            _NO_ORIGIN if origin is None else text(origin),
            _three(8, at, 8, 1, 8, event.version),
            _FIRED,
            NULL,
            instant(event.due),
            TRUE if event.late else FALSE,
            _two(8, stamp.decided_at - event.due, 8, database_micros(stamp.decided_at)),
            instant(event.wall),
            bigint(event.second_pass),
            _scopes(event.scopes),
            instant(event.next),
            instant(event.deferred_at),
            bigint(event.deferrals),
            _NONE,
            text(event.evidence),
            _cause(stamp),
        )
    )
    batch.days.add(nominal // DAY)
    batch.occurrences.keep(
        (event.schedule, nominal, event.incarnation, origin), Row(Order(1, stamp.sequence), row)
    )


def skipped(event: Skipped, stamp: Stamp, batch: Batch) -> None:
    """An occurrence, or an unbroken run of them, ended without its work."""
    at = database_micros(event.first)
    row = b"".join(
        (
            _COLUMNS,
            text(event.schedule),
            _two(8, at, 8, event.incarnation),
            text(event.origin or ""),
            _three(8, database_micros(event.last), 8, event.count, 8, event.version),
            _SKIPPED,
            _REASONS[event.reason],
            NULL,  # a skip does not say when it was due
            FALSE,
            _two(8, stamp.decided_at - event.first, 8, database_micros(stamp.decided_at)),
            instant(event.wall),
            bigint(event.second_pass),
            NULL,
            instant(event.next),
            instant(event.deferred_at),
            bigint(event.deferrals),
            NULL,
            text(event.evidence),
            _cause(stamp),
        )
    )
    batch.days.add(event.first // DAY)
    batch.occurrences.keep(
        (event.schedule, event.first, event.incarnation, event.origin),
        Row(Order(1, stamp.sequence), row),
    )


def deferred(event: Deferred, stamp: Stamp, batch: Batch) -> None:
    """An occurrence is looked at again later."""
    at = database_micros(event.nominal)
    row = b"".join(
        (
            _COLUMNS,
            text(event.schedule),
            _two(8, at, 8, event.incarnation),
            _NO_ORIGIN,
            _three(8, at, 8, 1, 8, event.version),
            _DEFERRED,
            _REASONS[event.reason],
            instant(event.due),
            FALSE,
            _two(8, stamp.decided_at - event.due, 8, database_micros(stamp.decided_at)),
            NULL,
            NULL,
            NULL,
            instant(event.nominal),
            instant(event.deferred_at),
            bigint(event.deferrals),
            instant(event.until),
            text(event.evidence),
            _cause(stamp),
        )
    )
    batch.days.add(event.nominal // DAY)
    batch.occurrences.keep(
        (event.schedule, event.nominal, event.incarnation, None),
        Row(Order(0, stamp.sequence), row),
    )


def _cause(stamp: Stamp) -> bytes:
    """The last six columns: who decided it, where, and because of what."""
    return b"".join(
        (
            text(stamp.actor),
            text(stamp.command_id),
            _two(8, stamp.partition, 8, stamp.sequence),
            bigint(stamp.offset),
            bigint(stamp.globals_offset),
        )
    )


def _scopes(scopes: tuple[ScopeResult, ...]) -> bytes:
    """The scopes as JSON, by hand: this is written for every fire."""
    parts = [
        f'{{"scope":{quoted(scope)},"run":{quoted(run)},"outcome":{_QUOTED_OUTCOMES[outcome]},'
        f'"reason":{"null" if reason is None else quoted(reason.value)}}}'
        for scope, run, outcome, reason in scopes
    ]
    return raw_jsonb(f"[{','.join(parts)}]".encode())
