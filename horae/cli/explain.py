"""
Why did a schedule run at that time, or why not?

Answers from the ledger alone, in plain sentences. What is known of an instant is
horae/explaining.py, how it is said horae/reasons_told.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horae.cli.asking import checked_id
from horae.cli.endings import CODES, Ending, Said
from horae.cli.output import Form, Output, printable, say, show_json

if TYPE_CHECKING:
    from horae.explaining import Explained
    from horae.past import Past
    from streams.account.history import Chapter, Kept, Rest

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
        show_json(_as_json(found, words))
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


def _as_json(found: Explained, words: list[str]) -> dict[str, Any]:
    from horae.cli.times import utc_or_none
    from horae.reasons_told import zone_of

    history, placed = found.history, found.placed
    chapter = history.in_force()
    kept = [*history.deferrals, *history.ends, *history.by_hand, *history.runs]
    return {
        "schedule": history.schedule,
        "instant": utc_or_none(history.instant),
        "zone": zone_of(found),
        "verdicts": [
            {"verdict": one.verdict.value, "reason": one.reason or None} for one in found.classes
        ],
        "sentences": words,
        "definition": None if chapter is None else _chapter_json(chapter),
        "is_instant": placed is not None and placed.why_not is None,
        "why_not": None if placed is None else placed.why_not,
        "before": None if placed is None else utc_or_none(placed.before),
        "after": None if placed is None else utc_or_none(placed.after),
        "paused": _rest_json(history.paused()),
        "subject_held": _rest_json(history.held()),
        "everything_held": _rest_json(found.everything),
        "events": [_event_json(one) for one in kept],
        "unexplained": [one.why for one in found.findings if not one.excuse],
        "ledger_begins": None if found.begin is None else utc_or_none(found.begin.at),
    }


def _chapter_json(chapter: Chapter) -> dict[str, Any]:
    from horae.cli.times import utc_or_none
    from schemas.definition_json import definition_json

    return {
        "version": chapter.version,
        "incarnation": chapter.incarnation,
        "since": utc_or_none(chapter.since.decided_at),
        "actor": chapter.since.actor,
        "offset": chapter.since.offset,
        "until": None if chapter.until is None else utc_or_none(chapter.until.decided_at),
        "removed": chapter.is_removed,
        "definition": definition_json(chapter.definition),
    }


def _rest_json(rest: Rest | None) -> dict[str, Any] | None:
    from horae.cli.times import utc_or_none

    if rest is None:
        return None
    return {
        "since": utc_or_none(rest.since),
        "until": utc_or_none(rest.ends_at if rest.ends_at is not None else rest.until),
        "actor": rest.by.actor,
        "reason": rest.reason,
    }


def _event_json(kept: Kept) -> dict[str, Any]:
    from horae.ledger import event_json
    from schemas.codec import Recorded

    return event_json(Recorded(kept.event, kept.stamp))
