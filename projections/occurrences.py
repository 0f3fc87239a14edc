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
    POSTGRES_EPOCH,
    TRUE,
    bigint,
    instant,
    out_of_range,
    raw_jsonb,
    text,
)
from projections.folding import Batch
from schemas.definition import DAY
from schemas.events import Deferred, Fired, Outcome, Reason, ScopeResult, Skipped, Stamp
from schemas.instants import FIRST, LAST

# The numbers that are never null come first in the table, so that they are packed in one go: fires
# are most of all events, and this is most of the work for one.
_NUMBERS = Struct("!h" + 11 * "iq").pack
_NUMBERS_OF_A_FIRE = Struct("!h" + 14 * "iq").pack
_COLUMNS = 28
_NO_ORIGIN = text("")
_FIRED = text("fired") + NULL
_SKIPPED = {reason: text("skipped") + text(reason.value) for reason in Reason}
_DEFERRED = {reason: text("deferred") + text(reason.value) for reason in Reason}
_OUTCOMES = {outcome: quoted(outcome.value) for outcome in Outcome}


def fired(event: Fired, stamp: Stamp, batch: Batch) -> None:
    """The work of an occurrence was given out."""
    schedule, version, incarnation, nominal, due, wall, second_pass = event[:7]
    origin, late, scopes, following, next_due, deferred_at, deferrals, evidence = event[7:]
    decided_at, partition, _, globals_offset, sequence = stamp[:5]
    if not (
        FIRST <= nominal <= LAST
        and FIRST <= due <= LAST
        and FIRST <= wall <= LAST
        and FIRST <= decided_at <= LAST
    ):
        raise out_of_range(nominal, due, wall, decided_at)
    at = nominal - POSTGRES_EPOCH
    row = b"".join(
        (
            _NUMBERS_OF_A_FIRE(
                *(_COLUMNS, 8, at, 8, incarnation, 8, at, 8, 1, 8, version),
                *(8, decided_at - due, 8, decided_at - POSTGRES_EPOCH, 8, deferrals),
                *(8, partition, 8, sequence, 8, globals_offset),
                *(8, due - POSTGRES_EPOCH, 8, wall - POSTGRES_EPOCH, 8, second_pass),
            ),
            text(schedule),
            _NO_ORIGIN if origin is None else text(origin),
            _FIRED,
            TRUE if late else FALSE,
            _scopes(scopes),
            instant(following),
            instant(next_due),
            NULL if deferred_at is None else instant(deferred_at),
            NULL,
            NULL if evidence is None else text(evidence),
            _cause(stamp),
        )
    )
    batch.days.add(nominal // DAY)
    batch.occurrences.keep((schedule, nominal, incarnation, origin), (1, sequence), row)


def skipped(event: Skipped, stamp: Stamp, batch: Batch) -> None:
    """An occurrence, or an unbroken run of them, ended without its work."""
    row = b"".join(
        (
            _numbers(event, event.first, event.last, event.count, event.first, stamp),
            NULL,  # a skip does not say when it was due
            instant(event.wall),
            bigint(event.second_pass),
            text(event.schedule),
            text(event.origin or ""),
            _SKIPPED[event.reason],
            FALSE,
            NULL,
            instant(event.next),
            instant(event.next_due),
            instant(event.deferred_at),
            NULL,
            text(event.evidence),
            _cause(stamp),
        )
    )
    batch.days.add(event.first // DAY)
    key = event.schedule, event.first, event.incarnation, event.origin
    batch.occurrences.keep(key, (1, stamp.sequence), row)


def deferred(event: Deferred, stamp: Stamp, batch: Batch) -> None:
    """An occurrence is looked at again later."""
    row = b"".join(
        (
            _numbers(event, event.nominal, event.nominal, 1, event.due, stamp),
            instant(event.due),
            instant(event.wall),
            NULL if event.wall is None else bigint(event.second_pass),
            text(event.schedule),
            _NO_ORIGIN,
            _DEFERRED[event.reason],
            FALSE,
            NULL,
            instant(event.nominal),
            instant(event.until),
            instant(event.deferred_at),
            instant(event.until),
            text(event.evidence),
            _cause(stamp),
        )
    )
    batch.days.add(event.nominal // DAY)
    key = event.schedule, event.nominal, event.incarnation, None
    batch.occurrences.keep(key, (0, stamp.sequence), row)


def _numbers(
    event: Skipped | Deferred, first: int, last: int, count: int, since: int, stamp: Stamp
) -> bytes:
    """The columns that are never null, from nominal to globals_offset."""
    decided_at = stamp.decided_at
    if not (FIRST <= first <= last <= LAST and FIRST <= decided_at <= LAST):
        raise out_of_range(first, last, decided_at)
    return _NUMBERS(
        *(_COLUMNS, 8, first - POSTGRES_EPOCH, 8, event.incarnation),
        *(8, last - POSTGRES_EPOCH, 8, count, 8, event.version),
        *(8, decided_at - since, 8, decided_at - POSTGRES_EPOCH, 8, event.deferrals),
        *(8, stamp.partition, 8, stamp.sequence, 8, stamp.globals_offset),
    )


def _cause(stamp: Stamp) -> bytes:
    """The last three columns: who caused it, and by which command."""
    if stamp.offset is None and stamp.command_id is None:
        return text(stamp.actor) + NULL + NULL
    return text(stamp.actor) + text(stamp.command_id) + bigint(stamp.offset)


def _scopes(scopes: tuple[ScopeResult, ...]) -> bytes:
    """The scopes as JSON, by hand: this is written for every fire."""
    parts = [
        f'{{"scope":{quoted(scope)},"run":{quoted(run)},"outcome":{_OUTCOMES[outcome]},'
        f'"reason":{"null" if reason is None else quoted(reason.value)}}}'
        for scope, run, outcome, reason in scopes
    ]
    return raw_jsonb(f"[{','.join(parts)}]".encode())
