"""
Rule 6: do several processors together fire everything, once, while they come and go?

A partition that is revoked or lost is forgotten at once, and nothing is committed for it.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from schemas.definition import SECOND
from schemas.topics import COMMANDS
from streams.faults import StartOver
from streams.processor.serving import Serving
from tests.processor.cluster import Cluster, await_that
from tests.processor.forked import Forked, forked
from tests.processor.lives import (
    each_second,
    living,
    now,
    once,
    step_for,
    step_until,
    until_firing,
)

pytestmark = pytest.mark.broker


@pytest.mark.case("KAF-022")
def test_timers_of_a_revoked_partition_ring_no_more(cluster: Cluster) -> None:
    out = cluster.target()
    with living(cluster, "one") as one:
        until_firing(cluster, one)
        due = now() + 3 * SECOND
        for partition in range(2):
            cluster.define(f"{cluster.subject(partition)}/a", once(out, due))
        step_until(lambda: one.processor.serving.schedules() == 2, one)
        with living(cluster, "two") as two:
            step_until(lambda: len(two.firing) == 1 and len(one.firing) == 1, one, two)
            [moved] = two.firing
            assert one.processor.serving.get(moved) is None
            assert one.processor.serving.schedules() == 1
            step_until(lambda: len(cluster.read(out)) == 2, one, two)
            step_for(0.2, one, two)
            assert [one.fires, two.fires] == [1, 1]
            assert [one.aborts("AbortBatch"), two.aborts("AbortBatch")] == [0, 0]
            owner = cluster.owner(moved)
            assert owner is not None
            assert owner.instance == "two"

    cluster.require_each_once(out)


@pytest.mark.parametrize("protocol", ["classic", pytest.param("consumer", marks=pytest.mark.chaos)])
def test_a_third_one_joins_and_leaves_under_load_and_every_occurrence_is_there_once(
    cluster: Cluster, tmp_path: Path, protocol: str
) -> None:
    out = cluster.target()
    for number in range(8):
        cluster.define(f"{cluster.subject(number % 2, number)}/a", each_second(out))
    with ExitStack() as running:

        def start(name: str) -> Forked:
            return running.enter_context(forked(cluster, tmp_path, name, group_protocol=protocol))

        one, two = start("one"), start("two")
        _fires_on(cluster, out, 1)
        three = start("three")
        _fires_on(cluster, out, 2)
        one.stop(5)
        _fires_on(cluster, out, 1)
        two.kill()
        _fires_on(cluster, out, 1)
        assert three.stop(5) == 0
        said = one.said() + three.said()
        assert "starting over" not in said, "they fenced each other"

    cluster.require_each_once(out, every=SECOND)


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_it_is_known_who_is_in_the_group_so_that_nobody_alive_is_fenced_out(
    cluster: Cluster, protocol: str
) -> None:
    with living(cluster, "one", group_protocol=protocol) as one:
        until_firing(cluster, one)
        with living(cluster, "two", group_protocol=protocol) as two:
            step_until(lambda: len(one.firing) == len(two.firing) == 1, one, two)
            known = one.processor.serving._restore._offsets.members()
            step_for(0.5, one, two)
            assert known == {"one", "two"}
            assert [life.aborts("StartOver") for life in (one, two)] == [0, 0]


@pytest.mark.case("KPR-29")
def test_two_that_are_restarted_in_turn_fire_each_of_many_once(
    cluster: Cluster, tmp_path: Path
) -> None:
    out = cluster.target()
    begin = now() + SECOND
    with ExitStack() as running:
        living_ones = [running.enter_context(forked(cluster, tmp_path, n)) for n in "ab"]
        for number in range(50):
            due = begin + number * SECOND // 8
            cluster.define(f"{cluster.subject(number % 2, number)}/a", once(out, due))
        for turn in range(4):
            time.sleep(1.0)
            gone = living_ones[turn % 2]
            assert gone.stop(6) == 0
            again = running.enter_context(forked(cluster, tmp_path, gone.name))
            living_ones[turn % 2] = again
        await_that(lambda: len(cluster.read(out)) >= 50, "all fired", 20)

    cluster.require_each_once(out)
    assert len(cluster.read(out)) == 50


def test_a_poll_that_comes_too_late_loses_the_partitions_and_takes_them_again(
    cluster: Cluster,
) -> None:
    out = cluster.target()
    with living(cluster, max_poll_interval=2.0) as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/a", each_second(out))
        step_until(lambda: cluster.read(out), life)
        time.sleep(2.5)
        step_until(lambda: life.phases.get("firing") != 2, life)
        until_firing(cluster, life)
        before = len(cluster.read(out))
        step_until(lambda: len(cluster.read(out)) > before, life)

    cluster.require_each_once(out, every=SECOND)


def test_a_fault_inside_a_rebalance_callback_is_heard(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Swallowed, it would leave a partition that is owned and never served."""

    def failing(_self: Serving, _partitions: list[int]) -> None:
        raise RuntimeError("in the callback")

    monkeypatch.setattr(Serving, "taken", failing)
    with living(cluster) as life, pytest.raises((RuntimeError, KafkaException)):
        step_for(5, life)


def test_a_client_that_has_failed_for_good_is_given_up(cluster: Cluster) -> None:
    """Its poll only says so, again and again; waiting for it would be waiting for ever."""

    class Said:
        def error(self) -> KafkaError:
            return KafkaError(KafkaError._FATAL, "the group is gone", fatal=True)

    with living(cluster) as life, pytest.raises(StartOver, match="the group is gone"):
        life.processor.inbox._is_record(Said())  # type: ignore[arg-type]


def test_nothing_is_committed_for_a_partition_that_was_lost(cluster: Cluster) -> None:
    out = cluster.target()
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/a", each_second(out))
        step_until(lambda: cluster.read(out), life)
        emitted, owner = len(cluster.read(out)), cluster.owner(0)
        life.processor.serving.lost([0])
        life.processor.inbox._consumer.pause([TopicPartition(COMMANDS, 0)])
        step_for(1.5, life)
        assert life.firing == {1}

        assert len(cluster.read(out)) == emitted
        assert cluster.owner(0) == owner


def _fires_on(cluster: Cluster, out: str, seconds: int) -> None:
    """Wait until what is due from now on has fired for so many seconds."""
    until = now() + seconds * SECOND
    await_that(
        lambda: min(_newest(cluster).values(), default=0) >= until and len(_newest(cluster)) == 8,
        f"all fire until {seconds} s from now",
        20,
    )
    assert cluster.read(out)


def _newest(cluster: Cluster) -> dict[str, int]:
    return {one.schedule: one.nominal for one, _ in cluster.fired()}
