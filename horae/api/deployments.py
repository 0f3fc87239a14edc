"""
How are deployments registered over HTTP, looked at, told of and taken away?

A deployment is a subject that sleeps and wakes. What it is, only an admin says; its state is told
by whoever runs it, in the name of the person who brought it there. What is shown comes from the
views, which follow within a moment; what was registered here is waited for.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from horae.api.asking import Rules, Runs
from horae.api.bodies import Body, read_command, takes
from horae.api.house import House
from horae.api.places import Subject
from horae.api.problems import not_there
from horae.api.reading import Reading
from horae.deployment_shown import shown_json
from projections import traffic_queries
from projections.counting import CountedReads
from projections.shown_traffic import DeploymentShown
from schemas.commands import DefineDeployment, RemoveSubject, ReportState
from schemas.deployments import DeploymentState
from schemas.reading_deployments import DEPLOYMENT_FIELDS, STATE_FIELDS
from schemas.replies import Reply, Verdict

router = APIRouter(prefix="/deployments", tags=["deployments"])


@router.get("")
def list_deployments(
    house: Reading,
    state: Annotated[DeploymentState | None, Query(description="Only those that are so.")] = None,
) -> dict[str, Any]:
    """What is registered, in the order of the subjects."""
    with house.views.lend() as views:
        rows = views.look(lambda session: traffic_queries.deployments(session, state=state))
    return {"total": len(rows), "deployments": [shown_json(row) for row in rows]}


@router.get("/{subject}")
def show(house: Reading, about: Subject) -> dict[str, Any]:
    """What it is, its state and who brought it there, its traffic, and what is held."""
    name = about.removesuffix("/")
    with house.views.lend() as views:
        row = _find(views, name)
    if row is None:
        raise not_there(f"deployment {name}")
    return shown_json(row)


@router.put("/{subject}", openapi_extra=takes(*DEPLOYMENT_FIELDS))
def register(asks: Rules, about: Subject, body: Body) -> JSONResponse:
    """Let the subject be this deployment; what it was before is replaced as a whole."""
    reply = asks.ask(about, read_command(DefineDeployment, body))
    _await(asks.house, about.removesuffix("/"), reply)
    return asks.answer(reply)


@router.delete("/{subject}", openapi_extra=takes("reason", "cancel"))
def remove(asks: Rules, about: Subject, body: Body) -> JSONResponse:
    """Remove each of its schedules, its profile and its insights; `cancel` stops what runs."""
    return asks.answer(asks.ask(about, read_command(RemoveSubject, body)))


@router.post("/{subject}/state", openapi_extra=takes(*STATE_FIELDS))
def report(asks: Runs, about: Subject, body: Body) -> JSONResponse:
    """Tell its state, and as `actor` who brought it there; without one, that is the token."""
    return asks.answer(asks.ask(about, read_command(ReportState, body)))


def _await(house: House, subject: str, reply: Reply) -> None:
    """Whoever registers a deployment and then looks at it finds it there."""
    if reply.verdict is Verdict.ACCEPTED:
        house.until(
            lambda views: _find(views, subject),
            lambda row: row is not None and row.defined_at >= reply.decided_at,
        )


def _find(views: CountedReads, subject: str) -> DeploymentShown | None:
    return views.look(lambda session: traffic_queries.deployment(session, subject))
