"""
What was recorded about a cause, and how does it differ from what is decided now?

The records of one partition's ledger as replay.py reads them, and its findings in words. Deciding
again is replay.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, NamedTuple

from schemas.codec import decode_event
from schemas.events import Event, GlobalChanged, ScheduleRecomputed, Stamp
from schemas.identity import subject_of
from schemas.instants import format_instant
from schemas.registry import earlier
from streams.decider.recompute import OTHER_ZONE_DATA, release_cause

SCHEDULE_ACTOR = "schedule:"
Bytes = tuple[bytes, bytes]
"""Key and value of a record."""


class Kept(NamedTuple):
    """One record of the ledger."""

    key: bytes
    value: bytes
    event: Event
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One cause that gives something else now, or whose record is missing."""

    partition: int
    cause: str
    fault: str
    other_zone_data: str = ""
    """Which other zone data than the installed ones it was decided under: then no fault of ours."""


def kept(key: bytes, value: bytes) -> Kept:
    """Read one record of horae.events."""
    return Kept(key, value, *decode_event(value))


def cause_of(record: Kept) -> tuple[object, ...]:
    """Equal for neighbours in the ledger that one cause brought about."""
    event, stamp = record.event, record.stamp
    if isinstance(event, GlobalChanged):
        return "global", event.offset
    if stamp.offset is not None:
        return "command", stamp.offset
    return "timer", timer_of(record), stamp.decided_at


def timer_of(record: Kept) -> str:
    """Whose timer rang: a schedule's, or that of a subject (a slash and no name)."""
    actor = record.stamp.actor
    if actor.startswith(SCHEDULE_ACTOR):
        return actor.removeprefix(SCHEDULE_ACTOR)
    return f"{subject_of(getattr(record.event, 'schedule', ''))}/"


def name_of(record: Kept) -> str:
    """The cause in words."""
    event, stamp = record.event, record.stamp
    if isinstance(event, GlobalChanged):
        return f"the record of horae.globals at {event.offset}"
    if stamp.offset is not None:
        return f"the command at {stamp.offset} about {event.schedule}"
    return f"the timer of {timer_of(record)} at {format_instant(stamp.decided_at)}"


def gaps(records: list[Kept]) -> Iterator[Mismatch]:
    """Places where the ledger is not whole."""
    expected = records[0].stamp.sequence
    for record in records:
        found = record.stamp.sequence
        if found != expected:
            fault = f"sequence {found} follows {expected - 1}"
            yield Mismatch(record.stamp.partition, name_of(record), fault)
        expected = found + 1


class ZoneData:
    """Under which zone data was a record of the ledger decided, as far as the ledger tells?

    The first schedule whose pending instant they make another one says so (ScheduleRecomputed).
    """

    def __init__(self, records: list[Kept], installed: int) -> None:
        self._installed = release_cause(installed)
        self._changes = [
            (record.stamp.sequence, record.event.cause)
            for record in records
            if isinstance(record.event, ScheduleRecomputed)
            and record.event.cause.startswith(OTHER_ZONE_DATA)
        ]

    def others(self, record: Kept) -> str:
        """Why it was decided under other data than the installed ones; empty: nothing says so."""
        known = [cause for at, cause in self._changes if at <= record.stamp.sequence]
        if known:
            return "" if known[-1] == self._installed else known[-1]
        return f"before {self._changes[0][1]} came into use" if self._changes else ""


def difference(recorded: list[Kept], decided: list[Bytes]) -> str | None:
    """The first difference between what was recorded and what is decided now, in words."""
    for before, now in zip(recorded, decided, strict=False):
        found = None if (before.key, before.value) == now else _between(before, kept(*now))
        if found is not None:
            return found
    if len(recorded) == len(decided):
        return None
    names = [type(kept(*one).event).__name__ for one in decided]
    recorded_names = [type(record.event).__name__ for record in recorded]
    return f"recorded was {_listed(recorded_names)}, decided is {_listed(names)}"


def _between(recorded: Kept, decided: Kept) -> str | None:
    """In what two records differ; None: only in what the release that wrote one did not note."""
    if type(recorded.event) is not type(decided.event):
        return f"recorded was {recorded.event}, decided is {decided.event}"
    if recorded.key != decided.key:
        return f"recorded was the key {recorded.key!r}, decided is {decided.key!r}"
    before = _fields(recorded.stamp) | _fields(recorded.event)
    now = _fields(decided.stamp) | _fields(decided.event)
    written = earlier(recorded.value)
    noted = {field["name"] for field in written.schema["fields"]} if written else before.keys()
    differing = [
        f"{name} was {before[name]!r}, is {now[name]!r}"
        for name in before
        if before[name] != now[name] and (name in noted or name in Stamp._fields)
    ]
    if written and not differing:
        return None
    kind = type(recorded.event).__name__
    return f"{kind}: {'; '.join(differing) or 'the same values in other bytes'}"


def _fields(value: Any) -> dict[str, Any]:
    names = [one.name for one in fields(value)] if is_dataclass(value) else value._fields
    return {name: getattr(value, name) for name in names}


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "nothing"
