"""Is every minute what its samples make it, whatever happens to those who put it together?"""

from __future__ import annotations

import time

import pytest

from schemas.codec import encode
from schemas.identity import partition_of
from schemas.instants import format_instant
from schemas.topics import TRAFFIC
from schemas.traffic import Sample
from schemas.units import MINUTE, SECOND
from streams.traffic.minutes import minute_at, minute_of
from tests.processor.cluster import await_that
from tests.traffic.ordeal import Ordeal, undergo
from tests.traffic.road import PARTITIONS, Road

pytestmark = pytest.mark.broker


def now() -> int:
    return time.time_ns() // 1_000


def looks(number: int, ended: int) -> list[Sample]:
    """One every five seconds, up to that instant."""
    return [
        Sample(ended - n * 5 * SECOND, n % 3, n % 2, n % 7, n % 7 * SECOND)
        for n in reversed(range(number))
    ]


def test_a_worker_puts_samples_together_and_ends_in_order(road: Road) -> None:
    road.worker("a")
    for subject in ("chat", "code", "mail"):
        road.send(subject, *looks(100, now()))

    road.await_minutes()
    road.await_read()

    assert road.stop("a") == 0, road.last_words("a")


def test_minutes_stay_exact_while_workers_are_killed_join_and_leave(road: Road) -> None:
    undergo(road, Ordeal(samples=6_000, subjects=12, kills=2, pause=1.0))

    road.await_read()
    road.await_minutes()


def test_a_frozen_worker_that_goes_on_takes_nothing_back(road: Road) -> None:
    road.worker("a")
    begun = now()
    road.send("chat", *looks(5, begun))
    road.await_minutes()
    road.send("chat", *looks(400, begun - SECOND))
    road.freeze("a")
    road.worker("b")
    road.send("chat", *looks(400, begun - 2 * SECOND))
    road.await_read()

    road.thaw("a")
    road.send("chat", *looks(400, begun - 3 * SECOND))

    road.await_read()
    road.await_minutes()


@pytest.mark.parametrize("more", [False, True], ids=["less", "something else"])
def test_what_somebody_else_writes_over_a_minute_is_mended(road: Road, more: bool) -> None:
    road.worker("a")
    begun = minute_at(now()) - MINUTE
    known = [Sample(begun + n * SECOND, 1, 0) for n in range(10)]
    road.send("chat", *known)
    road.await_minutes()
    strange = [known[3], Sample(begun + 30 * SECOND, 5, 5)] if more else known[:2]
    key = f"chat|{format_instant(begun)}".encode()

    road.cluster.send(
        key,
        encode(minute_of(strange)),
        topic=TRAFFIC,
        partition=partition_of("chat", PARTITIONS),
    )

    union = minute_of([*known, *strange])
    await_that(lambda: road.minutes()[key] == union, "the minute holds the samples of both")


@pytest.mark.chaos
def test_a_hundred_thousand_samples_and_ten_kills(road: Road) -> None:
    undergo(road, Ordeal(samples=120_000, subjects=48, kills=10, pause=4.0, seed=1))

    road.await_read(within=300)
    road.await_minutes()
