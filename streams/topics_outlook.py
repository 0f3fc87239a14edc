"""
Are the topics on a broker what they must be, and if not, what is missing or wrong?

Holds what a cluster has against the table in schemas/topics.py. Pure: speaking to the
broker, and refusing to work with one that differs, is topics_check.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from schemas.topics import (
    COMMANDS,
    DEFAULT_PARTITIONS,
    EVENTS,
    Actual,
    Difference,
    Part,
    Planned,
    drift,
    plan,
)

UNCHANGEABLE = frozenset({"partitions", "replication factor"})
"""Said of a topic when it is created; no setting can change it later."""


class TopicsFault(Exception):
    """The topics cannot be worked with."""


class NoBroker(TopicsFault):
    """Nobody answered."""

    def __init__(self, bootstrap: str, detail: str) -> None:
        super().__init__(f"no Kafka broker answered at {bootstrap} ({detail})")


class Drifted(TopicsFault):
    """Topics are missing or not set up as they must be."""

    def __init__(self, differences: Sequence[Difference]) -> None:
        self.differences = tuple(differences)
        super().__init__(
            "; ".join(found.sentence() for found in differences)
            + " (horae topics check shows all, horae topics apply creates and mends)"
        )


class NotApplied(TopicsFault):
    """The broker refused to create or to change a topic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What may differ from cluster to cluster; None: as the inbox there has it."""

    partitions: int | None = None
    replication: int | None = None
    min_in_sync: int | None = None
    events_retention_ms: int | None = None
    parts: tuple[Part, ...] = tuple(Part)


AS_THE_INBOX = Wishes()
"""No wishes: everything as the inbox there has it."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a broker has beside what it should have."""

    planned: tuple[Planned, ...]
    actual: tuple[Actual, ...]
    differences: tuple[Difference, ...]

    @property
    def missing(self) -> tuple[Planned, ...]:
        """Topics that are not there yet."""
        there = {topic.name for topic in self.actual}
        return tuple(topic for topic in self.planned if topic.name not in there)

    @property
    def drifted(self) -> tuple[Difference, ...]:
        """Differences of topics that are there."""
        there = {topic.name for topic in self.actual}
        return tuple(found for found in self.differences if found.topic in there)

    @property
    def partitions(self) -> int:
        """How many partitions the inbox, and all but the globals, should have."""
        return next(topic.partitions for topic in self.planned if topic.name == COMMANDS)


def compare(wishes: Wishes, actual: Sequence[Actual]) -> Outlook:
    """Set what is there beside what the wishes and the table call for."""
    planned = plan_for(wishes, actual)
    return Outlook(planned, tuple(actual), tuple(drift(actual, planned)))


def plan_for(wishes: Wishes, actual: Iterable[Actual]) -> tuple[Planned, ...]:
    """
    The table for this cluster.

    What was not wished for is taken from the inbox: all topics must agree with it, for a subject
    has one partition in all of them.
    """
    there = {topic.name: topic for topic in actual}
    inbox, events = there.get(COMMANDS), there.get(EVENTS)
    partitions, in_sync, retention = DEFAULT_PARTITIONS, 1, wishes.events_retention_ms
    replication = 1
    if inbox is not None:
        partitions = inbox.partitions
        replication = inbox.replication or 1
        in_sync = int(inbox.settings.get("min.insync.replicas", "1"))
    if retention is None and events is not None:
        retention = _retention_of(events)
    return plan(
        partitions=wishes.partitions or partitions,
        replication=wishes.replication or replication,
        min_in_sync=wishes.min_in_sync or in_sync,
        parts=wishes.parts,
        events_retention_ms=retention,
    )


def _retention_of(events: Actual) -> int | None:
    """The ledger may forget old events where its operator wants it so."""
    if "delete" not in events.settings.get("cleanup.policy", ""):
        return None
    return int(events.settings.get("retention.ms", "-1"))
