"""
What holds for everyone after this record of horae.globals?

The one fold that every processor applies, in the topic's order. Reading the topic is
processor/globals.py; what a hold means for a fire is firing.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from schemas.globals import ClockAccepted, GlobalRecord, GlobalSettings, Hold
from schemas.instants import format_instant
from streams.decider.state import World

KEYS: dict[type[GlobalRecord], str] = {
    Hold: "hold",
    GlobalSettings: "settings",
    ClockAccepted: "clock",
}


def fold(world: World, record: GlobalRecord, offset: int) -> World:
    """The world after the record at `offset`."""
    match record:
        case Hold():
            return replace(world, hold=record, globals_offset=offset)
        case GlobalSettings():
            return replace(world, settings=record, globals_offset=offset)
        case ClockAccepted():
            return replace(world, clock=record, globals_offset=offset)
        case _:
            assert_never(record)


def summary(record: GlobalRecord) -> str:
    """One sentence for the ledger."""
    match record:
        case Hold(held=True):
            return f"everything is held: {record.reason or 'no reason given'}"
        case Hold():
            return f"the hold is lifted: {record.reason or 'no reason given'}"
        case GlobalSettings():
            return f"emit may write to {', '.join(record.emit_topics) or 'nothing'}"
        case ClockAccepted():
            at = format_instant(record.at)
            return f"the clock is accepted as of {at}: {record.reason or 'no reason given'}"
        case _:
            assert_never(record)
