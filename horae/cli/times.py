"""
How is an instant shown to a person, and how does a person give one?

Shown in the schedule's zone and in UTC; given as RFC 3339 text with an offset, or as a length of
time from now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from horae.cli.endings import Ending, Said
from schemas.instants import format_instant, parse_instant

if TYPE_CHECKING:
    from streams.clock import Clock


def local_time(micros: int, zone: str) -> str:
    """The instant as the zone's clocks show it, with their offset."""
    from horae.times_shown import local_time as shown

    return shown(micros, zone)


def both_times(micros: int | None, zone: str | None) -> str:
    """The instant in the zone and in UTC; a dash if there is none."""
    if micros is None:
        return "-"
    in_utc = format_instant(micros)
    if zone in (None, "UTC"):
        return in_utc
    return f"{local_time(micros, zone or 'UTC')} {zone} ({in_utc})"


def utc_or_none(micros: int | None) -> str | None:
    """The instant as text for JSON."""
    return None if micros is None else format_instant(micros)


def instant_from(
    text: str, option: str, clock: Clock, *, back: bool = False, words: tuple[str, ...] = ()
) -> int:
    """
    What a person meant by `2026-12-01T09:00:00+01:00`, or by `2h`.

    A length of time is counted from now: into the future, or back.
    """
    from schemas.durations import parse_elapsed

    try:
        if text[:4].isdigit() and "-" in text:
            return parse_instant(text)
        length = parse_elapsed(text)
    except ValueError as fault:
        others = " (or an instant such as 2026-12-01T09:00:00Z" + "".join(
            f", or {word}" for word in words
        )
        raise Said(f"{option}: {fault}{others})", Ending.USAGE) from fault
    return clock.wall() - length if back else clock.wall() + length
