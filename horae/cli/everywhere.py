"""
What does an operator say to all processors at once?

That nothing may fire (`hold all`), that it may again (`hold lift`), and that our clocks are right
where they differ from the broker's (`clock accept`). And what was said last (`hold show`).
"""

from __future__ import annotations

from typing import Annotated

import typer

from horae.cli.asking import asking, show_reply
from horae.cli.endings import CODES
from horae.cli.output import Form, Output, printable, say, show_json
from horae.cli.standings import now, what_stands
from horae.cli.times import both_times, utc_or_none

hold_app = typer.Typer(no_args_is_help=True, help="Stop all firing, and let it go on.")
clock_app = typer.Typer(no_args_is_help=True, help="Settle a difference between clocks.")

Reason = Annotated[
    str,
    typer.Option(
        "--reason", "-r", metavar="TEXT", help="Why; stands in the ledger beside your name."
    ),
]


@hold_app.command("all", epilog=f"Example: horae hold all -r 'moving the cluster'. {CODES}")
def hold_all(reason: Reason = "", output: Output = Form.TABLE) -> None:
    """Let nothing fire anywhere until the hold is lifted."""
    with asking() as client:
        reply = client.hold(reason, at=now())
    show_reply(reply, output)


@hold_app.command(epilog=f"Example: horae hold lift. {CODES}")
def lift(reason: Reason = "", output: Output = Form.TABLE) -> None:
    """End the hold; what was due meanwhile is late, and each schedule's catch_up decides."""
    with asking() as client:
        reply = client.lift(reason, at=now())
    show_reply(reply, output)


@clock_app.command(epilog=f"Example: horae clock accept -r 'checked against NTP'. {CODES}")
def accept(reason: Reason = "", output: Output = Form.TABLE) -> None:
    """Say that our clocks are right where they differ from the broker's: firing goes on."""
    with asking() as client:
        reply = client.accept_clock(reason, at=now())
    show_reply(reply, output)


@hold_app.command(epilog=f"Example: horae hold show -o json. {CODES}")
def show(output: Output = Form.TABLE) -> None:
    """Show whether everything is held, since when, by whom and why."""
    hold = what_stands().hold
    held = hold is not None and hold.held
    if output is Form.JSON:
        said: dict[str, str | None] = {"since": None, "actor": None, "reason": None}
        if hold is not None:
            said = {"since": utc_or_none(hold.at), "actor": hold.actor, "reason": hold.reason}
        show_json({"held": held, **said})
    elif hold is None:
        say("nothing is held, and never was")
    elif held:
        say(held_words(hold.at, hold.actor, hold.reason))
    else:
        say(f"nothing is held, since {both_times(hold.at, 'UTC')} by {hold.actor}")


def held_words(since: int, actor: str, reason: str) -> str:
    """One line about a hold in force."""
    why = printable(reason) or "no reason given"
    return f"everything is held since {both_times(since, 'UTC')} by {printable(actor)}: {why}"
