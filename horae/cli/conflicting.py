"""
What does a person learn of schedules that would do the same to one target?

Holds the definitions of a file against the enabled schedules of the views; what a conflict is says
horae/conflicts.py. Nothing is sent, and nothing is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horae.cli.endings import CODES, Said
from horae.cli.listing import StatusWord, all_pages
from horae.cli.output import Form, Output, say, show_json, show_table
from horae.cli.views import views

if TYPE_CHECKING:
    from horae.conflicts import Conflict

EPILOG = (
    "Example: horae schedule conflicts -f power-off.yaml. Advice only: it ends with 0 whatever is "
    f"found, and define asks nothing of it. {CODES}"
)
_ALL = 1_000_000_000


def conflicts(
    files: Annotated[
        list[Path],
        typer.Option(
            "--file",
            "-f",
            metavar="FILE",
            help="The definitions, as `schedule define` reads them: a file, a folder, or - for "
            "input.",
            show_default=False,
        ),
    ],
    output: Output = Form.TABLE,
) -> None:
    """Show which enabled schedules do the same to a shared target."""
    from horae.cli.definition_files import read_files
    from horae.conflicts import find_conflicts
    from projections.queries import ScheduleFilter

    proposed = {one.schedule: one.definition for one in read_files(files)}
    if not proposed:
        raise Said("no definition stands in what was given")
    with views() as reads:
        rows, _ = all_pages(reads, ScheduleFilter(status=StatusWord.ENABLED), _ALL)
    show_conflicts(find_conflicts(proposed, ((row.schedule, row.rule) for row in rows)), output)


def show_conflicts(found: list[Conflict], output: Form) -> None:
    """A line for each, or one JSON document."""
    if output is Form.JSON:
        show_json([one._asdict() for one in found])
    elif found:
        show_table(
            ["schedule", "does the same as", "to"],
            [[one.schedule, one.other, ", ".join(one.targets)] for one in found],
            empty="",
        )
    else:
        say("no enabled schedule does the same to a target of these")
