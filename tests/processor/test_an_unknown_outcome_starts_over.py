"""
Rule 7: what if nobody knows whether a commit happened, or another has taken our name?

The wire to the broker is cut in the middle of an end of a transaction, before or after the broker
has carried it out. What is in memory then counts for nothing: the log is read anew. A client whose
last end was in doubt is not trusted with another transaction (KAFKA-17754).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.definition import SECOND
from streams.faults import StartOver
from streams.processor.transaction import Transactions
from tests.processor.cluster import Cluster, await_that
from tests.processor.forked import forked
from tests.processor.lives import (
    Life,
    each_second,
    living,
    now,
    once,
    settings_for,
    step_for,
    step_until,
    until_firing,
)
from tests.processor.wire import Wire

pytestmark = pytest.mark.broker


@pytest.mark.case("KAF-066", "KAF-005")
@pytest.mark.parametrize("lost", ["request", "answer"])
def test_a_commit_without_an_answer_is_looked_up_in_the_log(
    cluster: Cluster, wire: Wire, lost: str
) -> None:
    out = cluster.target()
    schedule = f"{cluster.subject(0)}/a"
    with living(cluster, "one", bootstrap=wire.bootstrap, transaction_timeout=3.0) as life:
        until_firing(cluster, life)
        cluster.define(schedule, once(out, now() + 4 * SECOND))  # not before the wire is armed
        step_until(lambda: cluster.group_offsets().get(0) == 1, life)
        cut = wire.lose_next_end if lost == "request" else wire.lose_next_answer
        cut(5.0)
        with pytest.raises(StartOver):
            step_for(15.0, life)
        assert not wire.armed
        if lost == "answer":  # the broker decided it, and each partition hears of that in time
            await_that(lambda: len(cluster.read(out)) == 1, "it is committed")
        else:
            assert not cluster.read(out)
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        step_until(lambda: cluster.read(out), life)
        step_for(0.3, life)

    cluster.require_each_once(out)
    assert len(cluster.read(out)) == 1


@pytest.mark.chaos
def test_a_process_goes_on_by_itself_after_its_wire_was_cut_in_a_commit(
    cluster: Cluster, wire: Wire, tmp_path: Path
) -> None:
    out = cluster.target()
    with forked(cluster, tmp_path, bootstrap=wire.bootstrap, transaction_timeout=2.0) as processor:
        for partition in range(cluster.partitions):
            cluster.define(f"{cluster.subject(partition)}/a", each_second(out))
        await_that(lambda: len(cluster.read(out)) >= 2, "it fires")
        for cut in (wire.lose_next_end, wire.lose_next_answer):
            cut(2.5)
            await_that(lambda: not wire.armed, "the wire is cut")
            before = len(cluster.read(out))
            await_that(lambda: len(cluster.read(out)) >= before + 4, "it fires again", 20)  # noqa: B023
        assert processor.said().count("starting over") >= 2
        assert processor.stop(5) == 0

    cluster.require_each_once(out, every=SECOND)


@pytest.mark.parametrize("what", ["slow", "repeated", "erred"])
def test_after_a_doubtful_end_comes_a_new_producer_before_the_next_transaction(
    cluster: Cluster, wire: Wire, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = cluster.target()
    happened: list[str] = []
    _note(monkeypatch, happened, "renew")
    _note(monkeypatch, happened, "commit")
    # a client on a busy machine may need seconds to connect anew: not to be taken for no answer
    with living(cluster, "one", bootstrap=wire.bootstrap, transaction_timeout=12.0) as life:
        until_firing(cluster, life)
        _fire(cluster, life, out, 0)
        happened.clear()
        if what == "slow":
            wire.delay_next_end(0.7)
        elif what == "repeated":
            wire.lose_next_answer(0.0)
        else:
            monkeypatch.setattr(life.processor.inbox, "poll", _poll_once_stale(life))
        _fire(cluster, life, out, 1)
        if what == "repeated":
            step_for(2.5, life)  # the client counts its requests every two seconds
        _fire(cluster, life, out, 2)

    renewed = [one for one in happened if one.startswith("renew")]
    assert renewed, happened
    assert happened.index(renewed[0]) < len(happened) - 1, "and then it went on"
    cluster.require_each_once(out)
    assert len(cluster.read(out)) == 3


def test_an_end_that_was_asked_for_once_keeps_its_producer(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = cluster.target()
    happened: list[str] = []
    with living(cluster) as life:
        until_firing(cluster, life)
        _note(monkeypatch, happened, "renew")
        cluster.define(f"{cluster.subject(0)}/a", each_second(out))
        step_until(lambda: len(cluster.read(out)) >= 4, life)

    slow = [one for one in happened if "slow" not in one]
    assert slow == [], "a producer was given up without need"


@pytest.mark.case("KAF-006")
def test_a_fenced_processor_gives_up_its_producer_and_all_memory(cluster: Cluster) -> None:
    out = cluster.target()
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/a", each_second(out))
        step_until(lambda: cluster.read(out), life)
        other = Transactions(settings_for(cluster), "one")
        emitted = len(cluster.read(out))
        with pytest.raises(StartOver):
            step_for(3, life)
        assert len(cluster.read(out)) == emitted
        other.close()
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        step_until(lambda: len(cluster.read(out)) > emitted, life)

    cluster.require_each_once(out, every=SECOND)


def _note(monkeypatch: pytest.MonkeyPatch, happened: list[str], name: str) -> None:
    call = getattr(Transactions, name)

    def noting(self: Transactions, *given: object) -> None:
        happened.append(name if name == "commit" else f"{name}: {given[0]}")
        call(self, *given)

    monkeypatch.setattr(Transactions, name, noting)


def _fire(cluster: Cluster, life: Life, out: str, number: int) -> None:
    cluster.define(f"{cluster.subject(0, number)}/a", once(out, now()))
    step_until(lambda: len(cluster.read(out)) == number + 1, life)


def _poll_once_stale(life: Life) -> Callable[..., object]:
    poll = life.processor.inbox.poll
    stale = [True]

    def polling(wait: float, most: int) -> object:
        records = poll(wait, most)
        if records and stale:
            stale.clear()
            mine = life.processor.inbox.membership
            life.processor.inbox.membership = mine._replace(raw=_older(mine.raw))
        return records

    return polling


def _older(raw: bytes) -> bytes:
    """The same member, in an earlier generation."""
    at = len(b"CGMDv2:")
    generation = int.from_bytes(raw[at : at + 4], "little") - 1
    return raw[:at] + generation.to_bytes(4, "little", signed=True) + raw[at + 4 :]
