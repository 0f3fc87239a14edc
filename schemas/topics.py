"""
Which topics are there, and how is each set up?

One table (DESIGN section 2): key, partitions, cleanup, retention. `plan` turns it into the settings
for a given cluster, `drift` compares them with what a broker has. Pure; asking and changing a
broker is streams/topics_check.py, and what is in a record is codec.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from schemas.actions import DEFAULT_POOL

COMMANDS = "horae.commands"
EVENTS = "horae.events"
SCHEDULES = "horae.schedules"
STATE = "horae.state"
GLOBALS = "horae.globals"
CONTROL = "horae.control"
REPLIES = "horae.replies"
REJECTED = "horae.rejected"
OUTPUT = "horae.output"
SAMPLES = "horae.samples"
TRAFFIC = "horae.traffic"
ORDERS = "horae.orders."
"""Before the name of a pool."""

DEFAULT_PARTITIONS = 12

MAX_MESSAGE_BYTES = 1024 * 1024
"""The largest batch a broker takes. A definition has 256 KiB at most, and a ledger event carries
one together with its stamp; what is larger is refused at the door."""

_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS


class Part(StrEnum):
    """The part of the product that needs a topic."""

    SCHEDULING = "scheduling"
    RUNNING = "running"
    TRAFFIC = "traffic"


class Partitions(StrEnum):
    """How many partitions a topic has."""

    SAME = "same"
    """As many as every other: a subject has one number in all of them."""
    ONE = "one"
    """One order for everyone."""


@dataclass(frozen=True, slots=True)
class Topic:
    """One row of the table."""

    name: str
    key: str
    """What the key of a record is, for the documentation."""
    part: Part
    cleanup: str
    partitions: Partitions = Partitions.SAME
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Planned:
    """A topic as a cluster should have it."""

    name: str
    partitions: int
    replication: int
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Actual:
    """A topic as a broker describes it; only settings that the plan names are compared."""

    name: str
    partitions: int
    settings: Mapping[str, str]
    replication: int | None = None
    """None: not asked for, not compared."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One setting of one topic that is not as planned."""

    topic: str
    setting: str
    actual: str | None
    """None: the topic or the setting is missing."""
    planned: str

    def sentence(self) -> str:
        """One line for a person."""
        found = "missing" if self.actual is None else self.actual
        return f"{self.topic}: {self.setting} is {found}, should be {self.planned}"


def _days(days: int) -> str:
    return str(days * _DAY_MS)


def orders_topic(pool: str = DEFAULT_POOL) -> str:
    """The topic with the work that is offered to one pool of runners."""
    return ORDERS + pool


TOPICS: tuple[Topic, ...] = (
    Topic(
        name=COMMANDS,
        key="subject/name, subject/name#kind:id, subject/#kind[:id] or #runner:id",
        part=Part.SCHEDULING,
        cleanup="compact,delete",
        settings={
            "retention.ms": _days(30),
            "min.compaction.lag.ms": _days(7),
            "delete.retention.ms": _days(30),
        },
    ),
    Topic(
        name=EVENTS,
        key="one for each occurrence, run, version and command",
        part=Part.SCHEDULING,
        cleanup="compact",
        settings={"min.compaction.lag.ms": _days(7)},
    ),
    Topic(name=SCHEDULES, key="subject/name", part=Part.SCHEDULING, cleanup="compact"),
    Topic(
        name=STATE,
        key="p|schedule, r|run, u|subject, w|runner, c|command id or o|partition",
        part=Part.SCHEDULING,
        cleanup="compact",
        settings={
            # every fire replaces a cursor: small segments, cleaned early, keep a restore short
            "min.cleanable.dirty.ratio": "0.1",
            "segment.bytes": str(16 * 1024 * 1024),
            "segment.ms": str(60_000),
            # a take-over that reads from the start must still meet every tombstone
            "delete.retention.ms": _days(1),
        },
    ),
    Topic(
        name=GLOBALS,
        key="hold, settings, clock, calendar/name or freeze/name",
        part=Part.SCHEDULING,
        cleanup="compact",
        partitions=Partitions.ONE,
    ),
    Topic(
        name=CONTROL,
        key="runner id",
        part=Part.SCHEDULING,
        cleanup="delete",
        settings={"retention.ms": str(_HOUR_MS)},
    ),
    Topic(
        name=REPLIES,
        key="command id",
        part=Part.SCHEDULING,
        cleanup="delete",
        settings={"retention.ms": _days(7)},
    ),
    Topic(
        name=REJECTED,
        key="none",
        part=Part.SCHEDULING,
        cleanup="delete",
        settings={"retention.ms": _days(30)},
    ),
    Topic(
        name=orders_topic(),
        key="run id",
        part=Part.RUNNING,
        cleanup="delete",
        settings={"retention.ms": _days(7)},
    ),
    Topic(
        name=OUTPUT,
        key="run id",
        part=Part.RUNNING,
        cleanup="delete",
        settings={"retention.ms": str(_HOUR_MS)},
    ),
    Topic(
        name=SAMPLES,
        key="subject",
        part=Part.TRAFFIC,
        cleanup="delete",
        settings={"retention.ms": _days(2)},
    ),
    Topic(
        name=TRAFFIC,
        key="subject|minute",
        part=Part.TRAFFIC,
        cleanup="compact,delete",
        settings={"retention.ms": _days(35)},
    ),
)


def plan(
    *,
    partitions: int = DEFAULT_PARTITIONS,
    replication: int = 1,
    min_in_sync: int = 1,
    parts: Iterable[Part] = tuple(Part),
    events_retention_ms: int | None = None,
) -> tuple[Planned, ...]:
    """The topics that these parts need: one replica embedded; 3 and 2 in sync in production."""
    wanted = frozenset(parts)
    return tuple(
        Planned(
            name=topic.name,
            partitions=1 if topic.partitions is Partitions.ONE else partitions,
            replication=replication,
            settings=_settings(topic, min_in_sync, events_retention_ms),
        )
        for topic in TOPICS
        if topic.part in wanted
    )


def drift(actual: Iterable[Actual], planned: Iterable[Planned]) -> list[Difference]:
    """Where a broker's topics are not as planned; empty: nowhere."""
    found = {topic.name: topic for topic in actual}
    differences: list[Difference] = []
    for topic in planned:
        have = found.get(topic.name)
        if have is None:
            differences.append(Difference(topic.name, "topic", None, "there"))
            continue
        differences += _compare(have, topic)
    return differences


def _settings(topic: Topic, min_in_sync: int, events_retention_ms: int | None) -> dict[str, str]:
    settings = {
        "cleanup.policy": topic.cleanup,
        # the broker's clock dates what was asked, and a foreign unit cannot break the retention
        "message.timestamp.type": "LogAppendTime",
        "min.insync.replicas": str(min_in_sync),
        "max.message.bytes": str(MAX_MESSAGE_BYTES),
        "unclean.leader.election.enable": "false",
        **topic.settings,
    }
    if topic.name == EVENTS and events_retention_ms is not None:
        settings |= {"cleanup.policy": "compact,delete", "retention.ms": str(events_retention_ms)}
    return settings


def _compare(actual: Actual, planned: Planned) -> Iterable[Difference]:
    if actual.partitions != planned.partitions:
        yield Difference(
            planned.name, "partitions", str(actual.partitions), str(planned.partitions)
        )
    if actual.replication is not None and actual.replication < planned.replication:
        yield Difference(
            planned.name,
            "replication factor",
            str(actual.replication),
            f"at least {planned.replication}",
        )
    for setting, value in planned.settings.items():
        found = actual.settings.get(setting)
        if found is None or _canonical(setting, found) != _canonical(setting, value):
            yield Difference(planned.name, setting, found, value)


def _canonical(setting: str, value: str) -> str:
    """Equal settings, however a broker spells them."""
    if setting == "cleanup.policy":
        return ",".join(sorted(part.strip() for part in value.split(",")))
    try:
        return repr(float(value))
    except ValueError:
        return value
