"""
What does this record of the inbox ask for?

Four answers: a command about a schedule of this partition (also one whose content is not
acceptable, which is answered), a runner's beat, which is meant for the partition it lies in, a
record that belongs into another partition, or one that cannot be read at all. Reading key and value
is schemas/reading.py; what is done about it is batch.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from schemas.command_keys import UNREMEMBERED
from schemas.commands import Asked, Beat, Command, Unacceptable
from schemas.faults import Unreadable
from schemas.identity import partition_of, subject_of
from schemas.reading import (
    MAX_COMMAND_ID_BYTES,
    FieldFault,
    read_beat,
    read_command,
    runner_of,
    split_key,
)
from schemas.rejected import KEPT_BYTES, Rejected
from schemas.topics import COMMANDS, MAX_MESSAGE_BYTES
from streams.processor.emitting import Header, Headers

FORWARDED = "horae-forwarded"
"""The header of a copy: `<partition>.<offset>` of the record it was made from."""


MOST_COPIED = 768 * 1024
"""Bytes of the largest record that is forwarded: a copy has more headers than its original, and one
that no topic takes would hold up its partition for ever. No command is as large as this."""
LONGEST_ERROR = 1_000
"""Characters of what is said about a record; it may quote the record."""


class InboxRecord(NamedTuple):
    """One record as it lies in the inbox."""

    partition: int
    offset: int
    appended_at: int
    key: bytes | None
    value: bytes | None
    headers: Sequence[Header] = ()
    fault: str | None = None
    """Why it cannot be asked what it says, such as that the client could not unpack it."""


class Heard(NamedTuple):
    """A runner's beat."""

    runner: str
    beat: Beat
    offset: int


class Misplaced(NamedTuple):
    """A record that a producer with another hash put here; a copy goes to partition `to`."""

    to: int
    headers: Headers


@dataclass(frozen=True, slots=True)
class Spoiled:
    """A record that cannot be read."""

    record: InboxRecord
    error: str

    def rejected(self, now: int, most: int = KEPT_BYTES) -> Rejected:
        """What is kept of it: so many bytes of key and value, or with 0 only where it lies."""
        record = self.record
        value = record.value
        return Rejected(
            topic=COMMANDS,
            partition=record.partition,
            offset=record.offset,
            error=self.error[:LONGEST_ERROR],
            key=record.key[:most] if most and record.key is not None else None,
            value=value[:most] if most and value is not None else None,
            size=len(value or b""),
            appended_at=record.appended_at,
            rejected_at=now,
        )


def take_in(record: InboxRecord, partitions: int, base: int) -> Asked | Heard | Misplaced | Spoiled:
    """Read one record; `base` is what the partition's offsets are counted from."""
    if record.fault is not None:
        return Spoiled(record, record.fault)
    if len(record.value or b"") > MAX_MESSAGE_BYTES:  # a little that was packed well
        return Spoiled(record, f"unpacks to more than {MAX_MESSAGE_BYTES} bytes")
    headers = {name: value for name, value in record.headers if value is not None}
    try:
        runner = runner_of(record.key)
        if runner is not None:  # about no subject, so it has no other home
            return Heard(runner, read_beat(record.value), record.offset)
        key = split_key(record.key)
        home = partition_of(subject_of(key.schedule), partitions)
        if home != record.partition:
            return _misplaced(record, home, FORWARDED in headers)
        command = _command(record)
    except Unreadable as fault:
        return Spoiled(record, str(fault))
    here = f"{record.partition}.{record.offset}"
    once = key.id is not None and key.kind not in UNREMEMBERED
    return Asked(
        schedule=key.schedule,
        command=command,
        id=_text(headers.get("horae-id"), MAX_COMMAND_ID_BYTES) or key.id or here,
        partition=record.partition,
        offset=record.offset,
        version=base + record.offset,
        appended_at=record.appended_at,
        actor=_text(headers.get("horae-actor")) or "service:unknown",
        trace=_text(headers.get("traceparent")),
        once=f"{key.schedule}#{key.kind}:{key.id}" if once else None,
        digest=blake2b(record.value or b"", digest_size=16).digest() if once else b"",
    )


def _command(record: InboxRecord) -> Command:
    try:
        return read_command(record.key, record.value)[1]
    except FieldFault as fault:
        return Unacceptable(split_key(record.key).kind or "define", fault.field, fault.message)


def _misplaced(record: InboxRecord, home: int, copied: bool) -> Misplaced | Spoiled:  # noqa: FBT001
    if copied:  # the partition count of its writer differs from ours: copying on would never end
        return Spoiled(record, f"a copy belongs into partition {home} and lies here")
    if _size(record) > MOST_COPIED:
        return Spoiled(record, f"belongs into partition {home} and is too large to be copied")
    origin = f"{record.partition}.{record.offset}".encode()
    return Misplaced(home, [*record.headers, (FORWARDED, origin)])


def _size(record: InboxRecord) -> int:
    """Bytes of all that a copy repeats."""
    headers = sum(len(name.encode()) + len(value or b"") + 10 for name, value in record.headers)
    return len(record.key or b"") + len(record.value or b"") + headers


def _text(value: bytes | None, most: int = 512) -> str | None:
    """A header of a foreign producer: what cannot be text of ours is left out."""
    if not value or len(value) > most:
        return None
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None
