"""
Rule 11: what does a processor do whose clock is wrong?

It compares it with the broker's before its first fire and again and again; too large a difference,
or a jump, stops all firing, and what was fired stays fired whatever the clock says.
"""

from __future__ import annotations

import re
import time

import pytest

from schemas.definition import DAY, HOUR, SECOND, CatchUp, CatchUpMode, Definition, Emit, Interval
from schemas.events import Skipped
from schemas.globals import ClockAccepted
from streams.clock import SteppedClock
from streams.processor.watch import Watch
from tests.processor.cluster import Cluster
from tests.processor.lives import (
    LeaningClock,
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


def test_nothing_fires_before_the_first_comparison(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = cluster.target()
    cluster.define(f"{cluster.subject(0)}/a", once(out, now()))
    with monkeypatch.context() as deaf, living(cluster) as life:
        deaf.setattr(Watch, "_take", lambda *_: None)
        until_firing(cluster, life)
        step_for(1.0, life)
        assert cluster.fired() == []
        assert "compared" in life.processor.reporter.health()["clock"]
        deaf.undo()
        life.processor.watch._probing_since = None
        step_until(lambda: cluster.read(out), life)


@pytest.mark.case("POL-015")
def test_a_clock_far_ahead_moves_no_mark_until_an_operator_accepts_it(cluster: Cluster) -> None:
    out = cluster.target()
    clock = LeaningClock(2 * HOUR)
    with living(cluster, clock=clock) as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/a", each_second(out))
        step_until(lambda: life.processor.serving.schedules() == 1, life)
        step_for(1.2, life)
        assert cluster.fired() == []
        assert re.search(
            r"differs by -(7200|7199\.[5-9])", life.processor.reporter.health()["clock"]
        )
        _accept(cluster, clock.wall())
        step_until(lambda: cluster.read(out), life)
        assert "clock" not in life.processor.reporter.health()


def test_an_acceptance_is_for_one_difference_only(cluster: Cluster) -> None:
    out = cluster.target()
    clock = LeaningClock(2 * HOUR)
    with living(cluster, clock=clock) as life:
        until_firing(cluster, life)
        _accept(cluster, clock.wall())
        step_until(lambda: life.processor.watch.trusted, life)
        clock.lean = 5 * HOUR  # as accepted by nobody
        step_until(lambda: "differs" in (life.processor.watch.objection or ""), life)
        clock.lean = 0  # mended
        step_until(lambda: life.processor.watch.trusted, life)
        cluster.define(f"{cluster.subject(0)}/a", once(out, now()))
        step_until(lambda: cluster.read(out), life)


def test_an_acceptance_from_long_ago_does_not_count_after_a_start(cluster: Cluster) -> None:
    with living(cluster) as life:
        until_firing(cluster, life)
    _accept(cluster, now() - 30 * DAY)
    with living(cluster, clock=LeaningClock(2 * HOUR)) as life:
        until_firing(cluster, life)
        step_for(0.5, life)
        assert not life.processor.watch.trusted


def test_an_acceptance_of_today_counts_after_a_restart(cluster: Cluster) -> None:
    clock = LeaningClock(2 * HOUR)
    with living(cluster, clock=clock) as life:
        until_firing(cluster, life)
        _accept(cluster, clock.wall())
        step_until(lambda: life.processor.watch.trusted, life)
    with living(cluster, clock=clock) as life:
        until_firing(cluster, life)
        step_until(lambda: life.processor.watch.trusted, life)


@pytest.mark.case("POL-022")
@pytest.mark.parametrize(
    ("mode", "fires", "skips"),
    [(CatchUpMode.NONE, 0, 720), (CatchUpMode.LATEST, 1, 719), (CatchUpMode.ALL, 40, 680)],
    ids=["none", "latest", "all"],
)
def test_a_jump_of_the_clock_is_a_downtime(
    cluster: Cluster, mode: CatchUpMode, fires: int, skips: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = cluster.target()
    start = now() // HOUR * HOUR
    clock = SteppedClock(start)
    rule = CatchUp(mode=mode, grace=5 * SECOND - 1, limit=40)
    definition = Definition((Interval(micros=5 * SECOND, anchor=0),), Emit(out), catch_up=rule)
    # the broker's clock is the real one: how far this one is from it is not what is asked here
    with living(cluster, clock=clock, clock_limit=100_000.0) as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/a", definition)
        step_until(lambda: life.processor.serving.schedules() == 1, life)
        [first] = life.processor.serving._partitions[0].residents.values()
        due = first.due
        clock.step(due + HOUR - 1 - clock.now)
        with monkeypatch.context() as deaf:
            deaf.setattr(Watch, "_take", lambda *_: None)  # the answer is still under way
            step_for(0.2, life)
            assert cluster.fired() == [], "nothing fires before a fresh comparison"
        life.processor.watch._probing_since = None
        step_until(lambda: first.due > clock.now, life)
        step_for(0.2, life)

    assert len(cluster.fired()) == fires
    missed = [one.event.count for one in cluster.events() if isinstance(one.event, Skipped)]
    assert sum(missed) == skips
    assert len(missed) == 1, "one record for all of them"


@pytest.mark.case("POL-016")
def test_an_instant_that_a_fast_clock_fired_is_not_fired_again_by_a_slow_one(
    cluster: Cluster,
) -> None:
    out = cluster.target()
    with living(cluster, "fast", clock=LeaningClock(30 * SECOND)) as fast:
        until_firing(cluster, fast)
        cluster.define(f"{cluster.subject(0)}/a", each_second(out))
        step_until(lambda: len(cluster.read(out)) >= 2, fast)
    newest = max(one.nominal for one, _ in cluster.fired())
    assert newest > now() + 20 * SECOND
    with living(cluster, "slow", clock=LeaningClock(-30 * SECOND)) as slow:
        until_firing(cluster, slow)
        emitted = len(cluster.read(out))
        step_for(1.5, slow)
        assert len(cluster.read(out)) == emitted, "its time has not come yet"
        slow.processor.clock.lean = 32 * SECOND  # type: ignore[attr-defined]
        step_until(lambda: len(cluster.read(out)) > emitted, slow)

    cluster.require_each_once(out, every=SECOND)


def test_a_step_back_fires_nothing_twice(cluster: Cluster) -> None:
    out = cluster.target()
    clock = LeaningClock()
    with living(cluster, clock=clock) as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/a", each_second(out))
        step_until(lambda: len(cluster.read(out)) >= 2, life)
        clock.lean = -SECOND * 3 // 2
        life.processor.step()
        assert not life.processor.watch.trusted
        step_until(lambda: len(cluster.read(out)) >= 4, life)

    cluster.require_each_once(out, every=SECOND)


def test_the_comparison_allows_for_the_way_there_and_back(cluster: Cluster) -> None:
    """The broker's answer takes its time; inside that span no difference is known."""
    clock = LeaningClock()
    watch = Watch(settings_for(cluster), "w", clock)
    watch.look(None)
    watch._producer.flush(5)
    time.sleep(0.05)
    watch.look(None)
    close = watch.difference
    watch.close()

    assert close is not None
    assert abs(close) < SECOND // 100


def _accept(cluster: Cluster, at: int) -> None:
    cluster.tell_everyone(ClockAccepted(actor="user:ann", reason="known", at=at))
