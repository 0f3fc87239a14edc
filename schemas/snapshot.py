"""
What does the processor keep in horae.state to start from?

`p|<schedule>` its cursor, `o|<partition>` the owner's record, `c|<command id>` the answer to a
command, for 24 hours. Internal: no one else reads it. The definitions are in schedule.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Cursor(NamedTuple):
    """How far a schedule has come: all that a fire changes."""

    mark: int
    """The last settled nominal instant: nothing at or before it is looked at again."""
    wall: int
    """The wall time of the mark: a wall time handled once stays handled when zone data change."""
    nominal: int
    """The oldest instant that is not settled; NEVER if there is none."""
    due: int
    """When it is looked at: its due instant, or the end of a deferral or pause."""
    deferred_at: int
    """When it was first deferred, 0 if it was not."""
    fires: int
    deferrals: int
    zone_data: int
    """The release of the zone data that `nominal` was computed with (zones.release_number)."""
    second_pass: int


@dataclass(frozen=True, slots=True)
class Owner:
    """Written by every transaction for exactly the partitions whose offsets it sends."""

    instance: str
    """The owner's transactional id, which is also its client id in the group."""
    next_offset: int
    """The next command to decide."""
    topic_id: str
    """The inbox's topic id: another one is another log."""
    base: int
    """Added to an offset to make a version: grows when another inbox is adopted."""
    next_sequence: int
    """The sequence number of the next event."""
    globals_offset: int
    """Partition 0: the last record of horae.globals that got its reply and its ledger event."""
    written_at: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What a one-shot command was answered, so that its second copy gets the same."""

    answered_at: int
    digest: bytes
    """Of the command's key and value: the same id with another payload is a conflict."""
    reply: bytes
    """The encoded reply."""
