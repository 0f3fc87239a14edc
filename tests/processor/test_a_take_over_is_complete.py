"""
Rule 4: does a new owner know all that was committed, and only that, before it decides?

Whatever its predecessor left behind (an open transaction, aborted records, a pending commit), and
while other partitions fire on.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition

from schemas.commands import Remove
from schemas.definition import SECOND
from schemas.events import Fired
from schemas.globals import Hold
from schemas.topics import COMMANDS, EVENTS, STATE
from streams.processor import restore
from tests.processor.cluster import Cluster
from tests.processor.forked import forked
from tests.processor.lives import (
    each_second,
    far_ahead,
    living,
    now,
    once,
    step_for,
    step_until,
    until_firing,
)
from tests.processor.strangers import member_of_the_group, stranger

pytestmark = pytest.mark.broker


@pytest.mark.case("KAF-001", "KAF-002")
def test_markers_and_aborted_records_at_the_end_do_not_hold_up_a_restore(cluster: Cluster) -> None:
    with living(cluster, "first") as life:
        until_firing(cluster, life)
    with stranger(cluster) as producer:
        producer.begin_transaction()
        producer.produce(STATE, b"never", b"p|s0/never", 0)
        producer.flush(5)
        producer.abort_transaction(5)
    assert cluster.ends(STATE)[0] > cluster.read(STATE)[-1].offset + 1

    began = time.monotonic()
    with living(cluster, "second") as life:
        until_firing(cluster, life)
        assert life.processor.serving.restoring() == {}
        assert life.processor.serving.schedules() == 0
    assert time.monotonic() - began < 8


@pytest.mark.case("KAF-003", "KAF-004")
def test_a_dead_owners_open_transaction_is_taken_over_at_once(
    cluster: Cluster, tmp_path: Path
) -> None:
    out = cluster.target()
    with forked(cluster, tmp_path, "dead", dying_at=("before commit", 1)) as doomed:
        for number in range(3):
            cluster.define(f"{cluster.subject(0, number)}/a", once(out, now()))
        doomed.process.join(15)
        assert doomed.process.exitcode == -9, doomed.said()
    began = time.monotonic()
    with living(cluster, "heir", transaction_timeout=60.0) as heir:
        until_firing(cluster, heir)
        step_until(lambda: len(cluster.read(out)) == 3, heir)

    assert time.monotonic() - began < 8, "it waited for the transaction's time-out"
    assert len(cluster.events(Fired)) == 3


def test_an_owner_is_named_in_the_log_before_it_decides_anything(
    cluster: Cluster, tmp_path: Path
) -> None:
    """Else whoever comes next would not know whose open transaction to end."""
    out = cluster.target()
    with living(cluster, "first") as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/a", once(out, now() + SECOND))
        step_until(lambda: cluster.group_offsets().get(0) == 1, life)
    with forked(cluster, tmp_path, "second", dying_at=("before commit", 1)) as doomed:
        doomed.process.join(15)
        assert doomed.process.exitcode == -9, doomed.said()

    owner = cluster.owner(0)
    assert owner is not None
    assert owner.instance == "second"
    assert cluster.read(out) == []


@pytest.mark.case("KAF-003")
def test_a_pending_commit_of_a_frozen_predecessor_is_waited_for(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sent its offsets, froze, and commits when it thaws: what it fired counts."""
    monkeypatch.setattr(restore, "fence_out", lambda *_: None)  # as if it were still a member
    out = cluster.target()
    with living(cluster, "first") as life:
        until_firing(cluster, life)
    with stranger(cluster) as producer, member_of_the_group(cluster) as member:
        producer.begin_transaction()
        producer.produce(EVENTS, b"late", b"late", 0)
        sent = [TopicPartition(COMMANDS, 0, 0)]
        producer.send_offsets_to_transaction(sent, member.consumer_group_metadata(), 5)
        producer.flush(5)
        member.close()
        with living(cluster, "heir") as heir:
            step_until(lambda: heir.firing == {1}, heir)
            cluster.define(f"{cluster.subject(1)}/a", once(out, now()))
            began = now()
            step_until(lambda: cluster.read(out), heir)
            assert now() - began < 2 * SECOND, "the other partition fires on meanwhile"
            step_for(0.5, heir)
            assert heir.firing == {1}
            producer.commit_transaction(5)
            until_firing(cluster, heir)


@pytest.mark.case("KAF-003")
def test_an_open_transaction_over_the_state_is_read_to_its_end(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end is that of an uncommitted reader: newer committed records may lie behind."""
    monkeypatch.setattr(restore, "fence_out", lambda *_: None)
    out = cluster.target()
    schedule = f"{cluster.subject(0)}/a"
    with living(cluster, "first") as life:
        until_firing(cluster, life)
        with stranger(cluster) as producer:
            producer.begin_transaction()
            producer.produce(STATE, None, b"c|nothing", 0)
            producer.flush(5)
            cluster.define(schedule, far_ahead(out))
            step_until(lambda: cluster.group_offsets().get(0) == 1, life)
            life.close()
            with living(cluster, "heir") as heir:
                step_until(lambda: heir.firing == {1}, heir)
                step_for(0.5, heir)
                assert heir.firing == {1}
                producer.commit_transaction(5)
                until_firing(cluster, heir)
                assert heir.processor.serving.schedules() == 1


@pytest.mark.case("KPR-01", "KPR-05")
def test_what_was_removed_before_a_start_never_fires(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = cluster.target()
    removed, kept = f"{cluster.subject(0)}/removed", f"{cluster.subject(0)}/kept"
    with living(cluster, "first") as life:
        until_firing(cluster, life)
        monkeypatch.setattr(life.processor, "_may_fire", lambda _: False)
        cluster.define(removed, once(out, now() + SECOND))
        cluster.define(kept, once(out, now() + SECOND, value=b"kept"))
        step_until(lambda: cluster.group_offsets().get(0) == 2, life)
    cluster.ask(removed, Remove())
    time.sleep(1.2)
    with living(cluster, "second") as life:
        until_firing(cluster, life)
        step_until(lambda: cluster.read(out), life)
        step_for(0.3, life)

    ended = [one.event.schedule for one in cluster.events(Fired)]  # type: ignore[union-attr]
    assert ended == [kept]
    assert [one.value for one in cluster.read(out)] == [b"kept"]


@pytest.mark.case("KPR-02", "KAF-040")
def test_loading_ends_at_an_offset_and_not_at_a_silence(cluster: Cluster) -> None:
    out = cluster.target()
    with living(cluster, "first") as life:
        until_firing(cluster, life)
        due = now() + 3 * SECOND
        cluster.define(f"{cluster.subject(0)}/a", once(out, due))
        step_until(lambda: cluster.group_offsets().get(0) == 1, life)
    with living(cluster, "second") as life:
        sent = 0
        deadline = time.monotonic() + 12
        while not cluster.read(out):
            assert time.monotonic() < deadline
            cluster.define(f"{cluster.subject(0)}/other{sent}", far_ahead(out))
            sent += 1
            life.processor.step()

    assert sent > 5
    [fired] = cluster.events(Fired)
    assert fired.stamp.decided_at - due < SECOND


@pytest.mark.case("KPR-36", "KAF-030")
def test_timers_that_were_in_flight_fire_once_after_a_take_over(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = cluster.target()
    schedules = [f"{cluster.subject(n % 2, n)}/a" for n in range(10)]
    with living(cluster, "first") as life:
        until_firing(cluster, life)
        monkeypatch.setattr(life.processor, "_may_fire", lambda _: False)
        for schedule in schedules:
            cluster.define(schedule, once(out, now() + SECOND))
            cluster.define(schedule, once(out, now() + SECOND // 2))
        step_until(lambda: sum(cluster.group_offsets().values()) == 20, life)
        time.sleep(0.6)
        life.processor.serving.pop_due(now(), 100)  # in flight, and forgotten
    with living(cluster, "second") as life:
        until_firing(cluster, life)
        step_until(lambda: len(cluster.read(out)) >= 10, life)
        step_for(0.3, life)

    assert sorted(one.event.schedule for one in cluster.events(Fired)) == sorted(schedules)  # type: ignore[union-attr]
    assert len(cluster.read(out)) == 10


def test_a_hold_is_known_before_anything_fires_after_a_take_over(cluster: Cluster) -> None:
    out = cluster.target()
    with living(cluster, "first") as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/a", each_second(out))
        step_until(lambda: cluster.read(out), life)
    cluster.tell_everyone(Hold(held=True, reason="maintenance", actor="user:ann", at=now()))
    emitted = len(cluster.read(out))
    with living(cluster, "second") as life:
        follow = life.processor.globals.follow
        life.processor.globals.follow = lambda: None  # type: ignore[method-assign]
        step_for(1.5, life)
        assert life.firing == set(), "served without knowing what holds"
        life.processor.globals.follow = follow  # type: ignore[method-assign]
        until_firing(cluster, life)
        step_for(1.2, life)

    assert len(cluster.read(out)) == emitted


def test_other_partitions_fire_on_while_one_is_taken_over(cluster: Cluster, tmp_path: Path) -> None:
    out = cluster.target()
    with forked(cluster, tmp_path, "dead") as dead, living(cluster, "alive") as life:
        step_until(lambda: len(life.firing) == 1 and _is_shared(cluster), life)
        [mine] = life.firing
        cluster.define(f"{cluster.subject(mine)}/a", each_second(out, every=SECOND // 5 * 5))
        step_until(lambda: cluster.read(out), life)
        dead.kill()
        until_firing(cluster, life)
        step_for(1.1, life)

    lateness = [one.stamp.decided_at - one.event.due for one in cluster.events(Fired)]  # type: ignore[union-attr]
    assert len(lateness) >= 3
    assert max(lateness) < SECOND


def test_a_revoke_in_the_middle_of_a_restore_leaves_nothing_half_known(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = cluster.target()
    for number in range(20):
        cluster.define(f"{cluster.subject(number % 2, number)}/a", far_ahead(out))
    with living(cluster, "first") as life:
        until_firing(cluster, life)
        step_until(lambda: life.processor.serving.schedules() == 20, life)
    with living(cluster, "one") as one:
        monkeypatch.setattr(one.processor.serving._restore, "_is_read", lambda _: False)
        step_until(lambda: one.phases == {"restoring": 2}, one)
        with living(cluster, "two") as two:
            step_until(lambda: len(two.firing) == 1, one, two)
            assert one.phases == {"restoring": 1}
            monkeypatch.undo()
            until_firing(cluster, one, two)
            held = [life.processor.serving.schedules() for life in (one, two)]
            assert sorted(held) == [10, 10]
        until_firing(cluster, one)
        assert one.processor.serving.schedules() == 20


def _is_shared(cluster: Cluster) -> bool:
    owners = [cluster.owner(number) for number in range(cluster.partitions)]
    return len({one.instance for one in owners if one is not None}) == 2
