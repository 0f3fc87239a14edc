"""
What would change if another definition were in force?

Two lists of instants, as one definition and the other would have them, are put side by side: which
stay, which only start at another time, which move, which come and which go away. What each instant
is under a definition is found by the preview; what really happened is told by the ledger.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from schemas.definition import DAY
from schemas.events import Event, Fired, Skipped, Stamp

MOST_ENDS: Final = 50_000
"""Ends of one schedule that are remembered."""


class Planned(NamedTuple):
    """One instant as a definition has it."""

    instant: int
    wall: int
    """What the clocks of the definition's zone show."""
    starts: int
    """When it starts: moved by jitter, or by its window."""
    is_skipped: bool = False
    """Its window keeps it from starting."""
    marks: tuple[str, ...] = ()


class Pair(NamedTuple):
    """The same occurrence under the one definition and the other."""

    old: Planned
    new: Planned


@dataclass(frozen=True, slots=True)
class Difference:
    """What another definition changes."""

    same: int
    altered: tuple[Pair, ...]
    """The same instants, which start at another time, or not any more, or now do."""
    moved: tuple[Pair, ...]
    added: tuple[Planned, ...]
    removed: tuple[Planned, ...]

    @property
    def is_nothing(self) -> bool:
        """Whether all stays as it is."""
        return not (self.altered or self.moved or self.added or self.removed)


def differ(old: Sequence[Planned], new: Sequence[Planned]) -> Difference:
    """Put them side by side; both in order.

    What goes away and what comes are one that moves if both have the same wall time, else the same
    local date (in their order), else if they are nearest to each other and less than a day apart.
    """
    before = {one.instant: one for one in old}
    after = {one.instant: one for one in new}
    both = [Pair(one, after[one.instant]) for one in old if one.instant in after]
    altered = [pair for pair in both if _outcome(pair.old) != _outcome(pair.new)]
    gone = [one for one in old if one.instant not in after]
    come = [one for one in new if one.instant not in before]
    moved: list[Pair] = []
    for key in (_wall, _date):
        found = _paired(gone, come, key)
        moved += found
        gone, come = _without(gone, come, found)
    found = _nearest(gone, come)
    gone, come = _without(gone, come, found)
    return Difference(
        same=len(both) - len(altered),
        altered=tuple(altered),
        moved=tuple(sorted(moved + found)),
        added=tuple(come),
        removed=tuple(gone),
    )


def _outcome(one: Planned) -> tuple[int, bool]:
    return (0 if one.is_skipped else one.starts), one.is_skipped


def _wall(one: Planned) -> int:
    return one.wall


def _date(one: Planned) -> int:
    return one.wall // DAY


def _paired(gone: list[Planned], come: list[Planned], key: Callable[[Planned], int]) -> list[Pair]:
    """The first with the first of each key, the second with the second."""
    waiting: dict[int, list[Planned]] = {}
    for one in reversed(come):
        waiting.setdefault(key(one), []).append(one)
    return [Pair(one, waiting[key(one)].pop()) for one in gone if waiting.get(key(one))]


def _nearest(gone: list[Planned], come: list[Planned]) -> list[Pair]:
    """In order, each with the first one that is less than a day away."""
    found: list[Pair] = []
    index = 0
    for one in gone:
        while index < len(come) and come[index].instant <= one.instant - DAY:
            index += 1
        if index < len(come) and come[index].instant < one.instant + DAY:
            found.append(Pair(one, come[index]))
            index += 1
    return found


def _without(
    gone: list[Planned], come: list[Planned], found: list[Pair]
) -> tuple[list[Planned], list[Planned]]:
    old = {pair.old.instant for pair in found}
    new = {pair.new.instant for pair in found}
    return (
        [one for one in gone if one.instant not in old],
        [one for one in come if one.instant not in new],
    )


class End(NamedTuple):
    """What really became of the instants from the first to the last."""

    first: int
    last: int
    event: Fired | Skipped
    decided_at: int


@dataclass(slots=True)
class Ends:
    """What really became of a schedule's instants in a stretch of time."""

    begin: int
    end: int
    found: list[End] = field(default_factory=list)
    truncated: bool = False

    def take(self, event: Event, stamp: Stamp) -> None:
        """The schedule's following event."""
        match event:
            case Fired(origin=None):
                self._keep(End(event.nominal, event.nominal, event, stamp.decided_at))
            case Skipped(origin=None):
                self._keep(End(event.first, event.last, event, stamp.decided_at))
            case _:
                pass

    def by_instant(self, instants: Iterable[int]) -> dict[int, End]:
        """What became of these instants, as far as it is known."""
        found = sorted(self.found, key=_first)
        firsts = [one.first for one in found]
        ends: dict[int, End] = {}
        for instant in instants:
            index = bisect_right(firsts, instant) - 1
            if index >= 0 and instant <= found[index].last:
                ends[instant] = found[index]
        return ends

    def _keep(self, end: End) -> None:
        if end.last < self.begin or end.first >= self.end:
            return
        if len(self.found) >= MOST_ENDS:
            self.truncated = True
        else:
            self.found.append(end)


def _first(end: End) -> int:
    return end.first
