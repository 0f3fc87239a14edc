"""
Are missing topics created, and is a topic that is set up otherwise found and named?

The comparison as rows, then once against a real broker.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from horae.local.kafka import Broker
from schemas.topics import (
    COMMANDS,
    EVENTS,
    GLOBALS,
    REPLIES,
    TOPICS,
    Actual,
    Difference,
    plan,
)
from streams import topics_check
from streams.clock import Deadline
from streams.topics_check import TopicsOf, require_topics
from streams.topics_outlook import AS_THE_INBOX, Drifted, NoBroker, Wishes, compare


def _as_planned(partitions: int = 12) -> list[Actual]:
    return [
        Actual(topic.name, topic.partitions, topic.settings, topic.replication)
        for topic in plan(partitions=partitions, parts=AS_THE_INBOX.parts)
    ]


def test_a_cluster_as_planned_has_no_difference() -> None:
    found = compare(AS_THE_INBOX, _as_planned())

    assert (found.differences, found.missing, found.partitions) == ((), (), 12)


def test_the_inbox_says_how_many_partitions_all_others_have() -> None:
    found = compare(AS_THE_INBOX, _as_planned(5))

    assert (found.differences, found.partitions) == ((), 5)


def test_a_topic_that_does_not_agree_with_the_inbox_is_named() -> None:
    actual = [
        replace(topic, partitions=4) if topic.name == REPLIES else topic for topic in _as_planned()
    ]

    [difference] = compare(AS_THE_INBOX, actual).differences

    assert difference.sentence() == "horae.replies: partitions is 4, should be 12"


def test_a_wish_is_stronger_than_what_is_there() -> None:
    found = compare(Wishes(partitions=3), _as_planned(5))

    assert {d.setting for d in found.drifted} == {"partitions"}
    assert GLOBALS not in {d.topic for d in found.drifted}


def test_a_ledger_that_forgets_is_the_operators_choice() -> None:
    forgetting = {"cleanup.policy": "compact,delete", "retention.ms": "86400000"}
    actual = [
        replace(topic, settings={**topic.settings, **forgetting}) if topic.name == EVENTS else topic
        for topic in _as_planned()
    ]

    assert compare(AS_THE_INBOX, actual).differences == ()


def test_nothing_there_means_all_are_missing() -> None:
    found = compare(Wishes(partitions=2), [])

    assert {topic.name for topic in found.missing} == {topic.name for topic in TOPICS}
    assert found.drifted == ()


def test_no_broker_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topics_check, "_CALL", 1.0)
    with pytest.raises(NoBroker, match=r"no Kafka broker answered at 127\.0\.0\.1:1"):
        require_topics("127.0.0.1:1", deadline=Deadline.after(0))


@pytest.fixture(scope="module")
def topics(broker: Broker) -> Iterator[TopicsOf]:
    found = TopicsOf(broker.bootstrap)
    if found.look().missing:
        found.create(found.look(Wishes(partitions=3)).missing)
    yield found
    found.mend(found.look().drifted)


@pytest.mark.broker
@pytest.mark.usefixtures("topics")
def test_created_topics_are_as_required(broker: Broker) -> None:
    found = require_topics(broker.bootstrap)

    assert found.missing == ()
    assert found.partitions == next(t.partitions for t in found.actual if t.name == COMMANDS)


@pytest.mark.broker
def test_creating_again_changes_nothing(topics: TopicsOf) -> None:
    topics.create(topics.look().planned)

    assert topics.look().differences == ()


@pytest.mark.broker
def test_a_changed_setting_is_refused_by_name_and_can_be_mended(
    topics: TopicsOf, broker: Broker
) -> None:
    topics.mend([Difference(REPLIES, "cleanup.policy", "delete", "compact")])

    with pytest.raises(Drifted, match=r"horae\.replies: cleanup\.policy is compact, should be"):
        require_topics(broker.bootstrap)
    topics.mend(topics.look().drifted)

    assert require_topics(broker.bootstrap).differences == ()
