"""
What is in the logs, as a reader of committed records sees it?

All of it, read once when everything has come to rest, and sorted: commands by their place, events
by partition in their order, replies, records of the target topics.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from schemas.codec import decode_as
from schemas.commands import Asked
from schemas.events import GlobalChanged
from schemas.instants import format_instant
from schemas.rejected import Rejected
from schemas.replies import Reply
from schemas.topics import COMMANDS, EVENTS, GLOBALS, REJECTED, REPLIES, SCHEDULES, STATE
from streams.processor.globals import Told, read_global
from streams.processor.intake import InboxRecord, Misplaced, take_in
from streams.processor.recorded import Kept, kept
from tests.processor.cluster import Cluster
from tests.processor.found import Found

Place = tuple[int, int]
"""Partition and offset."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One reply, where it lies."""

    place: Place
    id: str
    value: bytes
    reply: Reply


@dataclass(frozen=True, slots=True)
class History:
    """The logs."""

    partitions: int
    inbox: dict[int, dict[int, InboxRecord]]
    asked: dict[Place, Asked]
    misplaced: dict[Place, Misplaced]
    ledger: dict[int, list[Kept]]
    """Events of each partition in their order."""
    offsets: dict[int, list[int]]
    """Where each of them lies in horae.events."""
    replies: list[Answered]
    rejected: list[Rejected]
    told: list[Told]
    emitted: list[Found]
    state: list[Found]
    rows: dict[str, Found]
    """The last record of each schedule in horae.schedules, without the removed ones."""

    def about(self, schedule: str) -> str:
        """All that the ledger and the inbox hold about a schedule, for a person to read."""
        found = [
            (one.stamp.decided_at, one.stamp.sequence, f"{one.stamp} {one.event}")
            for records in self.ledger.values()
            for one in records
            if not isinstance(one.event, GlobalChanged) and one.event.schedule == schedule
        ]
        asked = [
            (one.appended_at, -1, f"asked {place} {one}")
            for place, one in self.asked.items()
            if one.schedule == schedule
        ]
        lines = [f"  {format_instant(at)} {text}" for at, _, text in sorted(found + asked)]
        return "\n".join(lines[-60:])


def read_history(cluster: Cluster, targets: Iterable[str]) -> History:
    """Read everything."""
    count = cluster.partitions
    inbox: dict[int, dict[int, InboxRecord]] = {number: {} for number in range(count)}
    for one in cluster.read(COMMANDS):
        inbox[one.partition][one.offset] = InboxRecord(
            *(one.partition, one.offset, one.appended_at, one.key, one.value),
            list(one.headers.items()),
        )
    readings = {
        (number, offset): take_in(record, count, 0)
        for number, records in inbox.items()
        for offset, record in records.items()
    }
    ledger: dict[int, list[Kept]] = {number: [] for number in range(count)}
    offsets: dict[int, list[int]] = {number: [] for number in range(count)}
    for one in sorted(cluster.read(EVENTS), key=lambda one: (one.partition, one.offset)):
        ledger[one.partition].append(kept(one.key or b"", one.value or b""))
        offsets[one.partition].append(one.offset)
    rows: dict[str, Found] = {}
    for one in cluster.read(SCHEDULES):
        rows[(one.key or b"").decode()] = one
    return History(
        partitions=count,
        inbox=inbox,
        asked={place: one for place, one in readings.items() if isinstance(one, Asked)},
        misplaced={place: one for place, one in readings.items() if isinstance(one, Misplaced)},
        ledger=ledger,
        offsets=offsets,
        replies=[
            Answered(
                (one.partition, one.offset),
                (one.key or b"").decode(),
                one.value or b"",
                decode_as(one.value or b"", Reply),
            )
            for one in cluster.read(REPLIES)
        ],
        rejected=[decode_as(one.value or b"", Rejected) for one in cluster.read(REJECTED)],
        told=[read_global(one.key, one.value, one.offset) for one in cluster.read(GLOBALS)],
        emitted=[one for topic in targets for one in cluster.read(topic)],
        state=cluster.read(STATE),
        rows={name: one for name, one in rows.items() if one.value is not None},
    )
