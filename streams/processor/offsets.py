"""
Where does a partition begin and end, and which topic is it?

Questions to the broker. Ends are those of an uncommitted reader: the end of a committed one stops
before an open transaction, and taking it for the end would lose what is behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from confluent_kafka import KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import AdminClient

from schemas.topics import COMMANDS
from streams.clock import Deadline, pause
from streams.edges import Edges, Place
from streams.faults import StartOver
from streams.settings import ProcessorSettings

PATIENCE = 10.0
Answer = TypeVar("Answer")


class Offsets:
    """Its administration, and where partitions begin and end, as far as a processor asks."""

    def __init__(self, settings: ProcessorSettings, name: str) -> None:
        self._group = settings.group
        options: dict[str, Any] = {
            "bootstrap.servers": settings.bootstrap,
            "client.id": f"{name}-admin",
            "log_level": 3,
        }
        self.admin = AdminClient(options)
        self._all = Edges(options, committed=False)
        self._stable = Edges(options, committed=True)

    def ends(self, places: Iterable[TopicPartition]) -> dict[Place, int]:
        """The end offset of each partition, open transactions included."""
        return _edges(self._all.ends, places)

    def stable_ends(self, places: Iterable[TopicPartition]) -> dict[Place, int]:
        """The last stable offset of each partition: what a committed reader may read now."""
        return _edges(self._stable.ends, places)

    def beginnings(self, places: Iterable[TopicPartition]) -> dict[Place, int]:
        """The first offset that retention left of each partition."""
        return _edges(self._all.beginnings, places)

    def end(self, place: TopicPartition) -> int:
        """The end offset of one partition."""
        return self.ends([place])[place.topic, place.partition]

    def inbox_ends(self, numbers: Iterable[int]) -> dict[int, int]:
        """The end offset of the inbox in each of these partitions."""
        places = [TopicPartition(COMMANDS, number) for number in numbers]
        return {number: end for (_, number), end in self.ends(places).items()}

    def partitions(self, topic: str) -> int:
        """How many partitions a topic has."""

        def ask() -> int:
            return len(self.admin.list_topics(topic, timeout=PATIENCE).topics[topic].partitions)

        return _answered(topic, ask)

    def topic_id(self, topic: str) -> str:
        """The id that the broker gave this topic when it was created."""

        def ask() -> str:
            asked = self.admin.describe_topics(TopicCollection([topic]), request_timeout=PATIENCE)
            return str(asked[topic].result().topic_id)

        return _answered(f"the id of {topic}", ask)

    def members(self) -> frozenset[str]:
        """The client ids of the processors that are in the group."""

        def ask() -> frozenset[str]:
            asked = self.admin.describe_consumer_groups([self._group], request_timeout=PATIENCE)
            described: Any = asked[self._group].result()
            return frozenset(member.client_id for member in described.members)

        return _answered("the group", ask)

    def close(self) -> None:
        """Ask nothing more."""
        self._all.close()
        self._stable.close()


def _edges(
    ask: Callable[[list[Place], float], dict[Place, int]], places: Iterable[TopicPartition]
) -> dict[Place, int]:
    asked = [(place.topic, place.partition) for place in places]
    return _answered("offsets", lambda: ask(asked, PATIENCE))


def _answered(what: str, ask: Callable[[], Answer]) -> Answer:
    """The broker's answer; asked again for a while, since leaders move and topics are just made."""
    deadline = Deadline.after(PATIENCE)
    while True:
        try:
            return ask()
        except KafkaException as fault:
            if deadline.over:
                raise StartOver(f"{what} cannot be had: {fault}") from fault
        pause(0.1)
