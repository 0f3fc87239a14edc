"""What a broker must have, and how a difference is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas import topics
from schemas.limits import MAX_DEFINITION_BYTES
from schemas.topics import Actual, Difference, Part, Planned, drift, plan

DAY = 86_400_000
BY_NAME = {topic.name: topic for topic in plan()}


def actual(planned: Planned) -> Actual:
    return Actual(planned.name, planned.partitions, dict(planned.settings), planned.replication)


def test_every_topic_is_dated_by_the_broker_and_has_the_same_partitions_but_for_globals() -> None:
    assert {topic.settings["message.timestamp.type"] for topic in plan()} == {"LogAppendTime"}
    assert {topic.name for topic in plan(partitions=7) if topic.partitions != 7} == {topics.GLOBALS}
    assert BY_NAME[topics.GLOBALS].partitions == 1
    assert BY_NAME[topics.COMMANDS].partitions == 12


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        (
            topics.COMMANDS,
            {
                "cleanup.policy": "compact,delete",
                "retention.ms": str(30 * DAY),
                "min.compaction.lag.ms": str(7 * DAY),
                "delete.retention.ms": str(30 * DAY),
            },
        ),
        (topics.EVENTS, {"cleanup.policy": "compact", "min.compaction.lag.ms": str(7 * DAY)}),
        (topics.SCHEDULES, {"cleanup.policy": "compact"}),
        (
            topics.STATE,
            {
                "cleanup.policy": "compact",
                "min.cleanable.dirty.ratio": "0.1",
                "segment.bytes": str(16 << 20),
                "segment.ms": "60000",
                "delete.retention.ms": str(DAY),
            },
        ),
        (topics.GLOBALS, {"cleanup.policy": "compact"}),
        (topics.CONTROL, {"cleanup.policy": "delete", "retention.ms": str(DAY // 24)}),
        (topics.REPLIES, {"cleanup.policy": "delete", "retention.ms": str(7 * DAY)}),
        (topics.REJECTED, {"cleanup.policy": "delete", "retention.ms": str(30 * DAY)}),
        ("horae.orders.default", {"cleanup.policy": "delete", "retention.ms": str(7 * DAY)}),
        (topics.SAMPLES, {"cleanup.policy": "delete", "retention.ms": str(2 * DAY)}),
        (topics.TRAFFIC, {"cleanup.policy": "compact,delete", "retention.ms": str(35 * DAY)}),
    ],
)
def test_each_topic_keeps_what_the_design_says(name: str, settings: dict[str, str]) -> None:
    assert settings.items() <= BY_NAME[name].settings.items()


def test_the_largest_definition_fits_with_all_that_goes_with_it() -> None:
    assert int(BY_NAME[topics.COMMANDS].settings["max.message.bytes"]) >= 3 * MAX_DEFINITION_BYTES


def test_the_ledger_is_kept_for_ever_unless_a_retention_is_set() -> None:
    kept = {topic.name: topic for topic in plan(events_retention_ms=5)}

    assert "retention.ms" not in BY_NAME[topics.EVENTS].settings
    assert kept[topics.EVENTS].settings["retention.ms"] == "5"
    assert kept[topics.EVENTS].settings["cleanup.policy"] == "compact,delete"


def test_production_has_three_replicas_of_which_two_are_in_sync() -> None:
    planned = plan(replication=3, min_in_sync=2, parts=[Part.SCHEDULING])

    assert {topic.replication for topic in planned} == {3}
    assert {topic.settings["min.insync.replicas"] for topic in planned} == {"2"}
    assert topics.orders_topic() not in {topic.name for topic in planned}


def test_a_broker_that_is_as_planned_has_no_difference_however_it_spells() -> None:
    found = [actual(topic) for topic in plan()]
    commands = found[0]
    respelt = {"cleanup.policy": "delete, compact", "retention.ms": "2592000000.0"}
    found[0] = replace(commands, settings={**commands.settings, **respelt, "more": "x"})
    found[1] = replace(found[1], replication=None)

    assert drift(found, plan()) == []
    assert drift([replace(one, replication=3) for one in found], plan()) == []


def test_each_difference_is_named_with_what_is_and_what_should_be() -> None:
    first, second, *rest = (actual(topic) for topic in plan(replication=3))
    fewer = {name: value for name, value in first.settings.items() if name != "retention.ms"}
    found = [
        replace(first, partitions=6, replication=1, settings={**fewer, "cleanup.policy": "delete"}),
        *rest,
    ]

    differences = drift(found, plan(replication=3))

    assert set(differences) == {
        Difference(first.name, "partitions", "6", "12"),
        Difference(first.name, "replication factor", "1", "at least 3"),
        Difference(first.name, "cleanup.policy", "delete", "compact,delete"),
        Difference(first.name, "retention.ms", None, str(30 * DAY)),
        Difference(second.name, "topic", None, "there"),
    }
    assert {difference.sentence() for difference in differences} >= {
        "horae.commands: partitions is 6, should be 12",
        "horae.events: topic is missing, should be there",
    }
