"""
What happens, as it is written into the ledger?

`tail` prints events as they are committed. Reading is horae/tail.py, how an event looks
horae/ledger.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from horae.cli.asking import checked_id, checked_subject
from horae.cli.endings import CODES
from horae.cli.output import Form, Output, say, show_json_line

if TYPE_CHECKING:
    from horae.tail import From, Tail

app = typer.Typer(no_args_is_help=True, help="Look into the ledger.")

_PAUSE = 0.5


@app.callback()
def _events() -> None:
    """Keep `tail` a command of its own, though it is the only one."""


@app.command(
    epilog="Example: horae events tail --schedule billing/nightly --from beginning --no-follow "
    f"-o json. With -o json each event is a line of its own. {CODES}"
)
def tail(
    schedule: Annotated[
        str | None,
        typer.Option(
            metavar="SUBJECT/NAME",
            help="Only events of this schedule; SUBJECT/ for those of a subject as a whole.",
        ),
    ] = None,
    start: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="WHERE",
            help="beginning, end, an instant such as 2026-12-01T09:00:00Z, or a length of time "
            "back from now such as 2h.",
        ),
    ] = "end",
    *,
    follow: Annotated[
        bool, typer.Option(help="Go on when all that was there has been shown.")
    ] = True,
    n: Annotated[
        int | None,
        typer.Option(
            "-n", metavar="N", min=1, help="End after the first so many events.", show_default=False
        ),
    ] = None,
    output: Output = Form.TABLE,
) -> None:
    """Print what happened, oldest first, and go on with what happens."""
    from horae.settings import load_settings
    from horae.tail import Tail

    only = None if schedule is None else _about(schedule)
    with Tail(load_settings().bootstrap, _start(start), only) as events:
        _print(events, output, follow=follow, most=n)


def _about(text: str) -> str:
    """A schedule, or with nothing behind the slash what concerns its subject as a whole."""
    from schemas.identity import is_subject

    return checked_subject(text) if is_subject(text) else checked_id(text)


def _print(events: Tail, output: Form, *, follow: bool, most: int | None) -> None:
    from horae.cli.output import printable
    from horae.ledger import event_json, event_line

    left = most
    while left is None or left > 0:
        stretch = events.read(_PAUSE)
        for recorded in stretch.events[:left]:
            if output is Form.JSON:
                show_json_line(event_json(recorded))
            else:
                say(printable(event_line(recorded)))
        if left is not None:
            left -= len(stretch.events)
        if stretch.caught_up and not follow:
            return


def _start(text: str) -> From | int:
    from horae.cli.times import instant_from
    from horae.tail import From
    from streams.clock import SystemClock

    if text in {each.value for each in From}:
        return From(text)
    return instant_from(
        text, "--from", SystemClock(), back=True, words=tuple(each.value for each in From)
    )
