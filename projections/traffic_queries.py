"""
How are the views about deployments, their traffic and their proposals read?

Questions of a session that is in one version of the views, as `Reads.look` gives it or a projector
has it; the statements are sql/traffic_reads.sql, what comes back is shown_traffic.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

import psycopg
from psycopg.rows import TupleRow, class_row, dict_row

from projections.local_hours import hour_of_week
from projections.paging import at_time, page_of, place_of
from projections.shown import Page
from projections.shown_traffic import (
    DeploymentShown,
    MinuteShown,
    ProposalShown,
    Sampled,
    deployment_in,
)
from projections.snapshots import micros_of
from projections.statements import statement
from schemas.deployments import USUAL_PRIORITY
from schemas.instants import LAST
from schemas.profiles import HourProfile, Profile
from schemas.proposals import IdleWindow

Connection = psycopg.Connection[Any]

MOST_PROPOSALS = 1_000
_PROFILES_AT_ONCE = 50
_SECOND = 1_000_000


def deployments(connection: Connection, *, state: str | None = None) -> list[DeploymentShown]:
    """All deployments, or those in that state, in the order of their subjects."""
    return _deployments(connection, None, state)


def deployment(connection: Connection, subject: str) -> DeploymentShown | None:
    """One deployment, if it is registered."""
    found = _deployments(connection, subject, None)
    return found[0] if found else None


def _deployments(
    connection: Connection, subject: str | None, state: str | None
) -> list[DeploymentShown]:
    with micros_of(connection.cursor(binary=True, row_factory=class_row(DeploymentShown))) as asked:
        asked.execute(statement("list_deployments"), {"subject": subject, "state": state})
        return asked.fetchall()


def sampled(connection: Connection) -> list[Sampled]:
    """What a sampler has to know, of each deployment."""
    return [
        Sampled(subject, deployment_in(record), served, sampled_at)
        for subject, record, served, sampled_at in _rows(connection, "sampled_deployments", {})
    ]


def profile(connection: Connection, subject: str) -> Profile | None:
    """What is usual for a subject; None: nothing was seen of it in the last 30 days."""
    return next(_profiles(connection, [subject]), None)


def profiles(connection: Connection) -> Iterator[Profile]:
    """All profiles, in the order of their subjects."""
    subjects = [subject for (subject,) in _rows(connection, "profiled_subjects", {})]
    for start in range(0, len(subjects), _PROFILES_AT_ONCE):
        yield from _profiles(connection, subjects[start : start + _PROFILES_AT_ONCE])


def _profiles(connection: Connection, subjects: list[str]) -> Iterator[Profile]:
    rows = _rows(connection, "profiles_of", {"subjects": subjects, "usual": USUAL_PRIORITY})
    for (subject, zone, priority, days), hours in groupby(rows, key=lambda row: row[:4]):
        yield Profile(subject, zone, priority, days, tuple(HourProfile(*row[4:]) for row in hours))


def usual_now(connection: Connection, subjects: Iterable[str], now: int) -> dict[str, int]:
    """The usual rate of each subject at the local hour of the week that `now` is in for it."""
    zones = _rows(connection, "zones_of_profiles", {"subjects": list(subjects)})
    hours = {subject: hour_of_week(zone, now // _SECOND) for subject, zone in zones}
    asked = {"subjects": list(hours), "hours": list(hours.values())}
    return dict(_rows(connection, "medians_at", asked))


def minutes(connection: Connection, subject: str, since: int, before: int) -> list[MinuteShown]:
    """The observed minutes of a subject that begin from `since` to before `before`."""
    asked = {"subject": subject, "since": at_time(since), "before": at_time(before)}
    return [MinuteShown(*row) for row in _rows(connection, "minutes_between", asked)]


def proposals(
    connection: Connection,
    *,
    status: str | None = None,
    subject: str | None = None,
    after: str | None = None,
    limit: int = MOST_PROPOSALS,
) -> Page[ProposalShown]:
    """A page of proposals, the newest first; None takes all."""
    before, whose, name = place_of(after, [LAST, "", ""])
    rows = _proposals(
        connection,
        {"status": status, "subject": subject, "id": None, "limit": limit + 1},
        (before, whose, name),
    )
    return page_of(rows, limit, lambda row: [row.proposed_at, row.subject, row.id])


def proposal(connection: Connection, wanted: str) -> ProposalShown | None:
    """The proposal of that id."""
    asked = {"status": None, "subject": None, "id": wanted, "limit": 1}
    found = _proposals(connection, asked, (LAST, "", ""))
    return found[0] if found else None


def _proposals(
    connection: Connection, asked: Mapping[str, Any], place: tuple[int, str, str]
) -> list[ProposalShown]:
    """Those behind a place."""
    before, whose, name = place
    behind = {"before": at_time(before), "before_subject": whose, "before_id": name}
    with micros_of(connection.cursor(binary=True, row_factory=dict_row)) as cursor:
        cursor.execute(statement("list_proposals"), {**asked, **behind})
        return [_proposal(row) for row in cursor]


def _proposal(row: dict[str, Any]) -> ProposalShown:
    windows = tuple(IdleWindow(**window) for window in row.pop("windows"))
    schedules = tuple(row.pop("schedules") or ())
    return ProposalShown(**row, windows=windows, schedules=schedules)


def _rows(connection: Connection, name: str, asked: Mapping[str, Any]) -> list[TupleRow]:
    with micros_of(connection.cursor(binary=True)) as cursor:
        return cursor.execute(statement(name), asked).fetchall()
