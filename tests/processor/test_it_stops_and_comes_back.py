"""
What do operators see of a processor that starts, is told to stop, or loses its broker?

It ends within seconds in any phase and loses nothing; it goes on by itself when the broker is back;
health and metrics say what is going on.
"""

from __future__ import annotations

import gc
import json
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from horae.local import ports
from schemas.definition import SECOND
from schemas.topics import EVENTS
from streams.processor.collector import forget_everything
from tests.processor.cluster import Cluster, await_that
from tests.processor.forked import forked
from tests.processor.lives import (
    each_second,
    far_ahead,
    living,
    now,
    once,
    step_until,
    until_firing,
)
from tests.processor.wire import ProxiedBroker, Wire

pytestmark = pytest.mark.broker


@pytest.mark.case("KPR-49")
@pytest.mark.parametrize("phase", ["starting", "loading", "firing", "rebalancing", "no broker"])
def test_a_stop_signal_ends_it_within_seconds_and_nothing_is_lost(
    cluster: Cluster, wire: Wire, tmp_path: Path, phase: str
) -> None:
    out = cluster.target()
    for partition in range(cluster.partitions):
        cluster.define(f"{cluster.subject(partition)}/a", each_second(out))
    with forked(cluster, tmp_path, bootstrap=wire.bootstrap) as one:
        if phase != "starting":
            words = "schedules restored" if phase == "loading" else "the group"
            await_that(lambda: words in one.said() or cluster.read(out), phase)
        if phase not in {"starting", "loading"}:
            await_that(lambda: cluster.read(out), "it fires")
        if phase == "rebalancing":
            with forked(cluster, tmp_path) as two:
                time.sleep(0.4)
                assert one.stop(8) == 0
                two.stop(8)
        if phase == "no broker":
            wire.cut(60)
            time.sleep(0.5)
        # a process that has not come to listen for signals is ended by them, and had done nothing
        assert one.stop(12) in ({0, -15} if phase == "starting" else {0})
    with living(cluster) as life:
        until_firing(cluster, life)
        before = len(cluster.read(out))
        step_until(lambda: len(cluster.read(out)) > before + 1, life)

    cluster.require_each_once(out, every=SECOND)


@pytest.mark.case("KPR-48", "KPR-49")
def test_it_goes_on_by_itself_after_the_broker_was_killed_and_started(
    cluster: Cluster, kafka: ProxiedBroker, tmp_path: Path
) -> None:
    out = cluster.target()
    with forked(cluster, tmp_path) as processor:
        for partition in range(cluster.partitions):
            cluster.define(f"{cluster.subject(partition)}/a", each_second(out))
        during = now() + 5 * SECOND
        cluster.define(f"{cluster.subject(0)}/once", once(out, during, value=b"once"))
        await_that(lambda: len(cluster.read(out)) >= 2, "it fires")
        kafka.kill()
        await_that(lambda: now() > during, "the instant passes")
        kafka.start()
        cluster.close()  # the readers of this test start afresh
        await_that(lambda: _reads(cluster, out, b"once"), "what was due meanwhile is fired", 40)
        assert processor.alive
        before = len(cluster.read(out))
        await_that(lambda: len(cluster.read(out)) >= before + 4, "it fires on", 20)
        assert processor.stop(12) == 0

    emitted = [one.headers["horae-occurrence"] for one in cluster.read(out)]
    assert len(emitted) == len(set(emitted))
    assert len([one for one in cluster.read(out) if one.value == b"once"]) == 1


def test_health_says_what_is_missing_and_metrics_are_there(
    cluster: Cluster, tmp_path: Path
) -> None:
    out = cluster.target()
    port = ports.choose()
    seen: list[tuple[int, str]] = []
    with forked(cluster, tmp_path, HORAE_PROCESSOR_PORT=port) as processor:
        cluster.define(f"{cluster.subject(0)}/a", each_second(out))
        cluster.define(f"{cluster.subject(1)}/a", far_ahead(out))

        def healthy() -> bool:
            found = _get(port, "healthz")
            seen.append(found)
            return found[0] == 200

        await_that(healthy, "it is healthy")
        await_that(lambda: cluster.read(out), "it fires")
        status, metrics = _get(port, "metrics")
        assert status == 200
        assert processor.stop(5) == 0

    early = [text for status, text in seen if status == 503]
    assert early, "it was healthy before it had loaded anything"
    reasons = {reason for text in early for reason in json.loads(text)["wrong"]}
    assert reasons & {"partitions", "restoring"}
    for name in (
        "horae_lateness_seconds_bucket",
        "horae_overdue_seconds",
        "horae_fires_total",
        "horae_skips",
        "horae_batch_fires",
        "horae_batch_build_seconds",
        "horae_batch_commit_seconds",
        "horae_inbox_lag",
        "horae_restore_progress",
        "horae_rejects_total",
        "horae_schedules",
    ):
        assert name in metrics, name


def test_health_is_told_also_while_there_is_no_broker(
    cluster: Cluster, wire: Wire, tmp_path: Path
) -> None:
    port = ports.choose()
    chosen: dict[str, Any] = {"bootstrap": wire.bootstrap, "transaction_timeout": 1.5}
    with forked(cluster, tmp_path, HORAE_PROCESSOR_PORT=port, **chosen) as processor:
        cluster.define(f"{cluster.subject(0)}/a", each_second(cluster.target()))
        await_that(lambda: _get(port, "healthz")[0] == 200, "it is healthy")
        wire.cut(60)
        await_that(lambda: "starting over" in processor.said(), "it starts over")
        status, text = _get(port, "healthz")

    assert status == 503
    assert json.loads(text)["wrong"]


@pytest.mark.case("KAF-065")
def test_an_open_transaction_is_not_waited_for_when_the_broker_is_gone(
    cluster: Cluster, wire: Wire
) -> None:
    with living(cluster, bootstrap=wire.bootstrap, transaction_timeout=1.2) as life:
        until_firing(cluster, life)
        life.processor.transactions.write([(EVENTS, 0, b"k", b"v", None)])
        life.processor.transactions._producer.flush(5)
        wire.cut(20)
        began = time.monotonic()
        life.close()
        assert time.monotonic() - began < 6
        wire.cut(0)


def test_one_that_owns_nothing_says_so(cluster: Cluster) -> None:
    with living(cluster, "one") as one, living(cluster, "two") as two, living(cluster) as three:
        until_firing(cluster, one, two, three)
        wrong = [life.processor.reporter.health() for life in (one, two, three)]

    idle = [found for found in wrong if found]
    assert idle == [{"partitions": "owns none, or none is loaded"}]


def test_a_life_that_ended_leaves_no_thread_and_no_memory(cluster: Cluster) -> None:
    cluster.define(f"{cluster.subject(0)}/a", far_ahead(cluster.target()))

    def live_once() -> int:
        with living(cluster) as life:
            until_firing(cluster, life)
        forget_everything()
        return _threads()

    known = _residents()  # a thread that another test left behind may hold some
    first = live_once()
    assert [live_once() - first for _ in range(2)] == [0, 0]
    assert not [one for one in _residents() if all(one is not old for old in known)]


def _residents() -> list[object]:
    """What is in memory of partitions."""
    gc.collect()
    return [one for one in gc.get_objects() if type(one).__name__ == "Resident"]


def _threads() -> int:
    """Threads of this process, those of the Kafka client too, once they have ended."""
    tasks = Path("/proc/self/task")
    time.sleep(0.3)
    return len(list(tasks.iterdir())) if tasks.exists() else threading.active_count()


def _reads(cluster: Cluster, topic: str, value: bytes) -> bool:
    return any(one.value == value for one in cluster.read(topic))


def _get(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read().decode()
    except OSError:
        return 0, ""
