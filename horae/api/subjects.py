"""
What is asked and said of a subject as a whole over HTTP?

That nothing of it is evaluated, that it or one of its targets is gone, what its app is made of, and
what was seen of it. What goes on in it is read as its processor has it.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from horae.api.asking import Asking, Rules, Runs, Writes
from horae.api.bodies import Body, read_command, takes
from horae.api.doorway import ESCAPED_SLASH
from horae.api.places import Subject, Viewer
from horae.api.problems import not_there
from horae.api.reading import Reading
from horae.api.shown import schedule_json, utc
from horae.under_way import find_under_way, known_json
from projections.queries import MOST_ROWS, ScheduleFilter
from projections.shown import ScheduleShown
from schemas.command_limits import check_command
from schemas.commands import (
    DefineApp,
    HoldSubject,
    ReleaseSubject,
    RemoveSubject,
    RemoveTarget,
    ReportActivity,
)
from schemas.reading_subjects import ACTIVITY_FIELDS
from schemas.reading_works import APP_FIELDS
from schemas.snapshot import SubjectNotes

router = APIRouter(prefix="/subjects/{subject}", tags=["subjects"])


@router.get("")
def show(house: Reading, about: Subject) -> dict[str, Any]:
    """Whether it is held, its runs and backfills, failures in a row, activity and app."""
    name = about.removesuffix("/")
    with house.desk.past() as past:
        found = find_under_way(past, name)
    with house.views.lend() as views:
        known = views.subject(name)
        total = views.count_schedules(ScheduleFilter(subject=name))
    if not total and not found.runs and found.notes == SubjectNotes() and known is None:
        raise not_there(f"subject {name}")
    return {
        "subject": name,
        "schedules": total,
        **_notes(found.notes),
        "runs": [run.id for run in found.runs],
        "app": None if known is None else known.app,
    }


@router.get("/schedules")
def schedules(house: Reading, about: Subject, zone: Viewer = None) -> dict[str, Any]:
    """All schedules of the subject, the oldest first."""
    name = about.removesuffix("/")
    rows: list[ScheduleShown] = []
    after: str | None = None
    while True:
        with house.views.lend() as views:
            page = views.schedules(ScheduleFilter(subject=name), after=after, limit=MOST_ROWS)
        rows += page.rows
        after = page.following
        if after is None:
            break
    rows.sort(key=lambda row: (row.created_at, row.incarnation, row.schedule))
    found = [schedule_json(row, zone) for row in rows]
    return {"subject": name, "total": len(found), "schedules": found}


@router.delete("", openapi_extra=takes("reason", "cancel"))
def remove(asks: Rules, about: Subject, body: Body) -> JSONResponse:
    """Remove each of its schedules, and what is known of it; `cancel` also stops what runs."""
    return _ask(asks, about, read_command(RemoveSubject, body))


@router.post("/hold", openapi_extra=takes("reason", "until", "actions_only"))
def hold(asks: Rules, about: Subject, body: Body) -> JSONResponse:
    """Evaluate nothing of it until it is released, or `until` has come."""
    return _ask(asks, about, read_command(HoldSubject, body))


@router.post("/release", openapi_extra=takes("reason"))
def release(asks: Rules, about: Subject, body: Body) -> JSONResponse:
    """Lift the hold; what was due meanwhile is late, and each schedule's catch_up decides."""
    return _ask(asks, about, read_command(ReleaseSubject, body))


@router.delete("/targets/{target}")
def remove_target(
    asks: Writes,
    about: Subject,
    target: str,
    reason: Annotated[str, Query(description="Why; stands in the ledger.")] = "",
) -> JSONResponse:
    """Take a target that is gone out of all its schedules."""
    command = RemoveTarget(target.replace(ESCAPED_SLASH, "/"), reason)
    check_command(command)
    return _ask(asks, about, command)


@router.post("/activity", openapi_extra=takes(*ACTIVITY_FIELDS))
def activity(asks: Runs, about: Subject, body: Body) -> JSONResponse:
    """Say what was seen of its requests; only the newest word counts."""
    return _ask(asks, about, read_command(ReportActivity, body))


@router.put("/app", openapi_extra=takes(*APP_FIELDS))
def define_app(asks: Writes, about: Subject, body: Body) -> JSONResponse:
    """Let the containers of its work be made of this."""
    reply = asks.ask(about, read_command(DefineApp, body))
    _await_app(asks, about.removesuffix("/"), reply.decided_at)
    return asks.answer(reply)


@router.get("/app")
def show_app(house: Reading, about: Subject) -> dict[str, Any]:
    """What the containers of its work are made of."""
    name = about.removesuffix("/")
    with house.views.lend() as views:
        found = views.subject(name)
    if found is None or found.app is None:
        raise not_there(f"app {name}")
    return {
        "subject": name,
        "app": found.app,
        "changed_at": utc(found.changed_at),
        "actor": found.actor,
    }


def _ask(asks: Asking, about: str, command: Any) -> JSONResponse:
    return asks.answer(asks.ask(about, command))


def _await_app(asks: Asking, subject: str, decided_at: int) -> None:
    """Whoever defines an app and then its first schedule finds the app there."""
    asks.house.until(
        lambda views: views.subject(subject),
        lambda found: found is not None and found.changed_at >= decided_at,
    )


def _notes(notes: SubjectNotes) -> dict[str, Any]:
    return {
        **known_json(notes),
        "backfills": [
            {
                "backfill": one.id,
                "schedule": one.schedule,
                "left": len(one.instants),
                "total": one.total,
                "actor": one.actor,
            }
            for one in notes.backfills
        ],
    }
