"""
During which time is nothing of some subjects to fire?

A freeze is one absolute record for everyone: what is due inside of it is skipped with the reason
`freeze`, and not made good. Reads and writes the same topic as calendars.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.asking import asking, show_reply
from horae.cli.calendars import checked_name
from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, show_json, show_table
from horae.cli.standings import now, what_stands
from horae.cli.times import both_times, instant_from

if TYPE_CHECKING:
    from schemas.globals import Freeze

app = typer.Typer(no_args_is_help=True, help="Skip what is due during a time.")

Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="Its name, such as year-end.", show_default=False),
]
Reason = Annotated[
    str,
    typer.Option(
        "--reason", "-r", metavar="TEXT", help="Why; stands in the ledger beside your name."
    ),
]


@app.command(
    epilog="Example: horae freeze add year-end --subject 'billing*' --from 2026-12-23T00:00:00Z "
    f"--to 4d -r 'nobody is here'. {CODES}"
)
def add(
    name: Name,
    *,
    subjects: Annotated[
        list[str],
        typer.Option(
            "--subject",
            metavar="SUBJECT",
            help="Whom it is about; * stands for any characters, and alone for everybody. "
            "Repeatable.",
            show_default=False,
        ),
    ],
    begin: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="WHEN",
            help="An instant such as 2026-12-23T00:00:00+01:00, or a length of time from now. "
            "Default: now.",
        ),
    ] = None,
    end: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="WHEN",
            help="Up to there, itself not frozen: an instant, or a length of time from its "
            "beginning such as 2h.",
            show_default=False,
        ),
    ],
    reason: Reason = "",
    output: Output = Form.TABLE,
) -> None:
    """Skip what is due from one instant to another; the same name again replaces it."""
    freeze = _read(subjects, begin, end, reason)
    checked_name(name)
    with asking() as client:
        reply = client.freeze(name, freeze, at=now())
    show_reply(reply, output)


@app.command(epilog=f"Example: horae freeze lift year-end -r 'we are back'. {CODES}")
def lift(name: Name, reason: Reason = "", output: Output = Form.TABLE) -> None:
    """End a freeze before its time; what it skipped stays skipped."""
    found = what_stands().freezes
    if name not in found:
        known = ", ".join(found) or "none"
        raise Said(f"{name}: there is no such freeze; there are: {known}")
    with asking() as client:
        reply = client.lift_freeze(name, found[name][1], reason, at=now())
    show_reply(reply, output)


@app.command("list", epilog=f"Example: horae freeze list -o json. {CODES}")
def list_freezes(output: Output = Form.TABLE) -> None:
    """List all freezes that were not lifted: to come, in force, and over."""
    found, instant = what_stands().freezes, now()
    if output is Form.JSON:
        show_json([_as_json(name, *one, instant) for name, one in found.items()])
        return
    show_table(
        ["freeze", "state", "subjects", "from", "to", "reason", "by"],
        [
            [
                name,
                _state(freeze, instant),
                ", ".join(freeze.subjects),
                both_times(freeze.begins_at, "UTC"),
                both_times(freeze.ends_at, "UTC"),
                freeze.reason,
                freeze.actor,
            ]
            for name, (_, freeze) in found.items()
        ],
        empty="nothing is frozen, now or later",
    )


def _read(subjects: list[str], begin: str | None, end: str, reason: str) -> Freeze:
    from schemas.faults import FieldFault
    from schemas.instants import format_instant
    from schemas.reading_times import read_freeze
    from streams.clock import SteppedClock, SystemClock

    clock = SystemClock()
    begins_at = clock.wall() if begin is None else instant_from(begin, "--from", clock)
    ends_at = instant_from(end, "--to", SteppedClock(begins_at))
    names = {
        "subjects": "--subject",
        "begins_at": "--from",
        "ends_at": "--to",
        "reason": "--reason",
    }
    try:
        return read_freeze(
            {
                "subjects": subjects,
                "begins_at": format_instant(begins_at),
                "ends_at": format_instant(ends_at),
                "reason": reason,
            }
        )
    except FieldFault as fault:
        field = fault.field.partition("[")[0]
        said = f"{names.get(field, field)}: {fault.message}"
        raise Said(said.replace("begins_at", "--from"), Ending.USAGE) from fault


def _state(freeze: Freeze, instant: int) -> str:
    if instant < freeze.begins_at:
        return "to come"
    return "in force" if instant < freeze.ends_at else "over"


def _as_json(name: str, offset: int, freeze: Freeze, instant: int) -> dict[str, Any]:
    from horae.cli.times import utc_or_none
    from schemas.times_json import freeze_json

    return {
        "freeze": name,
        "version": offset,
        "state": _state(freeze, instant),
        **freeze_json(freeze),
        "actor": freeze.actor,
        "at": utc_or_none(freeze.at),
    }
