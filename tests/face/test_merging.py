"""Are events of several partitions handed on as they happened?"""

from __future__ import annotations

from horae.merging import Merge
from schemas.codec import Recorded
from schemas.events import ScheduleRemoved, Stamp


def event(decided_at: int) -> Recorded:
    return Recorded(ScheduleRemoved("a/b", 0, 0), Stamp(decided_at, 0, None, -1, 0, "user:ann"))


def taken(merge: Merge) -> list[int]:
    return [recorded.stamp.decided_at for recorded in merge.take()]


def test_the_oldest_of_all_partitions_comes_first() -> None:
    merge = Merge([0, 1])
    for at in (1, 4, 5):
        merge.put(0, event(at))
    for at in (2, 3, 6):
        merge.put(1, event(at))

    assert taken(merge) == [1, 2, 3, 4, 5]
    assert merge.waiting(1) == 1


def test_nothing_is_handed_on_before_every_partition_has_spoken() -> None:
    merge = Merge([0, 1])
    merge.put(0, event(9))

    assert taken(merge) == []
    merge.put(1, event(3))
    assert taken(merge) == [3]
    merge.close(1)
    assert taken(merge) == [9]


def test_nobody_waits_for_a_partition_that_is_read_to_its_end() -> None:
    merge = Merge([])
    merge.put(1, event(7))
    merge.put(0, event(5))

    assert taken(merge) == [5, 7]
