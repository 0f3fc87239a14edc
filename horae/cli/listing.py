"""
Which schedules are there, and what became of one?

Reads the views in Postgres. What is to come is computed from the definition, so that it is right
whatever the views have seen last.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.asking import checked_id
from horae.cli.endings import Said
from horae.cli.output import Form, Output, note, say, show_fields, show_json, show_table
from horae.cli.times import both_times, utc_or_none
from horae.cli.views import views

if TYPE_CHECKING:
    from projections.queries import Reads, ScheduleFilter
    from projections.shown import OccurrenceShown, ScheduleShown

_PAGE = 500
_UPCOMING = 10
_RECENT = 10


class StatusWord(StrEnum):
    """What `--status` takes."""

    ENABLED = "enabled"
    PAUSED = "paused"
    COMPLETED = "completed"


def list_schedules(
    *,
    subject: Annotated[str | None, typer.Option(help="Only schedules of this subject.")] = None,
    status: Annotated[
        StatusWord | None,
        typer.Option(metavar="STATUS", help="Only enabled, paused or completed ones."),
    ] = None,
    containing: Annotated[
        str | None, typer.Option(help="Only those whose id has this text in it.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 100,
    output: Output = Form.TABLE,
) -> None:
    """List schedules with their last and next instants, in the order of their ids."""
    from projections.queries import ScheduleFilter

    which = ScheduleFilter(subject=subject, status=status, containing=containing)
    with views() as reads:
        rows, more = all_pages(reads, which, limit)
    if output is Form.JSON:
        show_json([_as_json(row) for row in rows])
    else:
        show_table(
            ["schedule", "status", "when", "last", "next"],
            [
                [
                    row.schedule,
                    row.status,
                    _rule(row),
                    _last(row),
                    both_times(row.next, row.zone),
                ]
                for row in rows
            ],
            empty="no schedule is there, or the views have not seen it yet",
        )
    if more:
        note(f"there are more than {limit}: --limit shows them")


def describe(
    schedule: Annotated[
        str, typer.Argument(metavar="SCHEDULE", help="Its id.", show_default=False)
    ],
    *,
    output: Output = Form.TABLE,
) -> None:
    """Show all that is known of a schedule: definition, what comes, what became of the last."""
    schedule = checked_id(schedule)
    with views() as reads:
        row = reads.schedule(schedule)
        if row is None:
            raise Said(f"{schedule}: the views know no such schedule{removed(reads, schedule)}")
        occurrences = reads.occurrences(schedule, limit=_RECENT).rows
    upcoming = _upcoming(row)
    if output is Form.JSON:
        recent = [_occurrence_json(each) for each in occurrences]
        upcoming_utc = [utc_or_none(each) for each in upcoming]
        show_json({**_as_json(row), "upcoming": upcoming_utc, "occurrences": recent})
        return
    show_fields(_fields(row))
    say("")
    say(_definition_text(row))
    _show_times("comes next", upcoming, row.zone)
    _show_occurrences(occurrences, row.zone)


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
    written = _definition(row)
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


def _definition(row: ScheduleShown) -> dict[str, Any]:
    """The definition as a file would hold it."""
    from schemas.definition_json import definition_json

    return definition_json(row.rule)


def _last(row: ScheduleShown) -> str:
    if row.last_nominal is None:
        return "-"
    reason = f" ({row.last_reason})" if row.last_reason else ""
    return f"{row.last_state}{reason} {both_times(row.last_nominal, row.zone)}"


def _upcoming(row: ScheduleShown) -> list[int]:
    """The next instants by the definition; of a grid that counts from the creation, by that."""
    from streams.calendar.occurrences import rule_for
    from streams.decider.state import grid_origin

    if row.next is None:
        return []
    rule = row.rule
    ticks = rule_for(rule.timings, rule.zone, rule.dst, row.schedule)
    last = rule.end_at if rule.end_at is not None else _no_end()
    stretch = ticks.between(row.next - 1, last, _UPCOMING, grid_origin(row.created_at))
    return [tick.instant for tick in stretch.ticks]


def _no_end() -> int:
    from streams.calendar.ticks import LAST_INSTANT

    return LAST_INSTANT


def _fields(row: ScheduleShown) -> dict[str, str]:
    found = {
        "schedule": row.schedule,
        "status": row.status,
        "description": row.description,
        "version": str(row.version),
        "incarnation": str(row.incarnation),
        "created": both_times(row.created_at, row.zone),
        "changed": f"{both_times(row.changed_at, row.zone)} by {row.actor}",
    }
    if row.status == "paused":
        until = f" until {both_times(row.paused_until, row.zone)}" if row.paused_until else ""
        found["paused"] = (
            f"since {both_times(row.paused_since, row.zone)} by {row.pause_actor}{until}: "
            f"{row.pause_reason or 'no reason given'}"
        )
    return {name: value for name, value in found.items() if value}


def _definition_text(row: ScheduleShown) -> str:
    from horae.cli.exporting import as_yaml

    return as_yaml(_definition(row))


def _show_times(title: str, instants: list[int], zone: str) -> None:
    if instants:
        say("")
        show_table([title], [[both_times(each, zone)] for each in instants], empty="")


def _show_occurrences(rows: tuple[OccurrenceShown, ...], zone: str) -> None:
    say("")
    show_table(
        ["occurrence", "became", "late by", "decided"],
        [
            [
                both_times(row.nominal, zone) + (f" and {row.count - 1} more" * (row.count > 1)),
                row.state + (f" ({row.reason})" if row.reason else ""),
                f"{row.lateness / 1_000_000:.3f} s",
                both_times(row.decided_at, zone),
            ]
            for row in rows
        ],
        empty="no occurrence so far",
    )


def _as_json(row: ScheduleShown) -> dict[str, Any]:
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
        "definition": _definition(row),
        "next": utc_or_none(row.next),
        "next_local": _local(row.next, row.zone),
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


def _occurrence_json(row: OccurrenceShown) -> dict[str, Any]:
    return {
        "occurrence": row.id,
        "nominal": utc_or_none(row.nominal),
        "last": utc_or_none(row.last),
        "count": row.count,
        "state": row.state,
        "reason": row.reason,
        "late": row.late,
        "lateness_seconds": row.lateness / 1_000_000,
        "decided_at": utc_or_none(row.decided_at),
        "version": row.version,
    }
