"""
Rule 5: where does a partition go on reading, and what if that is not clear?

At the offset in its owner's record, with which the group's must agree or be missing. Anything else
stops that partition and says so: no reset is silent.
"""

from __future__ import annotations

from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from schemas.events import ScheduleDefined
from schemas.topics import COMMANDS, plan
from streams.processor import globals as globals_module
from streams.processor import inbox, restore, transaction, watch
from streams.processor.offsets import _answered
from tests.processor.cluster import GROUP, Cluster
from tests.processor.lives import Life, far_ahead, living, now, once, step_until, until_firing

pytestmark = pytest.mark.broker


def test_without_the_groups_offsets_it_goes_on_from_the_owners_record(cluster: Cluster) -> None:
    out = cluster.target()
    _live_with(cluster, out, schedules=3)
    cluster.admin.delete_consumer_groups([GROUP])[GROUP].result(10)
    assert cluster.group_offsets() == {}
    cluster.define(f"{cluster.subject(0)}/late", once(out, now()))

    with living(cluster) as life:
        until_firing(cluster, life)
        step_until(lambda: cluster.read(out), life)

    assert len(cluster.events(ScheduleDefined)) == 4, "a command was decided twice, or never"
    assert cluster.group_offsets()[0] == 4


def test_a_group_that_disagrees_stops_its_partition_and_no_other(cluster: Cluster) -> None:
    out = cluster.target()
    _live_with(cluster, out, schedules=3)
    _commit(cluster, {0: 1})

    with living(cluster) as life:
        step_until(lambda: life.firing == {1} and life.processor.serving.stopped, life)
        cluster.define(f"{cluster.subject(1)}/b", once(out, now()))
        cluster.define(f"{cluster.subject(0)}/b", once(out, now()))
        step_until(lambda: cluster.read(out), life)
        wrong = life.processor.reporter.health()

    assert len(cluster.read(out)) == 1
    assert wrong == {
        "partition 0": "The log of this partition is not what it should be; an operator has to"
        " look: partition 0: the state goes on at offset 3, the group at 1"
    }
    assert cluster.group_offsets()[0] == 1


def test_decided_work_without_an_owners_record_stops_the_partition(cluster: Cluster) -> None:
    _commit(cluster, {0: 0})
    cluster.send(b"p|x/y", b"", topic="horae.state", partition=1)

    with living(cluster) as life:
        step_until(lambda: set(life.processor.serving.stopped) == {0, 1}, life)

    assert cluster.owner(0) is None


@pytest.mark.case("KAF-037")
def test_an_inbox_that_retention_passed_stops_the_partition(cluster: Cluster) -> None:
    out = cluster.target()
    _live_with(cluster, out, schedules=2)
    for number in range(3):
        cluster.define(f"{cluster.subject(0)}/lost{number}", far_ahead(out))
    _delete_before(cluster, 0, 4)

    with living(cluster) as life:
        step_until(lambda: life.firing == {1} and life.processor.serving.stopped, life)
        said = life.processor.serving.stopped[0]

    assert "the next command is 2, but the inbox begins at 4" in said


def test_a_running_partition_stops_when_its_next_command_is_gone(cluster: Cluster) -> None:
    out = cluster.target()
    with living(cluster) as life:
        until_firing(cluster, life)
        for number in range(3):
            cluster.define(f"{cluster.subject(0)}/{number}", far_ahead(out))
        step_until(lambda: cluster.group_offsets().get(0) == 3, life)
        _delete_before(cluster, 0, 3)
        life.processor.inbox.go_on_from({0: 1})
        step_until(lambda: life.processor.serving.stopped, life)
        cluster.define(f"{cluster.subject(1)}/b", once(out, now()))
        step_until(lambda: cluster.read(out), life)
        assert "no longer in horae.commands" in life.processor.serving.stopped[0]
        assert life.firing == {1}


@pytest.mark.case("KAF-038")
def test_another_inbox_is_refused_until_it_is_adopted(cluster: Cluster) -> None:
    out = cluster.target()
    _live_with(cluster, out, schedules=3)
    before = [
        one.event.version for one in cluster.events() if isinstance(one.event, ScheduleDefined)
    ]
    settings = next(one.settings for one in plan() if one.name == COMMANDS)
    cluster.delete(COMMANDS)
    cluster.create(COMMANDS, cluster.partitions, settings)
    cluster.define(f"{cluster.subject(0)}/new", once(out, now()))

    with living(cluster) as life:
        step_until(lambda: set(life.processor.serving.stopped) == {0, 1}, life)
        said = life.processor.serving.stopped[0]
        new = life.processor.serving._restore._offsets.topic_id(COMMANDS)
    assert f"HORAE_ADOPT_INBOX={new}" in said
    assert cluster.read(out) == []

    with living(cluster, adopt_inbox=new) as life:
        until_firing(cluster, life)
        step_until(lambda: cluster.read(out), life)
        assert life.processor.serving.schedules() == 4
    version = cluster.fired()[-1][0].version
    assert version > max(before)

    with living(cluster) as life:  # once is enough
        until_firing(cluster, life)
        assert life.processor.serving.stopped == {}


def test_a_question_is_asked_again_when_a_leader_has_just_moved() -> None:
    moved = [KafkaException(KafkaError(KafkaError.NOT_LEADER_FOR_PARTITION))] * 2

    def ask() -> int:
        if moved:
            raise moved.pop()
        return 7

    assert _answered("an offset", ask) == 7


@pytest.mark.case("KAF-067")
def test_every_client_is_set_up_by_hand(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    consumers: list[dict[str, Any]] = []
    producers: list[dict[str, Any]] = []

    def recording(kind: Any, made: list[dict[str, Any]]) -> Any:
        def make(options: dict[str, Any]) -> Any:
            made.append(options)
            return kind(options)

        return make

    for reader in (globals_module, inbox, restore):
        monkeypatch.setattr(reader, "Consumer", recording(Consumer, consumers))
    for writer in (transaction, watch):
        monkeypatch.setattr(writer, "Producer", recording(Producer, producers))
    with living(cluster, "me", transaction_timeout=7.0, session_timeout=2.0) as life:
        until_firing(cluster, life)

    assert sorted(one["client.id"] for one in consumers) == ["me", "me-globals", "me-restore"]
    for one in consumers:
        assert one["isolation.level"] == "read_committed", one
        assert one["auto.offset.reset"] == "error", one
        assert one["enable.auto.commit"] is False, one
        assert one["enable.auto.offset.store"] is False, one
    [group] = [one for one in consumers if one["client.id"] == "me"]
    assert group["group.id"] == GROUP
    assert group["partition.assignment.strategy"] == "cooperative-sticky"
    assert group["session.timeout.ms"] == 2_000
    [writing] = [one for one in producers if one["client.id"] == "me"]
    assert writing["transactional.id"] == "me"
    assert writing["enable.idempotence"] is True
    assert writing["acks"] == "all"
    assert writing["max.in.flight.requests.per.connection"] <= 5
    assert writing["transaction.timeout.ms"] == 7_000
    assert writing["message.timeout.ms"] < 7_000
    assert writing["retry.backoff.ms"] == 10
    assert writing["delivery.report.only.error"] is True
    [probing] = [one for one in producers if one["client.id"] == "me-probe"]
    assert "transactional.id" not in probing
    assert {one["bootstrap.servers"] for one in consumers + producers} == {cluster.bootstrap}


def _live_with(cluster: Cluster, out: str, schedules: int) -> Life:
    """A first life that decided these schedules of partition 0, and one of partition 1."""
    with living(cluster) as life:
        until_firing(cluster, life)
        for number in range(schedules):
            cluster.define(f"{cluster.subject(0)}/{number}", far_ahead(out))
        step_until(lambda: cluster.group_offsets().get(0) == schedules, life)
        return life


def _commit(cluster: Cluster, offsets: dict[int, int]) -> None:
    """Set the group's offsets, as somebody with rights might."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": GROUP, "log_level": 0})
    places = [TopicPartition(COMMANDS, number, offset) for number, offset in offsets.items()]
    consumer.commit(offsets=places, asynchronous=False)
    consumer.close()


def _delete_before(cluster: Cluster, partition: int, offset: int) -> None:
    place = TopicPartition(COMMANDS, partition, offset)
    for future in cluster.admin.delete_records([place]).values():
        future.result(10)
