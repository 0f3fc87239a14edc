"""
Which topics can emits be written to?

An unknown topic would cost a transaction its whole time-out, and a refused record the batch: so
each target is looked up before its first use and again while it is in use, and one that refused a
record all the same is left alone for a while. What that means for an occurrence is
decider/gates.py.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient, ConfigResource

from schemas.app_limits import MAX_APP_BYTES
from schemas.definition import SECOND, Emit
from schemas.deployment_limits import MAX_DEPLOYMENT_BYTES
from schemas.globals import GlobalSettings
from schemas.limits import MAX_DEFINITION_BYTES
from schemas.topics import ORDERS
from streams.decider.gates import forbids, size_of
from streams.decider.state import Target, World

log = logging.getLogger(__name__)

FRESH = 30 * SECOND
"""What was in order is looked up again after this."""
FAULTY_FRESH = SECOND // 2
"""What was not in order is looked up again after this."""
FIRST_QUARANTINE = SECOND
LONGEST_QUARANTINE = 60 * SECOND
PATIENCE = 5.0
LEAST_BYTES = size_of(Emit("any"))
"""A topic that takes less takes no record of ours, and its limit is nobody else's affair."""
LARGEST_ORDER = MAX_DEFINITION_BYTES + MAX_APP_BYTES + MAX_DEPLOYMENT_BYTES + 16 * 1024
"""Bytes of work, app and deployment at their limits, and of what is said about the run."""


@dataclass(slots=True)
class _Known:
    target: Target
    looked_up_at: int
    quarantined_until: int = 0
    refusals: int = 0


class Targets:
    """What is known of the topics in use."""

    def __init__(self, admin: AdminClient, partitions: int) -> None:
        """Orders go into as many `partitions` as the inbox has."""
        self._admin = admin
        self._partitions = partitions
        self._known: dict[str, _Known] = {}
        self._prepared: frozenset[str] = frozenset()
        self._limits: GlobalSettings | None = None
        self._seen: dict[str, Target] = {}
        self.seen: Mapping[str, Target] = MappingProxyType(self._seen)
        """For the decider: one live view, changed between batches only."""

    def prepare(self, topics: Iterable[str], now: int, world: World) -> None:
        """Look up what is new or stale among these; `now` is monotonic microseconds."""
        self._prepared = frozenset(topics)
        if world.settings is not self._limits:
            self._limits = world.settings
            self._known.clear()  # what was allowed may be forbidden now
        stale = [topic for topic in self._prepared if self._is_stale(topic, now)]
        for topic in stale:
            forbidden = _forbidden(topic, world)
            if forbidden is not None:
                self._seen[topic] = Target(fault=forbidden)
                self._known[topic] = _Known(self._seen[topic], now)
        stale = [topic for topic in stale if _forbidden(topic, world) is None]
        for topic, target in self._look_up(stale).items():
            known = self._known.setdefault(topic, _Known(target, now))
            known.looked_up_at = now
            if known.quarantined_until <= now:
                known.target = target
            self._tell_first_fault(topic, known.target)
            self._seen[topic] = known.target

    @property
    def refusing(self) -> set[str]:
        """Those that take nothing: what waits for one of them has to hear when it does."""
        return {topic for topic, target in self._seen.items() if target.fault is not None}

    @property
    def smallest(self) -> int:
        """The largest batch that every target takes that is in order."""
        return min(
            (one.target.max_bytes for one in self._known.values() if one.target.fault is None),
            default=Target().max_bytes,
        )

    def quarantine(self, topic: str, detail: str, now: int) -> None:
        """Leave a topic alone that refused a record which looked in order."""
        known = self._known.setdefault(topic, _Known(Target(), now))
        wait = min(FIRST_QUARANTINE << min(known.refusals, 6), LONGEST_QUARANTINE)
        known.refusals += 1
        known.quarantined_until = now + wait
        known.target = Target(fault=f"topic {topic!r} refused a record: {detail}")
        self._seen[topic] = known.target
        log.error("target %s is left alone for %d s: %s", topic, wait // SECOND, detail)

    def accepted(self) -> None:
        """The batch that was prepared last is committed: earlier refusals are forgotten."""
        for topic in self._prepared:
            known = self._known.get(topic)
            if known is not None and known.target.fault is None:
                known.refusals = 0

    def _tell_first_fault(self, topic: str, target: Target) -> None:
        """Once for each fault: it is looked up again twice a second."""
        before = self._seen.get(topic, Target()).fault
        if target.fault not in (None, before):
            log.warning("%s: what is due there waits, and is skipped in the end", target.fault)
        elif target.fault is None and before is not None:
            log.info("topic %r takes records now", topic)

    def _is_stale(self, topic: str, now: int) -> bool:
        known = self._known.get(topic)
        if known is None:
            return True
        if known.quarantined_until > now:
            return False
        fresh = FRESH if known.target.fault is None else FAULTY_FRESH
        return now - known.looked_up_at > fresh

    def _look_up(self, topics: list[str]) -> dict[str, Target]:
        if not topics:
            return {}
        resources = [ConfigResource(ConfigResource.Type.TOPIC, topic) for topic in topics]
        try:
            asked = self._admin.describe_configs(resources, request_timeout=PATIENCE)
        except KafkaException as fault:
            log.warning("targets could not be looked up: %s", fault)
            return {}
        found = {}
        for resource, answer in asked.items():
            try:
                settings = answer.result()
            except KafkaException as fault:
                target = _faulty(resource.name, fault.args[0])
                if target is not None:
                    found[resource.name] = target
            else:
                found[resource.name] = target_of(
                    resource.name,
                    max_bytes=int(settings["max.message.bytes"].value),
                    needs_key="compact" in settings["cleanup.policy"].value,
                )
        return found | self._too_narrow([topic for topic in found if topic.startswith(ORDERS)])

    def _too_narrow(self, topics: list[str]) -> dict[str, Target]:
        """Those that lack partitions into which orders go: somebody else may have made them."""
        if not topics:
            return {}
        try:
            asked = self._admin.describe_topics(TopicCollection(topics), request_timeout=PATIENCE)
        except KafkaException as fault:
            log.warning("the partitions of orders could not be looked up: %s", fault)
            return {}
        found = {}
        for topic, answer in asked.items():
            try:
                there = len(answer.result().partitions)
            except KafkaException as fault:
                log.warning("the partitions of %s could not be looked up: %s", topic, fault)
                continue
            if there < self._partitions:
                why = f"topic {topic!r} has {there} partitions, and the inbox {self._partitions}"
                found[topic] = Target(fault=why)
        return found


def _forbidden(topic: str, world: World) -> str | None:
    """Why nothing of ours may go there; that no emit goes to a topic of orders sees gates.py."""
    return None if topic.startswith(ORDERS) else forbids(topic, world)


def target_of(topic: str, *, max_bytes: int, needs_key: bool) -> Target:
    """What a topic's settings mean for emits."""
    fault = None
    if max_bytes < LEAST_BYTES:
        fault = f"topic {topic!r} takes {max_bytes} bytes, and every record of ours has more"
    elif topic.startswith(ORDERS) and max_bytes < LARGEST_ORDER:
        fault = f"topic {topic!r} takes {max_bytes} bytes, and an order may have {LARGEST_ORDER}"
    return Target(fault=fault, max_bytes=max_bytes, needs_key=needs_key)


def _faulty(topic: str, error: KafkaError) -> Target | None:
    """What the broker's answer says of the topic; None if it says nothing of it."""
    if error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
        return Target(fault=f"topic {topic!r} does not exist")
    if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
        return Target(fault=f"topic {topic!r} may not be written to")
    log.warning("target %s could not be looked up: %s", topic, error.str())
    return None
