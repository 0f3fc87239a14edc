"""
Which bytes is a message, and which message are these bytes?

Avro in single-object encoding: two magic bytes, the fingerprint of the writer's schema, the body.
Old versions are read for ever. How values and records are laid out is binary.py and shapes.py, the
schemas and their versions are registry.py, JSON is reading.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar, get_args

from schemas.commands import (
    AcceptProposal,
    Backfill,
    Beat,
    CancelBackfill,
    CancelRun,
    ClaimRun,
    DeclineRun,
    Define,
    DefineApp,
    DefineDeployment,
    DismissProposal,
    EditScopes,
    HoldSubject,
    Pause,
    Propose,
    ReleaseSubject,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
    ReportRun,
    ReportState,
    Resume,
    Skip,
    Trigger,
    Unskip,
    WithdrawProposal,
)
from schemas.cursor_bytes import cursor_due, pack_cursor, unpack_cursor
from schemas.events import Event, Fired, Stamp
from schemas.faults import Unreadable, Unwritable
from schemas.fired_bytes import fired_bytes
from schemas.fired_reading import read_fired
from schemas.globals import Calendar, ClockAccepted, Freeze, GlobalSettings, Hold
from schemas.orders import Denial, Grant, Order, OutputChunk, Stop
from schemas.parts import PARTS
from schemas.registry import HEADER_BYTES, KNOWN, MAGIC, Known, update
from schemas.rejected import Rejected
from schemas.replies import Reply
from schemas.row_bytes import row_reader
from schemas.schedule import ScheduleRow
from schemas.shapes import Read, Write, record_shape
from schemas.snapshot import (
    Answer,
    Cursor,
    Owner,
    Run,
    RunnerNote,
    SubjectNotes,
)
from schemas.traffic import Sample, TrafficMinute

__all__ = [
    "Message",
    "Recorded",
    "cursor_due",
    "decode",
    "decode_as",
    "decode_event",
    "encode",
    "encode_event",
    "pack_cursor",
    "unpack_cursor",
]

_Command = (
    Define | Pause | Resume | Trigger | Skip | Unskip | Backfill | CancelBackfill | EditScopes
    | HoldSubject | ReleaseSubject | RemoveSubject | RemoveTarget | ReportActivity | ReportRun
    | CancelRun | ClaimRun | DeclineRun | DefineApp | DefineDeployment | ReportState | Propose
    | AcceptProposal | DismissProposal | WithdrawProposal | Beat
)  # fmt: skip
_Kept = ScheduleRow | Owner | Answer | Run | SubjectNotes | RunnerNote
_Work = Order | Grant | Denial | Stop | OutputChunk
_Global = Hold | GlobalSettings | ClockAccepted | Calendar | Freeze
_Seen = Sample | TrafficMinute
Message = _Command | _Kept | _Work | _Seen | _Global | Reply | Rejected | Cursor


class Recorded(NamedTuple):
    """One record of the ledger."""

    event: Event
    stamp: Stamp


T = TypeVar("T")


class _Tables(NamedTuple):
    """How each type is written, and each beginning of a message is read."""

    writers: dict[type, tuple[bytes, Write]]
    event_writers: dict[type, tuple[bytes, Write, Write]]
    readers: dict[bytes, Read]


def _tables(versions: tuple[Known, ...]) -> _Tables:
    current = {known.name: known for known in versions if known.current}
    writers: dict[type, tuple[bytes, Write]] = {}
    event_writers: dict[type, tuple[bytes, Write, Write]] = {}
    readers: dict[str, Read] = {"Cursor": _read_cursor}
    for cls in (one for one in get_args(Message) if one is not Cursor):
        known = current[cls.__name__]
        shape = record_shape(cls, known.schema["fields"], PARTS)
        writers[cls] = known.header, shape.write
        readers[known.name] = row_reader(shape) if cls is ScheduleRow else shape.read
    for cls in get_args(Event):
        known = current[cls.__name__]
        first, *rest = known.schema["fields"]
        stamp = record_shape(Stamp, first["type"]["fields"], PARTS)
        shape = record_shape(cls, rest, PARTS)
        event_writers[cls] = known.header, stamp.write, shape.write
        readers[known.name] = _event_reader(shape.read, stamp.read)
    readers["Fired"] = _read_fired
    by_header = {
        known.header: readers[known.name]
        if known.current
        else _old_reader(known, current[known.name], readers[known.name])
        for known in versions
    }
    return _Tables(writers, event_writers, by_header)


def _event_reader(event: Read, stamp: Read) -> Read:
    def read(data: bytes, at: int) -> tuple[Recorded, int]:
        found_stamp, at = stamp(data, at)
        found, at = event(data, at)
        return Recorded(found, found_stamp), at

    return read


def _read_fired(data: bytes, at: int) -> tuple[Recorded, int]:
    recorded, at = read_fired(data, at)
    return Recorded(*recorded), at


def _read_cursor(data: bytes, _: int) -> tuple[Cursor, int]:
    return unpack_cursor(data), len(data)


def _old_reader(written: Known, current: Known, read: Read) -> Read:
    def read_old(data: bytes, _: int) -> tuple[Any, int]:
        return read(update(data, written, current), HEADER_BYTES)[0], len(data)

    return read_old


_WRITERS, _EVENT_WRITERS, _READERS = _tables(KNOWN)
_FIRED_HEADER = _EVENT_WRITERS[Fired][0]


def encode(message: Message) -> bytes:
    """The bytes of anything but an event."""
    if type(message) is Cursor:
        return pack_cursor(message)
    known = _WRITERS.get(type(message))
    if known is None:
        raise Unwritable(f"{type(message).__name__} is no message")
    header, write = known
    return _joined(header, (write, message))


def encode_event(event: Event, stamp: Stamp) -> bytes:
    """The bytes of an event and its stamp."""
    if type(event) is Fired:
        try:
            return fired_bytes(_FIRED_HEADER, event, stamp)
        except (AttributeError, KeyError, TypeError, UnicodeEncodeError) as fault:
            raise Unwritable(f"{event!r}: {fault!r}") from fault
    known = _EVENT_WRITERS.get(type(event))
    if known is None:
        raise Unwritable(f"{type(event).__name__} is no event")
    header, write_stamp, write = known
    return _joined(header, (write_stamp, stamp), (write, event))


def decode(data: bytes) -> Message | Recorded:
    """Whatever message these bytes are, an event with its stamp; Unreadable if they are none."""
    read = _READERS.get(data[:HEADER_BYTES])
    if read is None:
        raise Unreadable(_no_header(data))
    try:
        found, end = read(data, HEADER_BYTES)
    except IndexError:
        raise Unreadable("the message is cut off") from None
    except UnicodeDecodeError as fault:
        raise Unreadable(f"a text is not UTF-8: {fault}") from fault
    if end != len(data):
        raise Unreadable(f"{len(data) - end} bytes after the end of the message")
    message: Message | Recorded = found
    return message


def decode_event(data: bytes) -> Recorded:
    """The event in these bytes, with its stamp."""
    return decode_as(data, Recorded)


def decode_as(data: bytes, expected: type[T]) -> T:
    """The message in these bytes if it is of the expected type; Unreadable if it is another."""
    found = decode(data)
    if type(found) is not expected:
        raise Unreadable(f"{type(found).__name__} where {expected.__name__} was expected")
    return found


def _joined(header: bytes, *written: tuple[Write, Any]) -> bytes:
    parts = [header]
    try:
        for write, value in written:
            write(value, parts.append)
    except UnicodeEncodeError as fault:
        raise Unwritable(f"text with a lone surrogate: {fault}") from fault
    return b"".join(parts)


def _no_header(data: bytes) -> str:
    if data[:2] != MAGIC:
        return f"no message begins with {data[:2].hex() or 'nothing'}"
    if len(data) < HEADER_BYTES:
        return "the message is cut off inside its header"
    return f"no schema has the fingerprint {data[2:HEADER_BYTES].hex()}"
