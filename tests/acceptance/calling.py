"""
Which occurrences do the definitions call for, and what became of each?

Walks the life of every schedule through the ledger, definition by definition, with nothing but the
calendar: each instant after the beginning of a definition has one end, in its order and without a
gap, until the definition ends; the rest is nobody's. What a fire has to write is kept for emits.py.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from schemas.commands import Asked
from schemas.definition import CatchUpMode, Emit
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    Deferred,
    Fired,
    GlobalChanged,
    Reason,
    ScheduleChanged,
    ScheduleCompleted,
    ScheduleDefined,
    ScheduleEvent,
    SchedulePaused,
    ScheduleRecomputed,
    ScheduleRemoved,
    ScheduleResumed,
    Skipped,
    Stamp,
)
from schemas.instants import format_instant
from streams.calendar.occurrences import NEVER
from tests.acceptance.history import History
from tests.acceptance.life import SECOND, Life, begin_of, rule_of, timing_of


class Wrong(Exception):
    """An event that the definitions do not call for, or one that is missing."""


@dataclass(slots=True)
class Emission:
    """What a fire has to write."""

    schedule: str
    action: Emit
    event: Fired
    decided_at: int


@dataclass(slots=True)
class Book:
    """What became of all occurrences."""

    wrong: list[tuple[str, str]] = field(default_factory=list)
    """Schedules and what is wrong with them, in the order in which it was found."""
    emissions: dict[bytes, Emission] = field(default_factory=dict)
    """By the occurrence's id."""
    ends: Counter[str] = field(default_factory=Counter)
    """How many occurrences ended in which way."""


def walk(history: History, horizon: int) -> Book:
    """Account for every occurrence up to the horizon."""
    book = Book()
    for number, records in history.ledger.items():
        lives: dict[str, Life | None] = {}
        for key, _, event, stamp in records:
            if isinstance(event, GlobalChanged):
                continue
            place = number, stamp.offset if stamp.offset is not None else -1
            walker = _Walker(book, lives.get(event.schedule), history.asked.get(place), stamp, key)
            try:
                lives[event.schedule] = walker.after(event)
            except Wrong as wrong:
                book.wrong.append((event.schedule, f"{wrong}: {event} {stamp}"))
        for schedule, life in lives.items():
            _is_settled(book, schedule, life, horizon)
    return book


def _is_settled(book: Book, schedule: str, life: Life | None, horizon: int) -> None:
    if life is None or life.completed:
        return
    if life.paused:
        if life.until is not None and life.until <= horizon:
            book.wrong.append((schedule, f"paused until {format_instant(life.until)}, and still"))
        return
    left = life.instants(horizon)
    if left:
        shown = ", ".join(format_instant(one) for one in left[:5])
        book.wrong.append((schedule, f"{len(left)} occurrences have no end: {shown}"))


@dataclass(slots=True)
class _Walker:
    """One event of one schedule."""

    book: Book
    life: Life | None
    asked: Asked | None
    stamp: Stamp
    key: bytes

    def after(self, event: ScheduleEvent) -> Life | None:
        """The life after the event, if the event is right."""
        if isinstance(event, CommandRefused | CommandUnchanged):
            return self.life
        if isinstance(event, ScheduleDefined):
            return self._defined(event)
        life = self.life
        if life is None:
            raise Wrong("an event about a schedule that is not there")
        _require(event.incarnation == life.incarnation, "another incarnation")
        return self._lived(event, life)

    def _lived(
        self,
        event: ScheduleChanged
        | SchedulePaused
        | ScheduleResumed
        | ScheduleCompleted
        | ScheduleRecomputed
        | ScheduleRemoved
        | Fired
        | Skipped
        | Deferred,
        life: Life,
    ) -> Life | None:
        match event:
            case Fired() | Skipped() | Deferred():
                self._occurred(event, life)
            case ScheduleChanged():
                self._changed(event, life)
            case SchedulePaused():
                self._ends_here(life)
                life.paused, life.until = True, event.until
            case ScheduleResumed():
                self._resumed(event, life)
            case ScheduleCompleted():
                self._completed(life)
            case ScheduleRecomputed():
                pass  # what was due under the old data was no end of anything
            case ScheduleRemoved():
                self._ends_here(life)
                return None
        return life

    # ------------------------------------------------------------------ occurrences

    def _occurred(self, event: Fired | Skipped | Deferred, life: Life) -> None:
        if isinstance(event, Fired):
            self._emits(event, life)
            if event.origin is not None:
                self._triggered(event)
                return
        _require(not life.paused, "an end while paused")
        _require(not life.completed, "an end after completion")
        match event:
            case Fired():
                self._fired(event, life)
                life.mark = event.nominal
            case Skipped():
                self._skipped(event, life)
                life.mark = event.last
            case Deferred():
                _require(life.instants(event.nominal) == [event.nominal], "not the next instant")

    def _fired(self, event: Fired, life: Life) -> None:
        _require(life.instants(event.nominal) == [event.nominal], "not the next instant")
        _require(event.nominal <= self.stamp.decided_at, "fired too early")
        if event.deferred_at is None:
            age = self.stamp.decided_at - event.nominal
            late = age > life.definition.catch_up.grace
            caught_up = life.missed_at == self.stamp.decided_at
            _require(event.late == (late or caught_up), "late is not what it is said to be")
            if late:
                rule = life.definition.catch_up
                _require(rule.mode is not CatchUpMode.NONE, "fired late against its catch-up")
                in_time = rule.lookback is None or age <= rule.lookback
                _require(in_time, "fired beyond the lookback")
        self.book.ends["late" if event.late else "on time"] += 1

    def _skipped(self, event: Skipped, life: Life) -> None:
        found = life.instants(event.last)
        told = event.first, event.last, event.count
        _require(bool(found), "nothing to skip")
        _require((found[0], found[-1], len(found)) == told, "other instants were skipped")
        if event.reason is Reason.MISSED:
            age = self.stamp.decided_at - event.first
            _require(age > life.definition.catch_up.grace, "missed although it was not late")
            life.missed_at = self.stamp.decided_at
        elif event.reason is Reason.WITHDRAWN:
            _require(self.asked is not None, "withdrawn by nobody")
        else:
            _require(event.reason is Reason.TARGET_UNAVAILABLE, "skipped for no such reason")
        self.book.ends[event.reason.value] += event.count

    def _triggered(self, event: Fired) -> None:
        _require(self.asked is not None, "triggered by nobody")
        origin = f"trigger:{self.asked.id}.{self.asked.offset}"  # type: ignore[union-attr]
        _require(event.origin == origin, "triggered by somebody else")
        _require(event.nominal == self.stamp.decided_at, "triggered at another time")
        self.book.ends["triggered"] += 1

    def _emits(self, event: Fired, life: Life) -> None:
        _require(self.key not in self.book.emissions, "fired twice")
        self.book.emissions[self.key] = Emission(
            event.schedule, life.definition.action, event, self.stamp.decided_at
        )

    # ------------------------------------------------------------------ lives

    def _defined(self, event: ScheduleDefined) -> Life:
        _require(self.life is None, "defined although it was there")
        definition = event.definition
        life = Life(
            incarnation=event.incarnation,
            origin=self.stamp.decided_at // SECOND * SECOND,
            definition=definition,
            rule=rule_of(event.schedule, definition),
            mark=event.begins_at,
        )
        _require(event.begins_at == begin_of(life, self._from()), "begins at another time")
        return life

    def _changed(self, event: ScheduleChanged, life: Life) -> None:
        old, new = life.definition, event.definition
        life_before = life.mark
        if timing_of(old) == timing_of(new):
            _require(event.begins_at == life.mark, "an edit of the payload moved the mark")
            life.definition = new
            return
        self._ends_here(life)
        was_once = life.rule.once
        life.definition, life.rule = new, rule_of(event.schedule, new)
        begin = max(begin_of(life, max(self._from(), life_before)), life_before)
        _require(event.begins_at == begin, "begins at another time")
        life.mark = event.begins_at
        if event.next == NEVER and life.completed:
            _require(was_once, "an edit did not revive it")
        else:
            life.completed = False

    def _resumed(self, event: ScheduleResumed, life: Life) -> None:
        _require(life.paused, "resumed although it was not paused")
        if self.asked is not None:
            here = self._from()
        else:
            _require(life.until is not None, "resumed by nobody")
            here = life.until or 0
            _require(here <= self.stamp.decided_at, "resumed too early")
        begin = life.mark if life.rule.once else max(here, life.mark)
        _require(event.begins_at == begin, "resumed from another time")
        life.mark = event.begins_at
        life.paused, life.until = False, None

    def _completed(self, life: Life) -> None:
        if not life.paused:
            _require(
                life.instants(self.stamp.decided_at) == [], "completed with unsettled instants"
            )
        if not life.rule.once:
            _require(life.instants(NEVER - 1) == [], "completed before its last instant")
        life.completed = True
        life.paused, life.until = False, None

    def _ends_here(self, life: Life) -> None:
        """What was due before the command was sent has its end."""
        if life.paused or life.completed:
            return
        asked = self.asked
        if asked is None:
            raise Wrong("done by nobody")
        until = min(asked.appended_at, self.stamp.decided_at)
        _require(life.instants(until) == [], "what was due before has no end")

    def _from(self) -> int:
        if self.asked is None:
            raise Wrong("done by nobody")
        return max(self.asked.appended_at, self.stamp.decided_at)


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise Wrong(otherwise)
