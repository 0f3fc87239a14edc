"""
Why did a schedule run at that time, or why not?

Answers from the ledger alone, in plain sentences. What is known of an instant is
horae/explaining.py, how it is said horae/reasons_told.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from horae.cli.asking import checked_id
from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, printable, say, show_json

if TYPE_CHECKING:
    from horae.explaining import Explained
    from horae.past import Past

EPILOG = (
    "Example: horae explain billing/nightly --at 2026-12-01T02:30. A time without an offset is one "
    f"of the schedule's own clocks. {CODES}"
)

_WALL = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2}(?:\.[0-9]+)?)?")


def explain(
    schedule: Annotated[
        str, typer.Argument(metavar="SUBJECT/NAME", help="Its id.", show_default=False)
    ],
    *,
    at: Annotated[
        str,
        typer.Option(
            metavar="WHEN",
            help="The instant that is asked about: 2026-12-01T02:30:00+01:00, or the time that the "
            "schedule's own clocks show, 2026-12-01T02:30.",
            show_default=False,
        ),
    ],
    output: Output = Form.TABLE,
) -> None:
    """Say why it ran, or did not run, at that time."""
    from horae.cli.progress import filling
    from horae.explained_json import explained_json
    from horae.explaining import explain as look
    from horae.past import Past
    from horae.reasons_told import both, sentences, zone_of
    from horae.settings import load_settings
    from streams.clock import SystemClock

    schedule = checked_id(schedule)
    now = SystemClock().wall()
    with (
        filling("reading the ledger") as told,
        Past(load_settings().bootstrap, told) as past,
    ):
        found = look(past, schedule, _instant(past, schedule, at), now)
    words = [printable(one) for one in sentences(found)]
    if output is Form.JSON:
        show_json(explained_json(found, words))
    else:
        when = both(found.history.instant, zone_of(found))
        say(printable(f"{schedule} at {when}: {_verdict(found)}"))
        say("")
        for one in words:
            say(one)
    if not found.is_known:
        raise typer.Exit(Ending.REFUSED)


def _instant(past: Past, schedule: str, text: str) -> int:
    """The instant that is meant; a sentence if its wall time comes twice, or never."""
    from horae.explaining import find_zone
    from horae.reasons_told import both
    from schemas.instants import format_instant, parse_instant

    found = _WALL.fullmatch(text.strip())
    try:
        if found is None:
            return parse_instant(text.strip())
        day, clock, seconds = found.groups()
        wall = parse_instant(f"{day}T{clock}{seconds or ':00'}Z")
    except ValueError as fault:
        hint = "" if found else "; without an offset it is a time of the schedule's own clocks"
        raise Said(f"--at: {fault}{hint}", Ending.USAGE) from fault
    zone = find_zone(past, schedule, wall)
    instants = instants_of_wall(wall, zone)
    if len(instants) == 1:
        return instants[0]
    shown = format_instant(wall).removesuffix("Z")
    if instants:
        passes = " or ".join(format_instant(one) for one in instants)
        raise Said(f"--at: {shown} comes twice in {zone}, since clocks go back: {passes}?")
    before, after = _around(wall, zone)
    raise Said(
        f"--at: {shown} does not come in {zone}, since clocks leap over it: what was meant for it "
        f"may have come at {both(before, zone)} or at {both(after, zone)}"
    )


def instants_of_wall(wall: int, zone: str) -> list[int]:
    """The instants at which the zone's clocks show that time."""
    from horae.explaining import instants_of

    return instants_of(wall, zone)


def _around(wall: int, zone: str) -> tuple[int, int]:
    """The moment of the leap, and the missing time as the clocks before it would show it."""
    from streams.calendar.policy import Policy, Skipped
    from streams.calendar.wall_time import resolve
    from streams.calendar.zones import zone_clock

    clock = zone_clock(zone)
    leap, late = (
        resolve(clock, wall, Policy(rule, twice=False))[0].instant
        for rule in (Skipped.AT_JUMP, Skipped.SHIFTED)
    )
    return leap, late


def _verdict(found: Explained) -> str:
    if found.classes:
        return ", ".join(
            one.verdict + (f" ({one.reason})" * bool(one.reason)) for one in found.classes
        )
    return "no instant of this schedule" if found.is_known else "no such schedule"
