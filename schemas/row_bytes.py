"""
How is a row of horae.schedules read fast?

A restore meets a million rows whose timings, and whose tail from the zone on, are mostly alike.
Both are looked up by their bytes before they are decoded: what was met before costs one look-up,
and equal parts are one object in memory. The rest, and what is new, is read by shapes.py.
"""

from __future__ import annotations

from typing import Any

from schemas.binary import MEMO_ENTRIES, MEMO_KEY_BYTES, read_long, read_text
from schemas.definition import Definition
from schemas.schedule import ScheduleRow
from schemas.shapes import Read, RecordShape


def row_reader(row: RecordShape) -> Read:
    """A reader of rows: the same answers as the shape's own, faster."""
    read_status, definition = row.parts[5].read, row.parts[6]
    if not isinstance(definition, RecordShape):  # pragma: no cover - the schema says it is
        raise TypeError(definition)
    read_action = definition.parts[1].read
    read_timings = _timings_reader(definition.parts[0].read)
    behind = definition.parts[2:] + row.parts[7:]
    read_tail = _tail_reader([part.read for part in behind])
    width = len(definition.parts) - 2

    def read(data: bytes, at: int) -> tuple[ScheduleRow, int]:
        version, at = read_long(data, at)
        incarnation, at = read_long(data, at)
        created_at, at = read_long(data, at)
        changed_at, at = read_long(data, at)
        actor, at = read_text(data, at)
        status, at = read_status(data, at)
        timings, at = read_timings(data, at)
        action, at = read_action(data, at)
        tail, at = read_tail(data, at)
        found = Definition(timings, action, *tail[:width])
        row = ScheduleRow(
            version, incarnation, created_at, changed_at, actor, status, found, *tail[width:]
        )
        return row, at

    return read


def _timings_reader(read_timings: Read) -> Read:
    met: dict[bytes, Any] = {}

    def read(data: bytes, at: int) -> tuple[Any, int]:
        # one cron timing, the usual case: count, branch, length, expression, dialect, end.
        # A wrong guess does no harm: what is met is always the whole of some timings.
        guess = at + 5 + data[at + 2] // 2
        found = met.get(data[at:guess])
        if found is not None:
            return found, guess
        found, end = read_timings(data, at)
        if end == guess:
            _keep(met, data[at:end], found)
        return found, end

    return read


def _tail_reader(reads: list[Read]) -> Read:
    met: dict[bytes, list[Any]] = {}

    def read(data: bytes, at: int) -> tuple[list[Any], int]:
        rest = data[at:]
        known = met.get(rest)
        if known is not None:
            return known, len(data)
        found = []
        for read_one in reads:
            one, at = read_one(data, at)
            found.append(one)
        if at == len(data) and len(rest) <= MEMO_KEY_BYTES:
            _keep(met, rest, found)
        return found, at

    return read


def _keep(met: dict[bytes, Any], key: bytes, value: Any) -> None:
    if len(met) >= MEMO_ENTRIES:
        met.clear()
    met[key] = value
