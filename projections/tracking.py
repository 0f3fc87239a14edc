"""
Which versions of which schedules does somebody report about?

A fire does not say so, its definition does: what each version asks for is noted when it is defined,
and looked up by the version that a fire names. So the answer depends on no order in which records
are read again. A schedule that never had such a version, as nearly all of 40,000 fires a second,
costs one look.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import psycopg

from projections.statements import statement
from schemas.actions import Act, Exec, Fresh, Http, Program
from schemas.definition import Action

EMIT = "emit"
_WORK = {Http: "http", Program: "command", Exec: "exec", Fresh: "fresh", Act: "deployment"}

_Version = tuple[int, str | None]


def work_of(action: Action) -> str | None:
    """What somebody reports about: `emit`, or a runner's work; None: it is over when written."""
    if action.tracked is None:
        return None
    return EMIT if action.work is None else _WORK[type(action.work)]


class Tracked:
    """What is known of schedules that had a version that somebody reports about."""

    def __init__(self) -> None:
        self._versions: dict[str, tuple[_Version, ...]] = {}

    def __contains__(self, schedule: str) -> bool:
        return schedule in self._versions

    def load(self, connection: psycopg.Connection[Any]) -> None:
        """Take what the tables know, which is what their rows were made with."""
        for schedule, version, work in connection.execute(statement("tracked_versions")):
            self._put(schedule, version, work)

    def note(self, schedule: str, version: int, action: Action) -> None:
        """A version was defined; of plain emits only what follows after another kind matters."""
        work = work_of(action)
        if work is not None or schedule in self._versions:
            self._put(schedule, version, work)

    def work(self, schedule: str, version: int) -> str | None:
        """What that version asked for; None: nobody reports about it, as far as is known."""
        known = self._versions.get(schedule, ())
        place = bisect_right(known, version, key=_number)
        return known[place - 1][1] if place else None

    def _put(self, schedule: str, version: int, work: str | None) -> None:
        known = self._versions.get(schedule, ())
        if (version, work) not in known:
            # replaced as a whole: another thread may be reading it
            self._versions[schedule] = tuple(sorted({*known, (version, work)}, key=_number))


def _number(version: _Version) -> int:
    return version[0]
