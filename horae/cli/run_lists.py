"""
Which runs are there, and what should somebody know?

Reads the views in Postgres; all that is known of one run is run_shown.py. Both lists go on where
`--after` says, so that they stay stable while runs are added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from horae.cli.asking import checked_id, checked_subject
from horae.cli.endings import CODES
from horae.cli.output import Form, Output, show_json, show_table
from horae.cli.paging import After, Limit, rows_of, tell_more
from horae.cli.times import instant_from
from horae.cli.views import views
from horae.run_status import StatusWord

if TYPE_CHECKING:
    from projections.shown_runs import InsightShown, RunShown

EPILOGS = {
    "list": "Example: horae runs list billing/nightly --status failed --since 2d. Read from the "
    f"views; what goes on without them is shown by `horae subject show`. {CODES}",
    "insights": f"Example: horae insights --subject billing --all. {CODES}",
}
_WHY = 80
COLUMNS = (
    *("run", "schedule", "target", "of", "status", "fired", "late by", "took", "attempts", "why"),
)


def list_runs(
    whose: Annotated[
        str | None,
        typer.Argument(
            metavar="[SUBJECT[/NAME]]",
            help="Only those of this subject, or of this schedule.",
            show_default=False,
        ),
    ] = None,
    *,
    status: Annotated[
        StatusWord | None,
        typer.Option(
            metavar="STATUS",
            help="Only in this state; open, succeeded, failed, skipped and cancelled take all that "
            "are to be seen so.",
            show_default=False,
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="Only what was fired from then on: an instant, or a length of time back from now.",
            show_default=False,
        ),
    ] = None,
    limit: Limit = 50,
    after: After = None,
    output: Output = Form.TABLE,
) -> None:
    """List runs, those fired last first: open ones and those that are over."""
    from projections.queries import RunFilter
    from schemas.instants import FIRST
    from streams.clock import SystemClock

    subject, schedule = _whose(whose)
    begin = FIRST if since is None else instant_from(since, "--since", SystemClock(), back=True)
    which = RunFilter(subject=subject, schedule=schedule, status=status, since=begin)
    with views() as reads:
        rows, more = rows_of(
            lambda place, most: reads.runs(which, after=place, limit=most), after, limit
        )
    if output is Form.JSON:
        from horae.api.shown_runs import run_json

        show_json([run_json(row) for row in rows])
    else:
        show_table(
            COLUMNS,
            [_row(row) for row in rows],
            empty="no such run; an emit without `tracked` is over as soon as it is written",
        )
    tell_more(more)


def insights(
    *,
    subject: Annotated[
        str | None,
        typer.Option(metavar="SUBJECT", help="Only about this subject.", show_default=False),
    ] = None,
    past: Annotated[bool, typer.Option("--all", help="Also those that are so no longer.")] = False,
    limit: Limit = 50,
    after: After = None,
    output: Output = Form.TABLE,
) -> None:
    """List what is so and should not be: failures in a row, work that no runner took."""
    from projections.queries import InsightFilter

    name = None if subject is None else checked_subject(subject).removesuffix("/")
    which = InsightFilter(subject=name, only_open=not past)
    with views() as reads:
        rows, more = rows_of(
            lambda place, most: reads.insights(which, after=place, limit=most), after, limit
        )
    if output is Form.JSON:
        from horae.api.shown_runs import insight_json

        show_json([insight_json(row) for row in rows])
    else:
        show_table(
            ["about", "what", "since", "until", "why"],
            [_insight_row(row) for row in rows],
            empty="nothing that anybody should know",
        )
    tell_more(more)


def _whose(text: str | None) -> tuple[str | None, str | None]:
    """A subject, or a schedule."""
    if text is None:
        return None, None
    if "/" in text.removesuffix("/"):
        return None, checked_id(text)
    return checked_subject(text).removesuffix("/"), None


def _row(row: RunShown) -> list[str]:
    from horae.cli.run_shown import asked_by, length, status_words
    from schemas.instants import format_instant

    return [
        row.run,
        row.schedule,
        row.scope,
        asked_by(row),
        status_words(row),
        format_instant(row.fired_at),
        length(row.lateness),
        length(row.duration),
        str(row.attempt),
        _in_short(row.detail),
    ]


def _in_short(detail: str) -> str:
    """The beginning of what is said of a run; all of it is shown with the run itself."""
    line = detail.partition("\n")[0]
    return line if len(line) <= _WHY else f"{line[: _WHY - 1]}…"


def _insight_row(row: InsightShown) -> list[str]:
    from schemas.instants import format_instant

    until = "still" if row.resolved_at is None else format_instant(row.resolved_at)
    why = row.message if not row.resolution else f"{row.message}; {row.resolution}"
    return [row.about, row.kind.replace("_", " "), format_instant(row.raised_at), until, why]
