"""
Which addresses are there?

Puts the routes together under `/v1`; what each does is in the module it comes from. The description
is served as `/openapi.json`; pages that would load their assets from elsewhere are not.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import APIRouter, Depends, FastAPI

from horae import __version__
from horae.api import (
    deployments,
    everyone,
    foresight,
    health,
    history,
    problems,
    proposals,
    runs,
    schedules,
    steering,
    subjects,
)
from horae.api.doorway import Doorway
from horae.api.house import House
from horae.api.parameters import PREFIX, only_known

_ABOUT = (
    "A write is a command in the log, and is answered with its reply. An `Idempotency-Key` is the "
    "id of that command: asked twice, it is done once. Errors are problems (RFC 9457)."
)
_PROBLEM = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "field": {"type": "string"},
        "command_id": {"type": "string"},
    },
    "required": ["type", "title", "status", "detail"],
}


def make_app(house: House, at_end: Callable[[], None] = lambda: None) -> FastAPI:
    """The application of a house; `at_end` is called when it has served the last request."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        yield
        at_end()

    app = FastAPI(
        title="Horae",
        version=__version__,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=life,
        responses={
            "default": {
                "description": "A problem.",
                "content": {problems.MEDIA: {"schema": _PROBLEM}},
            }
        },
    )
    app.state.house = house
    problems.install(app)
    first = APIRouter(prefix=PREFIX, dependencies=[Depends(only_known)])
    parts = (
        schedules,
        steering,
        history,
        foresight,
        subjects,
        deployments,
        proposals,
        everyone,
        runs,
        health,
    )
    for part in parts:
        first.include_router(part.router)
    app.include_router(first)
    app.include_router(health.router)
    app.add_middleware(Doorway, numbers=house.numbers, clock=house.clock)
    return app
