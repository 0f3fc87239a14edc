"""
How is the server spoken to?

Over HTTP, by the paths that vLLM has for it in its development mode; `/load`, `/faults` and
`/shutdown` are this example's own.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, Body, FastAPI, Query, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel, ConfigDict, Field

from examples.model_server.model import Faults, Load, Model, Refused


class Dialled(BaseModel):
    """Which requests are to come by themselves."""

    model_config = ConfigDict(extra="forbid")

    rate: float = Field(ge=0, le=60_000)
    """Requests a minute."""
    seconds: float = Field(1.0, ge=0, le=3_600)
    """How long each takes."""


class Prompt(BaseModel):
    """A request for a completion; what else vLLM takes is not looked at."""

    model_config = ConfigDict(extra="allow")

    prompt: str = ""
    seconds: float | None = Field(None, ge=0, le=3_600)
    """How long it is to take; for trying things out."""


class Call(BaseModel):
    """A call of all workers."""

    method: str


def service(model: Model, end: Callable[[], None]) -> FastAPI:
    """The service of a model; `end` is called once it is asked to end."""
    load = Load(model)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        yield
        load.stop()

    app = FastAPI(title="Model server", lifespan=life)
    app.add_exception_handler(Refused, _refuse)
    app.include_router(_sleeping(model))
    app.include_router(_serving(model))
    app.include_router(_for_trying(model, load, end))
    return app


def _refuse(_: Request, refused: Exception) -> JSONResponse:
    if not isinstance(refused, Refused):
        raise refused
    return JSONResponse({"error": str(refused)}, refused.status)


def _sleeping(model: Model) -> APIRouter:
    routes = APIRouter()

    @routes.get("/is_sleeping")
    async def is_sleeping() -> dict[str, bool]:
        """Whether any part of it sleeps."""
        return {"is_sleeping": model.is_asleep}

    @routes.post("/sleep")
    async def sleep(level: Annotated[int, Query(ge=1, le=2)] = 1) -> Response:
        """Fall asleep."""
        await model.sleep(level)
        return Response()

    @routes.post("/wake_up")
    async def wake_up(tags: Annotated[list[str] | None, Query()] = None) -> Response:
        """Wake up, or only the parts that are named."""
        await model.wake(frozenset(tags or ()))
        return Response()

    @routes.post("/collective_rpc")
    async def collective_rpc(call: Annotated[Call, Body()]) -> dict[str, list[None]]:
        """Have all workers do something; here only `reload_weights`."""
        if call.method != "reload_weights":
            raise Refused(400, f"there is no method {call.method}")
        model.reload()
        return {"results": [None]}

    return routes


def _serving(model: Model) -> APIRouter:
    routes = APIRouter()

    @routes.get("/health")
    async def health() -> Response:
        """Whether it could answer; it is healthy while it sleeps."""
        return Response(status_code=503 if model.faults.sick else 200)

    @routes.get("/metrics")
    async def metrics() -> Response:
        """Its numbers, for Prometheus."""
        return Response(model.numbers.page(), media_type=CONTENT_TYPE_LATEST)

    @routes.post("/v1/completions")
    async def completions(prompt: Prompt) -> dict[str, object]:
        """Complete a prompt, once the time of a request has passed."""
        await model.answer(prompt.seconds)
        choice = {"index": 0, "text": f"{prompt.prompt} ...", "finish_reason": "length"}
        return {"object": "text_completion", "model": model.name, "choices": [choice]}

    return routes


def _for_trying(model: Model, load: Load, end: Callable[[], None]) -> APIRouter:
    routes = APIRouter()

    @routes.post("/load")
    async def dial(dialled: Annotated[Dialled, Body()]) -> Dialled:
        """Have requests come by themselves; a rate of 0 is quiet."""
        load.dial(dialled.rate, dialled.seconds)
        return dialled

    @routes.post("/faults")
    async def faults(wanted: Annotated[Faults, Body()]) -> Faults:
        """Have something go wrong from now on; what is not named is well."""
        model.faults = wanted
        return wanted

    @routes.post("/shutdown", status_code=202)
    async def shutdown() -> Response:
        """End it."""
        end()
        return Response(status_code=202)

    return routes
