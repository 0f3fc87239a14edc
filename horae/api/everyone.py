"""
What is said to everyone at once over HTTP?

That nothing may fire, that the clock is right, which days are shared, and when nothing of some
subjects is to fire: absolute values, each the newest of its kind. Needs the ability `admin`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from horae.api.asking import Asking, Rules
from horae.api.bodies import Body, takes
from horae.api.places import Name
from horae.api.problems import Problem, not_there
from horae.api.reading import Reading
from horae.api.shown import calendar_json, freeze_json, hold_json
from horae.client.orders import ForAll
from horae.upcoming import known_calendars
from schemas.fields import Fields, read_instant, read_list, read_text
from schemas.globals import Calendar, ClockAccepted, Freeze, Hold
from schemas.limits import check_note
from schemas.reading_times import read_calendar
from schemas.time_limits import check_freeze, check_name
from streams.calendar.exclusions import check_calendar

router = APIRouter(tags=["everyone"])
_OF_CALENDARS = ("dates", "weekdays", "yearly", "crons", "base", "description")
Row = TypeVar("Row")
Signed = TypeVar("Signed", Calendar, Freeze)


@router.get("/hold")
def show_hold(house: Reading) -> dict[str, Any]:
    """Whether everything is held, since when, by whom and why."""
    with house.views.lend() as views:
        found = [hold_json(row) for row in views.holds()]
    return found[0] if found else {"held": False, "since": None, "actor": None, "reason": None}


@router.put("/hold", openapi_extra=takes("reason"))
def hold_all(asks: Rules, body: Body) -> JSONResponse:
    """Let nothing fire anywhere until the hold is lifted."""
    return _tell(asks, "hold", _hold(asks, body, held=True))


@router.delete("/hold", openapi_extra=takes("reason"))
def lift_hold(asks: Rules, body: Body) -> JSONResponse:
    """End the hold; what was due meanwhile is late, and each schedule's catch_up decides."""
    return _tell(asks, "hold", _hold(asks, body, held=False))


@router.post("/clock/accept", openapi_extra=takes("reason"))
def accept_clock(asks: Rules, body: Body) -> JSONResponse:
    """Say that our clocks are right where they differ from the broker's: firing goes on."""
    record = ClockAccepted(asks.actor, _reason(body), _now(asks), asks.id)
    return _tell(asks, "clock", record)


@router.get("/calendars")
def list_calendars(house: Reading) -> dict[str, Any]:
    """The shared calendars by name."""
    with house.views.lend() as views:
        found = [calendar_json(row) for row in views.calendars() if not row.removed]
    return {"calendars": found}


@router.get("/calendars/{name}")
def show_calendar(house: Reading, name: Name) -> dict[str, Any]:
    """What a calendar excludes."""
    with house.views.lend() as views:
        rows = [row for row in views.calendars() if not row.removed]
    return calendar_json(_named(rows, name, "calendar", lambda row: row.name))


@router.put("/calendars/{name}", openapi_extra=takes(*_OF_CALENDARS))
def set_calendar(asks: Rules, name: Name, body: Body) -> JSONResponse:
    """Let a calendar be just this; schedules that name it are computed anew."""
    calendar = read_calendar(body)
    with asks.house.views.lend() as views:
        others = known_calendars(views.calendars()) if calendar.base else {}
    check_calendar(check_name(name, "name"), calendar, others)
    return _tell(asks, f"calendar/{name}", _signed(asks, calendar))


@router.delete("/calendars/{name}")
def remove_calendar(asks: Rules, name: Name) -> JSONResponse:
    """Take a calendar away; one that others are built on stays."""
    with asks.house.views.lend() as views:
        rows = [row for row in views.calendars() if not row.removed]
    _named(rows, name, "calendar", lambda row: row.name)
    users = [row.name for row in rows if name in row.content.get("base", ())]
    if users:
        raise Problem(409, "conflict", f"{', '.join(users)} is built on it", "name")
    return _tell(asks, f"calendar/{name}", _signed(asks, Calendar(removed=True)))


@router.get("/freezes")
def list_freezes(house: Reading) -> dict[str, Any]:
    """The freezes by name: to come, in force, over or lifted."""
    now = house.clock.wall()
    with house.views.lend() as views:
        return {"freezes": [freeze_json(row, now) for row in views.freezes()]}


@router.put("/freezes/{name}", openapi_extra=takes("subjects", "from", "to", "reason"))
def freeze(asks: Rules, name: Name, body: Body) -> JSONResponse:
    """Skip what is due from one instant to another; the same name again replaces it."""
    fields = Fields(body, "", ("subjects", "from", "to", "reason"))
    found = Freeze(
        subjects=tuple(fields.need("subjects", _texts)),
        begins_at=fields.take("from", read_instant, _now(asks)),
        ends_at=fields.need("to", read_instant),
        reason=fields.take("reason", _note, ""),
    )
    check_freeze(found)
    return _tell(asks, f"freeze/{check_name(name, 'name')}", _signed(asks, found))


@router.delete("/freezes/{name}", openapi_extra=takes("reason"))
def lift_freeze(asks: Rules, name: Name, body: Body) -> JSONResponse:
    """End a freeze before its time; what it skipped stays skipped."""
    with asks.house.views.lend() as views:
        row = _named(views.freezes(), name, "freeze", lambda each: each.name)
    lifted = Freeze(tuple(row.subjects), row.begins_at, row.ends_at, _reason(body), lifted=True)
    return _tell(asks, f"freeze/{name}", _signed(asks, lifted))


def _tell(asks: Asking, key: str, record: ForAll) -> JSONResponse:
    return asks.answer(asks.tell(key, record), about=key)


def _hold(asks: Asking, body: Any, *, held: bool) -> Hold:
    return Hold(held, _reason(body), asks.actor, _now(asks), asks.id)


def _signed(asks: Asking, record: Signed) -> Signed:
    """The record with who says it, when, and under which id."""
    return replace(record, actor=asks.actor, at=_now(asks), command_id=asks.id)


def _named(rows: Iterable[Row], name: str, what: str, name_of: Callable[[Row], str]) -> Row:
    """The row of that name; else the Problem that says that there is none."""
    for row in rows:
        if name_of(row) == name:
            return row
    raise not_there(f"{what} {name}")


def _now(asks: Asking) -> int:
    return asks.house.clock.wall()


def _reason(body: Any) -> str:
    return Fields(body, "", ("reason",)).take("reason", _note, "")


def _note(data: object, path: str) -> str:
    return check_note(read_text(data, path), path)


def _texts(data: object, path: str) -> list[str]:
    return read_list(data, path, read_text)
