"""Timers ring in order, once, and a backlog never starves fresh ones."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from streams.calendar.occurrences import NEVER
from streams.processor.timers import FRESH, Timers

NOW = 1_000 * FRESH


class Slot:
    """Something with a due instant that counts how often it was looked at."""

    looks = 0

    def __init__(self, due: int) -> None:
        self._due = due

    @property
    def due(self) -> int:
        Slot.looks += 1
        return self._due

    @due.setter
    def due(self, due: int) -> None:
        self._due = due

    def __lt__(self, other: object) -> bool:
        return False


@dataclass
class Shelf:
    """Timers and what they are set for."""

    timers: Timers[Slot]
    slots: dict[str, Slot]

    def set(self, name: str, due: int) -> None:
        slot = self.slots.setdefault(name, Slot(due))
        slot.due = due
        self.timers.put((due, name, slot))

    def pop(self, now: int = NOW, limit: int = 100) -> list[str]:
        return [name for _, name, _ in self.timers.pop_due(now, limit)]


@pytest.fixture
def shelf() -> Shelf:
    return Shelf(Timers(), {})


def test_the_earliest_rings_first_and_equal_ones_by_name(shelf: Shelf) -> None:
    """KPR-16 and POL-041: by due instant, then schedule id, the same on every run."""
    wanted = [("b", NOW - 2), ("a", NOW - 1), ("c", NOW - 1), ("d", NOW)]
    for name, due in (wanted[n] for n in (2, 0, 3, 1)):
        shelf.set(name, due)

    assert shelf.pop() == ["b", "a", "c", "d"]


def test_what_is_not_due_yet_stays(shelf: Shelf) -> None:
    shelf.set("a", NOW)
    shelf.set("b", NOW + 1)

    assert shelf.pop() == ["a"]
    assert shelf.timers.next_due() == NOW + 1


def test_never_is_no_timer(shelf: Shelf) -> None:
    shelf.set("a", NEVER)
    shelf.timers.load([(NEVER, "b", Slot(NEVER))])

    assert len(shelf.timers) == 0
    assert shelf.timers.next_due() == NEVER


def test_many_are_taken_over_at_once(shelf: Shelf) -> None:
    entries = [(NOW - n, f"s{n}", Slot(NOW - n)) for n in range(5)]
    shelf.timers.load(entries)

    assert shelf.pop() == ["s4", "s3", "s2", "s1", "s0"]


def test_looking_twice_rings_once(shelf: Shelf) -> None:
    """KPR-35: a second scan before the first batch is sent finds nothing."""
    for n in range(50):
        shelf.set(f"s{n}", NOW)

    assert len(shelf.pop()) == 50
    assert shelf.pop() == []


def test_a_timer_that_was_moved_or_removed_is_void(shelf: Shelf) -> None:
    shelf.set("moved", NOW - 5)
    shelf.set("removed", NOW - 4)
    shelf.set("moved", NOW - 1)
    shelf.slots["removed"].due = -1

    assert shelf.pop() == ["moved"]
    assert shelf.pop() == []


def test_one_that_was_moved_away_and_back_rings_once(shelf: Shelf) -> None:
    for due in (NOW - 5, NOW + 5, NOW - 5):
        shelf.set("a", due)

    assert shelf.pop() == ["a"]


def test_and_once_also_when_it_comes_up_late(shelf: Shelf) -> None:
    late = NOW - 2 * FRESH
    for due in (late, NOW + 5, late):
        shelf.set("a", due)

    assert shelf.pop() == ["a"]


def test_a_backlog_never_starves_fresh_timers(shelf: Shelf) -> None:
    for n in range(200):
        shelf.set(f"old{n:03}", NOW - 10 * FRESH + n)
    for n in range(3):
        shelf.set(f"fresh{n}", NOW - n)

    assert shelf.pop(limit=10)[:3] == ["fresh2", "fresh1", "fresh0"]
    shelf.set("fresh3", NOW)
    assert shelf.pop(limit=10)[0] == "fresh3"


def test_a_backlog_is_worked_off_in_order_and_whole(shelf: Shelf) -> None:
    for n in (37 * step % 95 for step in range(95)):
        shelf.set(f"old{n:03}", NOW - 10 * FRESH + n)
    popped = [name for _ in range(10) for name in shelf.pop(limit=10)]

    assert popped == [f"old{n:03}" for n in range(95)]


def test_a_backlog_is_due_at_once(shelf: Shelf) -> None:
    shelf.set("old1", NOW - 10 * FRESH)
    shelf.set("old2", NOW - 9 * FRESH)
    shelf.set("fresh", NOW + 10)
    shelf.pop(limit=1)

    assert shelf.timers.next_due() == NOW - 9 * FRESH


def test_a_void_one_in_the_backlog_is_dropped(shelf: Shelf) -> None:
    shelf.set("old1", NOW - 10 * FRESH)
    shelf.set("old2", NOW - 9 * FRESH)
    shelf.pop(limit=1)
    shelf.slots["old2"].due = -1

    assert shelf.pop() == []
    assert shelf.timers.next_due() == NEVER


def test_up_to_the_grace_of_a_minute_a_timer_is_fresh(shelf: Shelf) -> None:
    shelf.set("just fresh", NOW - FRESH)
    shelf.set("just late", NOW - FRESH - 1)

    assert shelf.pop() == ["just fresh", "just late"]


def test_void_entries_are_swept_once_they_outnumber_the_live(shelf: Shelf) -> None:
    for n in range(2_000):
        shelf.set("a", NOW + n)
    shelf.timers.sweep(live=1_000)
    assert len(shelf.timers) == 2_000
    shelf.timers.sweep(live=1)

    assert len(shelf.timers) == 1
    assert shelf.pop(now=NOW + 2_000) == ["a"]


def cancelled_half(count: int) -> int:
    """How many entries are looked at when every second of so many is cancelled, one by one."""
    shelf = Shelf(Timers(), {})
    for n in range(count):
        shelf.set(f"s{n}", NOW + n)
    Slot.looks = 0
    live = count
    for n in range(0, count, 2):
        shelf.slots[f"s{n}"].due = -1
        live -= 1
        if n % 200 == 0:
            shelf.timers.sweep(live)
    rung = 0
    while popped := shelf.pop(now=NOW + count, limit=500):
        rung += len(popped)
    assert rung == count // 2
    return Slot.looks


def test_cancelling_half_of_all_is_linear_work() -> None:
    """KPR-45: twice the count, about twice the work, and none of the cancelled ones rings."""
    few, many = cancelled_half(10_000), cancelled_half(20_000)

    assert many < 2.2 * few
    assert few < 4 * 10_000
