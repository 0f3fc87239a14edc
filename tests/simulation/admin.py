"""
What does the broker's administration answer, over the log in memory?

The part of confluent_kafka.admin that a processor uses, with answers that are there at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

from confluent_kafka import KafkaError, KafkaException

from tests.simulation.wire import LOGS, refusal


class Answer(NamedTuple):
    """A future that is over."""

    value: Any
    fault: KafkaException | None = None

    def result(self, _timeout: float | None = None) -> Any:
        if self.fault is not None:
            raise self.fault
        return self.value


class AdminClient:
    """What a processor asks of the broker's administration."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.log = LOGS[options["bootstrap.servers"]]

    def list_topics(self, topic: str, **_how: Any) -> Any:
        numbers = dict.fromkeys(self.log.partitions(topic))
        return SimpleNamespace(topics={topic: SimpleNamespace(partitions=numbers)})

    def describe_topics(self, topics: Any, **_how: Any) -> dict[str, Answer]:
        return {
            name: Answer(
                SimpleNamespace(topic_id=f"{name}-id", partitions=self.log.partitions(name))
            )
            for name in topics.topic_names
        }

    def describe_consumer_groups(self, groups: list[str], **_how: Any) -> dict[str, Answer]:
        members = [SimpleNamespace(client_id=one.client) for one in self.log.group.members.values()]
        return {name: Answer(SimpleNamespace(members=members)) for name in groups}

    def describe_configs(self, resources: list[Any], **_how: Any) -> dict[Any, Answer]:
        return {one: self._settings(one.name) for one in resources}

    def _settings(self, topic: str) -> Answer:
        if topic not in self.log.topics:
            return Answer(None, refusal(KafkaError.UNKNOWN_TOPIC_OR_PART, topic))
        settings = self.log.topics[topic].items()
        return Answer({name: SimpleNamespace(value=value) for name, value in settings})
