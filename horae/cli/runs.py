"""
What does a person or a service say of a run?

What became of it or that it goes on (`report`), and that it is to stop (`cancel`). Both are orders
like all others; a run is named by its id, which stands in the record that asked for the work. Which
ones there are is run_lists.py, what is known of one run_shown.py.
"""

from __future__ import annotations

from typing import Annotated

import typer

from horae.cli import run_lists, run_shown
from horae.cli.asking import checked_subject, send
from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output
from horae.cli.run_shown import Run
from horae.cli.views import NoDatabase, views
from schemas.commands import ReportStatus

app = typer.Typer(
    no_args_is_help=True,
    help="Look at runs (list, show and tail read the views), report about them, and cancel them "
    "(both are decided by the processor, without the views).",
)
app.command("list", epilog=run_lists.EPILOGS["list"])(run_lists.list_runs)
app.command("show", epilog=run_shown.EPILOGS["show"])(run_shown.show_run)
app.command("tail", epilog=run_shown.EPILOGS["tail"])(run_shown.tail_run)

Subject = Annotated[
    str,
    typer.Argument(metavar="SUBJECT", help="Whose run it is, such as billing.", show_default=False),
]


@app.command(
    epilog="Example: horae runs report billing jr_AbCdEfGhIjKl failed --detail 'disk full'. "
    f"{CODES}"
)
def report(
    subject: Subject,
    run: Run,
    status: Annotated[
        ReportStatus,
        typer.Argument(
            help="running: it goes on; cancelled: it was stopped and cleaned up.",
            show_default=False,
        ),
    ],
    *,
    attempt: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Which attempt is meant. Default: the present one.",
            show_default=False,
        ),
    ] = None,
    detail: Annotated[
        str, typer.Option(metavar="TEXT", help="What a person should know of it.")
    ] = "",
    output: Output = Form.TABLE,
) -> None:
    """Say what became of a run, or that it goes on."""
    from schemas.commands import ReportRun

    command = ReportRun(run, status, attempt, detail)
    names = {"run": "RUN", "attempt": "--attempt", "detail": "--detail"}
    send(checked_subject(subject), command, output, names)


@app.command(
    epilog="Example: horae runs cancel jr_AbCdEfGhIjKl -r 'hangs'. Where there are no views the "
    f"subject is to be named, too: horae runs cancel billing jr_AbCdEfGhIjKl. {CODES}"
)
def cancel(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[SUBJECT] RUN",
            help="Its id, jr_ and twelve characters; whose it is is looked up, unless it is said.",
            show_default=False,
        ),
    ],
    reason: Annotated[
        str,
        typer.Option(
            "--reason", "-r", metavar="TEXT", help="Why; stands in the ledger beside your name."
        ),
    ] = "",
    output: Output = Form.TABLE,
) -> None:
    """Ask a run to stop; it is over when whoever does it says so. One that waits ends at once."""
    from schemas.commands import CancelRun

    if len(words) > 2:
        raise Said("one run at a time: horae runs cancel [SUBJECT] RUN", Ending.USAGE)
    *named, run = words
    subject = named[0] if named else _subject_of(run)
    names = {"run": "RUN", "reason": "--reason"}
    send(checked_subject(subject), CancelRun(run, reason), output, names)


def _subject_of(run: str) -> str:
    try:
        with views() as reads:
            row = reads.run(run)
    except NoDatabase as fault:
        said = f"{fault}; or say whose it is: horae runs cancel SUBJECT RUN"
        raise Said(said, fault.ending) from fault
    if row is None:
        raise Said(f"{run}: the views know no such run, or keep it no longer")
    return row.subject
