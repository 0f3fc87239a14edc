"""
How many schedules are there in all, whatever page of them is shown?

Counted for each question anew, by the same conditions as the list (queries.py).
"""

from __future__ import annotations

from typing import NamedTuple

from projections.queries import Reads, ScheduleFilter


class _Total(NamedTuple):
    total: int


class CountedReads(Reads):
    """The views, for reading, and how long their lists are."""

    def count_schedules(self, which: ScheduleFilter) -> int:
        """How many schedules the filter takes."""
        asked = {
            "subject": which.subject,
            "status": which.status,
            "containing": which.containing,
        }
        [found] = self._sessions.ask("count_schedules", _Total, asked)
        return found.total
