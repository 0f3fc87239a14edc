"""
How does the most common occurrence get through with the least work?

A plain one: an emit of an enabled schedule, on time, never deferred, whose topic takes it. For
these the answer of the decider is known beforehand, so event, cursor and record are joined from
pieces (schemas/plain_bytes.py) without decoding the schedule. Anything else is left to the
decider. That both ways write the very same bytes is a test.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from schemas.definition import SECOND, Emit
from schemas.faults import Unreadable
from schemas.identity import run_digest, run_id_of, trace_parent_of
from schemas.instants import format_instant
from schemas.plain_bytes import (
    CursorPieces,
    FiredPieces,
    RowLayout,
    created_at_in,
    cursor_pieces,
    fired_pieces,
    incarnation_in,
    plain_cursor,
    plain_fired,
    progress_in,
    read_row,
    row_layout,
)
from schemas.registry import HEADER_BYTES
from schemas.schedule import ScheduleRow, Status
from streams.calendar.occurrences import NEVER, Rule
from streams.decider.evolve import compiled
from streams.decider.gates import forbids, size_of
from streams.decider.state import Target, World
from streams.processor.emitting import OURS, Headers

MOMENTS_KEPT: Final = 4_096


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


class Moment(NamedTuple):
    """What all plain fires of one instant of one rule have in common."""

    nominal: int
    following: int
    text: bytes
    event: FiredPieces
    cursor: CursorPieces
    header: tuple[str, bytes]


class PlainFire(NamedTuple):
    """What one plain fire writes."""

    occurrence: bytes
    event: bytes
    cursor: bytes
    next_due: int
    topic: str
    key: bytes | None
    value: bytes | None
    headers: Headers


_shapes: dict[object, Shape] = {}


def shape_of(schedule: str, data: bytes) -> Shape | None:
    """How the schedule of this row fires plainly; None: never."""
    try:
        row = read_row(data)
    except Unreadable:
        return None  # the decider's way says what is wrong with it
    definition = row.definition
    bounded = definition.start_at is not None or definition.end_at is not None
    rule = compiled(definition, schedule)
    if row.status is not Status.ENABLED or bounded or rule is None or rule.once:
        return None
    layout = row_layout(data, row)
    action = definition.action
    parts = (rule, action.topic, definition.catch_up, action.headers, str(layout))
    shape = _shapes.get(parts)
    if shape is None:
        shape = _shapes[parts] = Shape(row, rule, layout)
    return shape


class Express:
    """The plain fires of one batch."""

    def __init__(self, world: World, now: int) -> None:
        self._now = now
        self._world = world
        self._moments: dict[tuple[Rule, int, int], Moment] = {}
        self._room: dict[Shape, int] = {}
        self._fired_at = ("horae-fired-at", format_instant(now).encode())

    def fire(
        self, schedule: str, row: bytes, cursor: bytes, shape: Shape, stamp: bytes, sequence: int
    ) -> PlainFire | None:
        """The fire of a schedule that is due; None if it is not a plain one."""
        mark, fires, deferrals = progress_in(cursor)
        layout = shape.layout
        key = row[layout.key] if layout.key is not None else None
        value = row[layout.value] if layout.value is not None else None
        origin = created_at_in(row, layout) // SECOND * SECOND if shape.from_creation else 0
        moment = self._moments.get((shape.rule, mark, origin)) or self._moment(
            shape.rule, mark, origin
        )
        age = self._now - moment.nominal
        if deferrals or not 0 <= age <= shape.grace or moment.following == NEVER:
            return None
        room = self._room.get(shape)
        if room is None:
            room = self._room[shape] = self._room_of(shape)
        if len(key or b"") + len(value or b"") > room:
            return None
        name = schedule.encode()
        subject = name[: name.index(b"/")]
        occurrence = b"%b~%d@%b" % (name, incarnation_in(row), moment.text)
        digest = run_digest(occurrence, subject)
        run = run_id_of(digest)
        return PlainFire(
            occurrence,
            plain_fired(
                stamp, sequence, name, row[HEADER_BYTES : layout.identity_end],
                moment.event, subject, run,
            ),
            plain_cursor(moment.cursor, fires + 1),
            moment.following,
            shape.topic,
            key,
            value,
            [
                *shape.headers,
                ("horae-schedule", name),
                ("horae-occurrence", occurrence),
                moment.header,
                ("horae-run", run),
                self._fired_at,
                ("traceparent", trace_parent_of(digest)),
            ],
        )  # fmt: skip

    def _room_of(self, shape: Shape) -> int:
        """The most that key and value of a shape's records may have; -1: the decider is asked."""
        target = self._world.targets.get(shape.topic, Target())
        keyless = target.needs_key and shape.layout.key is None
        if target.fault is not None or keyless or forbids(shape.topic, self._world) is not None:
            return -1
        return target.max_bytes - shape.headers_size

    def _moment(self, rule: Rule, mark: int, origin: int) -> Moment:
        if len(self._moments) >= MOMENTS_KEPT:
            self._moments.clear()
        tick = rule.next_after(mark, origin)
        following = rule.next_after(tick.instant, origin).instant
        text = format_instant(tick.instant).encode()
        moment = Moment(
            tick.instant,
            following,
            text,
            fired_pieces(tick.instant, tick.wall, tick.second_pass, following),
            cursor_pieces(
                tick.instant, tick.wall, tick.second_pass, following, self._world.zone_data
            ),
            ("horae-nominal", text),
        )
        self._moments[rule, mark, origin] = moment
        return moment
