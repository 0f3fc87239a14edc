"""
What would a definition do, asked over HTTP before anything is defined?

When it would fire, and which enabled schedules do the same to one of its targets. Nothing is sent,
and nothing is refused but what could not be defined.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Query

from horae.api.bodies import OF_CREATION, Body, read_named, takes
from horae.api.house import House
from horae.api.places import Schedule, Viewer, instant
from horae.api.problems import Problem
from horae.api.reading import Reading
from horae.api.shown import moment, utc
from horae.conflicts import find_conflicts
from horae.left_out import LeftOut
from horae.preview_rules import Asked
from horae.previewing import Coming, in_words
from horae.previewing import preview as look
from horae.upcoming import known_calendars
from projections.queries import MOST_ROWS, ScheduleFilter
from schemas.definition import Definition
from schemas.globals import Calendar
from schemas.identity import IdFault, schedule_id
from schemas.reading import read_definition
from streams.calendar.ticks import FIRST_INSTANT, LAST_INSTANT
from streams.decider.state import grid_origin

router = APIRouter(tags=["foresight"])
_MOST = 10_000


class _Stretch(NamedTuple):
    """Which part of time is looked at, and how many instants at most."""

    after: str | None
    to: str | None
    limit: int
    previous: bool
    viewer: str | None


def _stretch(
    viewer: Viewer,
    after: Annotated[
        str | None, Query(description="Begin strictly after this instant. Default: now.")
    ] = None,
    to: Annotated[str | None, Query(description="End with this instant, inclusive.")] = None,
    limit: Annotated[int, Query(ge=1, le=_MOST, description="How many at most.")] = 10,
    previous: Annotated[bool, Query(description="The last ones, newest first.")] = False,  # noqa: FBT002 - so FastAPI is told
) -> _Stretch:
    return _Stretch(after, to, limit, previous, viewer)


Stretch = Annotated[_Stretch, Depends(_stretch)]


@router.post("/preview", openapi_extra=takes(*OF_CREATION))
def preview(house: Reading, body: Body, stretch: Stretch) -> dict[str, Any]:
    """When a definition would fire, and what moves or drops an instant."""
    schedule, definition = _proposed(body)
    return _previewed(house, schedule, definition, stretch)


@router.get("/schedules/{subject}/{name}/preview")
def preview_of(house: Reading, schedule: Schedule, stretch: Stretch) -> dict[str, Any]:
    """When a schedule would fire, and what moves or drops an instant."""
    row = house.need(schedule)
    return _previewed(house, schedule, row.rule, stretch, grid_origin(row.created_at))


@router.post("/conflicts", openapi_extra=takes(*OF_CREATION))
def conflicts(house: Reading, body: Body) -> dict[str, Any]:
    """Which enabled schedules do the same to a target of this one: advice, and no refusal."""
    schedule, definition = _proposed(body)
    enabled: list[tuple[str, Definition]] = []
    after: str | None = None
    while True:
        with house.views.lend() as views:
            page = views.schedules(ScheduleFilter(status="enabled"), after=after, limit=MOST_ROWS)
        enabled += [(row.schedule, row.rule) for row in page.rows]
        after = page.following
        if after is None:
            break
    found = find_conflicts({schedule: definition}, enabled)
    return {"schedule": schedule, "conflicts": [one._asdict() for one in found]}


def _proposed(body: Any) -> tuple[str, Definition]:
    name, fields = read_named(body)
    try:
        schedule = schedule_id(name)
    except IdFault as fault:
        raise Problem(400, "refused", str(fault), "schedule") from fault
    return schedule, read_definition(fields)


def _previewed(
    house: House,
    schedule: str,
    definition: Definition,
    stretch: _Stretch,
    origin: int | None = None,
) -> dict[str, Any]:
    now = house.clock.wall()
    begin = FIRST_INSTANT if stretch.previous else now
    begin = begin if stretch.after is None else instant(stretch.after, "after")
    end = now if stretch.previous else LAST_INSTANT
    end = end if stretch.to is None else instant(stretch.to, "to")
    if end < begin:
        raise Problem(400, "refused", "must not be before after", "to")
    asked = Asked(
        definition=definition,
        schedule=schedule,
        after=begin,
        up_to=end,
        limit=stretch.limit,
        calendars=_calendars(house, definition),
        backwards=stretch.previous,
        origin=grid_origin(now) if origin is None else origin,
    )
    found = look(asked)
    zone = definition.zone
    return {
        "schedule": schedule,
        "zone": zone,
        "runs": in_words(asked),
        "instants": [_coming(each, zone, stretch.viewer) for each in found.coming],
        "left_out": [_left_out(each) for each in found.left_out],
        "truncated": found.truncated,
        "remarks": list(found.remarks),
    }


def _calendars(house: House, definition: Definition) -> Mapping[str, Calendar]:
    if definition.exclude is None or not definition.exclude.calendars:
        return {}
    with house.views.lend() as views:
        return known_calendars(views.calendars())


def _coming(each: Coming, zone: str, viewer: str | None) -> dict[str, Any]:
    return {
        **moment(each.instant, zone, viewer),
        "due": utc(each.due),
        "starts": utc(each.starts),
        "skipped": each.skipped,
        "marks": list(each.marks),
    }


def _left_out(each: LeftOut) -> dict[str, Any]:
    """Wall times of the schedule's zone, so without an offset."""
    first, last = utc(each.first) or "", utc(each.last) or ""
    return {
        "first": first.removesuffix("Z"),
        "last": last.removesuffix("Z"),
        "count": each.count,
        "why": each.why,
    }
