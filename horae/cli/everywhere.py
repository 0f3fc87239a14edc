"""
What does an operator say to all processors at once?

That nothing may fire (`hold all`), that it may again (`hold lift`), and that our clocks are right
where they differ from the broker's (`clock accept`).
"""

from __future__ import annotations

from typing import Annotated

import typer

from horae.cli.asking import asking, show_reply
from horae.cli.endings import CODES
from horae.cli.output import Form, Output

hold_app = typer.Typer(no_args_is_help=True, help="Stop all firing, and let it go on.")
clock_app = typer.Typer(no_args_is_help=True, help="Settle a difference between clocks.")

Reason = Annotated[
    str, typer.Option("--reason", "-r", help="Why; stands in the ledger beside your name.")
]


@hold_app.command("all", epilog=f"Example: horae hold all -r 'moving the cluster'. {CODES}")
def hold_all(reason: Reason = "", output: Output = Form.TABLE) -> None:
    """Let nothing fire anywhere until the hold is lifted."""
    with asking() as client:
        reply = client.hold(reason, at=_now())
    show_reply(reply, output)


@hold_app.command(epilog=f"Example: horae hold lift. {CODES}")
def lift(reason: Reason = "", output: Output = Form.TABLE) -> None:
    """End the hold; what was due meanwhile is late, and each schedule's catch_up decides."""
    with asking() as client:
        reply = client.lift(reason, at=_now())
    show_reply(reply, output)


@clock_app.command(epilog=f"Example: horae clock accept -r 'checked against NTP'. {CODES}")
def accept(reason: Reason = "", output: Output = Form.TABLE) -> None:
    """Say that our clocks are right where they differ from the broker's: firing goes on."""
    with asking() as client:
        reply = client.accept_clock(reason, at=_now())
    show_reply(reply, output)


def _now() -> int:
    from streams.clock import SystemClock

    return SystemClock().wall()
