"""
How is shown what goes on in a subject at this moment?

`subject show`, as its processor has it (horae/under_way.py): no view has to be up to date, and none
has to be there. What became of what is over is run_lists.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.apps import app_fields
from horae.cli.asking import checked_subject
from horae.cli.deployments_told import deployment_fields
from horae.cli.endings import CODES
from horae.cli.output import Form, Output, say, show_fields, show_json, show_table

if TYPE_CHECKING:
    from horae.under_way import UnderWay
    from schemas.snapshot import Activity, Run, Standing, SubjectHold, SubjectNotes

EPILOG = f"Example: horae subject show billing -o json. Read from the log, not the views. {CODES}"

Subject = Annotated[
    str,
    typer.Argument(metavar="SUBJECT", help="Such as billing.", show_default=False),
]


def show_subject(subject: Subject, output: Output = Form.TABLE) -> None:
    """Show whether it is held, its runs and backfills, failures, activity, insights and app."""
    name = checked_subject(subject).removesuffix("/")
    found = _look(subject)
    if output is Form.JSON:
        runs = [run_json(run) for run in found.runs]
        show_json({"subject": name, **notes_json(found.notes), "runs": runs})
        return
    show_fields({"subject": name, **_fields(found)})
    if found.runs:
        say("")
        show_table(
            ["run", "schedule", "target", "of", "attempt", "is", "since", "until"],
            [_row(run) for run in found.runs],
            empty="",
        )


def _look(subject: str) -> UnderWay:
    from horae.past import Past
    from horae.settings import load_settings
    from horae.under_way import find_under_way

    name = checked_subject(subject).removesuffix("/")
    with Past(load_settings().bootstrap) as past:
        return find_under_way(past, name)


def _row(run: Run) -> list[str]:
    from schemas.instants import format_instant

    until = _until(run)
    where = f" behind {run.behind}" if run.behind else f" at {run.runner}" if run.runner else ""
    return [
        run.id,
        run.schedule,
        run.scope,
        run.origin or format_instant(run.nominal),
        str(run.attempt),
        f"{run.phase.value}{where}",
        format_instant(run.since),
        "-" if until is None else format_instant(until),
    ]


def _until(run: Run) -> int | None:
    """When something happens to it by itself: it is dropped, offered or tried again, given up."""
    found = (run.until, run.lease_until, run.attempt_until)
    return min((each for each in found if each is not None), default=None)


def run_json(run: Run) -> dict[str, Any]:
    """A run for a program."""
    from horae.cli.times import utc_or_none

    return {
        "run": run.id,
        "schedule": run.schedule,
        "version": run.version,
        "target": run.scope,
        "nominal": utc_or_none(run.nominal),
        "origin": run.origin,
        "phase": run.phase.value,
        "since": utc_or_none(run.since),
        "attempt": run.attempt,
        "started_at": utc_or_none(run.started_at),
        "runner": run.runner,
        "offers": run.issue or None,
        "behind": run.behind,
        "until": utc_or_none(run.until),
        "lease_until": utc_or_none(run.lease_until),
        "attempt_until": utc_or_none(run.attempt_until),
        "start_until": utc_or_none(run.start_until),
    }


def notes_json(notes: SubjectNotes) -> dict[str, Any]:
    """What is known of a subject as a whole, for a program."""
    from horae.cli.times import utc_or_none
    from horae.under_way import known_json
    from schemas.works_json import app_json

    return {
        **known_json(notes),
        "backfills": [
            {
                "id": one.id,
                "schedule": one.schedule,
                "left": len(one.instants),
                "total": one.total,
                "actor": one.actor,
            }
            for one in notes.backfills
        ],
        "insights": [
            {
                "kind": one.kind.value,
                "about": one.about,
                "message": one.message,
                "since": utc_or_none(one.since),
            }
            for one in notes.insights
        ],
        "app": None if notes.app is None else app_json(notes.app),
    }


def _fields(found: UnderWay) -> dict[str, str]:
    from horae.under_way import failures_in_a_row, unsuccessful_in_a_row

    notes, waiting = found.notes, sum(run.started_at is None for run in found.runs)
    going = len(found.runs) - waiting
    fields = {
        "held": "no" if notes.hold is None else _hold_words(notes.hold),
        "runs": f"{going} under way, {waiting} waiting" if found.runs else "none",
    }
    if notes.actions_hold is not None:
        fields["sleep and wake"] = f"held {_hold_words(notes.actions_hold)}"
    if notes.activity is not None:
        fields["activity"] = _activity_words(notes.activity)
    failed, others = failures_in_a_row(notes), unsuccessful_in_a_row(notes)
    if failed:
        fields["failed in a row"] = _counts(failed)
    if others and others != failed:
        fields["unsuccessful in a row"] = _counts(others)
    if notes.backfills:
        rest = (f"{one.id} ({len(one.instants)} of {one.total} left)" for one in notes.backfills)
        fields["backfills"] = ", ".join(rest)
    if notes.insights:
        fields["insights"] = "; ".join(f"{one.about}: {one.message}" for one in notes.insights)
    fields |= _deployment_fields(notes)
    return fields if notes.app is None else fields | app_fields(notes.app)


def _deployment_fields(notes: SubjectNotes) -> dict[str, str]:
    fields = {} if notes.standing is None else {"state": _standing_words(notes.standing)}
    return fields if notes.deployment is None else fields | deployment_fields(notes.deployment)


def _counts(found: dict[str, int]) -> str:
    return ", ".join(f"{schedule} {times}" for schedule, times in found.items())


def _hold_words(hold: SubjectHold) -> str:
    from schemas.instants import format_instant

    until = "" if hold.until is None else f" until {format_instant(hold.until)}"
    why = hold.reason or "no reason given"
    return f"since {format_instant(hold.since)}{until} by {hold.actor}: {why}"


def _standing_words(standing: Standing) -> str:
    from schemas.instants import format_instant

    by = "nobody knows who" if standing.actor is None else standing.actor
    return f"{standing.state.value} since {format_instant(standing.since)} by {by}"


def _activity_words(seen: Activity) -> str:
    from schemas.instants import format_instant

    last = "none" if seen.last_request is None else format_instant(seen.last_request)
    return (
        f"{seen.in_flight} in flight, {seen.waiting} waiting, last request {last}, "
        f"seen {format_instant(seen.sampled_at)}"
    )
