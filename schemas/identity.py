"""
What is each thing called?

Ids of schedules, occurrences and runs, and the partition a subject lives in (DESIGN sections 1
and 2). Pure text and arithmetic; which topic holds what is in topics.py.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from hashlib import blake2b

from schemas.instants import format_instant

RUN_ID_BYTES = 15
MAX_ID_BYTES = 400
"""Leaves room for what occurrence ids and keys add; a key is far below the broker's limits."""

_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_FORBIDDEN = re.compile(r"[#@~|\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class IdFault(ValueError):
    """A schedule id that is not allowed; the message says what is."""


def schedule_id(text: str) -> str:
    """The canonical id `subject/name`; without a slash the name is its own subject."""
    subject, slash, name = text.partition("/")
    if not slash:
        name = subject
    if not subject or not name:
        raise IdFault(f"{text!r}: an id is subject/name, and neither may be empty")
    return _checked(f"{subject}/{name}", text)


def subject_id(text: str) -> str:
    """What concerns a subject as a whole is about `subject/`; the slash may be left out."""
    subject, _, name = text.partition("/")
    if not subject or name:
        raise IdFault(f"{text!r}: a subject is what stands before the slash of an id")
    return _checked(f"{subject}/", text)


def is_subject(schedule: str) -> bool:
    """Whether this is no schedule but a subject as a whole: nothing follows its first slash."""
    return schedule.find("/") == len(schedule) - 1


def _checked(canonical: str, text: str) -> str:
    found = _FORBIDDEN.search(text)
    if found:
        raise IdFault(
            f"{text!r}: {found.group()!r} is not allowed in an id (nor # @ ~ | or control)"
        )
    if len(canonical.encode()) > MAX_ID_BYTES:
        raise IdFault(f"an id may have {MAX_ID_BYTES} bytes, this one has more")
    return canonical


def forbidden_in(text: str) -> str | None:
    """The first character that no id and no name of a target may have."""
    found = _FORBIDDEN.search(text)
    return None if found is None else found.group()


def subject_of(schedule: str) -> str:
    """The part before the first slash: the unit of ordering."""
    return schedule.partition("/")[0]


def occurrence_id(schedule: str, incarnation: int, nominal: int, origin: str | None = None) -> str:
    """One nominal instant of one incarnation, or what a hand asked for (`origin`)."""
    return f"{schedule}~{incarnation}@{origin or format_instant(nominal)}"


def range_id(schedule: str, incarnation: int, first: int, last: int) -> str:
    """An unbroken run of occurrences that ended together."""
    return f"{schedule}~{incarnation}@{format_instant(first)}/{format_instant(last)}"


def run_digest(occurrence: bytes, scope: bytes) -> bytes:
    """The hash that names the work of one occurrence for one scope: same decision, same hash.

    Nine bytes are its run id, the 24 after them its trace.
    """
    return blake2b(occurrence + b"\0" + scope, digest_size=33).digest()


def run_id(occurrence: str, scope: str) -> str:
    """The work of one occurrence for one scope: `jr_` and twelve characters."""
    return run_id_of(run_digest(occurrence.encode(), scope.encode())).decode()


def run_id_of(digest: bytes) -> bytes:
    """The run id in a digest."""
    return b"jr_" + b2a_base64(digest[:9], newline=False).translate(_URL_SAFE)


def trace_parent_of(digest: bytes) -> bytes:
    """The W3C trace parent of a run that no traced command caused."""
    text = digest.hex()
    return f"00-{text[18:50]}-{text[50:]}-01".encode()


def partition_of(subject: str, partitions: int) -> int:
    """The partition a subject lives in: Kafka's own murmur2, as the Java client computes it."""
    return (_murmur2(subject.encode()) & 0x7FFFFFFF) % partitions


def _murmur2(data: bytes) -> int:
    """Murmur2, 32 bits, with Kafka's seed."""
    m, mask, length = 0x5BD1E995, 0xFFFFFFFF, len(data)
    h = 0x9747B28C ^ length
    whole = length & ~3
    for at in range(0, whole, 4):
        k = int.from_bytes(data[at : at + 4], "little") * m & mask
        k ^= k >> 24
        h = (h * m & mask) ^ (k * m & mask)
    if length != whole:
        h = (h ^ int.from_bytes(data[whole:], "little")) * m & mask
    h = (h ^ h >> 13) * m & mask
    return h ^ h >> 15
