"""
How is a whole record written and read?

Builds, once for each schema, a writer and a reader that go straight between the frozen dataclasses
and bytes. Writing is strict: only the exact types that the schema names. Single values are
binary.py; which schema a message has is registry.py; headers and fingerprints are codec.py.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from operator import attrgetter
from typing import Any

from schemas.binary import (
    bytes_bytes,
    long_bytes,
    read_bool,
    read_bytes,
    read_long,
    read_text,
    text_bytes,
)
from schemas.faults import Unreadable, Unwritable

Put = Callable[[bytes], None]
Write = Callable[[Any, Put], None]
Read = Callable[[bytes, int], tuple[Any, int]]


_ONE_BYTE = 64
"""So many branches or symbols have numbers of one byte."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How values of one schema, all of one Python type, are written and read."""

    type: type
    write: Write
    read: Read


@dataclass(frozen=True, slots=True)
class RecordShape(Shape):
    """A record's shape; the parts are for readers that take shortcuts."""

    parts: tuple[Shape, ...]


def record_shape(
    cls: type,
    schema_fields: list[Any],
    types: Mapping[str, type],
    met: dict[str, Shape] | None = None,
) -> RecordShape:
    """The shape of a record of ours whose fields are exactly these, in this order.

    `met` are the named types that the schema has defined so far, and may name again.
    """
    met = {} if met is None else met
    names = [field["name"] for field in schema_fields]
    if names != list(getattr(cls, "_fields", None) or [field.name for field in fields(cls)]):
        raise Unwritable(f"{cls.__name__} and its schema have different fields")
    parts = tuple(_shape(field["type"], types, met) for field in schema_fields)
    return RecordShape(cls, _record_writer(cls, names, parts), _record_reader(cls, parts), parts)


def _shape(schema: Any, types: Mapping[str, type], met: dict[str, Shape]) -> Shape:
    if isinstance(schema, list):
        return _union([_shape(branch, types, met) for branch in schema])
    kind = schema["type"] if isinstance(schema, dict) else schema
    if kind in _SINGLE:
        return _SINGLE[kind]
    if kind == "array":
        return _array(_shape(schema["items"], types, met))
    name = (schema["name"] if isinstance(schema, dict) else kind).rpartition(".")[2]
    if name not in met:
        met[name] = _named(schema, types[name], types, met)
    return met[name]


def _named(schema: Any, cls: type, types: Mapping[str, type], met: dict[str, Shape]) -> Shape:
    if schema["type"] == "enum":
        return _enum(cls, schema["symbols"])
    if cls is tuple:
        return _pair([_shape(field["type"], types, met) for field in schema["fields"]])
    return record_shape(cls, schema["fields"], types, met)


def _single(of: type, to_bytes: Callable[[Any], bytes], read: Read) -> Shape:
    def write(value: Any, put: Put) -> None:
        if type(value) is not of:
            raise Unwritable(f"{value!r} is not {of.__name__}")
        put(to_bytes(value))

    return Shape(of, write, read)


def _int_bytes(value: int) -> bytes:
    if not -(1 << 31) <= value < 1 << 31:
        raise Unwritable(f"{value} does not fit into 32 bits")
    return long_bytes(value)


def _read_null(_: bytes, at: int) -> tuple[None, int]:
    return None, at


_SINGLE = {
    "null": _single(type(None), lambda _: b"", _read_null),
    "boolean": _single(bool, lambda value: b"\1" if value else b"\0", read_bool),
    "int": _single(int, _int_bytes, read_long),
    "long": _single(int, long_bytes, read_long),
    "string": _single(str, text_bytes, read_text),
    "bytes": _single(bytes, bytes_bytes, read_bytes),
}


def _enum(cls: type, symbols: list[str]) -> Shape:
    if not issubclass(cls, StrEnum) or symbols != [member.value for member in cls]:
        raise Unwritable(f"{cls.__name__} and its schema have different symbols")
    if len(symbols) > _ONE_BYTE:
        raise Unwritable(f"{cls.__name__} has more symbols than its reader is made for")
    members = list(cls)
    encoded = {member: long_bytes(i) for i, member in enumerate(members)}

    def write(value: Any, put: Put) -> None:
        if type(value) is not cls:
            raise Unwritable(f"{value!r} is not {cls.__name__}")
        put(encoded[value])

    def read(data: bytes, at: int) -> tuple[Any, int]:
        twice = data[at]
        if twice & 0x81 or twice >> 1 >= len(members):
            raise Unreadable(f"no symbol of {cls.__name__}")
        return members[twice >> 1], at + 1

    return Shape(cls, write, read)


def _union(branches: list[Shape]) -> Shape:
    by_type = {shape.type: (long_bytes(i), shape.write) for i, shape in enumerate(branches)}
    reads = [shape.read for shape in branches]
    names = ", ".join(sorted(cls.__name__ for cls in by_type))

    def write(value: Any, put: Put) -> None:
        branch = by_type.get(type(value))
        if branch is None:
            raise Unwritable(f"{value!r} is none of {names}")
        put(branch[0])
        branch[1](value, put)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        twice = data[at]
        if twice & 0x81 or twice >> 1 >= len(reads):
            raise Unreadable(f"no branch of {names}")
        return reads[twice >> 1](data, at + 1)

    return Shape(object, write, read)


def _array(item: Shape) -> Shape:
    write_item = item.write

    def write(value: Any, put: Put) -> None:
        if type(value) is not tuple:
            raise Unwritable(f"{value!r} is not tuple")
        if value:
            put(long_bytes(len(value)))
            for one in value:
                write_item(one, put)
        put(b"\0")

    return Shape(tuple, write, _array_reader(item.read))


def _array_reader(read_item: Read) -> Read:
    def read(data: bytes, at: int) -> tuple[Any, int]:
        found: list[Any] = []
        while True:
            count, at = read_long(data, at)
            if count == 0:
                return tuple(found), at
            if count < 0:  # other writers put the block's size after a negative count
                count = -count
                _, at = read_long(data, at)
            for _ in range(count):
                one, at = read_item(data, at)
                found.append(one)

    return read


def _pair(parts: list[Shape]) -> Shape:
    """A record that is a plain tuple on our side."""
    writes = [part.write for part in parts]
    reads = [part.read for part in parts]

    def write(value: Any, put: Put) -> None:
        if type(value) is not tuple or len(value) != len(writes):
            raise Unwritable(f"{value!r} is not a tuple of {len(writes)}")
        for one, write_one in zip(value, writes, strict=True):
            write_one(one, put)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        found = []
        for read_one in reads:
            one, at = read_one(data, at)
            found.append(one)
        return tuple(found), at

    return Shape(tuple, write, read)


def _record_writer(cls: type, names: list[str], parts: tuple[Shape, ...]) -> Write:
    pairs = tuple((attrgetter(name), part.write) for name, part in zip(names, parts, strict=True))

    def write(value: Any, put: Put) -> None:
        if type(value) is not cls:
            raise Unwritable(f"{value!r} is not {cls.__name__}")
        for take, write_one in pairs:
            write_one(take(value), put)

    return write


def _record_reader(cls: type, parts: tuple[Shape, ...]) -> Read:
    reads = tuple(part.read for part in parts)

    def read(data: bytes, at: int) -> tuple[Any, int]:
        found = []
        for read_one in reads:
            one, at = read_one(data, at)
            found.append(one)
        return cls(*found), at

    return read
