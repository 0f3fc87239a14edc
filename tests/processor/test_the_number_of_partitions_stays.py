"""
What if somebody adds partitions while there are schedules?

Subjects would move: old state in one partition, new commands in another. The inbox alone is told
from the other topics at the start; all topics together are told from the number that was noted in
horae.globals when the first processor began.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import NewPartitions

from schemas.definition import SECOND
from schemas.topics import COMMANDS, GLOBALS, plan
from streams.faults import Halt
from streams.topics_check import require_topics
from streams.topics_outlook import Drifted
from tests.processor.cluster import Cluster, await_that
from tests.processor.forked import forked
from tests.processor.lives import each_second, living, step_for, step_until, until_firing

pytestmark = [pytest.mark.broker, pytest.mark.case("KAF-024")]

HAVE = [one.name for one in plan() if one.name != GLOBALS]


def _raise(cluster: Cluster, topics: list[str], count: int) -> None:
    wanted = [NewPartitions(name, count) for name in topics]
    for future in cluster.admin.create_partitions(wanted).values():
        future.result(10)

    def have() -> bool:
        there = cluster.admin.list_topics(timeout=5).topics
        return all(
            len(there[name].partitions) == count
            and all(one.leader >= 0 for one in there[name].partitions.values())
            for name in topics
        )

    def answer() -> bool:
        with suppress(KafkaException):  # metadata name a leader before that one knows that it is
            return all(len(cluster.ends(name)) == count for name in topics)
        return False

    await_that(have, f"{count} partitions")
    await_that(answer, "their leaders answer")


def test_an_inbox_with_more_partitions_than_the_rest_is_refused_by_name(
    cluster: Cluster, tmp_path: Path
) -> None:
    require_topics(cluster.bootstrap)
    _raise(cluster, [COMMANDS], 4)

    with pytest.raises(Drifted, match=r"horae\.state: partitions is 2, should be 4"):
        require_topics(cluster.bootstrap)
    with forked(cluster, tmp_path) as processor:
        processor.process.join(15)
        assert not processor.alive
        assert "horae.state: partitions is 2, should be 4" in processor.said()


def test_more_partitions_everywhere_let_no_processor_decide_anything(cluster: Cluster) -> None:
    out = cluster.target()
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/a", each_second(out))
        step_until(lambda: cluster.read(out), life)
    cluster.close()
    _raise(cluster, HAVE, 4)
    require_topics(cluster.bootstrap)
    fired, owners = len(cluster.read(out)), [cluster.owner(number) for number in range(4)]
    with (
        living(cluster, "one") as life,
        pytest.raises(Halt, match=r"horae\.commands has 4 partitions and had 2"),
    ):
        step_for(15, life)

    assert len(cluster.read(out)) == fired
    assert [cluster.owner(number) for number in range(4)] == owners


def test_the_number_is_noted_once_and_a_restart_agrees_with_it(cluster: Cluster) -> None:
    out = cluster.target()
    for patterns in ("out-*", "*"):
        with living(cluster, "one", emit_topics=patterns) as life:
            until_firing(cluster, life)
            cluster.define(f"{cluster.subject(0)}/{len(patterns)}", each_second(out))
            step_until(lambda: len(cluster.fired()) > len(patterns), life)  # noqa: B023 - at once
            settings = life.processor.globals.world.settings
            assert settings is not None
            assert settings.partitions == cluster.partitions

    cluster.require_each_once(out, every=SECOND)
