"""
What holds for everyone at once, and what is told to whom, when there are several processors?

A hold, the limits for targets, and the memory for one-shot commands.
"""

from __future__ import annotations

import pytest

from schemas.commands import Pause, Trigger
from schemas.definition import SECOND, CatchUp, Definition, Emit, Interval
from schemas.events import Fired, GlobalChanged, Skipped
from schemas.globals import GlobalSettings, Hold
from schemas.replies import Verdict
from schemas.topics import EVENTS, GLOBALS
from tests.processor.cluster import Cluster
from tests.processor.lives import (
    each_second,
    living,
    now,
    step_for,
    step_until,
    until_firing,
)

pytestmark = pytest.mark.broker


def test_a_hold_holds_within_a_second_on_every_processor_and_lateness_rules_apply_after_it(
    cluster: Cluster,
) -> None:
    out = cluster.target()
    rule = CatchUp(grace=SECOND // 2)
    every = Definition((Interval(micros=SECOND, anchor=0),), Emit(out), catch_up=rule)
    with living(cluster, "one") as one, living(cluster, "two") as two:
        until_firing(cluster, one, two)
        for partition in range(2):
            cluster.define(f"{cluster.subject(partition)}/a", every)
        step_until(lambda: one.fires and two.fires, one, two)
        held = now()
        cluster.tell_everyone(Hold(True, "maintenance", "user:ann", held, "hold-1"))
        step_for(4.0, one, two)
        lifted = now()
        during = [at for at in _decided(cluster) if at > held + SECOND]
        cluster.tell_everyone(Hold(False, "done", "user:ann", lifted, "lift-1"))
        step_until(lambda: len([at for at in _decided(cluster) if at > lifted]) >= 6, one, two)

    assert during == []
    # Lifted within a second, by when the last instant may be past its grace; then comes the next.
    assert min(at for at in _decided(cluster) if at > lifted) < lifted + 2 * SECOND
    missed = [one.event for one in cluster.events() if isinstance(one.event, Skipped)]
    assert {one.schedule for one in missed} == {f"{cluster.subject(n)}/a" for n in range(2)}
    assert all(one.count >= 2 for one in missed)
    assert len([one for one, _ in cluster.fired() if one.late]) == 2, "the newest one still runs"
    for name, said in (("hold-1", "maintenance"), ("lift-1", "done")):
        [reply] = cluster.replies()[name]
        assert (reply.verdict, reply.partition) == (Verdict.ACCEPTED, 0)
        assert said in str(reply.message)


def test_every_record_of_the_globals_gets_one_event_also_over_restarts(cluster: Cluster) -> None:
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.tell_everyone(Hold(True, "", "user:ann", now(), "h1"))
        step_until(lambda: "h1" in cluster.replies(), life)
    cluster.tell_everyone(Hold(False, "", "user:ann", now(), "h2"))
    cluster.send(b"hold", b"not a hold", topic=GLOBALS, partition=0)
    for _ in range(2):
        with living(cluster) as life:
            until_firing(cluster, life)
            step_until(lambda: "h2" in cluster.replies(), life)
            step_for(0.2, life)
            assert not life.processor.globals.world.held

    told = [one.event for one in cluster.events() if isinstance(one.event, GlobalChanged)]
    assert [one.name for one in told] == ["settings", "hold", "hold", "hold"]
    assert "not readable" in told[-1].summary
    assert {name: len(found) for name, found in cluster.replies().items()} == {"h1": 1, "h2": 1}


def test_the_owner_of_partition_0_publishes_the_limits_once(cluster: Cluster) -> None:
    with living(cluster, "one", emit_topics="a-*, b") as one:
        until_firing(cluster, one)
        step_for(0.3, one)
        with living(cluster, "two", emit_topics="ignored") as two:
            step_until(lambda: len(one.firing) == len(two.firing) == 1, one, two)
            owner, patterns = (one, ("a-*", "b")) if 0 in one.firing else (two, ("ignored",))
            step_for(0.5, one, two)
            limits = {life.processor.globals.world.settings for life in (one, two)}

    [found] = limits
    assert isinstance(found, GlobalSettings)
    assert found.emit_topics == patterns
    assert len(cluster.read(GLOBALS)) == (1 if owner is one else 2)


def test_a_one_shot_command_is_answered_the_same_when_it_comes_again(cluster: Cluster) -> None:
    out = cluster.target()
    schedule = f"{cluster.subject(0)}/a"
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.define(schedule, each_second(out, every=24 * 3_600 * SECOND))
        cluster.ask(schedule, Trigger("by hand"), "t1")
        cluster.ask(schedule, Trigger("by hand"), "t1")
        step_until(lambda: len(cluster.replies().get("t1", ())) == 2, life)
    with living(cluster) as life:  # what was answered is remembered over a restart
        until_firing(cluster, life)
        cluster.ask(schedule, Trigger("by hand"), "t1")
        cluster.ask(schedule, Trigger("another reason"), "t1")
        cluster.ask(schedule, Pause("same id, another command"), "t1")
        step_until(lambda: len(cluster.replies()["t1"]) == 5, life)

    first, second, third, conflict, other = cluster.replies()["t1"]
    assert first == second == third
    assert first.verdict is Verdict.ACCEPTED
    assert (conflict.verdict, conflict.field) == (Verdict.REFUSED, "id")
    assert other.verdict is Verdict.ACCEPTED, "ids are per kind of command"
    assert len(cluster.read(out)) == 1


def test_answers_are_forgotten_after_a_day(cluster: Cluster) -> None:
    out = cluster.target()
    schedule = f"{cluster.subject(0)}/a"
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.define(schedule, each_second(out, every=3_600 * SECOND))
        cluster.ask(schedule, Trigger(), "t1")
        step_until(lambda: "t1" in cluster.replies(), life)
        [partition] = [one for one in life.processor.serving.firing() if one.number == 0]
        [(at, key)] = partition.answered
        partition.answered[0] = (at - 25 * 3_600 * SECOND, key)
        cluster.ask(schedule, Pause(), "p1")
        step_until(lambda: "p1" in cluster.replies(), life)
        assert set(partition.answers) == {f"{schedule}#pause:p1"}
        cluster.ask(schedule, Trigger(), "t1")
        step_until(lambda: len(cluster.read(out)) == 2, life)


def test_events_are_numbered_without_a_gap_over_restarts(cluster: Cluster) -> None:
    out = cluster.target()
    for _ in range(2):
        with living(cluster) as life:
            until_firing(cluster, life)
            before = len(cluster.read(out))
            cluster.define(f"{cluster.subject(0)}/a", each_second(out))
            step_until(lambda: len(cluster.read(out)) > before, life)  # noqa: B023

    numbers = [one.stamp.sequence for one in cluster.events() if one.stamp.partition == 0]
    assert numbers == list(range(len(numbers)))
    assert len(cluster.read(EVENTS)) >= len(numbers)


def _decided(cluster: Cluster) -> list[int]:
    return [one.stamp.decided_at for one in cluster.events(Fired)]
