"""
What is known of one schedule: what comes, and what became of what was due?

Reads the views in Postgres; where no database is named, without_views.py says what the log has.
What is to come is horae/upcoming.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.asking import checked_id
from horae.cli.endings import Said
from horae.cli.listing import definition_of, next_words, removed, schedule_json
from horae.cli.output import Form, Output, say, show_fields, show_json, show_table
from horae.cli.times import both_times, utc_or_none
from horae.cli.views import NoDatabase, views
from horae.cli.without_views import describe_from_log

if TYPE_CHECKING:
    from projections.queries import Reads
    from projections.shown import OccurrenceShown, ScheduleShown
    from projections.shown_runs import RunShown

_UPCOMING = 10
_RECENT = 10
_BY_HAND = "trigger:"


def describe(
    schedule: Annotated[
        str, typer.Argument(metavar="SUBJECT/NAME", help="Its id.", show_default=False)
    ],
    *,
    output: Output = Form.TABLE,
) -> None:
    """Show all that is known of a schedule: definition, what comes, what became of the last."""
    schedule = checked_id(schedule)
    try:
        _describe(schedule, output)
    except NoDatabase:
        describe_from_log(schedule, output)


def _describe(schedule: str, output: Form) -> None:
    from horae.upcoming import coming, fired_so_far, known_calendars

    with views() as reads:
        row = reads.schedule(schedule)
        if row is None:
            raise Said(f"{schedule}: the views know no such schedule{removed(reads, schedule)}")
        occurrences = reads.occurrences(schedule, limit=_RECENT).rows
        runs = _runs(reads, row)
        calendars = known_calendars(reads.calendars())
        fired = fired_so_far(reads, row)
    upcoming = coming(row, calendars, fired)
    if output is Form.JSON:
        from horae.api.shown_runs import run_json

        recent = [_occurrence_json(each) for each in occurrences]
        upcoming_utc = [utc_or_none(each) for each in upcoming]
        skips = [utc_or_none(each) for each in row.skips]
        found = {
            "explain": _explained(row),
            "does": _action(row),
            "upcoming": upcoming_utc,
            "skips": skips,
            "occurrences": recent,
            "runs": [run_json(each) for each in runs],
        }
        show_json(schedule_json(row) | found)
        return
    show_fields(_fields(row))
    say("")
    say(_definition_text(row))
    _show_times("comes next", upcoming, row.zone)
    if not upcoming and row.status == "enabled" and row.rule.exclude is not None:
        say("\nnothing comes as its calendars are now")
    _show_occurrences(occurrences, row.zone)
    if runs:
        say("")
        show_table(
            ["run", "target", "of", "became", "took", "why"],
            [_run(each) for each in runs],
            empty="",
        )


def _runs(reads: Reads, row: ScheduleShown) -> tuple[RunShown, ...]:
    """The last ones, where somebody reports about them."""
    from projections.queries import RunFilter

    if row.rule.action.tracked is None:
        return ()
    return reads.runs(RunFilter(schedule=row.schedule), limit=_RECENT).rows


def _run(row: RunShown) -> list[str]:
    from horae.cli.run_shown import asked_by, length, status_words

    became = status_words(row)
    return [row.run, row.scope, asked_by(row), became, length(row.duration), row.detail]


def _explained(row: ScheduleShown) -> str:
    from streams.calendar.explain import explain

    return explain(row.rule, row.next if row.next is not None else row.changed_at)


def _action(row: ScheduleShown) -> str:
    from horae.action_words import action_words

    return action_words(row.rule.action)


def _policies(row: ScheduleShown) -> str:
    from horae.cli.policy_words import policy_words

    return policy_words(row.rule)


def _fields(row: ScheduleShown) -> dict[str, str]:
    later = row.next_due is not None and row.next_due != row.next
    found = {
        "schedule": row.schedule,
        "status": row.status,
        "description": row.description,
        "runs": _explained(row),
        "does": _action(row),
        "policies": _policies(row),
        "version": str(row.version),
        "incarnation": str(row.incarnation),
        "created": both_times(row.created_at, row.zone),
        "next": next_words(row) if later else "",
        "skips": ", ".join(both_times(each, row.zone) for each in row.skips[:_UPCOMING]),
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

    return as_yaml(definition_of(row))


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
                became_words(row.state, row.reason, row.origin),
                f"{row.lateness / 1_000_000:.3f} s",
                both_times(row.decided_at, zone),
            ]
            for row in rows
        ],
        empty="no occurrence so far",
    )


def became_words(state: str, reason: str | None, origin: str) -> str:
    """What became of an occurrence; also what brought it about, if not the calendar."""
    why = f" ({reason})" if reason else ""
    if not origin:
        return f"{state}{why}"
    return f"{state}{why}, {'by hand' if origin.startswith(_BY_HAND) else 'by a backfill'}"


def _occurrence_json(row: OccurrenceShown) -> dict[str, Any]:
    return {
        "occurrence": row.id,
        "nominal": utc_or_none(row.nominal),
        "last": utc_or_none(row.last),
        "count": row.count,
        "origin": row.origin or None,
        "state": row.state,
        "reason": row.reason,
        "late": row.late,
        "lateness_seconds": row.lateness / 1_000_000,
        "decided_at": utc_or_none(row.decided_at),
        "version": row.version,
    }
