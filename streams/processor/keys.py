"""
Under which key does each record go into our topics?

One key per occurrence, run, version and command: compaction then removes nothing but a superseded
state of the same thing (DESIGN section 2). The ids themselves are made in schemas/identity.py.
"""

from __future__ import annotations

from schemas.events import Deferred, Event, Fired, GlobalChanged, Skipped
from schemas.identity import occurrence_id, range_id

CURSORS = b"p|"
"""Before a schedule's id: its cursor in horae.state."""
ANSWERS = b"c|"
"""Before a command's id: its answer in horae.state."""


def event_key(event: Event, sequence: int) -> bytes:
    """The key of a ledger record; `sequence` is its number in its partition."""
    match event:
        case Fired() | Deferred():
            origin = event.origin if isinstance(event, Fired) else None
            key = occurrence_id(event.schedule, event.incarnation, event.nominal, origin)
        case Skipped(count=1):
            key = occurrence_id(event.schedule, event.incarnation, event.first, event.origin)
        case Skipped():
            key = range_id(event.schedule, event.incarnation, event.first, event.last)
        case GlobalChanged():
            key = f"#global:{event.name}@{event.offset}"
        case _:
            key = f"{event.schedule}#{type(event).__name__}:{sequence}"
    return key.encode()


def cursor_key(schedule: str) -> bytes:
    """Of a schedule's cursor in horae.state."""
    return CURSORS + schedule.encode()


def owner_key(partition: int) -> bytes:
    """Of a partition's owner in horae.state."""
    return f"o|{partition}".encode()


def answer_key(once: str) -> bytes:
    """Of the answer to a one-shot command in horae.state."""
    return ANSWERS + once.encode()
