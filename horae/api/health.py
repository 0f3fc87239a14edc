"""
Is the interface well, and what lies behind it?

`/healthz` says at once that it serves, `/health` how far the views are behind if they can be asked;
`/health?deep=1` sends a test schedule through everything. `/metrics` is for Prometheus.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST
from psycopg import Error

from horae.api.callers import Credentials, actor_of, house_of
from horae.api.canary import Canary
from horae.api.house import House
from horae.api.problems import Problem
from horae.api.reading import Reading
from horae.permissions import Ability
from projections.faults import ProjectionFault

router = APIRouter(tags=["health"])


@router.get("/healthz", include_in_schema=False)
async def alive() -> dict[str, Any]:
    """That it serves, also while every thread waits for a reply."""
    return {"status": "ok"}


@router.get("/health")
def health(
    *,
    request: Request,
    credentials: Credentials = None,
    deep: Annotated[
        bool, Query(description="Send a test schedule through everything; needs the ability run.")
    ] = False,
) -> dict[str, Any]:
    """That it serves; with `deep` that a schedule comes all the way through."""
    house = house_of(request)
    if not deep:
        return {"status": "ok", "views": _views(house)}
    actor = actor_of(request, credentials, Ability.RUN)
    return {"status": "ok", "views": _views(house), "canary": Canary.of(house, actor).fly()}


@router.get("/metrics")
def metrics(house: Reading) -> Response:
    """The numbers of this process."""
    return Response(house.numbers.shown(), media_type=CONTENT_TYPE_LATEST)


def _views(house: House) -> dict[str, Any] | None:
    """How far they are behind; None: they are not to be had at the moment."""
    try:
        with house.views.lend() as views:
            lags = views.lag()
    except (Problem, Error, ProjectionFault):
        return None
    return {
        "lag_records": sum(lag.records for lag in lags),
        "lag_seconds": max((lag.seconds for lag in lags), default=0.0),
        "written_seconds_ago": min((lag.saved_seconds_ago for lag in lags), default=None),
    }
