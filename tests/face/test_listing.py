"""Is what the lists say of a schedule what will happen to it?"""

from __future__ import annotations

from horae.cli.listing import _upcoming
from projections.shown import ScheduleShown
from schemas import codec
from schemas.definition import SECOND, Definition, Emit, Interval
from schemas.schedule import ScheduleRow, Status
from streams.calendar.occurrences import rule_for
from streams.decider.state import grid_origin

CREATED = 1_798_804_800_000_000 + 730_000


def shown(definition: Definition, next_: int | None) -> ScheduleShown:
    record = codec.encode(
        ScheduleRow(0, 0, CREATED, CREATED, "user:ann", Status.ENABLED, definition)
    )
    return ScheduleShown(
        "a/b", "a", 0, 0, "enabled", CREATED, CREATED, "user:ann", definition.zone, "", {},
        None, None, None, None, record, None, None, None, None, next_, next_,
    )  # fmt: skip


def test_what_comes_next_begins_with_the_next_instant_and_keeps_its_pace() -> None:
    definition = Definition((Interval(micros=5 * SECOND),), Emit("t", value=b"x"))
    rule = rule_for(definition.timings, "UTC", definition.dst, "a/b")
    coming = rule.next_after(CREATED, grid_origin(CREATED)).instant

    upcoming = _upcoming(shown(definition, coming))

    assert upcoming == [coming + number * 5 * SECOND for number in range(10)]
