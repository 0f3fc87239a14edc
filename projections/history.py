"""
Which runs that are over are still shown, and whose output, and how much traffic?

The newest so many of each schedule, by when they ended, output and minutes of traffic for so long;
what goes on is never touched. Taken away in slices, each a transaction of its own, so that no
reader and no batch waits for long: at first every schedule is looked at once, later those of which
a run has ended. What is left depends on the ledger and the settings alone, so a rebuild leaves the
same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import psycopg

from projections.statements import statement

_SCHEDULES = 500
"""Schedules that are looked at in one slice."""
_ROWS = 2_000
"""Most rows that one slice touches of each kind."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """How much of the past is kept."""

    runs: int = 50
    """Ended runs of each schedule."""
    output_seconds: int = 14 * 86_400
    """How long the output of what ended is kept."""
    traffic_days: int = 35
    """How long the minutes of traffic are kept."""


@dataclass(frozen=True, slots=True)
class Trimmed:
    """What one slice took away, and what is to be looked at still."""

    runs: int
    outputs: int
    traffic_hours: int
    left: bool
    """There may be more; the next slice should follow soon."""


class History:
    """What is kept in the version that a session writes."""

    def __init__(self, connection: psycopg.Connection[Any], keeping: Keeping) -> None:
        self._connection = connection
        self.keeping = keeping
        self._after: str | None = ""
        """Schedules behind this one were not looked at yet; None: all were."""
        self._due: set[str] = set()

    def note(self, schedules: Iterable[str]) -> None:
        """Runs of these have ended."""
        self._due |= set(schedules)

    def trim(self) -> Trimmed:
        """Take one slice of what is not kept away, in the caller's transaction."""
        if self._after is not None:
            self._walk(self._after)
        looked_at = sorted(self._due)[:_SCHEDULES]
        runs = 0
        if looked_at:
            keep = {"schedules": looked_at, "keep": self.keeping.runs}
            runs = self._count("drop_old_runs", keep)
        if runs < _ROWS:
            self._due.difference_update(looked_at)
        age = {"seconds": self.keeping.output_seconds}
        outputs = [
            self._count(name, age) for name in ("drop_old_outputs", "drop_old_attempts_outputs")
        ]
        traffic = self._count("drop_old_traffic", {"days": self.keeping.traffic_days})
        left = bool(self._due) or self._after is not None or max(*outputs, traffic) >= _ROWS
        return Trimmed(runs, sum(outputs), traffic, left)

    def _walk(self, after: str) -> None:
        asked = {"after": after, "most": _SCHEDULES}
        found = [name for (name,) in self._connection.execute(statement("next_schedules"), asked)]
        self._due |= set(found)
        self._after = found[-1] if len(found) == _SCHEDULES else None

    def _count(self, name: str, asked: dict[str, Any]) -> int:
        row = self._connection.execute(statement(name), {**asked, "most": _ROWS}).fetchone()
        return 0 if row is None else int(row[0])
