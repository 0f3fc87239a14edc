"""
How are schedules created, changed, looked at and removed over HTTP?

Each write is one order. What is read comes from the views, which follow within a moment; a schedule
that was written here is waited for. What steers one is steering.py, its history history.py.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse, Response, StreamingResponse

from horae.api.acts import check_changed, check_made, check_seen, guarded
from horae.api.asking import Asking, Writes, created
from horae.api.bodies import OF_CREATION, Body, read_define, read_named, takes
from horae.api.house import House
from horae.api.masks import changed
from horae.api.places import Schedule, Viewer
from horae.api.problems import Problem, of_field
from horae.api.reading import AfterPage, Limit, Reading
from horae.api.shown import moment, schedule_json
from horae.upcoming import coming, fired_so_far, known_calendars
from projections.queries import MOST_ROWS, ScheduleFilter
from projections.shown import ScheduleShown
from schemas.actions import Exec, Fresh
from schemas.commands import NOT_THERE, Define, Remove
from schemas.definition import Definition
from schemas.faults import FieldFault
from schemas.fields import Fields, or_null, read_list, read_text, read_whole
from schemas.identity import IdFault, schedule_id, subject_of
from schemas.reading import read_definition
from schemas.reading_definitions import DEFINITION_FIELDS
from schemas.replies import Reply, Verdict

router = APIRouter(tags=["schedules"])
_ATTEMPTS = 3
"""So often a change of some fields is based anew on what somebody else has just written."""


class StatusWord(StrEnum):
    """What a list may be narrowed to."""

    ENABLED = "enabled"
    PAUSED = "paused"
    COMPLETED = "completed"


@router.post("/schedules", status_code=201, openapi_extra=takes(*OF_CREATION))
def create(asks: Writes, body: Body) -> JSONResponse:
    """Create a schedule; one that is there already is left alone, and answered 409."""
    name, fields = read_named(body)
    try:
        schedule = schedule_id(name)
    except IdFault as fault:
        raise of_field(FieldFault("schedule", str(fault))) from fault
    definition = read_definition(fields)
    if definition.scopes == ():
        raise FieldFault("scopes", "must name at least one target")
    check_made(asks, definition)
    _check_app(asks.house, schedule, definition)
    again = _asked_before(asks, schedule, definition)
    if again is not None:
        return again
    reply = asks.house.ask(asks.order(schedule, Define(definition, NOT_THERE)))
    if _is_stale(reply):
        raise Problem(409, "conflict", reply.message or "", "schedule", command_id=asks.id)
    return asks.answer(asks.went_well(reply), 201, zone=definition.zone)


@router.put(
    "/schedules/{subject}/{name}", openapi_extra=takes(*DEFINITION_FIELDS, "expected_version")
)
def put(asks: Writes, schedule: Schedule, body: Body) -> JSONResponse:
    """Create the schedule (201), or let it be just this (200)."""
    command = read_define(body)
    check_made(asks, command.definition)
    _check_app(asks.house, schedule, command.definition)
    again = _asked_before(asks, schedule, command.definition)
    if again is not None:
        return again
    reply = asks.went_well(_put(asks, schedule, command))
    return asks.answer(reply, 201 if created(reply) else 200, zone=command.definition.zone)


@router.patch(
    "/schedules/{subject}/{name}", openapi_extra=takes("mask", "definition", "expected_version")
)
def change(asks: Writes, schedule: Schedule, body: Body) -> JSONResponse:
    """
    Change the fields that `mask` names to what `definition` has of them.

    One that is named and not given becomes its default; nothing else is touched.
    """
    fields = Fields(body, "", ("mask", "definition", "expected_version"))
    mask = fields.need("mask", _mask)
    given = fields.need("definition", _object)
    expected = fields.take("expected_version", or_null(read_whole), None)
    for left in reversed(range(_ATTEMPTS)):
        row = asks.house.need(schedule)
        version = row.version if expected is None else expected
        definition = changed(row.rule, mask, given)
        for each in (row.rule, definition):
            check_made(asks, each)
        check_seen(asks, row.version, expected)
        order = asks.order(schedule, Define(definition, version))
        reply = asks.house.ask(order)
        if expected is not None or not left or not _is_stale(reply):
            return asks.answer(asks.went_well(reply, "definition"), zone=definition.zone)
        # Somebody else wrote meanwhile: what they wrote is waited for, and changed in turn.
        asks.house.told.note(order, _as_known(reply))
    raise AssertionError  # pragma: no cover - the last attempt returns or raises


@router.delete("/schedules/{subject}/{name}")
def remove(asks: Writes, schedule: Schedule) -> JSONResponse:
    """Remove a schedule; what it fired stays fired, and its history stays."""
    check_changed(asks, schedule)
    return asks.answer(asks.ask(schedule, Remove()))


@router.get("/schedules/{subject}/{name}")
def show(house: Reading, schedule: Schedule, zone: Viewer = None) -> dict[str, Any]:
    """All that is known of a schedule, and what comes next."""
    row = house.need(schedule)
    with house.views.lend() as views:
        upcoming = coming(row, known_calendars(views.calendars()), fired_so_far(views, row))
    shown = schedule_json(row, zone)
    shown["upcoming"] = [moment(each, row.zone, zone) for each in upcoming]
    shown["skips"] = [moment(each, row.zone, zone) for each in row.skips]
    return shown


def _filter(
    subject: Annotated[str | None, Query(description="Only schedules of this subject.")] = None,
    status: Annotated[StatusWord | None, Query(description="Only those.")] = None,
    containing: Annotated[str | None, Query(description="A part of the id.")] = None,
) -> ScheduleFilter:
    return ScheduleFilter(subject=subject, status=status, containing=containing)


@router.get("/schedules")
def list_schedules(
    house: Reading,
    which: Annotated[ScheduleFilter, Depends(_filter)],
    limit: Limit = None,
    after: AfterPage = None,
    zone: Viewer = None,
) -> Response:
    """
    A page of schedules in the order of their ids, with how many there are in all.

    Without `limit` all of them, as one list. `next` is what to give as `after` for the next page.
    """
    with house.views.lend() as views:
        total = views.count_schedules(which)
        page = views.schedules(which, after=after, limit=limit or MOST_ROWS)
    head = json.dumps({"total": total})[1:-1]
    if limit is not None or page.following is None:
        rows = [schedule_json(row, zone) for row in page.rows]
        return JSONResponse({"total": total, "schedules": rows, "next": page.following})
    rest = _all_pages(house, which, page.rows, page.following, zone)
    return StreamingResponse(_written(head, rest), media_type="application/json")


def _all_pages(
    house: House,
    which: ScheduleFilter,
    rows: tuple[ScheduleShown, ...],
    following: str | None,
    zone: str | None,
) -> Iterator[Mapping[str, Any]]:
    """One schedule after the other; only a page of them is held at a time."""
    while True:
        for row in rows:
            yield schedule_json(row, zone)
        if following is None:
            return
        with house.views.lend() as views:
            page = views.schedules(which, after=following, limit=MOST_ROWS)
        rows, following = page.rows, page.following


def _written(head: str, rows: Iterator[Mapping[str, Any]]) -> Iterator[str]:
    yield f"{{{head},"
    yield '"schedules":['
    for i, row in enumerate(rows):
        yield ("," if i else "") + json.dumps(row, ensure_ascii=False, allow_nan=False)
    yield '],"next":null}'


def _put(asks: Asking, schedule: str, command: Define) -> Reply:
    """The reply; what somebody else has just written is looked at anew."""
    for left in reversed(range(_ATTEMPTS)):
        order = asks.order(schedule, guarded(asks, schedule, command))
        reply = asks.house.ask(order)
        if command.expected_version is not None or not left or not _is_stale(reply):
            return reply
        asks.house.told.note(order, _as_known(reply))
    raise AssertionError  # pragma: no cover - the last attempt returns


def _asked_before(asks: Asking, schedule: str, definition: Definition) -> JSONResponse | None:
    """
    What was answered to the same id before, as far as the views have seen it; 409 for another one.

    Definitions have no id in the log, where only their newest counts: so it is looked for here.
    """
    if not asks.is_named:
        return None
    with asks.house.views.lend() as views:
        versions = views.versions(schedule)
    for one in versions:
        if one.command_id != asks.id or one.rule is None:
            continue
        if one.rule != definition:
            said = "this id was used before, with another payload"
            raise Problem(409, "conflict", said, "id", command_id=asks.id)
        reply = Reply(
            schedule,
            "define",
            Verdict.ACCEPTED,
            one.decided_at,
            one.partition,
            one.cause_offset or 0,
            one.version,
            one.incarnation,
            one.next,
        )
        return asks.answer(reply, 201 if created(reply) else 200, zone=definition.zone)
    return None


def _check_app(house: House, schedule: str, definition: Definition) -> None:
    """Work in an app's container needs an app: 404 if its subject has none."""
    if isinstance(definition.action.work, Exec | Fresh):
        house.need_app(subject_of(schedule))


def _is_stale(reply: Reply) -> bool:
    return reply.verdict is Verdict.REFUSED and reply.field == "expected_version"


def _as_known(reply: Reply) -> Reply:
    """The refusal names the version that there is: as if it had made it."""
    return dataclasses.replace(reply, verdict=Verdict.ACCEPTED)


def _mask(data: object, path: str) -> list[str]:
    if data == []:
        raise FieldFault(path, "must name at least one field")
    return read_list(data, path, read_text)


def _object(data: object, path: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise FieldFault(path, "must be an object with fields of a definition")
    return data
