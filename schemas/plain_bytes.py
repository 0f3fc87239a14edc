"""
How does the plainest fire become bytes with nothing decoded?

Nearly every fire is an emit on time, and all that its event and its cursor say is known in pieces
already: some stand in the schedule's row, some are the same for all that are due at that instant,
some for the whole batch. Here the pieces are named and joined. That the result equals what codec.py
writes for the same fire is a test; when a fire is plain is streams/processor/express.py.
"""

from __future__ import annotations

from struct import Struct
from typing import NamedTuple

from schemas.binary import MEMO_ENTRIES, LongMemo, long_bytes, read_long, text_bytes
from schemas.codec import decode_as, encode_event, pack_cursor
from schemas.events import Fired, Outcome, ScopeResult, Stamp
from schemas.identity import RUN_ID_BYTES
from schemas.registry import HEADER_BYTES
from schemas.schedule import ScheduleRow
from schemas.snapshot import Cursor


class Counted(dict[int, list[bytes]]):
    """Consecutive numbers, none met twice: made 64 at a time, since those share their end."""

    def __missing__(self, block: int) -> list[bytes]:
        if len(self) >= MEMO_ENTRIES >> 6:
            self.clear()
        first = block << 6
        if block:
            end = long_bytes(first)[1:]
            made = [bytes((low << 1 | 0x80,)) + end for low in range(64)]
        else:
            made = [long_bytes(number) for number in range(64)]
        self[block] = made
        return made


class Around(dict[int, tuple[bytes, bytes]]):
    """What stands before and between a schedule's id as actor and as schedule, by its length."""

    def __missing__(self, length: int) -> tuple[bytes, bytes]:
        actor = long_bytes(length + len(_ACTOR)) + _ACTOR
        self[length] = made = actor, _NO_COMMAND + long_bytes(length)
        return made


_COUNTED = Counted()
_AROUND = Around()
_LENGTHS = LongMemo()
_RUN_LENGTH = long_bytes(RUN_ID_BYTES)
_FIRES = Struct("<I").pack
_PROGRESS = Struct(f"<{HEADER_BYTES}xq32xII").unpack_from
_FIRES_AT = HEADER_BYTES + 5 * 8
_ACTOR = b"schedule:"
_NO_COMMAND = b"\0\0"
_ONE_SCOPE = b"\2"
_BLANK = Stamp(0, 0, None, 0, 0, "", None, None)
_STARTED = encode_event(
    Fired("", 0, 0, 0, 0, 0, 0, None, False, (ScopeResult("", "", Outcome.STARTED),), 0, 0),  # noqa: FBT003 - a record's field
    _BLANK,
)[-8:-5]
"""Outcome, reason and the array's end, as they follow a run's id; the last five are the tail."""


class RowLayout(NamedTuple):
    """Where in a row's bytes the parts of an emit lie; equal for many rows."""

    identity: slice
    """Version and incarnation, as they lie in an event too."""
    key: slice | None
    value: slice | None


class FiredPieces(NamedTuple):
    """What the events of all plain fires of one instant share."""

    before_scope: bytes
    after_scope: bytes


class CursorPieces(NamedTuple):
    """What the cursors after all plain fires of one instant share."""

    before_fires: bytes
    after_fires: bytes


def row_layout(data: bytes, row: ScheduleRow) -> RowLayout:
    """Find the parts; any place that holds the same bytes is as good as the field itself."""
    action = row.definition.action
    topic = text_bytes(action.topic)
    key, value = _optional(action.key), _optional(action.value)
    at = data.index(topic + key + value) + len(topic)
    _, end = read_long(data, HEADER_BYTES)
    _, end = read_long(data, end)
    return RowLayout(
        identity=slice(HEADER_BYTES, end),
        key=_within(at, key, action.key),
        value=_within(at + len(key), value, action.value),
    )


def read_row(data: bytes) -> ScheduleRow:
    """The row in these bytes; Unreadable if there is none."""
    return decode_as(data, ScheduleRow)


class IncarnationMarks(dict[bytes, bytes]):
    """What stands between schedule and instant in an occurrence's id, by identity in the row."""

    def __missing__(self, identity: bytes) -> bytes:
        if len(self) >= MEMO_ENTRIES:
            self.clear()
        incarnation, _ = read_long(identity, read_long(identity, 0)[1])
        self[identity] = mark = b"~%d@" % incarnation
        return mark


def created_at_in(row: bytes, layout: RowLayout) -> int:
    """When the schedule of a row was created, without reading the rest."""
    return read_long(row, layout.identity.stop)[0]


def progress_in(cursor: bytes) -> tuple[int, int, int]:
    """Mark, fires, and deferrals with the zone data's release in one number (`waits_not`)."""
    mark, fires, together = _PROGRESS(cursor)
    return mark, fires, together


def waits_not(zone_data: int) -> int:
    """That number without a deferral: two fields of two bytes each, the low one first."""
    return zone_data << 16


def stamp_piece(decided_at: int, partition: int, globals_offset: int) -> bytes:
    """The header and what the stamps of a partition's timers share in one batch."""
    stamp = Stamp(decided_at, partition, None, globals_offset, 0, "", None, None)
    blank = encode_event(Fired("", 0, 0, 0, 0, 0, 0, None, False, (), 0, 0), stamp)  # noqa: FBT003 - a record's field
    end = HEADER_BYTES
    for _ in range(2):
        _, end = read_long(blank, end)
    _, end = read_long(blank, end + 1)
    return blank[:end]


def fired_pieces(nominal: int, wall: int, second_pass: int, following: int) -> FiredPieces:
    """What an instant means for the events of its fires."""
    numbers = long_bytes(nominal) * 2 + long_bytes(wall) + long_bytes(second_pass)
    not_by_hand, not_late = b"\0", b"\0"
    nothing_deferred, no_evidence = b"\0\0", b"\0"
    return FiredPieces(
        numbers + not_by_hand + not_late + _ONE_SCOPE,
        _STARTED + long_bytes(following) * 2 + nothing_deferred + no_evidence,
    )


def cursor_pieces(
    nominal: int, wall: int, second_pass: int, following: int, zone_data: int
) -> CursorPieces:
    """What an instant means for the cursors after its fires."""
    packed = pack_cursor(
        Cursor(nominal, wall, following, following, 0, 0, 0, zone_data, second_pass)
    )
    return CursorPieces(packed[:_FIRES_AT], packed[_FIRES_AT + 4 :])


def plain_fired(  # noqa: PLR0913, PLR0917 - the pieces of one record, in their order
    stamp: bytes,
    sequence: int,
    schedule: bytes,
    identity: bytes,
    pieces: FiredPieces,
    subject: bytes,
    run: bytes,
) -> bytes:
    """The event of a plain fire."""
    before_scope, after_scope = pieces
    actor, between = _AROUND[len(schedule)]
    return b"".join(
        (
            stamp,
            _COUNTED[sequence >> 6][sequence & 63],
            actor,
            schedule,
            between,
            schedule,
            identity,
            before_scope,
            _LENGTHS[len(subject)],
            subject,
            _RUN_LENGTH,
            run,
            after_scope,
        )
    )


def plain_cursor(pieces: CursorPieces, fires: int) -> bytes:
    """The cursor after a plain fire."""
    return pieces.before_fires + _FIRES(fires) + pieces.after_fires


def _optional(value: bytes | None) -> bytes:
    return b"\0" if value is None else b"\2" + long_bytes(len(value)) + value


def _within(at: int, piece: bytes, value: bytes | None) -> slice | None:
    if value is None:
        return None
    end = at + len(piece)
    return slice(end - len(value), end)
