"""
Does one that is due fire once, whoever else sees it, whatever restarts, however much comes in?

Two processors that both hold it due, ten restarts around its instant, and a stream of commands
that does not pause.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from schemas.definition import SECOND
from schemas.events import Fired
from streams.processor import restore
from tests.processor.cluster import Cluster, await_that
from tests.processor.forked import forked
from tests.processor.lives import begin, living, now, once, step_for, step_until, until_firing

pytestmark = pytest.mark.broker


@pytest.mark.case("AJ-043", "IT-024")
@pytest.mark.parametrize(
    "first", ["the former owner", pytest.param("the new owner", marks=pytest.mark.chaos)]
)
def test_two_that_both_see_a_schedule_due_fire_it_once(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    out = cluster.target()
    # The heir fences a predecessor's producer as well; here it has to go without.
    monkeypatch.setattr(restore, "fence_out", lambda *_: None)
    former = begin(cluster, "former", max_poll_interval=1.6)
    try:
        until_firing(cluster, former)
        due = now() + 6 * SECOND
        cluster.define(f"{cluster.subject(0)}/s", once(out, due))
        step_until(lambda: cluster.group_offsets().get(0) == 1, former)
        time.sleep(2.0)  # so long that its partitions are given away, and nobody tells it
        with living(cluster, "new") as new:
            until_firing(cluster, new)
            monkeypatch.setattr(former.processor.inbox, "poll", lambda *_: [])
            monkeypatch.setattr(former.processor, "_is_poll_old", lambda: False)
            step_until(lambda: now() > due - SECOND // 2, new)
            await_that(lambda: now() > due, "it is due")
            both = [former, new] if first == "the former owner" else [new, former]
            assert [one.processor.serving.next_due() for one in both] == [due, due]
            for one in both:
                one.processor.step()
            assert former.aborts("AbortBatch") == 1
            monkeypatch.undo()
            step_until(lambda: cluster.read(out), new, former)
            step_for(0.3, new, former)
            assert [former.fires, new.fires] == [0, 1]
    finally:
        former.close()

    cluster.require_each_once(out)
    assert len(cluster.events(Fired)) == 1


@pytest.mark.case("AJ-046")
def test_ten_restarts_around_its_instant_leave_one_fire(cluster: Cluster) -> None:
    out = cluster.target()
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        due = now() + 3 * SECOND
        cluster.define(f"{cluster.subject(0)}/job", once(out, due))
        step_until(lambda: cluster.group_offsets().get(0) == 1, life)
    restarts = 0
    while restarts < 10 or now() < due + SECOND:
        with living(cluster, "one") as life:
            if restarts % 2 == 0:
                step_for(0.1, life)  # it is stopped before it has come to anything
            else:
                until_firing(cluster, life)
                step_for(0.05, life)
        restarts += 1

    cluster.require_each_once(out)
    assert len(cluster.read(out)) == 1


@pytest.mark.chaos
@pytest.mark.case("AJ-046")
def test_ten_kills_around_its_instant_leave_one_fire(cluster: Cluster, tmp_path: Path) -> None:
    out = cluster.target()
    due = now() + 20 * SECOND
    cluster.define(f"{cluster.subject(0)}/job", once(out, due))
    kills = 0
    while kills < 10 or now() < due + 2 * SECOND:
        with forked(cluster, tmp_path, "one") as processor:
            time.sleep(1.0 + 0.37 * (kills % 4))
            processor.kill()
        kills += 1
    with forked(cluster, tmp_path, "one") as processor:
        await_that(lambda: cluster.read(out), "it has fired", 30)
        processor.stop(8)

    cluster.require_each_once(out)
    assert len(cluster.read(out)) == 1


@pytest.mark.case("KPR-03")
@pytest.mark.parametrize(
    ("count", "ahead"),
    [(150, SECOND // 2), pytest.param(750, 3 * SECOND, marks=pytest.mark.chaos)],
    ids=["small", "as told"],
)
def test_a_stream_of_commands_that_does_not_pause_lets_no_timer_wait(
    cluster: Cluster, tmp_path: Path, count: int, ahead: int
) -> None:
    out = cluster.target()
    with forked(cluster, tmp_path) as processor:
        cluster.define(f"{cluster.subject(1)}/warm", once(out, now()))
        await_that(lambda: cluster.read(out), "it runs")
        began = time.monotonic()
        for number in range(count):
            subject = cluster.subject(number % 2, number % 7)
            cluster.define(f"{subject}/{number}", once(out, now() + ahead))
            time.sleep(max(0.0, began + number / 50 - time.monotonic()))
        end = now()
        await_that(lambda: len(cluster.read(out)) == count + 1, "all have fired", 30)
        assert processor.stop(8) == 0

    cluster.require_each_once(out)
    early = [(one, stamp) for one, stamp in cluster.fired() if one.due < end - SECOND]
    assert len(early) > count // 4
    starved = [one.schedule for one, stamp in early if stamp.decided_at > end]
    assert starved == [], "they waited for the stream to end"
