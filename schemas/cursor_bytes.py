"""
How is a cursor packed?

Every fire writes one, so it is a fixed layout inside an Avro record: the ten bytes of the header,
then one `struct`, little endian without padding; `avro/Cursor.avsc` tells other readers. A million
of them stay packed in memory.
"""

from __future__ import annotations

from struct import Struct
from struct import error as StructFault  # noqa: N812 - we say fault

from schemas.faults import Unreadable, Unwritable
from schemas.registry import HEADER_BYTES, KNOWN
from schemas.snapshot import Cursor

CURSOR_HEADER = next(known.header for known in KNOWN if known.name == "Cursor" and known.current)
_WHOLE = Struct("<10sqqqqqIHHB")
_PACK, _UNPACK = _WHOLE.pack, _WHOLE.unpack
_DUE = Struct(f"<{HEADER_BYTES + 3 * 8}xq").unpack_from
_ZONE_DATA = Struct(f"<{HEADER_BYTES + 5 * 8 + 6}xH").unpack_from
CURSOR_BYTES = _WHOLE.size


def pack_cursor(cursor: Cursor) -> bytes:
    """The message; refuses what does not fit into the layout."""
    try:
        return _PACK(CURSOR_HEADER, *cursor)
    except StructFault as fault:
        raise Unwritable(f"{cursor!r}: {fault}") from fault


def unpack_cursor(data: bytes) -> Cursor:
    """The cursor in a message."""
    try:
        values = _UNPACK(data)
    except StructFault as fault:
        raise Unreadable(f"a cursor has {CURSOR_BYTES} bytes, not {len(data)}") from fault
    if values[0] != CURSOR_HEADER:
        raise Unreadable(f"{data[:HEADER_BYTES].hex()} is not how a cursor begins")
    return tuple.__new__(Cursor, values[1:])  # a third of what Cursor(*values) costs


def cursor_due(data: bytes) -> int:
    """When the schedule is looked at next, without unpacking the rest of a message of ours."""
    due: int = _DUE(data)[0]
    return due


def cursor_zone_data(data: bytes) -> int:
    """The release of the zone data that a cursor was computed with, without the rest."""
    release: int = _ZONE_DATA(data)[0]
    return release
