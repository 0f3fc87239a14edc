"""
Rule 8: does a target that takes no records hold up anybody else?

A topic that is missing, too small, compacted or forbidden: what was to go there waits and is
skipped in the end, with the reason; all the others fire on time.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from schemas.commands import Define, Trigger
from schemas.definition import SECOND, CatchUp, Definition, Emit, Once
from schemas.events import Deferred, Reason, Skipped
from schemas.replies import Verdict
from tests.processor.cluster import Cluster
from tests.processor.lives import far_ahead, living, now, once, step_until, until_firing

pytestmark = pytest.mark.broker

SHORT = CatchUp(lookback=SECOND, grace=SECOND)
"""A target may be unavailable for a second."""
REFUSALS: dict[str, tuple[dict[str, str] | None, dict[str, Any]]] = {
    "missing": (None, {}),
    "too large": ({"max.message.bytes": "2000"}, {"key": b"k", "value": b"v" * 3_000}),
    "no key": ({"cleanup.policy": "compact"}, {"value": b"v"}),
}
"""How the topic is set up, if it is there at all, and what is emitted."""


@pytest.mark.case("KPR-31")
def test_a_missing_topic_is_waited_for_and_fired_into_once_it_is_there(cluster: Cluster) -> None:
    missing = cluster.target(create=False)
    others = cluster.target()
    with living(cluster) as life:
        until_firing(cluster, life)
        due = now() + SECOND
        cluster.define(f"{cluster.subject(0)}/a", once(missing, due))
        for number in range(50):
            cluster.define(f"{cluster.subject(number % 2, number)}/ok", once(others, due))
        step_until(lambda: cluster.events(Deferred), life)
        step_until(lambda: len(cluster.read(others)) == 50, life)
        on_time = [stamp.decided_at - one.due for one, stamp in cluster.fired()]
        cluster.create(missing, 1, {})
        step_until(lambda: cluster.read(missing), life)

    deferred = [one.event for one in cluster.events() if isinstance(one.event, Deferred)]
    assert {one.reason for one in deferred} == {Reason.TARGET_UNAVAILABLE}
    assert "does not exist" in str(deferred[0].evidence)
    assert len(on_time) == 50
    assert max(on_time) < SECOND
    [fired] = [one for one, _ in cluster.fired() if one.deferrals]
    assert fired.deferrals == len(deferred)
    assert len(cluster.read(missing)) == 1


@pytest.mark.parametrize("what", REFUSALS)
@pytest.mark.case("KPR-31", "KAF-033")
def test_what_its_target_never_takes_is_skipped_with_the_reason(
    cluster: Cluster, what: str
) -> None:
    settings, action = REFUSALS[what]
    out = cluster.target(create=settings is not None, settings=settings)
    with living(cluster) as life:
        until_firing(cluster, life)
        definition = Definition((Once(now() + SECOND // 2),), Emit(out, **action), catch_up=SHORT)
        cluster.define(f"{cluster.subject(0)}/a", definition)
        step_until(lambda: cluster.events(Skipped), life)
        assert life.aborts("TargetRefused") == 0, "known before anything is written"

    [skipped] = [one.event for one in cluster.events() if isinstance(one.event, Skipped)]
    assert skipped.reason is Reason.TARGET_UNAVAILABLE
    assert skipped.deferrals >= 1
    assert skipped.evidence
    assert cluster.fired() == []


@pytest.mark.case("KPR-31")
def test_a_topic_that_refuses_inside_the_transaction_costs_the_others_nothing(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    shrinking, others = cluster.target(), cluster.target()
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/first", once(shrinking, now()))
        step_until(lambda: cluster.read(shrinking), life)
        cluster.alter(shrinking, "max.message.bytes", "1000")
        due = now() + SECOND
        large = once(shrinking, due, value=b"v" * 5_000)
        cluster.define(f"{cluster.subject(0)}/large", large)
        for number in range(50):
            cluster.define(f"{cluster.subject(number % 2, number)}/ok", once(others, due))
        step_until(lambda: len(cluster.read(others)) == 50, life)
        step_until(lambda: cluster.events(Deferred), life)
        assert life.aborts("TargetRefused") >= 1

    lateness = [stamp.decided_at - one.due for one, stamp in cluster.fired() if one.due == due]
    assert len(lateness) == 50
    assert max(lateness) < 2 * SECOND
    assert f"target {shrinking} is left alone" in caplog.text
    assert len(cluster.read(shrinking)) == 1


def test_many_small_records_fit_into_a_topic_that_takes_small_batches_only(
    cluster: Cluster,
) -> None:
    small = cluster.target(settings={"max.message.bytes": "20000"})
    with living(cluster) as life:
        until_firing(cluster, life)
        due = now() + SECOND
        for number in range(60):
            definition = once(small, due, value=b"v" * 1_000)
            cluster.define(f"{cluster.subject(number % 2, number)}/a", definition)
        step_until(lambda: len(cluster.read(small)) == 60, life)

    assert cluster.events(Deferred) == []
    cluster.require_each_once(small)


def test_a_target_named_and_triggered_in_one_batch_is_looked_up_first(cluster: Cluster) -> None:
    missing = cluster.target(create=False)
    with living(cluster) as life:
        until_firing(cluster, life)
        schedule = f"{cluster.subject(0)}/a"
        cluster.ask(schedule, Define(far_ahead(missing)))
        cluster.ask(schedule, Trigger(), "now")
        time.sleep(0.2)
        step_until(lambda: "now" in cluster.replies(), life)
        assert life.aborts("AbortBatch") >= 1, "dropped when the target was found in the batch"
        assert life.aborts("TargetRefused") == 0, "an unknown topic cost a whole time-out"

    [reply] = cluster.replies()["now"]
    assert reply.verdict is Verdict.REFUSED


def test_the_allow_list_of_the_environment_is_what_counts(cluster: Cluster) -> None:
    allowed, forbidden = cluster.target(), "elsewhere"
    with living(cluster, emit_topics="out-*, billing.*") as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/a", far_ahead(allowed), "good")
        cluster.define(f"{cluster.subject(0)}/b", far_ahead(forbidden), "bad")
        cluster.define(f"{cluster.subject(0)}/c", far_ahead("horae.events"), "ours")
        step_until(lambda: "ours" in cluster.replies(), life)
        found = {name: cluster.replies()[name][0] for name in ("good", "bad", "ours")}

    assert found["good"].verdict is Verdict.ACCEPTED
    for name in ("bad", "ours"):
        assert found[name].verdict is Verdict.REFUSED
        assert found[name].field == "emit.topic"
