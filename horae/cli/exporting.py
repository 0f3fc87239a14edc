"""
Which file would define what runs now?

Definitions as the views hold them, in the format that `horae schedule define -f` reads: defined
again, each is answered `unchanged`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.asking import checked_id
from horae.cli.endings import Said
from horae.cli.listing import all_pages, removed
from horae.cli.output import Form, Output, say, show_json
from horae.cli.views import views

if TYPE_CHECKING:
    from projections.queries import Reads
    from projections.shown import ScheduleShown

_MOST = 1_000_000_000


def export(
    schedules: Annotated[
        list[str] | None,
        typer.Argument(metavar="SUBJECT/NAME", help="Their ids; without any, all."),
    ] = None,
    *,
    output: Output = Form.TABLE,
) -> None:
    """Print definitions as a file for `define -f`: YAML, or JSON with -o json."""
    wanted = [checked_id(each) for each in schedules or ()]
    with views() as reads:
        rows = _rows(reads, wanted)
    found = [file_entry(row) for row in rows]
    if output is Form.JSON:
        show_json(found)
    else:
        say(as_yaml(found))


def file_entry(row: ScheduleShown) -> dict[str, Any]:
    """The schedule as a file holds it."""
    from schemas.definition_json import definition_json

    return {"schedule": row.schedule, **definition_json(row.rule)}


def as_yaml(document: Any) -> str:
    """YAML that our reader takes for the same."""
    import yaml

    from horae.cli.plain_yaml import PlainDumper

    text: str = yaml.dump(document, Dumper=PlainDumper, sort_keys=False, allow_unicode=True)
    return text.removesuffix("\n")


def _rows(reads: Reads, wanted: list[str]) -> list[ScheduleShown]:
    from projections.queries import ScheduleFilter

    if not wanted:
        return all_pages(reads, ScheduleFilter(), _MOST)[0]
    rows = []
    for schedule in dict.fromkeys(wanted):
        row = reads.schedule(schedule)
        if row is None:
            raise Said(f"{schedule}: the views know no such schedule{removed(reads, schedule)}")
        rows.append(row)
    return rows
