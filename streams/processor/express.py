"""
How does the most common occurrence get through with the least work?

A plain one: an emit of an enabled schedule, on time, never deferred, whose topic takes it. For
these the answer of the decider is known beforehand, so event, cursor and record are joined from
pieces (schemas/plain_bytes.py) without decoding the schedule. Anything else is left to the
decider. That both ways write the very same bytes is a test.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from schemas.definition import SECOND
from schemas.identity import run_digest, run_id_of, trace_parent_of
from schemas.instants import format_instant
from schemas.plain_bytes import (
    CursorPieces,
    FiredPieces,
    IncarnationMarks,
    created_at_in,
    cursor_pieces,
    fired_pieces,
    plain_cursor,
    plain_fired,
    progress_in,
    waits_not,
)
from schemas.topics import EVENTS, STATE
from streams.calendar.occurrences import NEVER
from streams.decider.freezes import covers
from streams.decider.gates import forbids
from streams.decider.state import Target, World
from streams.faults import PartitionStopped
from streams.processor.draft import Draft, Record, Write
from streams.processor.household import SubjectAtRest
from streams.processor.keys import CURSORS
from streams.processor.partitions import Rung
from streams.processor.shape import Shape
from streams.processor.suspects import FORESEEN, told

MOMENTS_KEPT: Final = 4_096
_marks = IncarnationMarks()


class Moment(NamedTuple):
    """What all plain fires of one instant of one shape have in common."""

    nominal: int
    room: int
    """The most that a record's key and value may have; -1: the decider is asked."""
    following: int
    event: FiredPieces
    cursor: CursorPieces
    text: bytes
    header: tuple[str, bytes]


class Express:
    """The plain fires of one batch."""

    def __init__(self, world: World, now: int, write: Write) -> None:
        self.fired_due: list[int] = []
        """When each was due."""
        self.topics: set[str] = set()
        """The target topics that they go into."""
        self._now = now
        self._world = world
        self._write = write
        self._waits_not = waits_not(world.zone_data)
        self._moments: dict[tuple[Shape, int, int], Moment] = {}
        self._fired_at = ("horae-fired-at", format_instant(now).encode())

    def fire(self, draft: Draft, rungs: Iterable[Rung]) -> Iterator[Rung]:
        """Fire what is plain among the rungs of one partition; yields, in its turn, what is not."""
        records: list[Record] = []
        schedule = ""
        try:
            for rung in rungs:
                schedule = rung[1]
                if schedule in draft.plain:
                    continue  # it rang twice: what it is now is known after the commit
                if not self._fire(draft, rung, records):
                    self._write(records)
                    records = []
                    yield rung
        except FORESEEN:
            raise
        except Exception as fault:
            raise PartitionStopped(draft.partition.number, f"{schedule}: {told(fault)}") from fault
        self._write(records)

    def _fire(self, draft: Draft, rung: Rung, records: list[Record]) -> bool:
        """Add the records of a schedule's fire; False if it is not a plain one."""
        due, schedule, resident = rung
        if isinstance(resident, SubjectAtRest):
            return False
        shape = resident.plainly(schedule)
        if shape is None or schedule in draft.schedules or draft.rests(schedule):
            return False
        row = resident.row
        mark, fires, waits = progress_in(resident.cursor)
        layout = shape.layout
        key = row[layout.key] if layout.key is not None else None
        value = row[layout.value] if layout.value is not None else None
        origin = created_at_in(row, layout) // SECOND * SECOND if shape.from_creation else 0
        moment = self._moments.get((shape, mark, origin)) or self._moment(shape, mark, origin)
        if waits != self._waits_not or due != moment.nominal:
            return False  # deferred, or computed before zone data or an edit made it another one
        if len(key or b"") + len(value or b"") > moment.room:
            return False

        name = schedule.encode()
        subject = name[: name.index(b"/")]
        identity = row[layout.identity]
        occurrence = name + _marks[identity] + moment.text
        digest = run_digest(occurrence, subject)
        run = run_id_of(digest)
        number, sequence = draft.partition.number, draft.sequence
        event = plain_fired(draft.stamp, sequence, name, identity, moment.event, subject, run)
        cursor = plain_cursor(moment.cursor, fires + 1)
        headers = [
            *shape.headers,
            ("horae-schedule", name),
            ("horae-occurrence", occurrence),
            moment.header,
            ("horae-run", run),
            self._fired_at,
            ("traceparent", trace_parent_of(digest)),
        ]
        records += (
            (EVENTS, number, occurrence, event, None),
            (STATE, number, CURSORS + name, cursor, None),
            (shape.topic, -1, key, value, headers),
        )
        draft.sequence = sequence + 1
        draft.plain[schedule] = resident, cursor, moment.following
        self.fired_due.append(due)
        return True

    def _moment(self, shape: Shape, mark: int, origin: int) -> Moment:
        if len(self._moments) >= MOMENTS_KEPT:
            self._moments.clear()
        tick = shape.rule.next_after(mark, origin)
        following = shape.rule.next_after(tick.instant, origin).instant
        on_time = 0 <= self._now - tick.instant <= shape.grace and following != NEVER
        frozen = any(covers(freeze, tick.instant) for freeze in self._world.freezes.values())
        room = self._room(shape) if on_time and not frozen else -1
        if room >= 0:
            self.topics.add(shape.topic)
        text = format_instant(tick.instant).encode()
        moment = Moment(
            tick.instant,
            room,
            following,
            fired_pieces(tick.instant, tick.wall, tick.second_pass, following),
            cursor_pieces(
                tick.instant, tick.wall, tick.second_pass, following, self._world.zone_data
            ),
            text,
            ("horae-nominal", text),
        )
        self._moments[shape, mark, origin] = moment
        return moment

    def _room(self, shape: Shape) -> int:
        target = self._world.targets.get(shape.topic, Target())
        keyless = target.needs_key and shape.layout.key is None
        if target.fault is not None or keyless or forbids(shape.topic, self._world) is not None:
            return -1
        return target.max_bytes - shape.headers_size
