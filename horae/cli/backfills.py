"""
How does a person let instants of the past run once more?

All of a range is one order; those that are missing or failed are found in the ledger first
(horae/once_more.py) and named. How orders are sent and followed is backfilled.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typing_extensions import override

from horae.cli.asking import checked_id, send
from horae.cli.backfilled import carry_out, is_done, orders_for
from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, note, say, show_json
from horae.cli.times import instant_from
from schemas.policies import OverlapMode

if TYPE_CHECKING:
    from horae.once_more import Chosen
    from schemas.commands import Backfill

MOST = 1_000
"""Instants of one order."""
_MOST_ORDERS = 16
"""Backfills of a subject that may be under way at the same time."""


class Only(StrEnum):
    """Which instants of a range are meant."""

    MISSING = "missing"
    """Those that never fired, nor ran once more."""
    FAILED = "failed"
    """Those whose last run failed, took too long or was interrupted."""
    ALL = "all"


class _Short(TyperGroup):
    """`horae backfill SUBJECT/NAME` is `horae backfill start SUBJECT/NAME`."""

    @override
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words behind the command."""
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["start", *args]
        found: list[str] = super().parse_args(ctx, args)
        return found


app = typer.Typer(
    cls=_Short, no_args_is_help=True, help="Run instants of the past once more (start), or stop."
)

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
    epilog="Example: horae backfill start billing/nightly --from 2026-11-01T00:00:00Z "
    f"--to 2026-11-08T00:00:00Z --only missing --watch. {CODES}"
)
def start(
    schedule: Schedule,
    *,
    first: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="WHEN",
            help="The first instant, inclusive; or a length of time back from now such as 7d.",
            show_default=False,
        ),
    ],
    last: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="WHEN",
            help="The last instant, inclusive; or a length of time back from now. Default: now.",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        Only,
        typer.Option(
            help="missing: without a fire; failed: whose last run failed, timed out or was "
            "interrupted; all: whatever became of them."
        ),
    ] = Only.MISSING,
    newest_first: Annotated[
        bool, typer.Option("--newest-first", help="Else the oldest runs first.")
    ] = False,
    most: Annotated[
        int,
        typer.Option(
            "--max",
            metavar="N",
            min=1,
            max=MOST * _MOST_ORDERS,
            help="Of more instants than this take the newest; with --only all 1,000 at most.",
        ),
    ] = MOST,
    overlap: Annotated[
        OverlapMode | None,
        typer.Option(
            help="allow: all at once; latest, replace: as for instants that are due. Default: one "
            "after the other.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say which instants are meant.")
    ] = False,
    command_id: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="ID",
            help="Asked twice under one id it is done once, and told how far it is.",
            show_default=False,
        ),
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Stay until all had their turn.")] = False,
    reason: Reason = "",
    output: Output = Form.TABLE,
) -> None:
    """Run instants of the past once more, each as an occurrence of its own."""
    from schemas.commands import Backfill

    schedule = checked_id(schedule)
    if only is Only.ALL and most > MOST:
        raise Said(f"--max: with --only all at most {MOST:,}", Ending.USAGE)
    within = _range(first, last)
    named_before = command_id is not None and only is not Only.ALL and not dry_run
    if named_before and is_done(schedule, command_id or "", output, watch=watch):
        return
    wanted = Backfill(*within, (), newest_first, min(most, MOST), overlap, dry_run, reason)
    commands = [wanted]
    if only is not Only.ALL:
        commands = list(_named(wanted, _found(schedule, only, within, most)))
    if not commands:
        _show_nothing(schedule, only, output)
        return
    orders = list(orders_for(schedule, commands, command_id))
    again = command_id is not None
    carry_out(orders, output, watch=watch and not dry_run, again=again)


@app.command(epilog=f"Example: horae backfill cancel billing/nightly 7f3a -r 'enough'. {CODES}")
def cancel(
    schedule: Schedule,
    backfill: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="As the reply that began it says, or its --id.", show_default=False
        ),
    ],
    reason: Reason = "",
    output: Output = Form.TABLE,
) -> None:
    """Let the rest of a backfill not run; what it began goes on."""
    from schemas.commands import CancelBackfill

    names = {"backfill": "ID", "reason": "--reason"}
    send(checked_id(schedule), CancelBackfill(backfill, reason), output, names)


def _range(first: str, last: str | None) -> tuple[int, int]:
    from streams.clock import SystemClock

    clock = SystemClock()
    begin = instant_from(first, "--from", clock, back=True)
    end = clock.wall() if last is None else instant_from(last, "--to", clock, back=True)
    if end < begin:
        raise Said("--to: must not be earlier than --from", Ending.USAGE)
    return begin, end


def _found(schedule: str, only: Only, within: tuple[int, int], most: int) -> Chosen:
    """Look into the ledger."""
    from horae.cli.progress import filling
    from horae.once_more import find
    from horae.past import Past
    from horae.settings import load_settings

    with filling("reading the ledger") as told, Past(load_settings().bootstrap, told) as past:
        found = find(past, schedule, within, most, failed=only is Only.FAILED)
    if not found.is_known:
        raise Said(f"there is no schedule {schedule}")
    if found.more:
        note(f"{found.more:,} older ones are left out: --max says how many are taken")
    if found.elsewhere:
        note(f"{found.elsewhere:,} others failed at instants that the calendar does not have now")
    return found


def _named(wanted: Backfill, found: Chosen) -> Iterator[Backfill]:
    """Orders for these instants, each of no more than one may have."""
    from dataclasses import replace

    instants = found.instants
    parts = [instants[i : i + MOST] for i in range(0, len(instants), MOST)]
    for part in reversed(parts) if wanted.newest_first else parts:
        yield replace(wanted, first=None, last=None, instants=part)


def _show_nothing(schedule: str, only: Only, output: Form) -> None:
    if output is Form.JSON:
        show_json({"schedule": schedule, "replies": [], "backfills": []})
        return
    what = "is missing" if only is Only.MISSING else "failed"
    say(f"{schedule}: nothing {what} there that could run once more")
