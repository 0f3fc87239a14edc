"""
What does a test find in a topic?

One record, with the client's types left behind, and where the records end.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaException, TopicPartition


class Found(NamedTuple):
    """One record that was read back."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: Mapping[str, bytes | None]
    appended_at: int


def found_in(one: Any) -> Found:
    """The record of a message of the client's."""
    headers = one.headers() or []
    return Found(
        one.topic(),
        one.partition(),
        one.offset(),
        one.key(),
        one.value(),
        dict(headers),
        one.timestamp()[1] * 1_000,
    )


@dataclass(slots=True)
class Ends:
    """
    Where the topics of a broker end.

    Asked through a consumer: the library's call for many partitions at once aborts the process
    when a broker that was killed comes back in the middle of it.
    """

    bootstrap: str
    _clients: dict[str, Consumer] = field(default_factory=dict)

    def of(self, topic: str, *, committed: bool) -> dict[int, int]:
        """The end offset of each partition."""
        level = "read_committed" if committed else "read_uncommitted"
        client = self._clients.get(level) or self._client(level)
        deadline = time.monotonic() + 15
        while True:
            try:
                there = client.list_topics(topic, timeout=5).topics[topic].partitions
                return {number: _end(client, TopicPartition(topic, number)) for number in there}
            except KafkaException:  # a new leader does not know that it is one for a moment
                assert time.monotonic() < deadline, f"{topic} has no ends"
                time.sleep(0.1)

    def close(self) -> None:
        """Let go of the broker."""
        for client in self._clients.values():
            client.close()
        self._clients.clear()

    def _client(self, level: str) -> Consumer:
        self._clients[level] = Consumer(
            {
                "bootstrap.servers": self.bootstrap,
                "group.id": "test-ends",
                "isolation.level": level,
                "log_level": 0,
            }
        )
        return self._clients[level]


def _end(client: Consumer, place: TopicPartition) -> int:
    _, end = client.get_watermark_offsets(place, timeout=5)
    return int(end)
