"""
How are the views read?

By API and command line: schedules, versions, occurrences, audit, holds and lag, in pages that stay
stable while rows are added. The statements are sql/reads.sql, what comes back is shown.py, which
version is read is snapshots.py.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Self, TypeVar

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
from projections.snapshots import Snapshots
from projections.writer import Lag
from schemas.instants import FIRST, LAST

T = TypeVar("T")

MOST_ROWS = 1_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BIGGEST = (1 << 63) - 1


class BadPage(ValueError):
    """The text is not one that a page named as its following one."""


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


class Reads:
    """The views, for reading; may be shared by threads, which then take turns."""

    def __init__(self, dsn: str) -> None:
        self._sessions = Snapshots(dsn)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the database."""
        self._sessions.close()

    def schedules(
        self, which: ScheduleFilter | None = None, *, after: str | None = None, limit: int = 50
    ) -> Page[ScheduleShown]:
        """A page of schedules in the order of their ids."""
        which = which or ScheduleFilter()
        place = _place(after, 1) or [""]
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
        nominal, incarnation, origin = _place(after, 3) or [LAST, _BIGGEST, ""]
        asked = {
            "schedule": schedule,
            "since": _datetime(which.since),
            "before": None if which.before is None else _datetime(which.before),
            "state": which.state,
            "reason": which.reason,
            "nominal": _datetime(nominal),
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
        asked = {"schedule": schedule, "nominal": _datetime(nominal)}
        rows = self._sessions.ask("occurrence_at", OccurrenceShown, asked)
        return rows[0] if rows else None

    def audit(
        self, which: AuditFilter | None = None, *, after: str | None = None, limit: int = 50
    ) -> Page[AuditShown]:
        """A page of what was asked and what became of it, the newest first."""
        which = which or AuditFilter()
        decided_at, partition, offset = _place(after, 3) or [LAST, _BIGGEST, _BIGGEST]
        asked = {
            "schedule": which.schedule,
            "outcome": which.outcome,
            "actor": which.actor,
            "since": _datetime(which.since),
            "before": None if which.before is None else _datetime(which.before),
            "decided_at": _datetime(decided_at),
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

    def _page(
        self,
        name: str,
        shown: type[T],
        asked: Mapping[str, Any],
        limit: int,
        place: Callable[[T], Sequence[Any]],
    ) -> Page[T]:
        limit = max(1, min(limit, MOST_ROWS))
        # one more than asked for says whether there is another page
        rows = self._sessions.ask(name, shown, {**asked, "limit": limit + 1})
        following = _token(place(rows[limit - 1])) if len(rows) > limit else None
        return Page(tuple(rows[:limit]), following)


def _datetime(instant: int) -> datetime:
    return _EPOCH + timedelta(microseconds=max(FIRST, min(instant, LAST)))


def _token(place: Sequence[Any]) -> str:
    return urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def _place(token: str | None, parts: int) -> list[Any] | None:
    if token is None:
        return None
    try:
        found = json.loads(urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except ValueError as fault:
        raise BadPage(f"{token!r} is not the name of a page") from fault
    if not isinstance(found, list) or len(found) != parts:
        raise BadPage(f"{token!r} is not the name of a page of this list")
    return found
