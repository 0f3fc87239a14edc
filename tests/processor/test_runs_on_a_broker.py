"""
Are runs given up, reported and begun on a real broker as they are in memory?

A lease that runs out, a report that lies in the inbox unread when it does, a queue over a restart.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define, ReportRun, ReportStatus, Trigger
from schemas.definition import SECOND, Definition
from schemas.events import Fired, RunEnded, RunStarted
from schemas.policies import Overlap, OverlapMode, Tracking
from tests.processor.cluster import Cluster, await_that
from tests.processor.lives import far_ahead, living, now, step_for, step_until, until_firing

pytestmark = pytest.mark.broker
QUEUE = Overlap(OverlapMode.QUEUE)


def tracked(topic: str, lease: int) -> Definition:
    """Work that nobody asks for by itself."""
    plain = far_ahead(topic)
    return replace(plain, action=replace(plain.action, tracked=Tracking(lease)), overlap=QUEUE)


def runs(cluster: Cluster) -> list[str]:
    """The runs that were given out, in the order of their fires."""
    return [
        one.event.scopes[0].run for one in cluster.events(Fired) if isinstance(one.event, Fired)
    ]


def ended(cluster: Cluster) -> list[str]:
    return [one.event.status for one in cluster.events(RunEnded) if isinstance(one.event, RunEnded)]


def test_a_silent_run_is_given_up_and_the_next_one_begins(cluster: Cluster) -> None:
    out, name = cluster.target(), f"{cluster.subject(0)}/s"
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        cluster.ask(name, Define(tracked(out, 2 * SECOND)))
        cluster.ask(name, Trigger(), "first")
        cluster.ask(name, Trigger(), "second")
        step_until(lambda: len(cluster.read(out)) == 2, life)
        partition = life.processor.serving.get(0)

        assert partition is not None
        assert ended(cluster) == ["interrupted"]
        assert partition.heard_until >= cluster.events(Fired)[0].stamp.decided_at + 2 * SECOND
        step_until(lambda: len(ended(cluster)) == 2, life)


def test_what_was_said_in_time_counts_although_it_was_read_late(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule 10: the report is in the inbox, and this process reads nothing for a while."""
    out, name = cluster.target(), f"{cluster.subject(0)}/s"
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        cluster.ask(name, Define(tracked(out, 3 * SECOND)))
        cluster.ask(name, Trigger(), "first")
        step_until(lambda: cluster.read(out), life)
        due = now() + 3 * SECOND
        with monkeypatch.context() as deaf:
            deaf.setattr(life.processor.inbox, "poll", lambda *_: [])
            cluster.ask(f"{cluster.subject(0)}/", ReportRun(runs(cluster)[0], ReportStatus.SUCCESS))
            step_until(lambda: now() > due + SECOND // 2, life)
            assert ended(cluster) == []
        step_until(lambda: ended(cluster), life)

        assert ended(cluster) == ["success"]


def test_what_waits_is_found_again_and_begins_in_another_process(cluster: Cluster) -> None:
    out, name = cluster.target(), f"{cluster.subject(0)}/s"
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        cluster.ask(name, Define(tracked(out, 60 * SECOND)))
        cluster.ask(name, Trigger(), "first")
        cluster.ask(name, Trigger(), "second")
        step_until(lambda: len(runs(cluster)) == 2, life)
    first, second = runs(cluster)
    with living(cluster, "two") as life:
        until_firing(cluster, life)
        cluster.ask(f"{cluster.subject(0)}/", ReportRun(first, ReportStatus.SUCCESS))
        step_until(lambda: len(cluster.read(out)) == 2, life)
        step_for(0.3, life)

    await_that(lambda: ended(cluster) == ["success"], "one run is over")
    begun = [one.event for one in cluster.events(RunStarted)]
    assert [one.run for one in begun if isinstance(one, RunStarted)] == [second]
    assert len(cluster.read(out)) == 2
