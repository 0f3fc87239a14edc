"""
Which commands are there?

Puts the commands together; what each does is in the module it comes from. Nothing is loaded here
that only one of them needs, so that help and previews are there at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

from horae import __version__
from horae.cli import (
    api,
    audit,
    backfills,
    calendars,
    config,
    days_off,
    deployments,
    events,
    everywhere,
    explain,
    freezes,
    importing,
    preview,
    proposals,
    proposing,
    roles,
    run_lists,
    runs,
    schedule,
    subjects,
    topics,
    traffic,
    up,
    whatif,
)
from horae.cli.endings import CODES, Faces
from horae.cli.output import say


def _tell_version(wanted: bool) -> None:  # noqa: FBT001 - so it is called
    if wanted:
        say(f"horae {__version__}")
        raise typer.Exit


app = typer.Typer(
    cls=Faces,
    name="horae",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="An event-sourced scheduler on Kafka: every occurrence is fired, skipped or deferred "
    "exactly once, with a reason.",
    epilog=f"First steps: horae up --demo. {CODES}",
)


@app.callback()
def _horae(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", is_eager=True, callback=_tell_version),
    ] = False,
) -> None:
    """Take what stands before the command."""


app.command(epilog=up.EPILOG)(up.up)
app.add_typer(schedule.app, name="schedule")
app.command(epilog=preview.EPILOG)(preview.preview)
app.add_typer(subjects.app, name="subject")
app.add_typer(deployments.app, name="deployment")
app.add_typer(runs.app, name="runs")
app.command(epilog=run_lists.EPILOGS["insights"])(run_lists.insights)
app.add_typer(backfills.app, name="backfill")
app.command(epilog=explain.EPILOG)(explain.explain)
app.command(epilog=audit.EPILOG)(audit.audit)
app.command(epilog=whatif.EPILOG)(whatif.whatif)
app.command(epilog=proposing.EPILOG)(proposing.propose)
app.add_typer(proposals.app, name="proposal")
app.add_typer(events.app, name="events")
app.add_typer(everywhere.hold_app, name="hold")
app.add_typer(everywhere.clock_app, name="clock")
app.add_typer(freezes.app, name="freeze")
calendars.app.command(epilog=days_off.EPILOGS["holidays"])(days_off.holidays)
app.add_typer(calendars.app, name="calendar")
importing.app.command(epilog=days_off.EPILOGS["ics"])(days_off.ics)
app.add_typer(importing.app, name="import")
app.add_typer(topics.app, name="topics")
app.command(epilog=roles.EPILOGS["processor"])(roles.processor)
app.command(epilog=roles.EPILOGS["runner"])(roles.runner)
app.command(epilog=roles.EPILOGS["projector"])(roles.projector)
app.command(epilog=roles.EPILOGS["sampler"])(roles.sampler)
app.add_typer(traffic.app, name="traffic")
app.command(epilog=roles.EPILOGS["rebuild"])(roles.rebuild)
app.command(epilog=api.EPILOG)(api.api)
app.add_typer(api.token_app, name="token")
app.command(epilog=config.EPILOG)(config.config)


def main() -> None:
    """Run the command that was typed."""
    app()
