"""
Is it seen what another definition changes?

Instants of one day in UTC as two definitions have them, and what is said to stay, move, come or go.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from schemas.events import Fired, Reason, Skipped, Stamp
from streams.account.differing import Difference, Ends, Planned, differ
from tests.decider.stage import HOUR, MINUTE, NIGHTLY, at


def planned(*times: str, wall: int = 0, starts: int = 0, skipped: bool = False) -> list[Planned]:
    return [Planned(at(when), at(when) + wall, at(when) + starts, skipped) for when in times]


def shown(found: Difference) -> tuple[int, int, list[tuple[int, int]], list[int], list[int]]:
    return (
        found.same,
        len(found.altered),
        [(pair.old.instant, pair.new.instant) for pair in found.moved],
        [one.instant for one in found.added],
        [one.instant for one in found.removed],
    )


class Row(NamedTuple):
    """Two lists, and what differs: same, altered, moved, added, removed."""

    old: list[Planned]
    new: list[Planned]
    then: tuple[int, int, list[tuple[str, str]], list[str], list[str]]


ROWS = {
    "nothing changes": Row(planned("10:00"), planned("10:00"), (1, 0, [], [], [])),
    "it moves by half an hour": Row(
        planned("10:00", "06-02T10:00"),
        planned("10:30", "06-02T10:30"),
        (0, 0, [("10:00", "10:30"), ("06-02T10:00", "06-02T10:30")], [], []),
    ),
    "twice as often": Row(planned("10:00"), planned("10:00", "10:30"), (1, 0, [], ["10:30"], [])),
    "half as often": Row(
        planned("10:00", "10:30", "11:00", "11:30"),
        planned("10:00", "11:00"),
        (2, 0, [], [], ["10:30", "11:30"]),
    ),
    "another zone keeps the wall time": Row(
        planned("10:00", "12:00"),
        planned("08:00", "10:00", wall=2 * HOUR),
        (1, 0, [("12:00", "08:00")], [], []),
    ),
    "a day that is not there any more has its place on the next one": Row(
        planned("10:00"), planned("06-02T09:00"), (0, 0, [("10:00", "06-02T09:00")], [], [])
    ),
    "a day and more away is no place": Row(
        planned("10:00"), planned("06-02T10:00"), (0, 0, [], ["06-02T10:00"], ["10:00"])
    ),
    "jitter lets it start later": Row(
        planned("10:00"), planned("10:00", starts=MINUTE), (0, 1, [], [], [])
    ),
    "a window keeps it from starting": Row(
        planned("10:00"), planned("10:00", skipped=True), (0, 1, [], [], [])
    ),
    "what is skipped either way stays so": Row(
        planned("10:00", skipped=True),
        planned("10:00", starts=MINUTE, skipped=True),
        (1, 0, [], [], []),
    ),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_what_differs(row: Row) -> None:
    same, altered, moved, added, removed = row.then

    found = differ(row.old, row.new)

    pairs = [(at(old), at(new)) for old, new in moved]
    assert shown(found) == (same, altered, pairs, [*map(at, added)], [*map(at, removed)])
    assert found.is_nothing == (row.then[1:] == (0, [], [], []))


def test_what_really_happened_is_found_by_instant() -> None:
    stamp = Stamp(at("12:00"), 0, None, -1, 0, "schedule")
    ends = Ends(at("09:00"), at("12:00"))
    fired = Fired(NIGHTLY, 0, 0, at("09:00"), 0, 0, 0, None, False, (), 0, 0)
    ends.take(Skipped(NIGHTLY, 0, 0, at("10:00"), at("11:00"), 3, Reason.MISSED, 0, 0, 0, 0), stamp)
    ends.take(fired, stamp)
    ends.take(fired._replace(nominal=at("12:00")), stamp)
    ends.take(fired._replace(nominal=at("09:30"), origin="trigger:x.1"), stamp)

    found = ends.by_instant(map(at, ("09:00", "09:30", "10:30", "11:30", "12:00")))

    assert {at("09:00"): "Fired", at("10:30"): "Skipped"} == {
        instant: type(end.event).__name__ for instant, end in found.items()
    }
