"""
What becomes of this record of horae.samples?

It is a look at a subject of this partition, one that came too late or too early to count, one that
a producer with another hash put into the wrong partition, or nothing that can be read. Pure; what
follows is keeping.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from schemas.faults import Unreadable
from schemas.identity import partition_of
from schemas.reading_traffic import read_sample
from schemas.rejected import KEPT_BYTES, Rejected
from schemas.topics import SAMPLES
from schemas.traffic import Sample
from streams.traffic.known import misdated

FORWARDED = "horae-forwarded"
"""The header of a copy: `<partition>.<offset>` of the record it was made from."""
_LONGEST_ERROR = 1_000


class Arrived(NamedTuple):
    """One record as it lies in horae.samples."""

    partition: int
    offset: int
    appended_at: int
    key: bytes | None
    value: bytes | None
    headers: Sequence[tuple[str, bytes | None]] = ()


class Look(NamedTuple):
    """A sample that counts."""

    subject: str
    sample: Sample


class Misdated(NamedTuple):
    """A sample that is left out, `late` or `early`."""

    how: str


class Misplaced(NamedTuple):
    """A copy goes to this partition."""

    to: int
    origin: bytes


@dataclass(frozen=True, slots=True)
class Spoiled:
    """A record that cannot be read."""

    record: Arrived
    error: str

    def rejected(self, now: int) -> Rejected:
        """What is kept of it."""
        record = self.record
        return Rejected(
            topic=SAMPLES,
            partition=record.partition,
            offset=record.offset,
            error=self.error[:_LONGEST_ERROR],
            key=None if record.key is None else record.key[:KEPT_BYTES],
            value=None if record.value is None else record.value[:KEPT_BYTES],
            size=len(record.value or b""),
            appended_at=record.appended_at,
            rejected_at=now,
        )


def take_in(record: Arrived, partitions: int) -> Look | Misdated | Misplaced | Spoiled:
    """Read one record."""
    try:
        subject, sample = read_sample(record.key, record.value)
    except Unreadable as fault:
        return Spoiled(record, str(fault))
    how = misdated(sample, record.appended_at)
    if how is not None:
        return Misdated(how)
    home = partition_of(subject, partitions)
    if home == record.partition:
        return Look(subject, sample)
    if any(name == FORWARDED for name, _ in record.headers):
        # The partition count of its writer differs from ours: copying on would never end.
        return Spoiled(record, f"a copy belongs into partition {home} and lies here")
    return Misplaced(home, f"{record.partition}.{record.offset}".encode())
