"""
Which shared calendars are there, and how is one set or taken away?

A calendar says on which days, or at which wall times, nothing of a schedule that names it is due.
It is one absolute record for everyone; what is there is read from the same topic. Days off from
files and by country are days_off.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.asking import asking, show_reply
from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, say, show_fields, show_json, show_table
from horae.cli.standings import now, what_stands
from horae.cli.times import both_times, utc_or_none

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.globals import Calendar

app = typer.Typer(no_args_is_help=True, help="Share days on which nothing is due.")

_SHOWN = 10

Name = Annotated[
    str,
    typer.Argument(metavar="NAME", help="Its name, such as bank-holidays.", show_default=False),
]


@app.command(
    "set",
    epilog="Example: horae calendar set bank-holidays --weekdays sat,sun --yearly 12-24..01-01 "
    f"--date 2026-04-03. {CODES}",
)
def set_calendar(
    name: Name,
    *,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            "-f",
            metavar="FILE",
            help="YAML or JSON with dates, weekdays, yearly, crons, base, description; or - for "
            "input.",
        ),
    ] = None,
    dates: Annotated[
        list[str] | None,
        typer.Option("--date", metavar="DATE", help="A day, such as 2026-12-24. Repeatable."),
    ] = None,
    weekdays: Annotated[
        str | None, typer.Option(metavar="DAYS", help="Days of the week, such as sat,sun.")
    ] = None,
    yearly: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RANGE", help="Days of every year: 12-25 or 12-24..01-06. Repeatable."
        ),
    ] = None,
    crons: Annotated[
        list[str] | None,
        typer.Option("--cron", metavar="CRON", help="Wall times that match. Repeatable."),
    ] = None,
    base: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A calendar whose days count, too. Repeatable."),
    ] = None,
    description: Annotated[str | None, typer.Option(metavar="TEXT", help="What it is for.")] = None,
    output: Output = Form.TABLE,
) -> None:
    """
    Let a calendar be just this; what it held before is replaced.

    Schedules that name it in their `exclude` are computed anew at once.
    """
    said = {
        "dates": dates,
        "weekdays": weekdays,
        "yearly": yearly,
        "crons": crons,
        "base": base,
        "description": description,
    }
    given = {field: value for field, value in said.items() if value is not None}
    if bool(given) == (file is not None):
        raise Said("wanted is a file, or options that say what is excluded", Ending.USAGE)
    calendar = read_calendar(given if file is None else _document(file), file)
    put(name, calendar, output)


@app.command(epilog=f"Example: horae calendar show bank-holidays -o json. {CODES}")
def show(name: Name, output: Output = Form.TABLE) -> None:
    """Show what a calendar excludes, as a file for `set -f` would hold it."""
    from schemas.times_json import calendar_json

    offset, calendar = _known(name)
    if output is Form.JSON:
        show_json(as_json(name, offset, calendar))
        return
    from horae.cli.exporting import as_yaml

    show_fields(
        {
            "calendar": name,
            "version": str(offset),
            "set": f"{both_times(calendar.at, 'UTC')} by {calendar.actor}",
        }
    )
    say("")
    say(as_yaml(calendar_json(calendar)))


@app.command("list", epilog=f"Example: horae calendar list -o json. {CODES}")
def list_calendars(output: Output = Form.TABLE) -> None:
    """List all shared calendars, with what each excludes in a few words."""
    found = what_stands().calendars
    if output is Form.JSON:
        show_json([as_json(name, *one) for name, one in found.items()])
        return
    show_table(
        ["calendar", "excludes", "description", "version", "set"],
        [
            [
                name,
                in_words(calendar),
                calendar.description,
                str(offset),
                f"{both_times(calendar.at, 'UTC')} by {calendar.actor}",
            ]
            for name, (offset, calendar) in found.items()
        ],
        empty="there is no shared calendar",
    )


@app.command(epilog=f"Example: horae calendar remove bank-holidays. {CODES}")
def remove(name: Name, output: Output = Form.TABLE) -> None:
    """Take a calendar away: schedules that name it exclude nothing by it any more."""
    found = what_stands().calendars
    _known(name, found)
    users = [other for other, (_, calendar) in found.items() if name in calendar.base]
    if users:
        raise Said(f"{name}: {', '.join(users)} is built on it; change that first")
    with asking() as client:
        reply = client.remove_calendar(name, at=now())
    show_reply(reply, output)


def put(name: str, calendar: Calendar, output: Form) -> None:
    """Make this the calendar of that name, if it makes sense beside the others."""
    checked_name(name)
    check_among_others(name, calendar)
    with asking() as client:
        reply = client.set_calendar(name, calendar, at=now())
    show_reply(reply, output)


def check_among_others(name: str, calendar: Calendar) -> None:
    """Refuse expressions that cannot be read, and bases that are unknown or lead in a circle."""
    from streams.calendar.exclusions import check_calendar

    others = what_stands().calendars if calendar.base else {}
    check_calendar(name, calendar, {other: one for other, (_, one) in others.items()})


def read_calendar(data: Any, file: Path | None = None) -> Calendar:
    """The calendar that a file or options describe; a sentence names the field at fault."""
    from schemas.faults import FieldFault
    from schemas.reading_times import read_calendar as read

    try:
        return read(data)
    except FieldFault as fault:
        if file is None:
            raise Said(str(fault), Ending.USAGE) from fault
        raise Said(f"{file}: {fault}") from fault


def checked_name(name: str, what: str = "NAME") -> str:
    """The name of a calendar or freeze, or a sentence that says what one is."""
    from schemas.faults import FieldFault
    from schemas.time_limits import check_name

    try:
        return check_name(name, what)
    except FieldFault as fault:
        raise Said(str(fault), Ending.USAGE) from fault


def in_words(calendar: Calendar) -> str:
    """What a calendar excludes, in a few words."""
    from schemas.times_json import calendar_json

    said = calendar_json(calendar)
    words = [
        said.get("weekdays", ""),
        _some(said.get("dates", ())),
        _some(said.get("yearly", ()), "every "),
        _some(said.get("crons", ()), "at "),
        _some(said.get("base", ()), "as "),
    ]
    return "; ".join(word for word in words if word) or "nothing"


def as_json(name: str, offset: int, calendar: Calendar) -> dict[str, Any]:
    """A calendar for a program."""
    from schemas.times_json import calendar_json

    return {
        "calendar": name,
        "version": offset,
        "definition": calendar_json(calendar),
        "actor": calendar.actor,
        "at": utc_or_none(calendar.at),
    }


def _some(values: Any, before: str = "") -> str:
    """One or two of them, or how many there are."""
    texts = [str(value) for value in values]
    if len(texts) > 2:
        return f"{before}{texts[0]} and {len(texts) - 1} more"
    return before + " and ".join(texts) if texts else ""


def _known(
    name: str, found: Mapping[str, tuple[int, Calendar]] | None = None
) -> tuple[int, Calendar]:
    found = what_stands().calendars if found is None else found
    if name not in found:
        known = ", ".join(list(found)[:_SHOWN]) or "none so far"
        raise Said(f"{name}: there is no such calendar; there are: {known}")
    return found[name]


def _document(file: Path) -> Any:
    from horae.cli.definition_files import documents

    name, found = documents(file)
    if len(found) != 1:
        raise Said(f"{name}: wanted is one document with the fields of a calendar")
    return found[0]
