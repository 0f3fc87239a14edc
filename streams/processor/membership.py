"""
Does this process belong to the group right now?

The group metadata of one poll, as the client gives it: opaque bytes whose generation and member are
read here, since offsets sent under the metadata of a consumer that never joined are accepted
unfenced by the broker.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from streams.faults import AbortBatch, Halt

_MAGIC = b"CGMDv2:"
_GENERATION = struct.Struct("=i")


class Membership(NamedTuple):
    """Who we were in the group at the last poll."""

    raw: bytes
    generation: int
    member: str

    def require_live(self) -> None:
        """Raise AbortBatch unless we are a member of a generation."""
        if self.generation < 0 or not self.member:
            raise AbortBatch(f"not a member of the group (generation {self.generation})")


def membership_of(raw: bytes) -> Membership:
    """Read the client's group metadata; Halt if this client writes it differently."""
    if not raw.startswith(_MAGIC):
        raise Halt("the Kafka client's group metadata have another form than CGMDv2")
    at = len(_MAGIC)
    (generation,) = _GENERATION.unpack_from(raw, at)
    _group, member, _rest = raw[at + _GENERATION.size :].split(b"\0", 2)
    return Membership(raw, generation, member.decode())
