"""
What is known of one run, and what does it write?

`show` reads the views in Postgres, `tail` follows horae.output until the views say that the run is
over (horae/output_tail.py). What somebody may say of a run is runs.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import (
    Form,
    Output,
    note,
    printable,
    say,
    show_fields,
    show_json,
    show_json_line,
    show_table,
)
from horae.cli.views import views

if TYPE_CHECKING:
    from projections.queries import Reads
    from projections.shown_runs import AttemptShown, OutputShown, RunShown
    from schemas.orders import OutputChunk

EPILOGS = {
    "show": f"Example: horae runs show jr_AbCdEfGhIjKl -o json. {CODES}",
    "tail": "Example: horae runs tail jr_AbCdEfGhIjKl. Ends with 1 if the run did not succeed; "
    f"with -o json each piece is a line of its own. {CODES}",
}
_PAUSE = 0.5

Run = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="Its id, jr_ and twelve characters: `horae runs list` has it.",
        show_default=False,
    ),
]


def show_run(run: Run, output: Output = Form.TABLE) -> None:
    """Show all that is known of a run: who, why, when, how late, each attempt, its output."""
    with views() as reads:
        row = _need(reads, run)
        attempts, written = reads.attempts(run), reads.output(run)
    if output is Form.JSON:
        show_json(_as_json(row, attempts, written))
        return
    show_fields(_fields(row))
    if attempts:
        say("")
        show_table(
            ["attempt", "runner", "given out", "started", "ended", "status", "code", "detail"],
            [_attempt_row(one) for one in attempts],
            empty="",
        )
    if written is not None and written.output:
        say("\nwrote")
    _say_output(written)


def tail_run(run: Run, output: Output = Form.TABLE) -> None:
    """Print what a run writes until it is over; of one that is over, what is kept of it."""
    with views() as reads:
        row = _need(reads, run)
        if row.is_over:
            _show_kept(reads.output(run), output)
        else:
            row = _follow(reads, row, output)
    if output is Form.JSON:
        show_json_line({"run": run, "status": row.status, "exit_code": row.exit_code})
    else:
        note(f"{run} {status_words(row)}")
    if row.shown_as not in ("succeeded", "skipped"):
        raise typer.Exit(Ending.REFUSED)


def _need(reads: Reads, run: str) -> RunShown:
    row = reads.run(run)
    if row is None:
        raise Said(f"{run}: the views know no such run, or keep it no longer")
    return row


def _follow(reads: Reads, row: RunShown, output: Form) -> RunShown:
    """Print what comes; when the views say that it is over, only what is there by then."""
    from horae.output_tail import OutputTail
    from horae.settings import load_settings

    begin = row.started_at or row.fired_at
    last: OutputChunk | None = None
    with OutputTail(load_settings().bootstrap, row.subject, row.run, begin) as tail:
        end: int | None = None
        while end is None or not tail.is_at(end):
            for chunk in tail.read(_PAUSE):
                _show_chunk(chunk, last, output)
                last = chunk
            if end is None and (row := _need(reads, row.run)).is_over:
                end = tail.end()
    return row


def _show_chunk(chunk: OutputChunk, last: OutputChunk | None, output: Form) -> None:
    from schemas.instants import format_instant

    if output is Form.JSON:
        at = format_instant(chunk.at)
        found = {"attempt": chunk.attempt, "sequence": chunk.sequence, "at": at, "text": chunk.text}
        show_json_line(found)
        return
    is_new = last is None or last.attempt != chunk.attempt
    if is_new and (chunk.attempt > 1 or last is not None):
        note(f"attempt {chunk.attempt}")
    if chunk.sequence != (0 if is_new or last is None else last.sequence + 1):
        note("something before this was left out")
    typer.echo(printable(chunk.text), nl=False)


def _show_kept(written: OutputShown | None, output: Form) -> None:
    if output is Form.TABLE:
        _say_output(written)
    elif written is not None and written.output:
        show_json_line({"cut": written.output_cut, "text": written.output})


def _say_output(written: OutputShown | None) -> None:
    if written is None or (written.output is None and not written.output_dropped):
        return
    if written.output_dropped:
        note("its output is no longer kept")
    elif written.output:
        if written.output_cut:
            note("what it wrote first was left out")
        typer.echo(printable(written.output), nl=not written.output.endswith("\n"))


# ---------------------------------------------------------------------- how it is shown


def status_words(row: RunShown) -> str:
    """What it is or how it ended, and that nothing was to be done if that is so."""
    words = row.status.replace("_", " ")
    reason = f" ({row.reason})" if row.reason else ""
    skipped = ", skipped" if row.shown_as == "skipped" else ""
    return f"{words}{reason}{skipped}"


def asked_by(row: RunShown) -> str:
    """The instant of the calendar that it is for, or that a hand asked for it."""
    from schemas.instants import format_instant

    if row.scheduled_for is None:
        return "by hand"
    again = ", by a backfill" if row.kind == "backfill" else ""
    return f"{format_instant(row.scheduled_for)}{again}"


def length(micros: int | None) -> str:
    """A length of time for a person; a dash if it is not known."""
    return "-" if micros is None else f"{micros / 1_000_000:.3f} s"


def _as_json(
    row: RunShown, attempts: list[AttemptShown], written: OutputShown | None
) -> dict[str, Any]:
    from horae.api.shown_runs import attempt_json, run_json

    return run_json(row) | {
        "output": None if written is None else written.output,
        "attempts": [attempt_json(one) for one in attempts],
    }


def _fields(row: RunShown) -> dict[str, str]:
    from schemas.instants import format_instant

    def at(instant: int | None, *more: str) -> str:
        if instant is None:
            return ""
        return ", ".join(filter(None, (format_instant(instant), *more)))

    caused = f"by {row.actor}" if row.actor else ""
    queued = f"{length(row.queue_time)} after it was fired" if row.queue_time is not None else ""
    late = f"{length(row.lateness)} after it was due" if row.lateness is not None else ""
    found = {
        "run": row.run,
        "schedule": row.schedule,
        "target": "" if row.scope == row.subject else row.scope,
        "of": asked_by(row),
        "status": status_words(row),
        "detail": row.detail,
        "does": row.work or "",
        "version": str(row.version),
        "due": at(row.due),
        "fired": at(row.fired_at, caused, "as a catch-up" if row.late else ""),
        "given out": at(row.given_out_at),
        "started": at(row.started_at, late, queued),
        "until": at(row.until),
        "ended": at(row.ended_at, "" if row.duration is None else f"took {length(row.duration)}"),
        "attempts": str(row.attempt),
        "runner": row.runner or "",
        "answered" if row.work == "http" else "exit code": _code(row.exit_code),
        "reference": row.reference or "",
    }
    return {name: value for name, value in found.items() if value}


def _code(code: int | None) -> str:
    """What a program ended with, or the status of an answer to a request."""
    return "" if code is None else str(code)


def _attempt_row(one: AttemptShown) -> list[str]:
    from horae.cli.times import utc_or_none

    return [
        str(one.attempt),
        one.runner or "-",
        utc_or_none(one.given_out_at) or "-",
        utc_or_none(one.started_at) or "-",
        utc_or_none(one.ended_at) or "-",
        one.status.replace("_", " "),
        "-" if one.exit_code is None else str(one.exit_code),
        one.detail,
    ]
