"""
How are the views read?

By API and command line: schedules, versions, occurrences, audit, holds and lag, in pages that stay
stable while rows are added (paging.py); runs and what concerns them are run_queries.py. The
statements are sql/reads.sql, what comes back is shown.py, which version is read is snapshots.py.
"""

from __future__ import annotations

from dataclasses import dataclass

from projections.paging import BIGGEST, MOST_ROWS, BadPage, at_time, place_of
from projections.run_queries import InsightFilter, RunFilter, RunReads
from projections.shown import (
    AuditShown,
    CalendarShown,
    FreezeShown,
    HoldShown,
    OccurrenceShown,
    Page,
    ParkedShown,
    ScheduleShown,
    VersionShown,
)
from projections.writer import Lag
from schemas.instants import FIRST, LAST

__all__ = [
    "MOST_ROWS",
    "AuditFilter",
    "BadPage",
    "InsightFilter",
    "OccurrenceFilter",
    "Reads",
    "RunFilter",
    "ScheduleFilter",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleFilter:
    """Which schedules; None takes all."""

    subject: str | None = None
    status: str | None = None
    containing: str | None = None
    """A part of the id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OccurrenceFilter:
    """Which occurrences; `since` is inclusive, `before` is not."""

    since: int = FIRST
    before: int | None = None
    state: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which outcomes; `since` is inclusive, `before` is not."""

    schedule: str | None = None
    outcome: str | None = None
    actor: str | None = None
    since: int = FIRST
    before: int | None = None


class Reads(RunReads):
    """The views, for reading; may be shared by threads, which then take turns."""

    def schedules(
        self, which: ScheduleFilter | None = None, *, after: str | None = None, limit: int = 50
    ) -> Page[ScheduleShown]:
        """A page of schedules in the order of their ids."""
        which = which or ScheduleFilter()
        place = place_of(after, [""])
        asked = {
            "schedule": None,
            "subject": which.subject,
            "status": which.status,
            "containing": which.containing,
            "after": place[0],
        }
        return self._page("list_schedules", ScheduleShown, asked, limit, lambda row: [row.schedule])

    def schedule(self, schedule: str) -> ScheduleShown | None:
        """One schedule, if it is there."""
        asked = dict.fromkeys(("subject", "status", "containing"))
        rows = self._sessions.ask(
            "list_schedules",
            ScheduleShown,
            {**asked, "schedule": schedule, "after": "", "limit": 1},
        )
        return rows[0] if rows else None

    def versions(self, schedule: str) -> list[VersionShown]:
        """Every version that the schedule had, the newest first, also after its removal."""
        return self._sessions.ask("list_versions", VersionShown, {"schedule": schedule})

    def occurrences(
        self,
        schedule: str,
        which: OccurrenceFilter | None = None,
        *,
        after: str | None = None,
        limit: int = 50,
    ) -> Page[OccurrenceShown]:
        """A page of the schedule's occurrences, the newest first."""
        which = which or OccurrenceFilter()
        nominal, incarnation, origin = place_of(after, [LAST, BIGGEST, ""])
        asked = {
            "schedule": schedule,
            "since": at_time(which.since),
            "before": None if which.before is None else at_time(which.before),
            "state": which.state,
            "reason": which.reason,
            "nominal": at_time(nominal),
            "incarnation": incarnation,
            "origin": origin,
        }
        return self._page(
            "list_occurrences",
            OccurrenceShown,
            asked,
            limit,
            lambda row: [row.nominal, row.incarnation, row.origin],
        )

    def occurrence_at(self, schedule: str, nominal: int) -> OccurrenceShown | None:
        """What became of this nominal instant of the calendar."""
        asked = {"schedule": schedule, "nominal": at_time(nominal)}
        rows = self._sessions.ask("occurrence_at", OccurrenceShown, asked)
        return rows[0] if rows else None

    def audit(
        self, which: AuditFilter | None = None, *, after: str | None = None, limit: int = 50
    ) -> Page[AuditShown]:
        """A page of what was asked and what became of it, the newest first."""
        which = which or AuditFilter()
        decided_at, partition, offset = place_of(after, [LAST, BIGGEST, BIGGEST])
        asked = {
            "schedule": which.schedule,
            "outcome": which.outcome,
            "actor": which.actor,
            "since": at_time(which.since),
            "before": None if which.before is None else at_time(which.before),
            "decided_at": at_time(decided_at),
            "log_partition": partition,
            "log_offset": offset,
        }
        return self._page(
            "list_audit",
            AuditShown,
            asked,
            limit,
            lambda row: [row.decided_at, row.log_partition, row.log_offset],
        )

    def holds(self) -> list[HoldShown]:
        """What is or was held."""
        return self._sessions.ask("list_holds", HoldShown, {})

    def calendars(self) -> list[CalendarShown]:
        """The shared calendars by name, also those that are gone."""
        return self._sessions.ask("list_calendars", CalendarShown, {})

    def freezes(self) -> list[FreezeShown]:
        """The freezes by name, whether to come, in force, over or lifted."""
        return self._sessions.ask("list_freezes", FreezeShown, {})

    def parked(self, limit: int = 50) -> list[ParkedShown]:
        """Records that could not become rows, the newest first."""
        return self._sessions.ask("list_parked", ParkedShown, {"limit": min(limit, MOST_ROWS)})

    def lag(self) -> list[Lag]:
        """How far the views are behind; if `saved_seconds_ago` grows, nobody writes."""
        return self._sessions.ask("lag", Lag, {})

    def serving_version(self) -> int:
        """Which projection version is being read."""
        with self._sessions.snapshot() as (_, version):
            return version
