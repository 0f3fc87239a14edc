"""
Is work for runners offered, granted and ended on a real broker as it is in memory?

With orders that another process reads, a processor that dies between a claim and its grant, claims
that come twice, and an inbox that is not read for a while.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from schemas.commands import Define, ReportStatus, Trigger
from schemas.definition import SECOND, Definition, Once
from schemas.events import (
    CommandRefused,
    Fired,
    RunEnded,
    RunGranted,
    RunNoted,
    RunOffered,
)
from schemas.orders import Control, Denial, Grant, Order
from schemas.replies import Verdict
from schemas.run_events import Result
from schemas.topics import CONTROL, STATE, orders_topic
from streams.decider import evolve_runs
from streams.faults import AbortBatch
from streams.processor.transaction import Transactions
from tests.processor.cluster import Cluster, await_that
from tests.processor.forked import STEPS, forked
from tests.processor.lives import Life, far_ahead, living, now, step_for, step_until, until_firing
from tests.processor.runners import WORK, Runner, Sent, control_in, orders_in

pytestmark = pytest.mark.broker
R = Runner()


def work(**changed: object) -> Definition:
    """Work that nobody asks for by itself."""
    return replace(far_ahead("out"), action=WORK, **changed)  # type: ignore[arg-type]


def put(cluster: Cluster, sent: Sent) -> None:
    """A runner sends this; all subjects of these tests live in partition 0."""
    cluster.send(*sent, partition=0)


def orders(cluster: Cluster, *, committed: bool = True) -> list[Order]:
    return orders_in(cluster.read(orders_topic(), committed=committed))


def told(cluster: Cluster, *, committed: bool = True) -> list[Control]:
    return control_in(cluster.read(CONTROL, committed=committed), R.id)


def ends(cluster: Cluster) -> list[str]:
    return [one.event.status for one in cluster.events(RunEnded) if isinstance(one.event, RunEnded)]


def offered(cluster: Cluster, life: Life, **changed: object) -> Order:
    """The order of a run that was just asked for."""
    before = len(orders(cluster))
    name = f"{cluster.subject(0)}/s"
    cluster.ask(name, Define(work(**changed)))
    cluster.ask(name, Trigger())
    step_until(lambda: len(orders(cluster)) > before, life)
    return orders(cluster)[-1]


def test_a_run_goes_from_its_offer_to_its_end(cluster: Cluster) -> None:
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        put(cluster, R.beats())
        order = offered(cluster, life)
        places = [one.partition for one in cluster.read(orders_topic())]
        put(cluster, R.claims(order))
        step_until(lambda: told(cluster), life)
        assert told(cluster) == [Grant(order.run, 1, 1, R.boot)]
        result = Result(0, "done", started_at=now(), ended_at=now())
        put(cluster, R.reports(order, result=result))
        step_until(lambda: ends(cluster), life)

    [end] = [one.event for one in cluster.events(RunEnded)]
    assert isinstance(end, RunEnded)
    assert (end.status, end.result) == ("success", result)
    assert places == [1], "partition 0 of the inbox, first offer, two partitions"
    verdicts = [one.verdict for found in cluster.replies().values() for one in found]
    assert verdicts == [Verdict.ACCEPTED] * 3, "define, trigger, report: a claim has no reply"


@pytest.mark.parametrize("step", STEPS)
def test_a_processor_that_dies_between_claim_and_grant_grants_once(
    cluster: Cluster, tmp_path: Path, step: str
) -> None:
    """ANC-15: one execution for a run and attempt, whoever of the owners decided the claim."""
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        order = offered(cluster, life)
    put(cluster, R.claims(order))
    with forked(cluster, tmp_path, "two", dying_at=(step, 1)) as doomed:
        doomed.process.join(20)
        assert doomed.process.exitcode == -9, doomed.said()
    with living(cluster, "three") as life:
        until_firing(cluster, life)
        step_until(lambda: told(cluster), life)
        put(cluster, Runner("node-2").claims(order))
        step_until(lambda: cluster.events(CommandRefused), life)
        put(cluster, R.reports(order))
        step_until(lambda: ends(cluster), life)

    assert told(cluster) == [Grant(order.run, 1, 1, R.boot)]
    assert len(cluster.events(RunGranted)) == 1
    assert ends(cluster) == ["success"]
    if step != "after commit":
        assert len(told(cluster, committed=False)) == 2, "nothing was cut off"


def test_a_claim_that_comes_twice_is_granted_once(cluster: Cluster) -> None:
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        order = offered(cluster, life)
        put(cluster, R.claims(order))
        put(cluster, R.claims(order))
        put(cluster, Runner("node-2").claims(order))
        step_until(lambda: cluster.events(CommandRefused), life)

        assert told(cluster) == [Grant(order.run, 1, 1, R.boot)]
        denied = control_in(cluster.read(CONTROL), "node-2")
        assert denied == [Denial(order.run, 1, 1, 1, "the run is not offered now")]
        assert len(cluster.events(RunGranted)) == 1
        assert len(cluster.events(RunNoted)) == 1


def test_order_grant_and_event_are_seen_together_or_not_at_all(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = 0
    commit = Transactions.commit

    def refusing(self: Transactions, *given: object) -> None:
        nonlocal refused
        if refused:
            refused -= 1
            self._producer.flush(5)
            raise AbortBatch("the test says so")
        commit(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Transactions, "commit", refusing)
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        name = f"{cluster.subject(0)}/s"
        cluster.ask(name, Define(work()))
        step_until(cluster.replies, life)
        cluster.ask(name, Trigger())
        refused = 2
        step_until(lambda: len(orders(cluster, committed=False)) == 2, life)
        assert orders(cluster) == []
        assert cluster.events(Fired) == []
        step_until(lambda: orders(cluster), life)
        [order] = orders(cluster)
        assert len(cluster.events(Fired)) == 1
        put(cluster, R.claims(order))
        refused = 2
        step_until(lambda: len(told(cluster, committed=False)) == 2, life)
        assert told(cluster) == []
        assert cluster.events(RunGranted) == []
        step_until(lambda: told(cluster), life)

        assert len(told(cluster)) == len(cluster.events(RunGranted)) == 1
        assert len(told(cluster, committed=False)) == 3


def test_what_fell_due_meanwhile_is_offered_at_once_and_a_failing_batch_ends_nothing(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AJ-006: the first look is right after the recovery, later ones when something is due."""
    first, second = f"{cluster.subject(0)}/first", f"{cluster.subject(0)}/second"
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        due = now() + 8 * SECOND
        cluster.ask(first, Define(replace(work(), timings=(Once(due),))))
        cluster.ask(second, Define(replace(work(), timings=(Once(due + 10 * SECOND),))))
        step_until(lambda: len(cluster.replies()) == 2, life)
    await_that(lambda: now() > due, "the first is due")
    assert orders(cluster) == []
    failed: list[int] = []
    commit = Transactions.commit

    def failing(self: Transactions, *given: object) -> None:
        if life.phases == {"firing": 2} and not failed:
            failed.append(now())
            raise AbortBatch("the test says so")
        commit(self, *given)  # type: ignore[arg-type]

    with living(cluster, "two") as life:
        monkeypatch.setattr(Transactions, "commit", failing)
        step_until(lambda: orders(cluster), life)
        assert len(orders(cluster)) == 1
        step_until(lambda: second in {one.schedule for one in orders(cluster)}, life)

    assert failed
    assert [one.schedule for one in orders(cluster) if one.issue == 1] == [first, second]


def test_what_was_offered_and_granted_is_found_again_by_another_process(cluster: Cluster) -> None:
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        put(cluster, R.later().beats())
        order = offered(cluster, life)
    with living(cluster, "two") as life:
        until_firing(cluster, life)
        put(cluster, R.claims(order))
        put(cluster, R.later().claims(order))
        step_until(lambda: len(told(cluster)) == 2, life)
        assert [type(one) for one in told(cluster)] == [Denial, Grant], "an older life gets nothing"
    with living(cluster, "three") as life:
        until_firing(cluster, life)
        put(cluster, R.later().later().beats())
        step_until(lambda: ends(cluster), life)

    assert ends(cluster) == ["interrupted"]
    noted = [one for one in cluster.read(STATE) if (one.key or b"").startswith(b"w|")]
    assert {one.key for one in noted} == {b"w|node-1"}


def test_what_nobody_claims_is_offered_again_and_a_late_claim_of_the_first_offer_gets_nothing(
    cluster: Cluster,
) -> None:
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        order = offered(cluster, life)
        step_until(lambda: cluster.events(RunOffered), life, within=20.0)
        put(cluster, R.claims(order))
        step_until(lambda: told(cluster), life)
        assert isinstance(told(cluster)[0], Denial)
        again = orders(cluster)[-1]
        put(cluster, R.claims(again))
        step_until(lambda: len(told(cluster)) == 2, life)

    assert told(cluster)[1] == Grant(order.run, 1, 2, R.boot)
    places = [one.partition for one in cluster.read(orders_topic())]
    assert places == [1, 0], "the next offer lies elsewhere"


def test_an_inbox_that_lags_declares_nobody_dead(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule 10: the beats are in the inbox, and this process reads nothing while leases run out."""
    monkeypatch.setattr(evolve_runs, "LEASE", 2 * SECOND)
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        order = offered(cluster, life)
        put(cluster, R.claims(order))
        step_until(lambda: told(cluster), life)
        with monkeypatch.context() as deaf:
            deaf.setattr(life.processor.inbox, "poll", lambda *_: [])
            for _ in range(4):
                put(cluster, R.beats(order))
                step_for(1.0, life)
            assert ends(cluster) == []
        step_until(lambda: cluster.events(RunNoted), life)
        step_for(0.5, life)
        assert ends(cluster) == []
        put(cluster, R.reports(order))
        step_until(lambda: ends(cluster), life)

    assert ends(cluster) == ["success"]


def test_whoever_is_silent_loses_the_run_and_it_is_not_done_again(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evolve_runs, "LEASE", SECOND)
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        order = offered(cluster, life)
        put(cluster, R.claims(order))
        step_until(lambda: ends(cluster), life)
        put(cluster, R.reports(order, ReportStatus.SUCCESS))
        step_until(lambda: cluster.events(RunNoted), life)
        step_for(0.3, life)

    assert ends(cluster) == ["interrupted"]
    await_that(lambda: len(orders(cluster)) == 1, "it is offered no more")
