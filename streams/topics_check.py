"""
What topics does a broker have, and how are they created and mended?

Speaks to the broker; what it should have is topics_outlook.py. Nothing here ever removes a topic or
changes how many partitions one has.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    ResourceType,
)

from schemas.topics import Actual, Difference, Planned, plan
from streams.clock import Deadline, pause
from streams.edges import Edges
from streams.topics_outlook import (
    AS_THE_INBOX,
    UNCHANGEABLE,
    Drifted,
    NoBroker,
    NotApplied,
    Outlook,
    TopicsFault,
    Wishes,
    compare,
)

__all__ = [
    "AS_THE_INBOX",
    "Drifted",
    "NoBroker",
    "NotApplied",
    "Outlook",
    "TopicsFault",
    "TopicsOf",
    "Wishes",
    "detail_of",
    "require_topics",
]

_LOG = logging.getLogger("horae.topics.kafka")
_LOG.addHandler(logging.NullHandler())
# The library reports each failed connection; what matters of that arrives as a fault.
_LOG.propagate = False

_PAUSE = 0.2
_CALL = 10.0


class TopicsOf:
    """The topics of one cluster."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._options: dict[str, Any] = {
            "bootstrap.servers": bootstrap,
            "client.id": "horae-topics",
            "socket.timeout.ms": int(_CALL * 1_000),
            "reconnect.backoff.max.ms": 1_000,
            "allow.auto.create.topics": False,
        }
        self._admin = AdminClient(self._options, logger=_LOG)

    def look(self, wishes: Wishes = AS_THE_INBOX) -> Outlook:
        """Compare what is there with what the wishes and the table call for."""
        actual = self._survey({topic.name for topic in plan(parts=wishes.parts)})
        return compare(wishes, actual)

    def names(self, within: float = _CALL) -> set[str]:
        """All topics that may be seen from here."""
        try:
            return set(self._admin.list_topics(timeout=within).topics)
        except KafkaException as fault:
            raise NoBroker(self._bootstrap, detail_of(fault)) from fault

    def create(self, topics: Iterable[Planned]) -> None:
        """Create topics; one that somebody else has created meanwhile is left as it is."""
        new = [
            NewTopic(
                topic.name,
                num_partitions=topic.partitions,
                replication_factor=topic.replication,
                config=dict(topic.settings),
            )
            for topic in topics
        ]
        if not new:
            return
        for name, future in self._ask(self._admin.create_topics, new).items():
            self._settle(f"create {name}", future, KafkaError.TOPIC_ALREADY_EXISTS)
        self._await_leaders({topic.topic for topic in new})

    def mend(self, differences: Iterable[Difference]) -> None:
        """Set what can be set as it should be."""
        by_topic: dict[str, dict[str, str]] = {}
        for found in differences:
            if found.setting not in UNCHANGEABLE:
                by_topic.setdefault(found.topic, {})[found.setting] = found.planned
        if not by_topic:
            return
        asked = [_change_of(name, settings) for name, settings in by_topic.items()]
        for resource, future in self._ask(self._admin.incremental_alter_configs, asked).items():
            self._settle(f"change {resource.name}", future)
        self._await_settings(by_topic)

    def _survey(self, names: set[str]) -> list[Actual]:
        try:
            there = self._admin.list_topics(timeout=_CALL).topics
        except KafkaException as fault:
            raise NoBroker(self._bootstrap, detail_of(fault)) from fault
        found = sorted(names & {name for name, topic in there.items() if topic.partitions})
        settings = self._settings_of(found)
        return [
            Actual(
                name,
                len(there[name].partitions),
                settings[name],
                min(len(partition.replicas) for partition in there[name].partitions.values()),
            )
            for name in found
        ]

    def _settings_of(self, names: Sequence[str]) -> dict[str, dict[str, str]]:
        resources = [ConfigResource(ResourceType.TOPIC, name) for name in names]
        if not resources:
            return {}
        found = {}
        for resource, future in self._ask(self._admin.describe_configs, resources).items():
            entries = self._settle(f"describe {resource.name}", future)
            found[resource.name] = {
                name: entry.value for name, entry in entries.items() if entry.value is not None
            }
        return found

    def _ask(self, call: Callable[..., Any], what: Sequence[object]) -> Mapping[Any, Future[Any]]:
        answers: Mapping[Any, Future[Any]] = call(what, request_timeout=_CALL)
        return answers

    def _settle(self, what: str, future: Future[Any], fine: int | None = None) -> Any:
        try:
            return future.result(_CALL + 5)
        except KafkaException as fault:
            error = fault.args[0]
            if error.code() == fine:
                return None
            if error.code() in (KafkaError._TIMED_OUT, KafkaError._TRANSPORT):  # noqa: SLF001
                raise NoBroker(self._bootstrap, detail_of(fault)) from fault
            raise NotApplied(f"the broker did not {what}: {detail_of(fault)}") from fault

    def _await_settings(self, wanted: Mapping[str, Mapping[str, str]]) -> None:
        """The broker that answers learns of a change a moment after the controller took it."""
        deadline = Deadline.after(_CALL)
        while not deadline.over:
            there = self._settings_of(list(wanted))
            if all(there[name].items() >= settings.items() for name, settings in wanted.items()):
                return
            pause(_PAUSE)
        raise NotApplied(f"{', '.join(sorted(wanted))}: changed, but it does not show so far")

    def _await_leaders(self, names: set[str]) -> None:
        """A topic that was just created answers nobody for a moment, and would look missing."""
        deadline = Deadline.after(_CALL)
        with closing(Edges(self._options | {"logger": _LOG}, committed=False)) as edges:
            while not self._all_answer(names, edges):
                if deadline.over:
                    listed = ", ".join(sorted(names))
                    raise NotApplied(f"{listed}: created, but does not answer so far")
                pause(_PAUSE)

    def _all_answer(self, names: set[str], edges: Edges) -> bool:
        there = self._admin.list_topics(timeout=_CALL).topics
        if not all(name in there and there[name].partitions for name in names):
            return False
        # Metadata name a leader before that one knows that it is.
        asked = [(name, number) for name in names for number in there[name].partitions]
        try:
            edges.ends(asked, _CALL)
        except KafkaException:
            return False
        return True


def _change_of(topic: str, settings: Mapping[str, str]) -> ConfigResource:
    entries = [
        ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
        for name, value in settings.items()
    ]
    return ConfigResource(ResourceType.TOPIC, topic, incremental_configs=entries)


def require_topics(
    bootstrap: str,
    wishes: Wishes = AS_THE_INBOX,
    *,
    deadline: Deadline | None = None,
) -> Outlook:
    """
    Return if the topics are as they must be; NoBroker or Drifted says what is not.

    Until the deadline, a broker that is not there yet is waited for; drift is final at once.
    """
    topics = TopicsOf(bootstrap)
    while True:
        try:
            found = topics.look(wishes)
        except NoBroker:
            if deadline is None or deadline.over:
                raise
            pause(_PAUSE)
            continue
        if found.differences:
            raise Drifted(found.differences)
        return found


def detail_of(fault: KafkaException) -> str:
    """What the broker, or the library, said."""
    error = fault.args[0] if fault.args else fault
    return error.str() if isinstance(error, KafkaError) else str(error)
