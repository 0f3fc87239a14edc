"""
Rule 1: can anybody ever see a part of a batch?

Processors die at every step of a commit, again and again; what a committed reader finds afterwards
are whole batches: event, state, emitted record, reply and input offset together.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.codec import unpack_cursor
from schemas.definition import SECOND
from schemas.events import Fired
from schemas.snapshot import Cursor
from schemas.topics import EVENTS, STATE
from streams.faults import AbortBatch
from streams.processor.transaction import Transactions
from tests.processor.cluster import GROUP, Cluster
from tests.processor.forked import STEPS, forked
from tests.processor.lives import (
    far_ahead,
    living,
    now,
    once,
    step_for,
    step_until,
    until_firing,
)

pytestmark = pytest.mark.broker

ROUNDS = 3
"""So often one dies at each step; the first of them one after the other, as members of a group."""


@pytest.mark.case("KAF-027", "KPR-27", "KPR-32")
@pytest.mark.parametrize("rounds", [ROUNDS, pytest.param(7, marks=pytest.mark.chaos)])
def test_a_kill_at_any_step_of_a_commit_loses_nothing_and_doubles_nothing(
    cluster: Cluster, tmp_path: Path, rounds: int
) -> None:
    kills = rounds * len(STEPS)
    out = cluster.target()
    for number in range(kills):
        at = now()
        cluster.define(f"s{number}/a", once(out, at, value=str(number).encode()))
        step = STEPS[number % len(STEPS)]
        # a group of its own need not wait until the last one is given up
        group = GROUP if number < len(STEPS) else f"group-{number}"
        with forked(cluster, tmp_path, "one", dying_at=(step, 1), group=group) as doomed:
            doomed.process.join(20)
            assert doomed.process.exitcode == -9, doomed.said()
    with living(cluster, "one", group="group-last") as life:
        until_firing(cluster, life)
        step_until(lambda: len(cluster.read(out)) >= kills, life)
        step_for(0.3, life)

    values = sorted(int(one.value or b"") for one in cluster.read(out))
    assert values == list(range(kills))
    fired = [one.event.schedule for one in cluster.events(Fired)]  # type: ignore[union-attr]
    assert sorted(fired) == sorted(f"s{number}/a" for number in range(kills))
    assert len(cluster.read(out, committed=False)) > kills, "no batch was ever cut off"


@pytest.mark.case("KAF-002")
def test_an_aborted_batch_is_never_seen(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    out = cluster.target()
    schedule = f"{cluster.subject(0)}/a"
    refused = 3
    commit = Transactions.commit

    def refusing(self: Transactions, *given: object) -> None:
        nonlocal refused
        if life.phases == {"firing": 2} and refused:
            refused -= 1
            self._producer.flush(5)
            raise AbortBatch("the test says so")
        commit(self, *given)  # type: ignore[arg-type]

    with living(cluster) as life:
        until_firing(cluster, life)
        monkeypatch.setattr(Transactions, "commit", refusing)
        cluster.define(schedule, once(out, now(), value=b"1"))
        step_until(lambda: refused == 0, life)
        seen = [cluster.read(topic) for topic in (out, EVENTS)]
        cursors = [one for one in cluster.read(STATE) if one.key == f"p|{schedule}".encode()]
        step_until(lambda: cluster.read(out), life)
        step_for(0.2, life)

    assert [one.key for one in seen[0]] == []
    assert [one for one in seen[1] if schedule.encode() in (one.key or b"")] == []
    assert cursors == []
    assert len(cluster.read(out)) == 1
    assert len(cluster.events(Fired)) == 1
    assert len(cluster.read(EVENTS, committed=False)) > len(cluster.read(EVENTS))


def test_state_record_reply_and_offset_appear_together(cluster: Cluster) -> None:
    out = cluster.target()
    schedule = f"{cluster.subject(0)}/a"
    with living(cluster) as life:
        until_firing(cluster, life)
        offset = cluster.define(schedule, once(out, now()), "me")
        step_until(lambda: cluster.read(out), life)

    owner = cluster.owner(0)
    assert owner is not None
    assert owner.next_offset == offset + 1 == cluster.group_offsets()[0]
    assert [one.offset for one in cluster.replies()["me"]] == [offset]
    [fired] = cluster.events(Fired)
    assert owner.next_sequence > fired.stamp.sequence
    cursors = [one for one in cluster.read(STATE) if one.key == f"p|{schedule}".encode()]
    cursor: Cursor = unpack_cursor(cursors[-1].value or b"")
    assert cursor.fires == 1
    assert cursor.mark >= fired.event.nominal  # type: ignore[union-attr]


def test_no_transaction_stays_open_across_a_poll(cluster: Cluster) -> None:
    out = cluster.target()
    with living(cluster) as life:
        transactions, poll = life.processor.transactions, life.processor.inbox.poll
        open_at_poll: list[bool] = []

        def polling(wait: float, most: int) -> object:
            open_at_poll.append(transactions._open)
            return poll(wait, most)

        life.processor.inbox.poll = polling  # type: ignore[method-assign,assignment]
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/a", once(out, now() + SECOND // 5))
        cluster.define(f"{cluster.subject(1)}/a", far_ahead(out))
        step_until(lambda: cluster.read(out), life)

    assert len(open_at_poll) > 3
    assert not any(open_at_poll)
