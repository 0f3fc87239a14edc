"""
What held for everyone when something was decided?

The worlds after each record of horae.globals, by the offset that a stamp names. The topic is
compacted: of a calendar that was replaced long ago only the last version is known, and this is
where that is told.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import replace
from typing import Final, NamedTuple

from schemas.definition import DAY
from schemas.globals import GlobalRecord
from streams.decider.recompute import depended_on
from streams.decider.state import World
from streams.decider.worldview import fold

KEPT: Final = 7 * DAY
"""What was written into our topics is compacted no sooner (schemas/topics.py)."""


class GlobalNote(NamedTuple):
    """One record of horae.globals; without a record: one that could not be read."""

    offset: int
    key: str
    record: GlobalRecord | None


class Worlds:
    """The world before the first record of horae.globals, and after each."""

    def __init__(self, notes: Iterable[GlobalNote] = (), zone_data: int = 0) -> None:
        self.zone_data = zone_data
        self._all = [World(zone_data=zone_data)]
        for note in sorted(notes, key=lambda one: one.offset):
            before = self._all[-1]
            self._all.append(
                replace(before, globals_offset=note.offset)
                if note.record is None
                else fold(before, note.record, note.offset, note.key)
            )

    @property
    def newest(self) -> World:
        """What holds now."""
        return self._all[-1]

    def at(self, offset: int) -> World:
        """What held as of this offset."""
        return self._all[self._index(offset)]

    def between(self, first: int, last: int, calendars: tuple[str, ...]) -> list[World]:
        """All that held at some time between two offsets, the last one at the end.

        Those in which these calendars are the same count as one.
        """
        low, high = sorted((self._index(first), self._index(last)))
        found: dict[tuple[int, ...], World] = {}
        for world in self._all[low : high + 1] if calendars else ():
            names = sorted(depended_on(calendars, world))
            found[tuple(id(world.calendars.get(name)) for name in names)] = world
        last_world = self.at(last)
        return [one for one in found.values() if one is not last_world] + [last_world]

    def are_forgotten(self, calendars: tuple[str, ...], offset: int, now: int) -> bool:
        """Whether what these calendars said at that offset may have been compacted away."""
        newest = self.newest
        changes = (newest.calendar_changes[name] for name in depended_on(calendars, newest))
        return any(change.version > offset and change.at < now - KEPT for change in changes)

    def _index(self, offset: int) -> int:
        return bisect_right(self._all, offset, key=lambda one: one.globals_offset) - 1
