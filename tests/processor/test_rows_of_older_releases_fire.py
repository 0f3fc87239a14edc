"""A row that was written before there were jitter and windows fires as one that is written now."""

from __future__ import annotations

import io
from dataclasses import replace

import fastavro

from schemas.codec import decode_as
from schemas.commands import Define
from schemas.definition import Exclude
from schemas.events import Fired
from schemas.globals import Calendar
from schemas.registry import FOLDER
from schemas.replies import Verdict
from schemas.schedule import ScheduleRow
from tests.processor.desk import HOUR, HOURLY, MINUTE, Desk, desk_with
from tests.schemas.golden_values import FOLDER as GOLDEN

HEADER = 10
"""Bytes that say which version of which schema follows."""
SINCE = ("exclude", "window", "jitter", "max_fires")


def as_it_was(row: bytes) -> bytes:
    """The row in the first version of its schema."""
    now = fastavro.schema.load_schema(str(FOLDER / "ScheduleRow.avsc"))
    then = fastavro.schema.load_schema(str(FOLDER / "history" / "ScheduleRow.1.avsc"))
    record = fastavro.schemaless_reader(io.BytesIO(row[HEADER:]), now, None)
    assert isinstance(record, dict)
    record["definition"] = {
        name: value for name, value in record["definition"].items() if name not in SINCE
    }
    body = io.BytesIO()
    fastavro.schemaless_writer(body, then, record)
    header = bytes.fromhex((GOLDEN / "ScheduleRow.1.hex").read_text())[:HEADER]
    return header + body.getvalue()


def aged() -> Desk:
    """A desk whose schedule was stored by an older release."""
    desk = desk_with("shop/a")
    resident = desk.partition.residents["shop/a"]
    older = as_it_was(resident.row)
    assert older != resident.row
    assert decode_as(older, ScheduleRow) == decode_as(resident.row, ScheduleRow)
    resident.change(older)
    return desk


def test_it_writes_the_same_records() -> None:
    assert aged().pass_time(HOUR) == desk_with("shop/a").pass_time(HOUR)


def test_it_is_edited_to_something_that_there_was_not_then() -> None:
    desk = aged()
    desk.tell("calendar/feasts", Calendar(crons=("0-29 * * * *",)))
    more = replace(HOURLY, exclude=Exclude(("feasts",)), jitter=MINUTE, max_fires=3)
    desk.ask("shop/a", Define(more))
    desk.step()
    desk.ask("shop/a", Define(replace(more, exclude=None)))
    desk.step()

    assert [one.verdict for one in desk.replies()][-2:] == [Verdict.REFUSED, Verdict.ACCEPTED]
    desk.pass_time(HOUR + MINUTE)
    assert isinstance(desk.events()[-1], Fired)
