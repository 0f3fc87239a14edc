"""
Rule 2: can a process that lost its partition still decide anything about it?

Offsets under the membership of this very poll are in every transaction, those with nothing but
timers too; that is the fence, and these tests climb it from every side.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from confluent_kafka import Consumer

from schemas.definition import SECOND
from schemas.events import Fired
from streams.faults import AbortBatch, Halt
from streams.processor import inbox as inbox_module
from streams.processor import restore
from streams.processor.inbox import consumer_options
from streams.processor.membership import Membership, membership_of
from streams.processor.transaction import Transactions
from tests.processor.cluster import Cluster, await_that
from tests.processor.forked import forked
from tests.processor.lives import (
    begin,
    each_second,
    living,
    now,
    once,
    settings_for,
    step_for,
    step_until,
    until_firing,
)

pytestmark = pytest.mark.broker


@pytest.mark.case("KAF-022", "KPR-34")
def test_a_frozen_process_that_thaws_after_its_partition_moved_commits_nothing(
    cluster: Cluster, tmp_path: Path
) -> None:
    out = cluster.target()
    for partition in range(cluster.partitions):
        cluster.define(f"{cluster.subject(partition)}/a", each_second(out))
    with forked(cluster, tmp_path, "frozen") as frozen:
        await_that(lambda: len(cluster.read(out)) >= 2, "it fires")
        frozen.freeze()
        with living(cluster, "other") as life:
            until_firing(cluster, life)
            step_until(lambda: _owners(cluster) == {"other"}, life)
            before = len(cluster.events(Fired))
            frozen.thaw()
            step_until(lambda: len(life.firing) < 2, life)  # it has come back for its share
            step_until(lambda: len(cluster.events(Fired)) > before + 3, life)
        frozen.stop(5)

    cluster.require_each_once(out)


def test_a_timer_only_batch_of_a_stale_member_keeps_nothing(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = cluster.target()
    # The heir fences a predecessor's producer as well; here the offsets have to do it alone.
    monkeypatch.setattr(restore, "fence_out", lambda *_: None)
    stale = begin(cluster, "stale", max_poll_interval=2.0)
    try:
        until_firing(cluster, stale)
        cluster.define(f"{cluster.subject(0)}/a", each_second(out))
        step_until(lambda: stale.fires, stale)
        time.sleep(2.5)  # so long that its partitions are given away, and nobody tells it
        fires, emitted = stale.fires, len(cluster.read(out))
        with living(cluster, "heir") as heir:
            monkeypatch.setattr(heir.processor, "_may_fire", lambda _: False)
            until_firing(cluster, heir)
            monkeypatch.setattr(stale.processor.inbox, "poll", lambda *_: [])
            monkeypatch.setattr(stale.processor, "_is_poll_old", lambda: False)
            assert stale.firing == {0, 1}
            stale.processor.step()
            assert [stale.fires, stale.aborts("AbortBatch")] == [fires, 1]
            assert len(cluster.read(out)) == emitted
            monkeypatch.undo()
            step_until(lambda: len(cluster.read(out)) > emitted, heir, stale)
            step_for(0.3, heir, stale)
    finally:
        stale.close()

    cluster.require_each_once(out)


def test_a_commit_without_offsets_is_refused_before_the_broker_is_asked(cluster: Cluster) -> None:
    transactions = Transactions(settings_for(cluster), "unfenced")
    member = Membership(b"CGMDv2:", 1, "me")
    try:
        transactions.write([("horae.events", 0, b"k", b"v", None)])
        with pytest.raises(ValueError, match="not fenced"):
            transactions.commit({}, member)
        with pytest.raises(ValueError, match="not fenced"):
            transactions.commit({0: -1001}, member)
    finally:
        transactions.close()

    assert cluster.read("horae.events") == []


def test_a_membership_that_never_joined_commits_nothing(cluster: Cluster) -> None:
    settings = settings_for(cluster)
    consumer = Consumer(consumer_options(settings, "outsider"))
    outsider = membership_of(consumer.consumer_group_metadata())
    transactions = Transactions(settings, "outsider")
    try:
        transactions.write([("horae.events", 0, b"k", b"v", None)])
        with pytest.raises(AbortBatch, match="not a member"):
            transactions.commit({0: 1}, outsider)
        transactions.abort()
    finally:
        transactions.close()
        consumer.close()

    assert outsider.generation == -1
    assert outsider.member == ""
    assert cluster.read("horae.events") == []
    assert cluster.group_offsets() == {}


def test_metadata_of_another_form_stop_the_process() -> None:
    with pytest.raises(Halt, match="CGMDv2"):
        membership_of(b"CGMDv3:\1\0\0\0group\0member\0")


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_every_commit_is_under_the_membership_of_its_own_poll(
    cluster: Cluster, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[tuple[bytes, bytes]] = []
    commit = Transactions.commit

    def watched(self: Transactions, offsets: dict[int, int], membership: Membership) -> None:
        used.append((membership.raw, polled[-1]))
        commit(self, offsets, membership)

    monkeypatch.setattr(Transactions, "commit", watched)
    polled: list[bytes] = []

    def fetching(raw: bytes) -> Membership:
        polled.append(raw)
        return membership_of(raw)

    monkeypatch.setattr(inbox_module, "membership_of", fetching)
    with living(cluster, group_protocol=protocol) as life:
        inbox = life.processor.inbox
        until_firing(cluster, life)
        first = inbox.membership
        assert first.generation > 0
        assert first.member
        steps = len(polled)
        life.processor.step()
        assert len(polled) == steps + 1, "asked for once an iteration, right after the poll"
        with living(cluster, group_protocol=protocol) as other:
            step_until(lambda: len(life.firing) == 1, life, other)
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/a", once(cluster.target(), now()))
        step_until(lambda: cluster.events(Fired), life)
        assert inbox.membership.generation > first.generation

    assert len(used) > 3
    assert all(mine == latest for mine, latest in used)


def test_after_half_of_the_poll_interval_it_polls_before_it_fires(cluster: Cluster) -> None:
    out = cluster.target()
    schedule = f"{cluster.subject(0)}/a"
    with living(cluster, max_poll_interval=4.0, session_timeout=3.0) as life:
        until_firing(cluster, life)
        cluster.define(schedule, once(out, now() + SECOND))
        step_until(lambda: cluster.group_offsets().get(0) == 1, life)
        while now() % SECOND > 500_000 or not life.processor.serving.next_due() < now():
            time.sleep(0.05)
        look = life.processor._look_around
        slept = [2.2]

        def looking() -> None:
            look()
            time.sleep(slept.pop() if slept else 0)

        life.processor._look_around = looking  # type: ignore[method-assign]
        life.processor.step()
        assert cluster.read(out) == [], "the poll was too long ago"
        step_until(lambda: cluster.read(out), life)

    cluster.require_each_once(out)


def _owners(cluster: Cluster) -> set[str]:
    found = [cluster.owner(number) for number in range(cluster.partitions)]
    return {one.instance for one in found if one is not None}
