"""
Whose pending instant may have become another one, and is looked at although nothing rang?

A shared calendar may change, and zone data may have been upgraded while a partition was nobody's: a
schedule's next instant may then be an earlier one than its timer waits for. Residents that mention
such a calendar, or whose cursor was computed with other zone data, are found little by little and
handed to the decider, which computes anew (streams/decider/recompute.py).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from schemas.binary import text_bytes
from schemas.cursor_bytes import cursor_zone_data
from streams.decider.state import CalendarChange, World
from streams.processor.partitions import Partition, Phase, Resident

RECHECKED_AT_ONCE: Final = 100
"""Schedules that one batch looks at: under ten milliseconds, so that what is due is not held up."""
PASSED_AT_ONCE: Final = 10_000
"""Residents that are passed over in one iteration, and names that are looked for in their rows."""

Stale = tuple[Partition, str]
"""A schedule to be looked at, and where it is."""


@dataclass(slots=True)
class _Scan:
    """One pass over the residents of a partition."""

    partition: Partition
    names: frozenset[bytes]
    """Of calendars that changed, as a row has them: with their length before them."""
    zone_data: int | None
    """Computed with another release counts too; None: that was looked at before."""
    left: Iterator[str] | None = None
    """None: it has not begun."""
    over: bool = False

    def go_on(self, found: list[Stale], most: int) -> int:
        """Pass over some residents, at the cost of `most`; returns what is left of that."""
        residents, cost = self.partition.residents, 1 + len(self.names)
        if self.left is None:
            self.left = iter(list(residents))
        while most > 0 and len(found) < RECHECKED_AT_ONCE:
            schedule = next(self.left, None)
            if schedule is None:
                self.over = True
                break
            most -= cost
            resident = residents.get(schedule)
            if resident is not None and self._concerns(resident):
                found.append((self.partition, schedule))
        return most

    def _concerns(self, resident: Resident) -> bool:
        """Whether this resident may have another pending instant by now."""
        if self.zone_data is not None and cursor_zone_data(resident.cursor) != self.zone_data:
            return True
        row = resident.row
        return any(name in row for name in self.names)


class Rechecks:
    """The passes under way; what one batch takes is bounded."""

    def __init__(self) -> None:
        self._scans: deque[_Scan] = deque()
        self._again: deque[Stale] = deque()
        """Taken before by a batch that was dropped."""
        self._changes: Mapping[str, CalendarChange] = {}

    def admitted(self, partition: Partition, world: World) -> None:
        """Look at all of a partition once: nobody knows what changed before it was ours."""
        self._begin(partition, world.calendar_changes, world.zone_data)

    def follow(self, world: World, partitions: Iterable[Partition]) -> None:
        """Look for those that mention a calendar that changed, or one that builds on it."""
        before, after = self._changes, world.calendar_changes
        if before is after:
            return
        self._changes = after
        changed = {name for name, change in after.items() if before.get(name) != change}
        names = _with_dependents(changed, world)
        for partition in partitions:
            self._begin(partition, names, None)

    def lost(self, numbers: set[int]) -> None:
        """These partitions are no longer ours."""
        self._scans = deque(one for one in self._scans if one.partition.number not in numbers)
        self._again = deque(one for one in self._again if one[0].number not in numbers)

    @property
    def busy(self) -> bool:
        """Whether there is something to take."""
        return bool(self._again) or any(_may_take(scan.partition) for scan in self._scans)

    def take(self) -> list[Stale]:
        """What the next batch looks at."""
        found: list[Stale] = []
        while self._again and len(found) < RECHECKED_AT_ONCE:
            found.append(self._again.popleft())
        left = PASSED_AT_ONCE
        for scan in [one for one in self._scans if _may_take(one.partition)]:
            left = scan.go_on(found, left)
            if not scan.over:
                break
            self._scans.remove(scan)
        return found

    def put_back(self, stale: Iterable[Stale]) -> None:
        """Look at these again: their batch was dropped."""
        self._again.extend(stale)

    def _begin(self, partition: Partition, names: Iterable[str], zone_data: int | None) -> None:
        """Begin a pass behind those under way; one that has not begun looks for more instead.

        So there are two of a partition at most, however often a calendar is edited meanwhile.
        """
        needles = frozenset(text_bytes(name) for name in names)
        for scan in self._scans:
            if scan.partition is partition and scan.left is None:
                scan.names |= needles
                scan.zone_data = zone_data if scan.zone_data is None else scan.zone_data
                return
        self._scans.append(_Scan(partition, needles, zone_data))


def _may_take(partition: Partition) -> bool:
    return partition.phase is Phase.FIRING


def _with_dependents(changed: set[str], world: World) -> set[str]:
    """These calendars, and all that build on one of them."""
    found, more = set(changed), set(changed)
    while more:
        more = {
            name
            for name, calendar in world.calendars.items()
            if name not in found and more & set(calendar.base)
        }
        found |= more
    return found
