"""
Which schedules are there?

Reads the views in Postgres. All that is known of one is describing.py.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.everywhere import held_words
from horae.cli.output import Form, Output, note, say, show_json, show_table
from horae.cli.times import both_times, utc_or_none
from horae.cli.views import views

if TYPE_CHECKING:
    from projections.queries import Reads, ScheduleFilter
    from projections.shown import ScheduleShown

_PAGE = 500


class StatusWord(StrEnum):
    """What `--status` takes."""

    ENABLED = "enabled"
    PAUSED = "paused"
    COMPLETED = "completed"


def list_schedules(
    *,
    subject: Annotated[
        str | None, typer.Option(metavar="SUBJECT", help="Only schedules of this subject.")
    ] = None,
    status: Annotated[
        StatusWord | None,
        typer.Option(metavar="STATUS", help="Only enabled, paused or completed ones."),
    ] = None,
    containing: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only those whose id has this text in it.")
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="At most so many.")] = 100,
    output: Output = Form.TABLE,
) -> None:
    """List schedules with their last and next instants, in the order of their ids."""
    from projections.queries import ScheduleFilter

    which = ScheduleFilter(subject=subject, status=status, containing=containing)
    with views() as reads:
        rows, more = all_pages(reads, which, limit)
        holds = [hold for hold in reads.holds() if hold.held]
    for hold in holds:
        # A program's answer stays the list.
        tell = note if output is Form.JSON else say
        tell(held_words(hold.since, hold.actor, hold.reason))
    if output is Form.JSON:
        show_json([schedule_json(row) for row in rows])
    else:
        show_table(
            ["schedule", "status", "when", "last", "next"],
            [
                [
                    row.schedule,
                    row.status,
                    _rule(row),
                    _last(row),
                    next_words(row),
                ]
                for row in rows
            ],
            empty="no schedule is there, or the views have not seen it yet",
        )
    if more:
        note(f"there are more than {limit}: --limit shows them")


def all_pages(reads: Reads, which: ScheduleFilter, limit: int) -> tuple[list[ScheduleShown], bool]:
    """All schedules up to a limit, and whether there are more."""
    rows: list[ScheduleShown] = []
    after = None
    while True:
        page = reads.schedules(which, after=after, limit=min(_PAGE, limit - len(rows)))
        rows += page.rows
        after = page.following
        if after is None or len(rows) >= limit:
            return rows, after is not None


def removed(reads: Reads, schedule: str) -> str:
    """What to add where a schedule is not there: that it was, if it was."""
    versions = reads.versions(schedule)
    if not versions:
        return ""
    [last, *_] = versions
    return f"; it was {last.change} by {last.actor} at {utc_or_none(last.decided_at)}"


def _rule(row: ScheduleShown) -> str:
    """When it fires, in a few words."""
    written = definition_of(row)
    timings = written.get("timings", [written])
    words = [_timing_words(each) for timing in timings for each in _each(timing)]
    shown = ", ".join(words)
    return shown if row.zone == "UTC" else f"{shown} {row.zone}"


def _each(timing: dict[str, Any]) -> list[Any]:
    found = next(timing[name] for name in ("cron", "interval", "once", "weekly") if name in timing)
    return found if isinstance(found, list) else [found]


def _timing_words(timing: str | dict[str, str]) -> str:
    if isinstance(timing, str):
        return timing
    if "every" in timing:
        return f"every {timing['every']}"
    return f"{timing['days'] or 'on no day'} {timing['at']}"


def definition_of(row: ScheduleShown) -> dict[str, Any]:
    """The definition as a file would hold it."""
    from schemas.definition_json import definition_json

    return definition_json(row.rule)


def _last(row: ScheduleShown) -> str:
    if row.last_nominal is None:
        return "-"
    reason = f" ({row.last_reason})" if row.last_reason else ""
    return f"{row.last_state}{reason} {both_times(row.last_nominal, row.zone)}"


def next_words(row: ScheduleShown) -> str:
    """The next instant; also when it is due, if that is later: by jitter, a window, a deferral."""
    from horae.cli.times import local_time

    nominal = both_times(row.next, row.zone)
    if row.next_due is None or row.next_due == row.next:
        return nominal
    due = utc_or_none(row.next_due) if row.zone == "UTC" else local_time(row.next_due, row.zone)
    return f"{nominal}, due {due}"


def schedule_json(row: ScheduleShown) -> dict[str, Any]:
    """A schedule for a program."""
    found: dict[str, Any] = {
        "schedule": row.schedule,
        "status": row.status,
        "version": row.version,
        "incarnation": row.incarnation,
        "zone": row.zone,
        "description": row.description,
        "created_at": utc_or_none(row.created_at),
        "changed_at": utc_or_none(row.changed_at),
        "actor": row.actor,
        "definition": definition_of(row),
        "next": utc_or_none(row.next),
        "next_local": _local(row.next, row.zone),
        "next_due": utc_or_none(row.next_due),
        "last": None,
        "pause": None,
    }
    if row.last_nominal is not None:
        found["last"] = {
            "nominal": utc_or_none(row.last_nominal),
            "nominal_local": _local(row.last_nominal, row.zone),
            "state": row.last_state,
            "reason": row.last_reason,
            "decided_at": utc_or_none(row.last_decided_at),
        }
    if row.status == "paused":
        found["pause"] = {
            "reason": row.pause_reason,
            "actor": row.pause_actor,
            "since": utc_or_none(row.paused_since),
            "until": utc_or_none(row.paused_until),
        }
    return found


def _local(instant: int | None, zone: str) -> str | None:
    from horae.cli.times import local_time

    return None if instant is None else local_time(instant, zone)
