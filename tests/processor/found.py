"""
What does a test find in a topic?

One record, with the client's types left behind, and where the records end.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from confluent_kafka import IsolationLevel, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

_LATEST: OffsetSpec = OffsetSpec.latest()  # type: ignore[no-untyped-call]


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


def ends_of(admin: AdminClient, topic: str, level: IsolationLevel) -> dict[int, int]:
    """The end offset of each partition of a topic."""
    there = admin.list_topics(topic, timeout=5).topics[topic].partitions
    asked = {TopicPartition(topic, number): _LATEST for number in there}
    deadline = time.monotonic() + 10
    while True:
        answers = admin.list_offsets(asked, isolation_level=level)
        try:
            return {place.partition: one.result().offset for place, one in answers.items()}
        except KafkaException:  # a new leader does not know that it is one for a moment
            assert time.monotonic() < deadline, f"{topic} has no ends"
            time.sleep(0.05)
