"""
How does a schedule fire, as far as many schedules fire alike?

Rule, topic, headers, grace and where in a row's bytes key and value lie: one object for all that
share them, so that a million schedules are told apart by a few. Used by express.py.
"""

from __future__ import annotations

from schemas.definition import Basis, Definition, Emit, Interval
from schemas.faults import Unreadable
from schemas.plain_bytes import RowLayout, read_row, row_layout
from schemas.schedule import ScheduleRow, Status
from streams.calendar.occurrences import Rule
from streams.decider.evolve import compiled
from streams.decider.gates import size_of
from streams.processor.emitting import OURS


class Shape:
    """What many schedules have in common that decides how they fire plainly; one object each."""

    __slots__ = ("from_creation", "grace", "headers", "headers_size", "layout", "rule", "topic")

    def __init__(self, row: ScheduleRow, rule: Rule, layout: RowLayout) -> None:
        self.rule = rule
        self.topic = row.definition.action.topic
        self.grace = row.definition.catch_up.grace
        self.layout = layout
        self.from_creation = not rule.fixed
        self.headers: list[tuple[str, str | bytes | None]] = [
            one for one in row.definition.action.headers if one[0] not in OURS
        ]
        self.headers_size = size_of(Emit("", headers=row.definition.action.headers))


_shapes: dict[object, Shape] = {}


def shape_of(schedule: str, data: bytes) -> Shape | None:
    """How the schedule of this row fires plainly; None: never."""
    try:
        row = read_row(data)
    except Unreadable:
        return None  # the decider's way says what is wrong with it
    definition = row.definition
    rule = compiled(definition, schedule)
    if row.status is not Status.ENABLED or row.skips or rule is None or rule.once:
        return None
    if not _is_plain(definition):
        return None
    layout = row_layout(data, row)
    action = definition.action
    parts = (rule, action.topic, definition.catch_up, action.headers, str(layout))
    shape = _shapes.get(parts)
    if shape is None:
        shape = _shapes[parts] = Shape(row, rule, layout)
    return shape


def _is_plain(definition: Definition) -> bool:
    """Whether its instants are those of its rule, each due at once, without an end."""
    first = definition.timings[0]
    return (
        definition.start_at is None
        and definition.end_at is None
        and definition.exclude is None
        and definition.window is None
        and definition.max_fires is None
        and not definition.jitter
        and definition.action.tracked is None
        and definition.action.work is None
        and definition.scopes is None
        and definition.gate is None
        and not (isinstance(first, Interval) and first.basis is not Basis.GRID)
    )
