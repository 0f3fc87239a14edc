"""
How is the traffic of deployments put together, and how is it shown?

`horae traffic` without another word is the worker; what it does is streams/traffic. What is shown
is traffic_shown.py.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from horae.cli import traffic_shown
from horae.cli.endings import CODES
from horae.cli.roles import begin

EPILOG = f"Example: HORAE_BOOTSTRAP=kafka:9092 horae traffic. {CODES}"

app = typer.Typer(
    invoke_without_command=True,
    epilog=EPILOG,
    help="Put samples of traffic together to minutes; run as many as needed. Or show them.",
)
app.command("show", epilog=traffic_shown.EPILOG)(traffic_shown.show_traffic)


@app.callback()
def traffic(
    context: typer.Context,
    instance: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The worker's name, the same after every start. Default: <host>-<n>.",
        ),
    ] = None,
) -> None:
    """
    Put samples of traffic together to minutes. Run as many as needed.

    SIGTERM or Ctrl-C ends it in order. Settings: `horae config`.
    """
    if context.invoked_subcommand is not None:
        return
    from streams.traffic.main import run_traffic
    from streams.traffic.settings import TrafficSettings

    given: dict[str, Any] = {"bootstrap": begin().bootstrap}
    if instance is not None:
        given["instance"] = instance
    run_traffic(TrafficSettings(**given))
