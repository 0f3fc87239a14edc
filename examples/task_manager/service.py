"""
How is the service spoken to?

Over HTTP: tasks are asked for and looked at, components are listed and moved. What a task does is
that time passes; everything else about it is real.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, FastAPI, Header, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from examples.task_manager.desk import Desk
from examples.task_manager.promoting import ROOM, Notices, Promoter
from examples.task_manager.rules import Operation
from examples.task_manager.store import Component, Store
from examples.task_manager.tasks import OnConflict, Refused, Wanted
from schemas.units import HOUR, SECOND
from streams.clock import Clock, SystemClock


class Some(BaseModel):
    """Some components of a rack, as a schedule's filter names them."""

    model_config = ConfigDict(extra="forbid")

    types: tuple[str, ...] | None = None
    ids: tuple[str, ...] | None = None


class Asked(BaseModel):
    """The body of a request for a task."""

    model_config = ConfigDict(extra="forbid")

    operation: Operation
    rack: str = Field(min_length=1, max_length=200)
    components: Some | None = None
    description: str = Field("", max_length=1_000)
    """Of one that was not asked for by a schedule."""
    on_conflict: OnConflict = OnConflict.QUEUE
    waiting_timeout: float = Field(HOUR / SECOND, gt=0, le=30 * 24 * 3_600)
    """Seconds."""
    seconds: float | None = Field(None, ge=0, le=30 * 24 * 3_600)
    """How long it takes; for trying things out."""
    fails: str = Field("", max_length=1_000)
    """With which message it fails at its end; for trying things out."""


class Place(BaseModel):
    """Where a component is now."""

    scope: str = Field(min_length=1, max_length=200)


def service(
    store: Store, *, clock: Clock | None = None, seconds: float = 2.0, room: int = ROOM
) -> FastAPI:
    """The service over this store; a task takes so many `seconds` unless it says otherwise."""
    clock = clock or SystemClock()
    notices = Notices(room)
    desk = Desk(store, clock, int(seconds * SECOND), notices.tell)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        promoter = Promoter(desk, notices, clock)
        promoter.start()
        yield
        promoter.stop()

    app = FastAPI(title="Task manager", lifespan=life)
    app.add_exception_handler(Refused, _refuse)
    app.include_router(_about_tasks(desk, store))
    app.include_router(_about_components(store))
    return app


def _refuse(_: Request, refused: Exception) -> JSONResponse:
    if not isinstance(refused, Refused):
        raise refused
    said = {"error": refused.code, "message": str(refused)}
    return JSONResponse(said, refused.status)


def _about_tasks(desk: Desk, store: Store) -> APIRouter:
    routes = APIRouter()

    @routes.post("/tasks", status_code=202)
    def submit(
        asked: Asked,
        idempotency_key: Annotated[str | None, Header(max_length=200)] = None,
        horae_schedule: Annotated[str | None, Header()] = None,
        horae_nominal: Annotated[str | None, Header()] = None,
    ) -> dict[str, list[str]]:
        """Ask for a task; the list is empty if there is nothing to do."""
        description = asked.description
        if horae_schedule and horae_nominal:
            description = f"{_text(horae_schedule).partition('/')[2]} {horae_nominal}"
        task = desk.submit(_wanted(asked, description, idempotency_key))
        return {"task_ids": [] if task is None else [task.id]}

    @routes.get("/tasks")
    def tasks(rack: str | None = None) -> list[dict[str, object]]:
        """All tasks that are known, oldest first."""
        return [one.as_data() for one in store.tasks(rack)]

    @routes.get("/tasks/{id_}")
    def task(id_: str) -> dict[str, object]:
        """One task."""
        found = store.task(id_)
        if found is None:
            raise Refused(404, "unknown_task", f"there is no task {id_}")
        return found.as_data()

    @routes.get("/healthz")
    def healthz() -> dict[str, bool]:
        """It is there."""
        return {"healthy": True}

    return routes


def _about_components(store: Store) -> APIRouter:
    routes = APIRouter()

    @routes.get("/components")
    def components(rack: str | None = None, of: str = "") -> list[dict[str, str]]:
        """What is where; `of` is a filter as JSON: `{"ids": […]}` or `{"types": […]}`."""
        some = _some(of)
        return [
            {"id": one.id, "type": one.type, "scope": one.rack}
            for one in store.components(rack)
            if (some.types is None or one.type in some.types)
            and (some.ids is None or {one.id, f"{one.type}/{one.id}"} & set(some.ids))
        ]

    @routes.put("/components/{type_}/{id_}")
    def place(type_: str, id_: str, where: Place) -> dict[str, str]:
        """Put a component into a rack, or move it to another."""
        store.place(Component(type_, id_, where.scope))
        return {"id": id_, "type": type_, "scope": where.scope}

    return routes


def _wanted(asked: Asked, description: str, key: str | None) -> Wanted:
    some = asked.components or Some()
    return Wanted(
        operation=asked.operation,
        rack=asked.rack,
        types=some.types,
        ids=some.ids,
        description=description,
        on_conflict=asked.on_conflict,
        waits=int(asked.waiting_timeout * SECOND),
        takes=None if asked.seconds is None else int(asked.seconds * SECOND),
        fails=asked.fails,
        key=key,
    )


def _some(text: str) -> Some:
    """A filter in a url; an empty one, or null, is everything."""
    try:
        return Some.model_validate((json.loads(text) if text else None) or {})
    except ValueError as fault:
        raise Refused(422, "filter", f"no filter: {fault}") from fault


def _text(header: str) -> str:
    """A header that holds UTF-8, which arrives as if it were Latin-1."""
    try:
        return header.encode("latin-1").decode()
    except ValueError:
        return header
