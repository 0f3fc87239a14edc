"""
Does a calendar that changes move what is pending, on running processors and on those to come?

Also what became earlier: nobody waits for a timer that was set for a later day.
"""

from __future__ import annotations

import pytest

from schemas.codec import encode
from schemas.definition import DAY, Definition, Emit, Exclude, Interval
from schemas.events import Fired, ScheduleRecomputed
from schemas.globals import Calendar
from schemas.topics import GLOBALS
from tests.processor.cluster import Cluster
from tests.processor.lives import living, now, step_for, step_until, until_firing

pytestmark = pytest.mark.broker


def publish(cluster: Cluster, *days: int) -> None:
    calendar = Calendar(dates=days, at=now(), actor="user:ann")
    cluster.send(b"calendar/feasts", encode(calendar), topic=GLOBALS, partition=0)


def test_a_feast_that_is_taken_back_lets_fire_today_also_after_a_restart(cluster: Cluster) -> None:
    out, today = cluster.target(), now() // DAY
    days = (today, today + 1)  # whenever midnight comes
    rule = Definition(
        (Interval(micros=1_000_000, anchor=0),), Emit(out), exclude=Exclude(("feasts",))
    )
    publish(cluster, *days)
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/a", rule)
        step_for(2.0, life)
        assert cluster.fired() == []
        publish(cluster)
        step_until(lambda: cluster.events(Fired), life)
        publish(cluster, *days)
        step_until(lambda: len(cluster.events(ScheduleRecomputed)) >= 2, life)
    quiet = len(cluster.events(Fired))
    publish(cluster)
    with living(cluster) as life:
        step_until(lambda: len(cluster.events(Fired)) > quiet, life)
    cluster.require_each_once(out)
