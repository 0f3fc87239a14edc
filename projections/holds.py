"""
What does the view say of holds?

Turns the `hold` of horae.globals into a row of `holds`; calendars and freezes are standing.py, what
else is global is in the audit only. The order of the fields here is the order of the columns in
sql/layout.sql.
"""

from __future__ import annotations

from projections.encoding import FALSE, NULL, bigint, boolean, field_count, instant, text
from projections.folding import Batch
from projections.log import Record
from schemas.globals import Hold

EVERYTHING = "everything"
"""The name of the hold over everything."""

_COLUMNS = field_count(7)


def hold(said: Hold, record: Record, batch: Batch) -> None:
    """Everything is held, or no longer."""
    data = b"".join(
        (
            _COLUMNS,
            text(EVERYTHING),
            boolean(said.held),
            text(said.reason),
            text(said.actor),
            instant(said.at),
            text(said.command_id),
            bigint(record.offset()),
        )
    )
    batch.holds.keep(EVERYTHING, (0, record.offset()), data)


def withdrawn(record: Record, batch: Batch) -> None:
    """The hold was taken out of the topic, which is no hold."""
    when = instant(record.timestamp()[1] * 1_000)
    data = b"".join(
        (
            _COLUMNS,
            text(EVERYTHING),
            FALSE,
            text("withdrawn"),
            text("service:unknown"),
            when,
            NULL,
            bigint(record.offset()),
        )
    )
    batch.holds.keep(EVERYTHING, (0, record.offset()), data)
