"""
Which schemas are there, and under which fingerprints?

Reads `avro/*.avsc` (current) and `avro/history/*.avsc` (every version ever published), and brings
bytes of an old version up to date. Single-object encoding names the writer's schema by the
CRC-64-AVRO fingerprint of its canonical form; a Confluent registry would be another way from a
prefix to a `Known`. Knows fastavro; what the bytes mean to us is codec.py.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from fastavro import parse_schema, schemaless_reader, schemaless_writer
from fastavro.schema import fingerprint, to_parsing_canonical_form

from schemas.faults import Unreadable

FOLDER = Path(__file__).parent / "avro"
MAGIC = b"\xc3\x01"
HEADER_BYTES = 10


@dataclass(frozen=True, slots=True)
class Known:
    """One version of a message's schema."""

    name: str
    header: bytes
    """The magic bytes and the fingerprint: what every message of this version begins with."""
    schema: Any
    """As fastavro parsed it, without logical types: instants stay numbers."""
    current: bool


def header_of(schema: Any) -> bytes:
    """What a message written with this schema begins with."""
    # fastavro gives the eight bytes in little endian, as the encoding wants them
    return MAGIC + bytes.fromhex(fingerprint(to_parsing_canonical_form(schema), "CRC-64-AVRO"))


def load(folder: Path = FOLDER) -> tuple[Known, ...]:
    """Every version of every message's schema, the current ones first."""
    paths = sorted(folder.glob("*.avsc"))
    current = [_known(path, current=True) for path in paths]
    texts = {path.read_bytes() for path in paths}
    headers = {known.header for known in current}
    # the newest version is the current one, and not worth the work of a second parsing
    old = [
        _known(path, current=False)
        for path in sorted((folder / "history").glob("*.avsc"))
        if path.read_bytes() not in texts
    ]
    return (*current, *(known for known in old if known.header not in headers))


def earlier(data: bytes) -> Known | None:
    """The version that a message was written with, if that is not the current one any more."""
    return _EARLIER.get(data[:HEADER_BYTES])


def update(data: bytes, written: Known, current: Known) -> bytes:
    """The body of a message of an old version as the current version has it."""
    body = BytesIO(data)
    body.seek(HEADER_BYTES)
    fresh = BytesIO()
    try:
        # names with the records, so that a union's branch is carried over and never guessed
        found = schemaless_reader(body, written.schema, current.schema, return_record_name=True)
        schemaless_writer(fresh, current.schema, found)
    except Exception as fault:  # the library has no fault of its own for bad bytes
        raise Unreadable(f"no {written.name} of an earlier version: {fault!r}") from fault
    if body.tell() != len(data):
        raise Unreadable(f"{len(data) - body.tell()} bytes after the end of the message")
    return current.header + fresh.getvalue()


def plain(schema: Any) -> Any:
    """The schema without logical types."""
    if isinstance(schema, dict):
        kept = {key: plain(value) for key, value in schema.items() if key != "logicalType"}
        return kept["type"] if kept.keys() == {"type"} else kept
    if isinstance(schema, list):
        return [plain(branch) for branch in schema]
    return schema


def _known(path: Path, *, current: bool) -> Known:
    schema = parse_schema(plain(json.loads(path.read_text())))
    name = path.name.partition(".")[0]
    return Known(name, header_of(schema), schema, current)


KNOWN = load()
_EARLIER = {known.header: known for known in KNOWN if not known.current}
