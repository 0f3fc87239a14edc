"""
Can somebody who only sees the metrics tell a little late from a day late, and loading from loaded?

Lateness has buckets from milliseconds to days; a start tells how far it has come, when all was
loaded and when the first due schedule fired.
"""

from __future__ import annotations

import logging
import re
from dataclasses import replace

import pytest
from confluent_kafka import Producer
from prometheus_client import generate_latest

from schemas.commands import Define
from schemas.definition import SECOND, CatchUp, Definition
from schemas.reading import command_record
from schemas.topics import COMMANDS
from streams.telemetry import ProcessorMetrics
from tests.processor.cluster import Cluster, await_that
from tests.processor.lives import far_ahead, living, now, once, step_for, step_until, until_firing

DAY = 86_400.0
BUCKET = re.compile(r'^horae_lateness_seconds_bucket\{le="([^"]+)"\} ([0-9.]+)$', re.MULTILINE)
PROGRESS = re.compile(r'^horae_restore_progress\{partition="(\d+)"\} (\S+)$', re.MULTILINE)


def _shown(metrics: ProcessorMetrics) -> str:
    text: bytes = generate_latest(metrics.registry)
    return text.decode()


def _bucket(seconds: float) -> str:
    """The smallest bucket that counts a fire which was so late."""
    metrics = ProcessorMetrics()
    metrics.lateness.observe([seconds])
    found: list[tuple[str, str]] = BUCKET.findall(_shown(metrics))
    return next(le for le, count in found if float(count))


@pytest.mark.case("KPR-51")
def test_lateness_of_milliseconds_seconds_hours_and_a_day_has_a_bucket_each() -> None:
    buckets = [_bucket(late) for late in (0.005, 0.02, 0.2, 2.0, 30.0, 1_800.0, DAY, 2 * DAY)]

    assert len(set(buckets)) == len(buckets), buckets
    assert (_bucket(0.005), _bucket(DAY)) == ("0.005", "86400")


@pytest.mark.broker
@pytest.mark.case("KPR-51")
def test_one_fired_in_time_and_one_a_long_time_overdue_do_not_look_alike(cluster: Cluster) -> None:
    out = cluster.target()
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.define(f"{cluster.subject(0)}/old", once(out, now() - 20 * 3_600 * SECOND))
        cluster.define(f"{cluster.subject(1)}/new", once(out, now() + SECOND))
        step_until(lambda: len(cluster.read(out)) == 2, life)
        shown = {le: float(count) for le, count in BUCKET.findall(_shown(life.metrics))}

    assert (shown["60"], shown["3600"], shown["86400"], shown["+Inf"]) == (1, 1, 2, 2)


@pytest.mark.broker
@pytest.mark.case("KPR-11")
def test_a_start_tells_its_progress_when_all_is_loaded_and_when_the_first_one_fired(
    cluster: Cluster,
) -> None:
    out = cluster.target()
    with living(cluster, "one") as life:
        until_firing(cluster, life)
        _define_many(cluster, 2_000, far_ahead(out))
        at = now() + 2 * SECOND
        overdue = replace(once(out, at), catch_up=CatchUp(grace=SECOND // 10))
        cluster.define(f"{cluster.subject(0)}/due", overdue)
        step_until(lambda: life.processor.serving.schedules() == 2_001, life)
    await_that(lambda: now() > at + SECOND, "it is overdue")
    with living(cluster, "one") as life:
        assert (life.metrics.loaded._value.get(), life.metrics.first_fire._value.get()) == (0, 0)
        step_until(lambda: cluster.read(out), life)
        until_firing(cluster, life)
        step_for(1.2, life)
        loaded, first = life.metrics.loaded._value.get(), life.metrics.first_fire._value.get()
        progress = dict(PROGRESS.findall(_shown(life.metrics)))
        assert life.processor.serving.schedules() == 2_001

    assert loaded > 0
    assert first > 0
    assert progress == {"0": "1.0", "1": "1.0"}
    [(fired, stamp)] = cluster.fired()
    assert fired.late
    assert stamp.decided_at > fired.due
    assert len(cluster.read(out)) == 1


def _define_many(cluster: Cluster, count: int, definition: Definition) -> None:
    """Ask for so many schedules at once, half of them in each partition."""
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "log_level": 0})
    for number in range(count):
        schedule = f"{cluster.subject(number % 2)}/{number}"
        key, value = command_record(schedule, Define(definition), f"many-{number}")
        producer.produce(COMMANDS, value, key, number % 2)
    assert producer.flush(10) == 0


@pytest.mark.broker
def test_it_is_told_once_that_all_partitions_fire(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "streams.processor.reporting")
    with living(cluster) as life:
        until_firing(cluster, life)
        step_for(0.3, life)

    told = [one.getMessage() for one in caplog.records if one.name.endswith("reporting")]
    assert told == [f"all {cluster.partitions} partitions of mine fire"]


@pytest.mark.broker
def test_nothing_is_waiting_once_a_forwarded_command_is_decided(cluster: Cluster) -> None:
    schedule = f"{cluster.subject(1)}/a"
    key, value = command_record(schedule, Define(far_ahead("out")), "c")
    with living(cluster) as life:
        until_firing(cluster, life)
        cluster.send(key, value, partition=0)
        step_until(lambda: life.processor.serving.schedules() == 1, life)
        step_for(1.5, life)  # the client hears of an end with a fetch

        assert life.processor.serving.lag() == 0
