"""
What holds for everyone after this record of horae.globals?

The one fold that every processor applies, in the topic's order. Reading the topic is
processor/globals.py; what a hold means for a fire is firing.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, assert_never

from schemas.durations import format_duration
from schemas.globals import (
    KEYS,
    Calendar,
    ClockAccepted,
    Freeze,
    GlobalRecord,
    GlobalSettings,
    Hold,
    name_under,
)
from schemas.instants import format_instant
from schemas.snapshot import PastHold
from streams.decider.state import CalendarChange, World

__all__ = ["KEYS", "fold", "name_under", "summary"]

Named = TypeVar("Named", Calendar, Freeze)


def fold(world: World, record: GlobalRecord, offset: int, key: str = "") -> World:
    """The world after the record at `offset`; the key names a calendar or freeze."""
    name = name_under(type(record), key) or ""
    match record:
        case Hold():
            past, hold = _past(world, record), _as_of_its_beginning(world, record)
            return replace(world, hold=hold, past_hold=past, globals_offset=offset)
        case GlobalSettings():
            return replace(world, settings=record, globals_offset=offset)
        case ClockAccepted():
            return replace(world, clock=record, globals_offset=offset)
        case Calendar():
            calendars = _without(world.calendars, name)
            if not record.removed:
                calendars[name] = record
            changes = {**world.calendar_changes, name: CalendarChange(offset, record.at)}
            return replace(
                world, calendars=calendars, calendar_changes=changes, globals_offset=offset
            )
        case Freeze():
            freezes = _without(world.freezes, name)
            if not record.lifted:
                freezes[name] = record
            return replace(world, freezes=freezes, globals_offset=offset)
        case _:
            assert_never(record)


def summary(record: GlobalRecord) -> str:  # noqa: PLR0911 - one exhaustive match
    """One sentence for the ledger."""
    match record:
        case Hold(held=True):
            return f"everything is held: {_why(record.reason)}"
        case Hold():
            return f"the hold is lifted: {_why(record.reason)}"
        case GlobalSettings():
            return _limits(record)
        case ClockAccepted():
            return f"the clock is accepted as of {_at(record.at)}: {_why(record.reason)}"
        case Calendar():
            return _calendar(record)
        case Freeze(lifted=True):
            return f"the freeze is lifted: {_why(record.reason)}"
        case Freeze():
            whom = ", ".join(record.subjects)
            span = f"from {_at(record.begins_at)} to {_at(record.ends_at)}"
            return f"{whom}: frozen {span}: {_why(record.reason)}"
        case _:
            assert_never(record)


def _past(world: World, record: Hold) -> PastHold | None:
    """The last hold that was lifted, once this record is in force."""
    if world.hold is None or not world.hold.held or record.held:
        return world.past_hold
    return PastHold(world.hold.at, record.at)


def _limits(settings: GlobalSettings) -> str:
    words = [f"emit may write to {', '.join(settings.emit_topics) or 'nothing'}"]
    if settings.max_schedules:
        words.append(f"a subject may have {settings.max_schedules} schedules")
    if settings.max_concurrent:
        words.append(f"and {settings.max_concurrent} runs at once")
    words += [
        f"{what} {format_duration(micros=micros)}"
        for what, micros in (
            ("an attempt may take", settings.default_timeout),
            ("the next one waits at least", settings.retry_backoff),
            ("and at most", settings.retry_backoff_max),
            ("nothing late runs after", settings.catch_up_lookback),
        )
        if micros
    ]
    if settings.max_retries:
        words.append(f"a run has {settings.max_retries} further attempts at most")
    return ", ".join(words)


def _as_of_its_beginning(world: World, record: Hold) -> Hold:
    """Another word about a hold that is in force does not let it begin anew."""
    before = world.hold
    if before is None or not (before.held and record.held):
        return record
    return replace(record, at=min(before.at, record.at))


def _calendar(calendar: Calendar) -> str:
    if calendar.removed:
        return "the calendar is removed"
    counts = {
        "dates": len(calendar.dates),
        "weekdays": calendar.weekdays.bit_count(),
        "ranges of every year": len(calendar.yearly),
        "cron expressions": len(calendar.crons),
        "further calendars": len(calendar.base),
    }
    some = [f"{what}: {count}" for what, count in counts.items() if count]
    return f"the calendar excludes {', '.join(some) or 'nothing'}"


def _without(named: Mapping[str, Named], name: str) -> dict[str, Named]:
    return {other: record for other, record in named.items() if other != name}


def _why(reason: str) -> str:
    return reason or "no reason given"


def _at(instant: int) -> str:
    return format_instant(instant)
