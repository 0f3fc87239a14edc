"""
What do the views say of the calendars and freezes that everyone shares?

Turns those records of horae.globals into rows of `calendars` and `freezes`; what changes nothing
for a processor changes nothing here. The order of the fields here is the order of the columns in
sql/layout.sql.
"""

from __future__ import annotations

from projections.encoding import bigint, boolean, field_count, instant, jsonb, text
from projections.folding import Batch
from projections.log import Record
from schemas.globals import Calendar, Freeze
from schemas.times_json import calendar_json

_CALENDAR_COLUMNS = field_count(8)
_FREEZE_COLUMNS = field_count(10)


def calendar(name: str, said: Calendar, record: Record, batch: Batch) -> None:
    """A calendar is there, has changed, or is gone."""
    data = b"".join(
        (
            _CALENDAR_COLUMNS,
            text(name),
            boolean(said.removed),
            jsonb(calendar_json(said)),
            text(said.description),
            text(said.actor),
            instant(said.at),
            text(said.command_id),
            bigint(record.offset()),
        )
    )
    batch.calendars.keep(name, (0, record.offset()), data)


def freeze(name: str, said: Freeze, record: Record, batch: Batch) -> None:
    """A freeze is ordered, has changed, or is lifted."""
    data = b"".join(
        (
            _FREEZE_COLUMNS,
            text(name),
            boolean(said.lifted),
            jsonb(list(said.subjects)),
            instant(said.begins_at),
            instant(said.ends_at),
            text(said.reason),
            text(said.actor),
            instant(said.at),
            text(said.command_id),
            bigint(record.offset()),
        )
    )
    batch.freezes.keep(name, (0, record.offset()), data)
