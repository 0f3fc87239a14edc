"""
How is a cursor packed?

Every fire writes one, so it is a fixed layout inside an Avro record: the ten bytes of the header,
then one `struct`, little endian without padding; `avro/Cursor.avsc` tells other readers. A million
of them stay packed in memory. Only what is deferred has more bytes than that: its wall time.
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructFault  # noqa: N812 - we say fault

from schemas.binary import long_bytes, read_long
from schemas.faults import Unreadable, Unwritable
from schemas.registry import HEADER_BYTES, KNOWN, earlier, update
from schemas.snapshot import Cursor, WallTime

_CURRENT = next(known for known in KNOWN if known.name == "Cursor" and known.current)
CURSOR_HEADER = _CURRENT.header
_WHOLE = Struct("<10sqqqqqIHHBB")
_PACK, _UNPACK = _WHOLE.pack, _WHOLE.unpack
_NOT_WAITING, _WAITING = 0, 2  # which branch of the union follows
_DUE = Struct(f"<{HEADER_BYTES + 3 * 8}xq").unpack_from
_ZONE_DATA = Struct(f"<{HEADER_BYTES + 5 * 8 + 6}xH").unpack_from
CURSOR_BYTES = _WHOLE.size


def pack_cursor(cursor: Cursor) -> bytes:
    """The message; refuses what does not fit into the layout."""
    try:
        if cursor.waiting is None:
            return _PACK(CURSOR_HEADER, *cursor[:-1], _NOT_WAITING)
        waiting = b"".join(map(long_bytes, cursor.waiting))
        return _PACK(CURSOR_HEADER, *cursor[:-1], _WAITING) + waiting
    except StructFault as fault:
        raise Unwritable(f"{cursor!r}: {fault}") from fault


def unpack_cursor(data: bytes) -> Cursor:
    """The cursor in a message, also in one of a former release."""
    try:
        values = _UNPACK(data)
    except StructFault:
        return _unpack_other(data)
    if values[0] != CURSOR_HEADER or values[-1] != _NOT_WAITING:
        return _unpack_other(data)
    return tuple.__new__(Cursor, (*values[1:-1], None))  # a third of what Cursor(*values) costs


def check_cursor(data: bytes) -> None:
    """Make sure that a message is a cursor, of whichever release, before parts of it are read."""
    if len(data) != CURSOR_BYTES or data[:HEADER_BYTES] != CURSOR_HEADER:
        unpack_cursor(data)


def _unpack_other(data: bytes) -> Cursor:
    """The cursor in a message that is longer than most, or of a former release."""
    written = earlier(data)
    if written is not None and written.name == "Cursor":
        return unpack_cursor(update(data, written, _CURRENT))
    if data[:HEADER_BYTES] != CURSOR_HEADER:
        raise Unreadable(f"{data[:HEADER_BYTES].hex()} is not how a cursor begins")
    if len(data) < CURSOR_BYTES:
        raise Unreadable(f"a cursor has {CURSOR_BYTES} bytes at least, not {len(data)}")
    values = _UNPACK(data[:CURSOR_BYTES])
    return tuple.__new__(Cursor, (*values[1:-1], _read_waiting(data, values[-1])))


def _read_waiting(data: bytes, branch: int) -> WallTime:
    """The wall time behind the layout, with which the message ends."""
    try:
        wall, at = read_long(data, CURSOR_BYTES)
        second_pass, at = read_long(data, at)
    except IndexError:
        raise Unreadable("the wall time in a cursor is cut off") from None
    if branch != _WAITING or at != len(data):
        raise Unreadable("no wall time follows in a cursor, but other bytes")
    return WallTime(wall, second_pass)


def cursor_due(data: bytes) -> int:
    """When the schedule is looked at next, without unpacking the rest of a message of ours."""
    due: int = _DUE(data)[0]
    return due


def cursor_zone_data(data: bytes) -> int:
    """The release of the zone data that a cursor was computed with, without the rest."""
    release: int = _ZONE_DATA(data)[0]
    return release
