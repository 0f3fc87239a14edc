"""
How does a value travel in a binary COPY?

One function a type, length before data, and the limits that a column has. Which value goes into
which column is said by the table files (occurrences.py, schedules.py, audit.py, …).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from struct import Struct
from typing import Any

from projections.faults import BadRecord
from schemas.instants import FIRST, LAST

FILE_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
FILE_END = b"\xff\xff"
NULL = b"\xff\xff\xff\xff"
TRUE = b"\0\0\0\1\1"
FALSE = b"\0\0\0\1\0"

POSTGRES_EPOCH = 946_684_800_000_000
"""2000-01-01 UTC, from which the database counts, in microseconds since 1970."""
NEVER = (1 << 63) - 1
"""How events write that there is no such instant."""

_TEXT = 25
"""What the database calls the type of a text in an array."""

_length = Struct("!i").pack
_eight = Struct("!iq").pack
field_count = Struct("!h").pack


def text(value: str | None) -> bytes:
    """A text; one with a lone surrogate raises UnicodeEncodeError."""
    if value is None:
        return NULL
    data = value.encode()
    return _length(len(data)) + data


def words(value: str | None) -> bytes:
    """A text that a program wrote: what no text column can hold is replaced, not refused."""
    return NULL if value is None else text(value.replace("\0", "\N{REPLACEMENT CHARACTER}"))


def bytea(value: bytes | None) -> bytes:
    """Bytes as they are."""
    return NULL if value is None else _length(len(value)) + value


def bigint(value: int | None) -> bytes:
    """A number; one of more than 64 bits raises struct.error."""
    return NULL if value is None else _eight(8, value)


def boolean(value: bool) -> bytes:  # noqa: FBT001 - the value is the argument
    """A truth value."""
    return TRUE if value else FALSE


def instant(value: int | None) -> bytes:
    """A timestamptz or timestamp from microseconds since 1970; NEVER is null."""
    if value is None or value == NEVER:
        return NULL
    return _eight(8, database_micros(value))


def database_micros(value: int) -> int:
    """The instant as the database counts it, if every client can read it."""
    if FIRST <= value <= LAST:
        return value - POSTGRES_EPOCH
    raise out_of_range(value)


def out_of_range(*instants: int) -> BadRecord:
    """The fault of instants that some client could not read, even if the database can hold them."""
    shown = ", ".join(str(instant) for instant in instants)
    return BadRecord(f"an instant is not between the years 1 and 9999: {shown}", "22008")


def jsonb(value: Any) -> bytes:
    """A JSON document; NaN and infinities are refused, as the database would."""
    try:
        data = json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    except (ValueError, RecursionError) as fault:
        raise BadRecord(f"not JSON: {fault}", "22P02") from fault
    return raw_jsonb(data)


def raw_jsonb(data: bytes) -> bytes:
    """JSON that is text already."""
    return _length(len(data) + 1) + b"\1" + data


def texts(values: Sequence[str]) -> bytes:
    """A text[]."""
    head = Struct("!iii").pack(1 if values else 0, 0, _TEXT)
    dimensions = Struct("!ii").pack(len(values), 1) if values else b""
    data = b"".join((head, dimensions, *map(text, values)))
    return _length(len(data)) + data
