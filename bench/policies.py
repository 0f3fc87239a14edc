"""
How long does it take to decide about one occurrence, plainly and under a mix of policies?

Decide and evolve alone: no broker, no log. A plain emit goes the way that the processor takes for
it, timers included; what joining its bytes takes is told apart. The mix asks the decider about
schedules with jitter, windows, exclusions, limits, scopes, tracked work under each rule of overlap
with its reports, and plain ones, each rung when it is due for some hours of a day.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace

from bench.rows import Row
from schemas.codec import encode, pack_cursor
from schemas.commands import Asked, ReportRun, ReportStatus
from schemas.definition import (
    DAY,
    MINUTE,
    SECOND,
    Cron,
    Definition,
    Emit,
    Exclude,
    Hours,
    Interval,
    Window,
)
from schemas.events import Fired, Outcome, ScheduleDefined, ScheduleEvent, Stamp
from schemas.globals import Calendar, GlobalSettings
from schemas.identity import run_digest, run_id_of, subject_of, trace_parent_of
from schemas.instants import format_instant, parse_instant
from schemas.plain_bytes import (
    IncarnationMarks,
    cursor_pieces,
    fired_pieces,
    plain_cursor,
    plain_fired,
    stamp_piece,
)
from schemas.policies import Overlap, OverlapMode, Scope, Tracking
from schemas.snapshot import Owner
from schemas.topics import EVENTS, STATE
from streams.calendar.zones import zone_data_number
from streams.decider.decide import decide
from streams.decider.ended import Ended
from streams.decider.evolve import evolve
from streams.decider.evolve_subject import evolve_subject
from streams.decider.runs import schedule_due
from streams.decider.state import Schedule, World
from streams.decider.subject import NOBODY, Subject
from streams.processor.batch import Batch
from streams.processor.draft import Record
from streams.processor.keys import CURSORS
from streams.processor.partitions import Partition, Resident, row_of

NOW = parse_instant("2026-11-30T00:00:00Z")
PLAIN = 20_000
ROUNDS = 3
MIXED = 40
"""Schedules of each kind."""
RINGS = 120
"""Of each of them."""
WORLD = World(
    settings=GlobalSettings(("t",), 0),
    zone_data=zone_data_number(),
    calendars={"closed": Calendar(weekdays=96)},
)
EMIT = Emit("t", b"key", b"value")
TRACKED = replace(EMIT, tracked=Tracking())
MINUTELY = (Cron("* * * * *"),)


def kinds() -> dict[str, Definition]:
    """The mix."""
    plain = Definition(MINUTELY, EMIT, "Europe/Berlin")
    return {
        "plain": plain,
        "plain interval": Definition((Interval(micros=90 * SECOND),), EMIT),
        "jitter": replace(plain, jitter=20 * SECOND),
        "window": replace(plain, window=Window((Hours(0, DAY // SECOND),))),
        "exclude": replace(plain, exclude=Exclude(("closed",))),
        "bounds": replace(plain, max_fires=10**6, end_at=NOW + 400 * DAY),
        "scopes": replace(plain, scopes=(Scope("rack-a"), Scope("rack-b"))),
        **{
            f"tracked {mode}": replace(plain, action=TRACKED, overlap=Overlap(mode))
            for mode in OverlapMode
        },
    }


def started(name: str, definition: Definition) -> Schedule:
    """A schedule that was defined a minute ago."""
    stamp = Stamp(NOW - MINUTE, 0, 1, 1, 0, "user:bench")
    begun = ScheduleDefined(name, 1, 1, definition, NOW - MINUTE, NOW)
    state = evolve(None, begun, stamp, WORLD.zone_data)
    assert state is not None
    return state


class Household:
    """One schedule, its subject, and somebody who reports each run as done."""

    def __init__(self, name: str, definition: Definition) -> None:
        self.name = name
        self.state = started(name, definition)
        self.known: Subject = NOBODY
        self.decided = 0
        self._tracked = definition.action.tracked is not None

    def ids(self) -> tuple[str, ...]:
        """The one schedule."""
        return (self.name,)

    def get(self, schedule: str) -> Schedule | None:
        """The one schedule."""
        return self.state if schedule == self.name else None

    def ring(self) -> None:
        """Decide what is due, and the reports of what was started."""
        now = self.state.cursor.due + SECOND // 10
        events = schedule_due(self.state, self._around(), now)
        self._take(events, now)
        if self._tracked:
            for run in [run for event in events for run in _begun(event)]:
                self._report(run, now + SECOND)

    def _report(self, run: str, now: int) -> None:
        command = ReportRun(run, ReportStatus.SUCCESS)
        asked = Asked(f"{subject_of(self.name)}/", command, "id", 0, 1, 1, now)
        self._take(decide(None, asked, self._around(), now), now)

    def _around(self) -> World:
        if self.known is NOBODY:
            return WORLD
        return WORLD.around(self.known, self)

    def _take(self, events: Iterable[ScheduleEvent], now: int) -> None:
        stamp = Stamp(now, 0, None, 1, 0, "bench")
        self.decided += 1
        for event in events:
            plan = self.state.plan
            self.state = evolve(self.state, event, stamp, WORLD.zone_data) or self.state
            self.known = evolve_subject(self.known, plan, event, stamp)
        if self._tracked and len(self.known.over) > 50:
            self.known = replace(self.known, over=Ended())


def _begun(event: ScheduleEvent) -> list[str]:
    if not isinstance(event, Fired):
        return []
    return [one.run for one in event.scopes if one.outcome is Outcome.STARTED]


def mixed() -> float:
    """Microseconds a decision, with its fold, over the mix."""
    found = [
        Household(f"subject-{number}-{kind.replace(' ', '-')}/nightly", definition)
        for kind, definition in kinds().items()
        for number in range(MIXED)
    ]
    begin = time.process_time()
    for _ in range(RINGS):
        for one in found:
            one.ring()
    took = time.process_time() - begin
    return took / sum(one.decided for one in found) * 1e6


def plain() -> tuple[float, float]:
    """Microseconds a plain emit, as the processor fires it; and those of its bytes among them."""
    partition = Partition(0, Owner("", 0, "topic", 0, 0, -1, 0))
    for number in range(PLAIN):
        state = started(f"subject-{number}/nightly", Definition(MINUTELY, EMIT))
        row, cursor = encode(row_of(state.plan)), pack_cursor(state.cursor)
        partition.residents[state.plan.id] = Resident(partition, row, cursor)
    partition.timers.load((one.due, name, one) for name, one in partition.residents.items())
    best = float("inf")
    for minute in range(ROUNDS + 1):
        begin = time.process_time()
        _fire_all(partition, NOW + minute * MINUTE + SECOND)
        took = time.process_time() - begin
        best = min(best, took) if minute else best  # in the first they are met for the first time
    return best / PLAIN * 1e6, min(_joining(partition) for _ in range(ROUNDS)) / PLAIN * 1e6


def _joining(partition: Partition) -> float:
    """Seconds that joining the bytes of all their fires takes, done as express.py does it."""
    marks, text = IncarnationMarks(), format_instant(NOW).encode()
    event = fired_pieces(NOW, NOW, 0, NOW + MINUTE)
    cursor = cursor_pieces(NOW, NOW, 0, NOW + MINUTE, WORLD.zone_data)
    stamp, at = stamp_piece(NOW, 0, 0), ("horae-fired-at", text)
    residents = [(name, one, one.plainly(name)) for name, one in partition.residents.items()]
    records: list[Record] = []
    begin = time.process_time()
    for sequence, (schedule, resident, shape) in enumerate(residents):
        assert shape is not None
        name = schedule.encode()
        subject = name[: name.index(b"/")]
        identity = resident.row[shape.layout.identity]
        occurrence = name + marks[identity] + text
        digest = run_digest(occurrence, subject)
        run = run_id_of(digest)
        fired = plain_fired(stamp, sequence, name, identity, event, subject, run)
        headers: list[tuple[str, str | bytes | None]] = [
            ("horae-schedule", name),
            ("horae-occurrence", occurrence),
            at,
            ("horae-run", run),
            at,
            ("traceparent", trace_parent_of(digest)),
        ]
        records += (
            (EVENTS, 0, occurrence, fired, None),
            (STATE, 0, CURSORS + name, plain_cursor(cursor, 1), None),
            (shape.topic, -1, b"key", b"value", headers),
        )
    return time.process_time() - begin


def _fire_all(partition: Partition, now: int) -> None:
    """Let all that is due fire, in batches like the processor's."""
    while due_now := partition.timers.pop_due(now, 10_000):
        batch = Batch(WORLD, now, _nowhere, 1)
        batch.ring(due_now)
        assert len(batch.fired_due) == len(due_now)
        batch.close("bench")
        batch.keep()


def _nowhere(records: Iterable[Record]) -> None:
    """A transaction that keeps nothing."""


def run() -> list[Row]:
    """The rows of the table."""
    whole, joining = plain()
    return [
        Row(
            name="a plain emit decided and folded",
            value=whole - joining,
            unit="µs",
            less_is_better=True,
            at_least=6,
            note=f"the way the processor takes; joining its bytes takes {joining:.1f} more",
        ),
        Row(
            name="a decision in a mix of policies, and its fold",
            value=mixed(),
            unit="µs",
            less_is_better=True,
            at_least=15,
            note=f"{', '.join(kinds())}; each report is a decision too",
        ),
    ]
