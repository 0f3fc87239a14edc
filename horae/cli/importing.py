"""
How do schedules of other schedulers come here?

Reads the files, shows line by line what was mapped how and what was refused and why, and sends the
definitions unless it is only a rehearsal. The mapping is horae/importers.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.asking import asking, reply_as_json, reply_as_line, went_well
from horae.cli.endings import CODES, Ending, ending_of
from horae.cli.missing import warn_of_missing_targets
from horae.cli.output import Form, Output, printable, say, show_json
from horae.cli.progress import counted

if TYPE_CHECKING:
    from horae.client import ClientFault
    from horae.importers.crontab import Report
    from schemas.replies import Reply

app = typer.Typer(no_args_is_help=True, help="Take over schedules of other schedulers.")


@app.callback()
def _imports() -> None:
    """Keep `crontab` a command of its own, though it is the only one."""


@app.command(
    epilog=f"Example: horae import crontab /etc/crontab /etc/cron.d/* --dry-run. {CODES} "
    "A refused line ends with 1; the others are imported all the same."
)
def crontab(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Crontabs.", show_default=False),
    ],
    *,
    system: Annotated[
        bool | None,
        typer.Option(
            "--system/--user-form",
            help="Whether entries name their user. Default: /etc/crontab and /etc/cron.d do.",
            show_default=False,
        ),
    ] = None,
    user: Annotated[
        str | None, typer.Option(help="Whose table it is, where entries do not say.")
    ] = None,
    topic: Annotated[
        str, typer.Option(help="The topic that the records are emitted to.")
    ] = "cron.jobs",
    zone: Annotated[
        str | None,
        typer.Option(
            help="The zone cron ran in, where no CRON_TZ says so. Default: this machine's."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be done, and send nothing.")
    ] = False,
    output: Output = Form.TABLE,
) -> None:
    """
    Turn crontab entries into schedules that emit the command, one record a fire.

    Importing again changes nothing: names come from what a line says, not from where it stands.
    """
    from horae.importers.crontab import import_table, machine_zone, open_table
    from horae.importers.crontab_lines import Form as TableForm

    form = None if system is None else (TableForm.SYSTEM if system else TableForm.USER)
    tables = [open_table(path, form, user) for path in files]
    zone = zone or machine_zone()
    reports = [import_table(table, topic=topic, zone=zone, check=why_refused) for table in tables]
    answers = {} if dry_run else send(reports)
    if output is Form.JSON:
        show_json([_as_json(report, answers) for report in reports])
    else:
        for report in reports:
            for line in report_lines(report, answers):
                say(line)
    refused = any(report.refused for report in reports)
    ending = max(map(_ending, answers.values()), default=Ending.DONE)
    if refused or ending is not Ending.DONE:
        raise typer.Exit(max(ending, Ending.REFUSED))


def why_refused(definition: Mapping[str, Any]) -> str | None:
    """Why Horae would not take a definition; None: it would."""
    from schemas.faults import FieldFault
    from schemas.reading import read_definition
    from streams.calendar.occurrences import TimingRefused, rule_for

    try:
        read = read_definition(definition)
        rule_for(read.timings, read.zone, read.dst, "of/import")
    except (FieldFault, TimingRefused) as fault:
        return str(fault)
    return None


def send(reports: list[Report], bootstrap: str | None = None) -> dict[str, Reply | ClientFault]:
    """Define every schedule of the reports; the answers by schedule."""
    from horae.client import Order
    from schemas.commands import Define
    from schemas.reading import read_definition

    orders = [
        Order(entry.schedule, Define(read_definition(entry.definition)))
        for report in reports
        for entry in report.mapped
    ]
    if not orders:
        return {}
    with asking(bootstrap) as client, counted("Waiting for replies", len(orders)) as told:
        answers = client.ask_many(orders, told)
    warn_of_missing_targets(orders, answers, bootstrap)
    return {order.schedule: answer for order, answer in zip(orders, answers, strict=True)}


def report_lines(report: Report, answers: Mapping[str, Reply | ClientFault]) -> list[str]:
    """What became of each line of a file, in the file's order."""
    found: list[tuple[int, str]] = []
    for entry in report.mapped:
        answer = answers.get(entry.schedule)
        zone = entry.definition["zone"]
        what = f"{entry.schedule}  {entry.definition['cron']}  {zone}"
        if isinstance(answer, Exception):
            what = f"{entry.schedule}: {ending_of(answer)[0]}"
        elif answer is not None:
            what = reply_as_line(answer, zone)
        found.append((entry.number, what))
    found += [(each.number, f"refused: {each.why}: {each.text}") for each in report.refused]
    found += [(each.number, f"note: {each.text}") for each in report.remarks]
    head = (
        f"{report.path} ({report.form} form): {len(report.mapped)} mapped, "
        f"{len(report.refused)} refused"
    )
    # One line each, whatever a crontab holds.
    return [head, *(f"  line {number}: {printable(text)}" for number, text in sorted(found))]


def _ending(answer: Reply | ClientFault) -> Ending:
    if isinstance(answer, Exception):
        return ending_of(answer)[1]
    return Ending.DONE if went_well(answer) else Ending.REFUSED


def _as_json(report: Report, answers: Mapping[str, Reply | ClientFault]) -> dict[str, Any]:
    def reply(schedule: str) -> dict[str, Any]:
        answer = answers.get(schedule)
        if answer is None:
            return {}
        if isinstance(answer, Exception):
            return {"reply": {"verdict": None, "message": ending_of(answer)[0]}}
        return {"reply": reply_as_json(answer)}

    return {
        "file": str(report.path),
        "form": str(report.form),
        "mapped": [
            {
                "line": each.number,
                "text": each.text,
                "schedule": each.schedule,
                "definition": each.definition,
                **reply(each.schedule),
            }
            for each in report.mapped
        ],
        "refused": [
            {"line": each.number, "text": each.text, "why": each.why} for each in report.refused
        ],
        "notes": [{"line": each.number, "text": each.text} for each in report.remarks],
    }
