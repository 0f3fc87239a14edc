"""
How are the views about runs read?

Runs with their attempts and output, insights, what subjects are made of, and runners. The
statements are sql/run_reads.sql, what comes back is shown_runs.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from projections.paging import BIGGEST, Pages, at_time, place_of
from projections.shown import Page
from projections.shown_runs import (
    AttemptShown,
    InsightShown,
    OutputShown,
    RunnerShown,
    RunShown,
    SubjectShown,
)
from schemas.instants import FIRST, LAST


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs; `since` (when they were fired) is inclusive, `before` is not."""

    subject: str | None = None
    schedule: str | None = None
    status: str | None = None
    """A status, or how it is shown: open, succeeded, failed, skipped, cancelled."""
    since: int = FIRST
    before: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InsightFilter:
    """Which insights; None takes all."""

    subject: str | None = None
    kind: str | None = None
    only_open: bool = False


class RunReads(Pages):
    """The views about runs, for reading."""

    def runs(
        self, which: RunFilter | None = None, *, after: str | None = None, limit: int = 50
    ) -> Page[RunShown]:
        """A page of runs, those fired last first; their outputs are asked for one by one."""
        which = which or RunFilter()
        fired_at, run = place_of(after, [LAST, "~"])
        asked = {
            "run": None,
            "subject": which.subject,
            "schedule": which.schedule,
            "status": which.status,
            "since": at_time(which.since),
            "before": None if which.before is None else at_time(which.before),
            "fired_at": at_time(fired_at),
            "after": run,
        }
        return self._page("list_runs", RunShown, asked, limit, lambda row: [row.fired_at, row.run])

    def run(self, run: str) -> RunShown | None:
        """One run, if it is there."""
        names = ("subject", "schedule", "status", "before")
        place = {"since": at_time(FIRST), "fired_at": at_time(LAST), "after": "~", "limit": 1}
        rows = self._sessions.ask(
            "list_runs", RunShown, {**dict.fromkeys(names), **place, "run": run}
        )
        return rows[0] if rows else None

    def attempts(self, run: str) -> list[AttemptShown]:
        """The attempts of a run, the first one first."""
        return self._sessions.ask("list_attempts", AttemptShown, {"run": run})

    def output(self, run: str) -> OutputShown | None:
        """The last that a run wrote, if there is such a run."""
        rows = self._sessions.ask("output_of_run", OutputShown, {"run": run})
        return rows[0] if rows else None

    def insights(
        self, which: InsightFilter | None = None, *, after: str | None = None, limit: int = 50
    ) -> Page[InsightShown]:
        """A page of insights, the newest first."""
        which = which or InsightFilter()
        raised_at, partition, sequence = place_of(after, [LAST, BIGGEST, BIGGEST])
        asked = {
            "subject": which.subject,
            "kind": which.kind,
            "only_open": which.only_open,
            "raised_at": at_time(raised_at),
            "partition": partition,
            "sequence": sequence,
        }
        return self._page(
            "list_insights",
            InsightShown,
            asked,
            limit,
            lambda row: [row.raised_at, row.partition, row.sequence],
        )

    def subject(self, subject: str) -> SubjectShown | None:
        """What the containers of a subject are made of, if that was ever said."""
        rows = self._sessions.ask("subject", SubjectShown, {"subject": subject})
        return rows[0] if rows else None

    def runners(self) -> list[RunnerShown]:
        """Who was ever granted work, by name."""
        return self._sessions.ask("list_runners", RunnerShown, {})
