"""
How do days off come into a shared calendar: from a file, or by country?

Both write all days out as dates, so that every processor agrees on them, and replace the dates of
the calendar; what else it excludes stays. Finding the days is horae/importers.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.asking import asking, reply_as_json, reply_as_line, went_well
from horae.cli.calendars import checked_name
from horae.cli.endings import CODES, Ending, Said
from horae.cli.inputs import input_bytes, input_name
from horae.cli.output import Form, Output, printable, say, show_json
from horae.cli.standings import now, what_stands

if TYPE_CHECKING:
    from horae.importers.days_off import DaysOff, Years
    from schemas.globals import Calendar
    from schemas.replies import Reply

_YEARS_AHEAD = 4

EPILOGS = {
    "ics": "Example: horae import ics holidays.ics --calendar company --years 2026-2030 --dry-run. "
    f"{CODES} An event that is refused ends with 1; the others are imported all the same.",
    "holidays": "Example: horae calendar holidays DE --subdivision BY --years 2026-2030 "
    f"--name bavaria. {CODES}",
}

Spelled = Annotated[
    str | None,
    typer.Option(
        metavar="YEARS", help="Such as 2026-2030. Default: this year and the four after it."
    ),
]
Rehearsal = Annotated[bool, typer.Option("--dry-run", help="Show the days, and change nothing.")]


def ics(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="An ICS file, or -.", show_default=False),
    ],
    *,
    calendar: Annotated[
        str,
        typer.Option(metavar="NAME", help="The calendar they are put into.", show_default=False),
    ],
    years: Spelled = None,
    dry_run: Rehearsal = False,
    output: Output = Form.TABLE,
) -> None:
    """
    Put the whole days of an ICS file into a shared calendar, as its dates.

    What comes again is written out within the years. Events with a time of day are refused.
    """
    from horae.importers.ics import NoCalendar, days_of_file

    checked_name(calendar, "--calendar")
    name = str(input_name(file))
    data = input_bytes(file)
    try:
        found = days_of_file(data, name, _years(years))
    except NoCalendar as fault:
        raise Said(f"{name}: {fault}") from fault
    _put(found, calendar, output, dry_run=dry_run)


def holidays(
    country: Annotated[
        str,
        typer.Argument(metavar="COUNTRY", help="Two letters, such as DE.", show_default=False),
    ],
    *,
    name: Annotated[
        str,
        typer.Option(metavar="NAME", help="The calendar they are put into.", show_default=False),
    ],
    subdivision: Annotated[
        str | None, typer.Option(metavar="PART", help="A state or region, such as BY.")
    ] = None,
    years: Spelled = None,
    dry_run: Rehearsal = False,
    output: Output = Form.TABLE,
) -> None:
    """Put the public holidays of a country into a shared calendar, as its dates."""
    from horae.importers.public_holidays import UnknownPlace, public_holidays

    checked_name(name, "--name")
    span = _years(years)
    try:
        found = public_holidays(country, subdivision, span)
    except UnknownPlace as fault:
        raise Said(f"{fault.option}: {fault}", Ending.USAGE) from fault
    _put(found, name, output, dry_run=dry_run)


def _years(text: str | None) -> Years:
    from horae.importers.days_off import Years, read_years
    from schemas.instants import format_instant

    if text is None:
        this = int(format_instant(now())[:4])
        return Years(this, this + _YEARS_AHEAD)
    try:
        return read_years(text)
    except ValueError as fault:
        raise Said(f"--years: {fault}", Ending.USAGE) from fault


def _put(found: DaysOff, name: str, output: Form, *, dry_run: bool) -> None:
    """Tell what was found, and make it the dates of the calendar unless it is a rehearsal."""
    reply = None if dry_run else _send(found, name)
    if output is Form.JSON:
        show_json(_as_json(found, name, reply))
    else:
        for line in _lines(found, name, reply):
            say(printable(line).replace("\n", " "))
    if found.refused or (reply is not None and not went_well(reply)):
        raise typer.Exit(Ending.REFUSED)


def _send(found: DaysOff, name: str) -> Reply:
    from schemas.globals import Calendar
    from schemas.time_limits import check_calendar

    if not found.days:
        raise Said(f"{found.source}: there is no whole day in it; {name} stays as it is")
    _, before = what_stands().calendars.get(name, (0, Calendar()))
    after = replace(before, dates=found.dates, description=f"from {found.source}"[:500])
    found.remarks.append(_difference(before, after))
    check_calendar(after)
    with asking() as client:
        return client.set_calendar(name, after, at=now())


def _difference(before: Calendar, after: Calendar) -> str:
    new = len(set(after.dates) - set(before.dates))
    gone = len(set(before.dates) - set(after.dates))
    kept = [word for word in ("weekdays", "yearly", "crons", "base") if getattr(before, word)]
    also = f"; its {', '.join(kept)} stay" if kept else ""
    return f"{new} dates are new in the calendar, {gone} are gone{also}"


def _lines(found: DaysOff, name: str, reply: Reply | None) -> list[str]:
    counts = f"{len(found.days)} dates for the calendar {name}, {len(found.refused)} refused"
    lines = [f"{found.source}: {counts}"]
    lines += [f"  {day}  {', '.join(names)}" for day, names in sorted(found.days.items())]
    lines += [f"  refused: {why}: {what}" for what, why in found.refused]
    lines += [f"  note: {remark}" for remark in found.remarks]
    return lines if reply is None else [*lines, reply_as_line(reply, None)]


def _as_json(found: DaysOff, name: str, reply: Reply | None) -> dict[str, Any]:
    return {
        "source": found.source,
        "calendar": name,
        "dates": [{"date": str(day), "names": names} for day, names in sorted(found.days.items())],
        "refused": [{"event": what, "why": why} for what, why in found.refused],
        "notes": found.remarks,
        **({} if reply is None else {"reply": reply_as_json(reply)}),
    }
