"""
How does Avro lay single values out in bytes?

Numbers (zigzag, seven bits a byte), text and bytes, both ways, in plain Python: for small records
that is several times faster than a library that has to be handed dicts. Which value follows which
is shapes.py; that all of it equals what fastavro writes is a test.
"""

from __future__ import annotations

from struct import Struct

from schemas.faults import Unreadable, Unwritable

_CONTINUED = [bytes((i & 0x7F | 0x80, i >> 7 | 0x80)) for i in range(1 << 14)]
"""Fourteen bits with more to come."""
_LAST = [bytes((i,)) if i < 0x80 else bytes((i & 0x7F | 0x80, i >> 7)) for i in range(1 << 14)]
"""The last one to fourteen bits."""

_WORD = Struct("<Q").unpack_from
_TOO_LONG = "a number of more than 64 bits"

MEMO_ENTRIES = 1 << 15
MEMO_KEY_BYTES = 128
"""Longer keys are hardly ever met twice and not kept."""


def long_bytes(value: int) -> bytes:
    """A number of up to 64 bits."""
    n = value << 1 ^ value >> 63
    if n < 1 << 14:
        return _LAST[n]
    if n < 1 << 28:
        return _CONTINUED[n & 0x3FFF] + _LAST[n >> 14]
    if n < 1 << 42:
        return _CONTINUED[n & 0x3FFF] + _CONTINUED[n >> 14 & 0x3FFF] + _LAST[n >> 28]
    head = _CONTINUED[n & 0x3FFF] + _CONTINUED[n >> 14 & 0x3FFF] + _CONTINUED[n >> 28 & 0x3FFF]
    if n < 1 << 56:
        return head + _LAST[n >> 42]
    if n < 1 << 64:
        return head + _CONTINUED[n >> 42 & 0x3FFF] + _LAST[n >> 56]
    raise Unwritable(f"{value} does not fit into 64 bits")


class LongMemo(dict[int, bytes]):
    """Numbers that recur, such as the instants of one batch, with their bytes."""

    def __missing__(self, value: int) -> bytes:
        if len(self) >= MEMO_ENTRIES:
            self.clear()
        self[value] = made = long_bytes(value)
        return made


def bytes_bytes(value: bytes) -> bytes:
    """Bytes after their length."""
    return long_bytes(len(value)) + value


def text_bytes(value: str) -> bytes:
    """UTF-8 after its length."""
    data = value.encode()
    return long_bytes(len(data)) + data


def read_long(data: bytes, at: int) -> tuple[int, int]:
    """A number and where the next value begins."""
    byte = data[at]
    if byte < 0x80:
        return byte >> 1 ^ -(byte & 1), at + 1
    second = data[at + 1]
    if second < 0x80:
        return (byte & 0x7F | second << 7) >> 1 ^ -(byte & 1), at + 2
    third = data[at + 2]
    if third < 0x80:
        return (byte & 0x7F | (second & 0x7F) << 7 | third << 14) >> 1 ^ -(byte & 1), at + 3
    if len(data) - at >= 8:
        word = _WORD(data, at)[0]
        if word & 0x80808080_80808080 == 0x00808080_80808080:
            # an instant of our times has just these eight bytes: close their gaps all at once
            word = word & 0x007F007F_007F007F | (word & 0x7F007F00_7F007F00) >> 1
            word = word & 0x00003FFF_00003FFF | (word & 0x3FFF0000_3FFF0000) >> 2
            n = word & 0x0FFFFFFF | (word & 0x0FFFFFFF_00000000) >> 4
            return n >> 1 ^ -(n & 1), at + 8
    return _read_long_slowly(data, at)


def _read_long_slowly(data: bytes, at: int) -> tuple[int, int]:
    n = shift = 0
    while True:
        byte = data[at]
        n |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            break
        shift += 7
        if shift > 63:
            raise Unreadable(_TOO_LONG)
    if n >> 64:
        raise Unreadable(_TOO_LONG)
    return n >> 1 ^ -(n & 1), at


def read_bytes(data: bytes, at: int) -> tuple[bytes, int]:
    """Bytes and where the next value begins."""
    length, at = read_long(data, at)
    end = at + length
    if not at <= end <= len(data):
        raise Unreadable("a length that reaches over the end")
    return data[at:end], end


def read_text(data: bytes, at: int) -> tuple[str, int]:
    """Text and where the next value begins."""
    twice = data[at]
    end = at + 1 + (twice >> 1)
    # most texts are short: their length is one byte, and even as all that are not negative
    if twice & 0x81 == 0 and end <= len(data):
        return data[at + 1 : end].decode(), end
    found, at = read_bytes(data, at)
    return found.decode(), at


def read_bool(data: bytes, at: int) -> tuple[bool, int]:
    """A truth value, which is one of two bytes, and where the next value begins."""
    byte = data[at]
    if byte > 1:
        raise Unreadable(f"{byte} is no truth value")
    return byte == 1, at + 1
