"""
What does the view say of what was asked, and of what became of it?

Turns every event that answers a command, or changes what holds for a schedule, a run, a subject or
everyone, into a row of `audit`: who, when, why, with which result. What each event tells is
told.py. The order of the fields here is the order of the columns in sql/layout.sql.
"""

from __future__ import annotations

from projections.encoding import bigint, field_count, instant, text, words
from projections.folding import Batch
from projections.log import Record
from projections.told import Telling, tell
from schemas.events import Stamp

_COLUMNS = field_count(20)


def outcome(event: Telling, stamp: Stamp, record: Record, batch: Batch) -> None:
    """Something was asked, and this became of it; nothing of what is told elsewhere alone."""
    told = tell(event)
    if told is None:
        return
    data = b"".join(
        (
            _COLUMNS,
            bigint(record.partition()),
            bigint(record.offset()),
            text(told.schedule),
            text(told.outcome),
            text(told.command),
            instant(stamp.decided_at),
            text(stamp.actor),
            words(told.reason),
            text(told.field),
            bigint(told.version),
            bigint(told.incarnation),
            instant(told.next),
            instant(told.next if told.next_due is None else told.next_due),
            instant(told.until),
            text(stamp.command_id),
            text(stamp.trace),
            bigint(stamp.partition),
            bigint(stamp.sequence),
            bigint(stamp.offset),
            bigint(stamp.globals_offset),
        )
    )
    place = record.partition(), record.offset()
    batch.audit.keep(place, (0, record.offset()), data)
