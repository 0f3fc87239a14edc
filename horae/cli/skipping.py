"""
How does a person let single instants of a schedule not fire, and take that back?

One order each. What was due before is settled; what is to be skipped is skipped with the reason
`requested` when it is due.
"""

from __future__ import annotations

from typing import Annotated

import typer

from horae.cli.asking import checked_id, send
from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output
from horae.cli.times import instant_from

EPILOGS = {
    "skip": f"Example: horae schedule skip billing/nightly --next 2 -r 'stocktaking'. {CODES}",
    "unskip": "Example: horae schedule unskip billing/nightly --at 2026-12-24T02:30:00+01:00. "
    f"{CODES}",
}

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


def skip(
    schedule: Schedule,
    *,
    count: Annotated[
        int | None,
        typer.Option(
            "--next",
            metavar="N",
            help="The next so many instants, 1 to 1,000.",
            show_default=False,
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="WHEN",
            help="Instead the one at this instant, such as 2026-12-24T02:30:00+01:00.",
            show_default=False,
        ),
    ] = None,
    reason: Reason = "",
    output: Output = Form.TABLE,
) -> None:
    """Let the next instants of a schedule, or a single one, not fire."""
    from schemas.commands import Skip

    if (count is None) is (at is None):
        raise Said("give either --next N or --at WHEN: what to skip", Ending.USAGE)
    about = checked_id(schedule)
    command = Skip(count, None if at is None else _instant(at), reason)
    send(about, command, output, {"count": "--next", "instant": "--at", "reason": "--reason"})


def unskip(
    schedule: Schedule,
    *,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="WHEN",
            help="Only the one at this instant. Default: all that are to be skipped.",
            show_default=False,
        ),
    ] = None,
    reason: Reason = "",
    output: Output = Form.TABLE,
) -> None:
    """Let instants that are to be skipped fire after all."""
    from schemas.commands import Unskip

    about = checked_id(schedule)
    command = Unskip(None if at is None else _instant(at), reason)
    send(about, command, output, {"reason": "--reason"})


def _instant(text: str) -> int:
    from streams.clock import SystemClock

    return instant_from(text, "--at", SystemClock())
