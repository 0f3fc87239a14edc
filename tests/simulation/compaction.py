"""
What does compaction leave of a partition?

The newest record of each key, of those that a committed reader would see, up to some offset: no
marker, nothing that was aborted, and no tombstone that is older than a day.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.simulation.log import SECOND, Entry, Lane, Log

TOMBSTONES_KEPT = 24 * 3_600 * SECOND


def compact(log: Log, topic: str, rng: Random) -> None:
    """Clean some of each partition of a topic."""
    for number in log.partitions(topic):
        lane = log.lane(topic, number)
        log.replace((topic, number), _cleaned(log, lane, rng.randint(lane.begin, lane.stable_end)))


def _cleaned(log: Log, lane: Lane, until: int) -> Iterator[Entry]:
    newest = {
        one.key: one.offset for one in lane.entries if one.offset < until and _counts(log, one)
    }
    old = (log.now() - TOMBSTONES_KEPT) // 1_000
    for one in lane.entries:
        is_newest = _counts(log, one) and newest.get(one.key) == one.offset
        if one.offset >= until or (is_newest and (one.value is not None or one.at > old)):
            yield one


def _counts(log: Log, one: Entry) -> bool:
    return not one.is_marker and one.transaction not in log.aborted
