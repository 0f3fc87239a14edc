"""
What can be done with schedules from the command line?

Each command that changes something sends one order and prints the decision; lists and descriptions
read the views in Postgres (listing.py, describing.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horae.cli import conflicting, describing, exporting, listing, scopes, skipping
from horae.cli.asking import asking, checked_id, send, show_replies, show_reply
from horae.cli.endings import CODES, Ending, Said
from horae.cli.missing import (
    warn_of_missing_apps,
    warn_of_missing_deployments,
    warn_of_missing_targets,
)
from horae.cli.output import Form, Output
from horae.cli.progress import counted
from schemas.definition import CatchUpMode
from schemas.policies import OverlapMode

app = typer.Typer(no_args_is_help=True, help="Define, list and steer schedules.")

Schedule = Annotated[
    str,
    typer.Argument(
        metavar="SUBJECT/NAME", help="Its id, such as billing/nightly.", show_default=False
    ),
]
Reason = Annotated[
    str,
    typer.Option(
        "--reason", "-r", metavar="TEXT", help="Why; stands in the ledger beside your name."
    ),
]


@app.command(
    epilog=f"Example: horae schedule define -f examples/heartbeat.yaml. {CODES}",
)
def define(
    files: Annotated[
        list[Path],
        typer.Option(
            "--file",
            "-f",
            metavar="FILE",
            help="YAML or JSON with one or more definitions, a folder of them, or - for input.",
            show_default=False,
        ),
    ],
    expected_version: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Refuse unless the schedule has this version (one definition only)."
        ),
    ] = None,
    output: Output = Form.TABLE,
) -> None:
    """Create schedules or change them; what is the same already stays as it is."""
    from horae.cli.definition_files import read_files
    from horae.client import Order
    from schemas.commands import Define

    found = read_files(files)
    if not found:
        raise Said("no definition stands in what was given")
    if expected_version is not None and len(found) != 1:
        raise Said("--expected-version is for one definition", Ending.USAGE)
    orders = [Order(one.schedule, Define(one.definition, expected_version)) for one in found]
    with asking() as client, counted("Waiting for replies", len(orders)) as told:
        answers = client.ask_many(orders, told)
    warn_of_missing_targets(orders, answers)
    warn_of_missing_apps(orders, answers)
    warn_of_missing_deployments(orders, answers)
    show_replies(orders, answers, [one.definition.zone for one in found], output)


@app.command(epilog=f"Example: horae schedule remove billing/nightly. {CODES}")
def remove(schedule: Schedule, output: Output = Form.TABLE) -> None:
    """Remove a schedule; what it fired stays fired, and its history stays."""
    schedule = checked_id(schedule)
    with asking() as client:
        reply = client.remove(schedule)
    show_reply(reply, output)


@app.command(epilog=f"Example: horae schedule pause billing/nightly -r move --until 2h. {CODES}")
def pause(
    schedule: Schedule,
    reason: Reason = "",
    until: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="When it goes on by itself: an instant such as 2026-12-01T09:00:00+01:00, or a "
            "length of time from now such as 2h.",
        ),
    ] = None,
    output: Output = Form.TABLE,
) -> None:
    """Let nothing of a schedule fire until it is resumed."""
    from horae.cli.times import instant_from
    from streams.clock import SystemClock

    schedule = checked_id(schedule)
    end = None if until is None else instant_from(until, "--until", SystemClock())
    with asking() as client:
        reply = client.pause(schedule, reason, end)
    show_reply(reply, output)


@app.command(epilog=f"Example: horae schedule resume billing/nightly --catch-up latest. {CODES}")
def resume(
    schedule: Schedule,
    reason: Reason = "",
    catch_up: Annotated[
        CatchUpMode | None,
        typer.Option(
            help="What of the pause still runs, this once. Default: as the definition says.",
            show_default=False,
        ),
    ] = None,
    output: Output = Form.TABLE,
) -> None:
    """End a pause; what was due meanwhile fires only if --catch-up or the definition says so."""
    from schemas.commands import Resume

    send(checked_id(schedule), Resume(reason, catch_up), output)


@app.command(epilog=f"Example: horae schedule trigger billing/nightly -r 'by hand'. {CODES}")
def trigger(
    schedule: Schedule,
    *,
    reason: Reason = "",
    force: Annotated[
        bool, typer.Option("--force", help="Whatever runs already, and whatever the caps.")
    ] = False,
    overlap: Annotated[
        OverlapMode | None,
        typer.Option(
            help="If an earlier run still goes: instead of the definition's, for this fire.",
            show_default=False,
        ),
    ] = None,
    output: Output = Form.TABLE,
) -> None:
    """Fire a schedule once, now, whatever its calendar says; ends with 1 if that was skipped."""
    from schemas.commands import Trigger

    send(checked_id(schedule), Trigger(reason, force, overlap), output)


app.command(epilog=conflicting.EPILOG)(conflicting.conflicts)
app.command(epilog=skipping.EPILOGS["skip"])(skipping.skip)
app.command(epilog=skipping.EPILOGS["unskip"])(skipping.unskip)
app.add_typer(scopes.app, name="scopes")
app.command("list", epilog=f"Example: horae schedule list --subject billing -o json. {CODES}")(
    listing.list_schedules
)
app.command(epilog=f"Example: horae schedule describe billing/nightly. {CODES}")(
    describing.describe
)
app.command(
    epilog=f"Example: horae schedule export > schedules.yaml. As JSON: -o json. {CODES}",
)(exporting.export)
