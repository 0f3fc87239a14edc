"""
Which files of other schedulers can be imported, and with which options?

Reads them, has them mapped by horae/importers, and leaves sending and telling to import_report.py.
Files of days off are imported by calendars.py.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from horae.cli.endings import CODES, Ending, Said
from horae.cli.import_report import carry_out, why_refused
from horae.cli.inputs import input_bytes, input_name
from horae.cli.output import Form, Output

app = typer.Typer(no_args_is_help=True, help="Take over schedules of other schedulers.")

_ALL_THE_SAME = f"{CODES} What is refused ends with 1; the rest is imported all the same."


Rehearsal = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be done, and send nothing.")
]


class Taken(StrEnum):
    """What `--as` takes for crontabs."""

    RECORD = "record"
    COMMAND = "command"


class Started(StrEnum):
    """What `--as` takes for CronJobs."""

    RECORD = "record"
    FRESH = "fresh"


@app.command(
    epilog="Example: horae import crontab /etc/crontab /etc/cron.d/* --dry-run. " + _ALL_THE_SAME
)
def crontab(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="Crontabs, or - for standard input.", show_default=False
        ),
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
        str | None,
        typer.Option(metavar="USER", help="Whose table it is, where entries do not say."),
    ] = None,
    topic: Annotated[
        str, typer.Option(metavar="TOPIC", help="The topic that the records are emitted to.")
    ] = "cron.jobs",
    form_of_action: Annotated[
        Taken,
        typer.Option(
            "--as",
            help="What a fire does: a record with the command in it, for whoever reads the topic; "
            "or the shell that cron would start, by a runner.",
        ),
    ] = Taken.RECORD,
    pool: Annotated[
        str | None,
        typer.Option(
            metavar="POOL",
            help="With --as command: whose runners start it. Default: default.",
            show_default=False,
        ),
    ] = None,
    zone: Annotated[
        str | None,
        typer.Option(
            metavar="ZONE",
            help="The zone cron ran in, where no CRON_TZ says so. Default: this machine's.",
        ),
    ] = None,
    dry_run: Rehearsal = False,
    output: Output = Form.TABLE,
) -> None:
    """
    Turn crontab entries into schedules that emit the command as a record, or start it.

    Importing again changes nothing: names come from what a line says, not from where it stands.
    """
    from horae.importers.crontab import import_table, machine_zone, table_of
    from horae.importers.crontab_actions import as_command, as_record
    from horae.importers.crontab_lines import Form as TableForm
    from schemas.actions import DEFAULT_POOL

    form = None if system is None else (TableForm.SYSTEM if system else TableForm.USER)
    tables = [table_of(input_name(path), input_bytes(path), form, user) for path in files]
    _check_options(topic, zone)
    zone = zone or machine_zone()
    if pool is not None and form_of_action is not Taken.COMMAND:
        raise Said("--pool: only with --as command", Ending.USAGE)
    as_commands = form_of_action is Taken.COMMAND
    action = as_command(pool or DEFAULT_POOL) if as_commands else as_record(topic)
    reports = [import_table(table, action=action, zone=zone, check=why_refused) for table in tables]
    carry_out(reports, output, dry_run=dry_run)


@app.command(
    epilog="Example: horae import kubernetes cronjobs.yaml --dry-run. Of a whole cluster: kubectl "
    f"get cronjobs -A -o yaml | horae import kubernetes -. {_ALL_THE_SAME}"
)
def kubernetes(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="Manifests in YAML or JSON, or - for standard input.",
            show_default=False,
        ),
    ],
    *,
    topic: Annotated[
        str, typer.Option(metavar="TOPIC", help="The topic that the job templates are emitted to.")
    ] = "kubernetes.jobs",
    form_of_action: Annotated[
        Started,
        typer.Option(
            "--as",
            help="What a fire does: a record with the job template in it, for whoever reads the "
            "topic; or the same container, started fresh by a runner.",
        ),
    ] = Started.RECORD,
    pool: Annotated[
        str | None,
        typer.Option(metavar="POOL", help="With --as fresh: whose runners.", show_default=False),
    ] = None,
    zone: Annotated[
        str,
        typer.Option(
            metavar="ZONE", help="The controller's own zone, for CronJobs without a timeZone."
        ),
    ] = "UTC",
    dry_run: Rehearsal = False,
    output: Output = Form.TABLE,
) -> None:
    """
    Turn CronJobs into schedules that emit their job template, or start their container.

    A schedule is called namespace/name, or with --as fresh namespace.name/name, and has an app of
    its own then. Objects of other kinds are passed over. The report says of every field what it
    became, and what is not kept.
    """
    from horae.importers.kubernetes import import_manifests
    from horae.importers.kubernetes_spec import Aim

    _check_options(topic, zone)
    if pool is not None and form_of_action is not Started.FRESH:
        raise Said("--pool: only with --as fresh", Ending.USAGE)
    fresh = form_of_action is Started.FRESH
    aim, seen = Aim(topic, zone, why_refused, fresh, pool), dict[str, str]()
    read = [(input_name(path), input_bytes(path)) for path in files]
    reports = [import_manifests(path, data, aim, seen) for path, data in read]
    carry_out(reports, output, dry_run=dry_run)


@app.command(
    epilog="Example: horae import systemd /etc/systemd/system/backup.timer --dry-run. Of a whole "
    f"machine: systemctl cat '*.timer' | horae import systemd -. {_ALL_THE_SAME}"
)
def systemd(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="Timer units, or - for standard input.", show_default=False
        ),
    ],
    *,
    subject: Annotated[
        str, typer.Option(metavar="SUBJECT", help="Under which subject the schedules are put.")
    ] = "systemd",
    topic: Annotated[
        str, typer.Option(metavar="TOPIC", help="The topic that the units' names are emitted to.")
    ] = "systemd.units",
    zone: Annotated[
        str | None,
        typer.Option(
            metavar="ZONE",
            help="The machine's zone, where an expression names none. Default: this machine's.",
        ),
    ] = None,
    dry_run: Rehearsal = False,
    output: Output = Form.TABLE,
) -> None:
    """
    Turn timer units into schedules that emit the name of the unit, one record a fire.

    OnCalendar becomes crons, OnUnitActiveSec an interval after each fire. What names no time on a
    calendar is refused with its line and a reason.
    """
    from horae.importers.crontab import machine_zone
    from horae.importers.systemd import import_timers
    from horae.importers.timer_settings import Aim

    _check_options(topic, zone)
    if "/" in subject:
        raise Said("--subject: a subject is what stands before the '/' of an id", Ending.USAGE)
    aim, seen = Aim(topic, subject, zone or machine_zone(), why_refused), dict[str, str]()
    read = [(input_name(path), input_bytes(path)) for path in files]
    reports = [import_timers(path, data, aim, seen) for path, data in read]
    carry_out(reports, output, dry_run=dry_run)


def _check_options(topic: str, zone: str | None) -> None:
    """Refuse once what would otherwise be refused for each part of each file."""
    from schemas.faults import FieldFault
    from schemas.limits import check_topic
    from streams.calendar.refusals import TimingRefused
    from streams.calendar.zones import check_zone

    try:
        check_topic(topic, "--topic")
        if zone is not None:
            check_zone(zone)
    except FieldFault as fault:
        raise Said(str(fault), Ending.USAGE) from fault
    except TimingRefused as refused:
        raise Said(f"--zone: {refused.message}", Ending.USAGE) from refused
