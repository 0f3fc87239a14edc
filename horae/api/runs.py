"""
What is seen and said of runs over HTTP?

Lists, one run with its attempts and its output, what somebody should know, and who carries work
out: from the views. A run is cancelled, and reported about, by orders.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse

from horae.api.asking import Asking, Runs
from horae.api.bodies import Body, read_about, read_command, takes, with_id
from horae.api.house import House
from horae.api.problems import not_there
from horae.api.reading import AfterPage, Before, Limit, Reading, Since
from horae.api.shown_runs import attempt_json, insight_json, run_json, runner_json
from horae.run_status import StatusWord
from projections.queries import InsightFilter, RunFilter
from projections.shown_runs import RunShown
from schemas.commands import CancelRun, ReportRun
from schemas.identity import schedule_id, subject_id
from schemas.subject_events import InsightKind

router = APIRouter(tags=["runs"])
_USUAL = 50


@router.get("/runs")
def list_runs(
    *,
    house: Reading,
    since: Since,
    before: Before,
    subject: Annotated[str | None, Query(description="Only those of this subject.")] = None,
    schedule: Annotated[str | None, Query(description="Only those of this schedule.")] = None,
    status: Annotated[
        StatusWord | None,
        Query(description="A status, or open, succeeded, failed, skipped, cancelled."),
    ] = None,
    limit: Limit = None,
    after: AfterPage = None,
) -> dict[str, Any]:
    """A page of runs, those fired last first."""
    about = None if schedule is None else schedule_id(schedule)
    which = RunFilter(subject=subject, schedule=about, status=status, since=since, before=before)
    with house.views.lend() as views:
        page = views.runs(which, after=after, limit=limit or _USUAL)
    return {"runs": [run_json(row) for row in page.rows], "next": page.following}


@router.get("/runs/{run}")
def show(house: Reading, run: str) -> dict[str, Any]:
    """A run with its attempts, and the last that it wrote."""
    row = _need(house, run)
    with house.views.lend() as views:
        attempts = [attempt_json(each) for each in views.attempts(run)]
        output = views.output(run)
    return run_json(row) | {
        "output": None if output is None else output.output,
        "attempts": attempts,
    }


@router.post("/runs/{run}/cancel", openapi_extra=takes("subject", "reason"))
def cancel(asks: Runs, run: str, body: Body) -> JSONResponse:
    """Ask a run to stop; one that waits ends at once. `subject` saves a look at the views."""
    subject, rest = read_about(body)
    command = read_command(CancelRun, with_id(rest, "run", run))
    return asks.answer(asks.ask(_about(asks, run, subject), command))


@router.post(
    "/runs/{run}/report",
    openapi_extra=takes("subject", "status", "attempt", "detail", "runner", "boot", "result"),
)
def report(asks: Runs, run: str, body: Body) -> JSONResponse:
    """Say what became of a run, or that it goes on."""
    subject, rest = read_about(body)
    command = read_command(ReportRun, with_id(rest, "run", run))
    return asks.answer(asks.ask(_about(asks, run, subject), command))


@router.get("/insights")
def list_insights(
    *,
    house: Reading,
    subject: Annotated[str | None, Query(description="Only about this subject.")] = None,
    kind: Annotated[InsightKind | None, Query(description="Only of this kind.")] = None,
    is_open: Annotated[bool, Query(alias="open", description="Only what is still so.")] = False,
    limit: Limit = None,
    after: AfterPage = None,
) -> dict[str, Any]:
    """A page of what is, or was, so and should not be, the newest first."""
    which = InsightFilter(subject=subject, kind=kind, only_open=is_open)
    with house.views.lend() as views:
        page = views.insights(which, after=after, limit=limit or _USUAL)
    return {"insights": [insight_json(row) for row in page.rows], "next": page.following}


@router.get("/runners")
def list_runners(house: Reading) -> dict[str, Any]:
    """Who was ever granted work, by name."""
    with house.views.lend() as views:
        return {"runners": [runner_json(row) for row in views.runners()]}


def _need(house: House, run: str) -> RunShown:
    with house.views.lend() as views:
        row = views.run(run)
    if row is None:
        raise not_there(f"run {run}")
    return row


def _about(asks: Asking, run: str, subject: str | None) -> str:
    return subject_id(_need(asks.house, run).subject if subject is None else subject)
