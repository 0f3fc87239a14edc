"""
Where does a partition begin and end, and which topic is it?

Questions to the broker's administration. Ends are those of an uncommitted reader: the end of a
committed one stops before an open transaction, and taking it for the end would lose what is behind.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confluent_kafka import (
    IsolationLevel,
    KafkaException,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, OffsetSpec

from streams.faults import StartOver
from streams.settings import ProcessorSettings

PATIENCE = 10.0
_LATEST: OffsetSpec = OffsetSpec.latest()  # type: ignore[no-untyped-call]
_EARLIEST: OffsetSpec = OffsetSpec.earliest()  # type: ignore[no-untyped-call]


class Offsets:
    """The broker's administration, as far as a processor asks it."""

    def __init__(self, settings: ProcessorSettings, name: str) -> None:
        self._group = settings.group
        self.admin = AdminClient(
            {
                "bootstrap.servers": settings.bootstrap,
                "client.id": f"{name}-admin",
                "log_level": 3,
            }
        )

    def ends(self, places: Iterable[TopicPartition]) -> dict[tuple[str, int], int]:
        """The end offset of each partition, open transactions included."""
        return self._list(places, _LATEST, IsolationLevel.READ_UNCOMMITTED)

    def stable_ends(self, places: Iterable[TopicPartition]) -> dict[tuple[str, int], int]:
        """The last stable offset of each partition: what a committed reader may read now."""
        return self._list(places, _LATEST, IsolationLevel.READ_COMMITTED)

    def beginnings(self, places: Iterable[TopicPartition]) -> dict[tuple[str, int], int]:
        """The first offset that retention left of each partition."""
        return self._list(places, _EARLIEST, IsolationLevel.READ_UNCOMMITTED)

    def end(self, place: TopicPartition) -> int:
        """The end offset of one partition."""
        return self.ends([place])[place.topic, place.partition]

    def partitions(self, topic: str) -> int:
        """How many partitions a topic has."""
        try:
            found = self.admin.list_topics(topic, timeout=PATIENCE).topics[topic]
        except KafkaException as fault:
            raise StartOver(f"{topic} is not to be had: {fault}") from fault
        return len(found.partitions)

    def topic_id(self, topic: str) -> str:
        """The id that the broker gave this topic when it was created."""
        try:
            asked = self.admin.describe_topics(TopicCollection([topic]), request_timeout=PATIENCE)
            return str(asked[topic].result().topic_id)
        except KafkaException as fault:
            raise StartOver(f"the id of {topic} is not to be had: {fault}") from fault

    def members(self) -> frozenset[str]:
        """The client ids of the processors that are in the group."""
        try:
            asked = self.admin.describe_consumer_groups([self._group], request_timeout=PATIENCE)
            described: Any = asked[self._group].result()
        except KafkaException as fault:
            raise StartOver(f"the group is not to be had: {fault}") from fault
        return frozenset(member.client_id for member in described.members)

    def _list(
        self, places: Iterable[TopicPartition], spec: OffsetSpec, isolation: IsolationLevel
    ) -> dict[tuple[str, int], int]:
        asked = {TopicPartition(p.topic, p.partition): spec for p in places}
        try:
            answers = self.admin.list_offsets(
                asked, isolation_level=isolation, request_timeout=PATIENCE
            )
            return {
                (place.topic, place.partition): answer.result().offset
                for place, answer in answers.items()
            }
        except KafkaException as fault:
            raise StartOver(f"offsets are not to be had: {fault}") from fault
