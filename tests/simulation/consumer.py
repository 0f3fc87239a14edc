"""
What does a consumer do, over the log in memory?

The part of confluent_kafka that a processor uses: the same names, arguments, callbacks and errors,
and nothing that waits. Who owns which partition is group.py.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, OFFSET_INVALID, KafkaError, TopicPartition

from tests.simulation.wire import LOGS, Message, refusal

LARGEST_FETCH = 40
"""Records that come at once: so that a restore takes several steps."""


class Consumer:
    """A consumer, in a group if it has subscribed."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.log = LOGS[options["bootstrap.servers"]]
        self.client = str(options.get("client.id", ""))
        self._committed = options["isolation.level"] == "read_committed"
        self._group: str = options["group.id"]
        self._next: dict[tuple[str, int], int] = {}
        self._read: set[tuple[str, int]] = set()
        """Where something was passed since the assignment: only there is a position."""
        self._paused: set[tuple[str, int]] = set()
        self._callbacks: Mapping[str, Any] = {}
        self.member = ""
        self.generation = -1
        self._owned: set[int] = set()
        self._was_expelled = False
        self.deaf = False
        """Nothing of what it reads arrives."""

    # ------------------------------------------------------------------ the group

    def subscribe(self, _topics: list[str], **callbacks: Any) -> None:
        self._callbacks = callbacks

    def consumer_group_metadata(self) -> bytes:
        head = b"CGMDv2:" + struct.pack("=i", self.generation)
        member = self.member if self.generation >= 0 else ""
        return head + b"\0".join((self._group.encode(), member.encode(), b""))

    def rejoin(self) -> None:
        """What the client's own thread does, before the process polls again."""
        group = self.log.group
        if self.member not in group.members:
            self._was_expelled = bool(self.member)
            self.member, self.generation = group.join(self.client), -1
        group.rejoin(self.member, set() if self._was_expelled else self._owned)
        if group.share_of(self.member) is not None and self._was_expelled:
            self.generation = group.generation

    def _take_part(self) -> None:
        group = self.log.group
        if self.member not in group.members or self._was_expelled:
            self.rejoin()
            self._was_expelled = False
            self._give_up(self._owned, "on_lost")
        group.rejoin(self.member, self._owned)
        share = group.share_of(self.member)
        if share is None or (self.generation == group.generation and share == self._owned):
            return
        self.generation = group.generation
        leaving = self._owned - share
        self._give_up(leaving, "on_revoke")
        taken = sorted(share - self._owned)
        self._owned = self._owned | share
        if taken:
            self._callbacks["on_assign"](self, self._places(taken))
        if leaving:
            group.prepare()
            group.rejoin(self.member, self._owned)

    def _give_up(self, numbers: Iterable[int], callback: str) -> None:
        gone = sorted(numbers)
        self._owned = self._owned - set(gone)
        if gone:
            self._callbacks[callback](self, self._places(gone))

    def _places(self, numbers: Iterable[int]) -> list[TopicPartition]:
        return [TopicPartition(self.log.inbox, number) for number in numbers]

    def committed(self, places: list[TopicPartition], _timeout: float) -> list[TopicPartition]:
        found = []
        for one in places:
            if self.log.is_pending(one.partition):
                raise refusal(KafkaError.UNSTABLE_OFFSET_COMMIT, "a commit is pending")
            at = self.log.committed.get(one.partition, OFFSET_INVALID)
            found.append(TopicPartition(one.topic, one.partition, at))
        return found

    def close(self) -> None:
        if self.member:
            self._give_up(self._owned, "on_revoke")
            self.log.group.leave(self.member)
            self.member = ""

    # ------------------------------------------------------------------ reading

    def assign(self, places: list[TopicPartition]) -> None:
        self._next.clear()
        self.incremental_assign(places)

    def incremental_assign(self, places: list[TopicPartition]) -> None:
        for one in places:
            place = one.topic, one.partition
            begin = self.log.lane(*place).begin
            self._next[place] = begin if one.offset == OFFSET_BEGINNING else one.offset
            self._read.discard(place)
            self._paused.discard(place)

    def incremental_unassign(self, places: list[TopicPartition]) -> None:
        for one in places:
            self._next.pop((one.topic, one.partition), None)
            self._read.discard((one.topic, one.partition))

    def seek(self, place: TopicPartition) -> None:
        self._next[place.topic, place.partition] = place.offset

    def pause(self, places: list[TopicPartition]) -> None:
        self._paused |= {(one.topic, one.partition) for one in places}

    def resume(self, places: list[TopicPartition]) -> None:
        self._paused -= {(one.topic, one.partition) for one in places}

    def position(self, places: list[TopicPartition]) -> list[TopicPartition]:
        return [self._position((one.topic, one.partition)) for one in places]

    def _position(self, place: tuple[str, int]) -> TopicPartition:
        offset = self._next[place] if place in self._read else OFFSET_INVALID
        return TopicPartition(*place, offset)

    def get_watermark_offsets(self, place: TopicPartition, **_how: Any) -> tuple[int, int]:
        lane = self.log.lane(place.topic, place.partition)
        return lane.begin, lane.end

    def offsets_for_times(
        self, asked: list[TopicPartition], _timeout: float
    ) -> list[TopicPartition]:
        found = []
        for one in asked:
            lane = self.log.lane(one.topic, one.partition)
            end = lane.stable_end if self._committed else lane.end
            offset = lane.begin if one.offset == OFFSET_BEGINNING else end
            found.append(TopicPartition(one.topic, one.partition, offset))
        return found

    def poll(self, _timeout: float = 0) -> Message | None:
        self.log.strike(self, "poll")
        if self._callbacks:
            self._take_part()
        found = self.consume(1, 0)
        return found[0] if found else None

    def consume(self, most: int, _timeout: float = 0) -> list[Message]:
        found: list[Message] = []
        if self.deaf:
            return found
        most = min(most, LARGEST_FETCH)
        for place, offset in self._next.items():
            if place in self._paused or len(found) >= most:
                continue
            entries, here = self.log.read(
                place, offset, most - len(found), committed=self._committed
            )
            if here != offset:
                self._next[place] = here
                self._read.add(place)
            found += [Message(place, entry) for entry in entries]
        return found
