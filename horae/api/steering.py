"""
How is a schedule steered over HTTP: paused, fired, skipped, run once more, aimed elsewhere?

One order each, with the fields that the command has in horae.commands. What a trigger began is read
off the ledger, so that its runs are named at once; they go on whatever becomes of the request.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from horae.api.acts import check_changed
from horae.api.asking import Asking, Runs, Writes
from horae.api.bodies import Body, read_command, takes
from horae.api.desk import Answered
from horae.api.places import Schedule
from horae.api.problems import Problem
from horae.api.reading import Reading
from schemas.commands import (
    Backfill,
    CancelBackfill,
    EditScopes,
    Pause,
    Resume,
    ScopeEdit,
    Skip,
    Trigger,
    Unskip,
)
from schemas.identity import subject_of
from schemas.policies import Scope
from schemas.policies_json import scopes_json
from schemas.topics import ORDERS
from streams.decider.freezes import concerns

router = APIRouter(tags=["schedules"])
_AGAIN = 0.5
"""Seconds for the fire of a trigger that may have been asked before: then it is in the views."""
_PLACE = "/schedules/{subject}/{name}"


@router.post(f"{_PLACE}/pause", openapi_extra=takes("reason", "until"))
def pause(asks: Writes, schedule: Schedule, body: Body) -> JSONResponse:
    """Let nothing of it fire until it is resumed, or `until` has come."""
    return _ask(asks, schedule, read_command(Pause, body))


@router.post(f"{_PLACE}/resume", openapi_extra=takes("reason", "catch_up"))
def resume(asks: Writes, schedule: Schedule, body: Body) -> JSONResponse:
    """End a pause; `catch_up` says what of it still runs, this once."""
    return _ask(asks, schedule, read_command(Resume, body))


@router.post(
    f"{_PLACE}/trigger", status_code=202, openapi_extra=takes("reason", "force", "overlap")
)
def trigger(asks: Runs, schedule: Schedule, body: Body) -> JSONResponse:
    """Fire it once, now; answered with its occurrence and its runs, which then go on alone."""
    command = read_command(Trigger, body)
    _check_runners(asks, schedule)
    order = asks.order(schedule, command)
    answered = asks.house.desk.fire(order, _AGAIN) if asks.is_named else asks.house.desk.fire(order)
    asks.house.noted(order, answered.reply)
    reply = asks.went_well(answered.reply)
    return asks.answer(reply, 202, runs=_runs_of(asks, schedule, answered))


@router.post(f"{_PLACE}/skip", openapi_extra=takes("count", "instant", "reason"))
def skip(asks: Writes, schedule: Schedule, body: Body) -> JSONResponse:
    """Let the next `count` instants, or the one at `instant`, not fire."""
    return _ask(asks, schedule, read_command(Skip, body))


@router.post(f"{_PLACE}/unskip", openapi_extra=takes("instant", "reason"))
def unskip(asks: Writes, schedule: Schedule, body: Body) -> JSONResponse:
    """Let an instant that was to be skipped fire after all; without one, all of them."""
    return _ask(asks, schedule, read_command(Unskip, body))


@router.post(
    f"{_PLACE}/backfill",
    status_code=202,
    openapi_extra=takes(
        *("first", "last", "instants", "newest_first", "max", "overlap", "dry_run", "reason")
    ),
)
def backfill(asks: Runs, schedule: Schedule, body: Body) -> JSONResponse:
    """Run instants of the past once more; `backfill` is the id to cancel it by."""
    command = read_command(Backfill, body)
    reply = asks.ask(schedule, command)
    name = None if command.dry_run else f"{asks.id}.{reply.offset}"
    return asks.answer(reply, 200 if command.dry_run else 202, backfill=name)


@router.post(f"{_PLACE}/backfill/cancel", openapi_extra=takes("backfill", "reason"))
def cancel_backfill(asks: Runs, schedule: Schedule, body: Body) -> JSONResponse:
    """Let the rest of a backfill not run; what it began goes on."""
    return _ask(asks, schedule, read_command(CancelBackfill, body))


@router.get(f"{_PLACE}/scopes")
def list_scopes(house: Reading, schedule: Schedule) -> dict[str, Any]:
    """Its targets in their order; where nothing is said, the subject itself."""
    found = house.need(schedule).rule.scopes
    scopes = (Scope(subject_of(schedule)),) if found is None else found
    return {"schedule": schedule, "scopes": scopes_json(scopes)}


@router.post(f"{_PLACE}/scopes", openapi_extra=takes("scopes", "reason"))
def add_scopes(asks: Writes, schedule: Schedule, body: Body) -> JSONResponse:
    """Add targets, and widen the filters of those that are there."""
    return _edit(asks, schedule, body, ScopeEdit.ADD)


@router.put(f"{_PLACE}/scopes", openapi_extra=takes("scopes", "reason"))
def update_scopes(asks: Writes, schedule: Schedule, body: Body) -> JSONResponse:
    """Let exactly these be its targets."""
    return _edit(asks, schedule, body, ScopeEdit.UPDATE)


@router.post(f"{_PLACE}/scopes/remove", openapi_extra=takes("scopes", "reason"))
def remove_scopes(asks: Writes, schedule: Schedule, body: Body) -> JSONResponse:
    """Take targets away, but never the last one."""
    return _edit(asks, schedule, body, ScopeEdit.REMOVE)


def _ask(asks: Asking, schedule: str, command: Any) -> JSONResponse:
    return asks.answer(asks.ask(schedule, command))


def _edit(asks: Asking, schedule: str, body: Any, edit: ScopeEdit) -> JSONResponse:
    check_changed(asks, schedule)
    data = {**body, "edit": edit.value} if isinstance(body, dict) else body
    return _ask(asks, schedule, read_command(EditScopes, data))


def _check_runners(asks: Asking, schedule: str) -> None:
    """501 where the work is for a pool of which it was said that it has no runners."""
    if "*" in asks.house.pools:
        return
    row = asks.house.find(schedule)
    action = None if row is None else row.rule.action
    if action is None or action.work is None:
        return
    pool = action.topic.removeprefix(ORDERS)
    if not concerns(asks.house.pools, pool):
        said = f"pool {pool} has no runners here (HORAE_API_POOLS)"
        raise Problem(501, "no_runner", said, schedule=schedule)


def _runs_of(asks: Asking, schedule: str, answered: Answered) -> list[dict[str, Any]]:
    """The runs of a fire, by the ledger; of one that was asked for before, by the views."""
    if answered.fired is not None:
        return [
            {"scope": scope, "run": run, "outcome": outcome.value, "reason": reason}
            for scope, run, outcome, reason in answered.fired.scopes
        ]
    with asks.house.views.lend() as views:
        for row in views.occurrences(schedule, limit=100).rows:
            if row.id == answered.reply.occurrence:
                return [dict(each) for each in row.scopes or ()]
    return []
