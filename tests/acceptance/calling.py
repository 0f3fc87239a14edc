"""
Which occurrences do the definitions call for, and what became of each?

Walks the life of every schedule through the ledger, definition by definition, with nothing but the
calendar: each instant after the beginning of a definition has one end, in its order and without a
gap, until the definition ends; the rest is nobody's. What an end has to look like is occurring.py.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from schemas.commands import Asked
from schemas.events import (
    BackfillEvent,
    CommandRefused,
    CommandUnchanged,
    Deferred,
    Fired,
    GlobalChanged,
    RunEvent,
    ScheduleChanged,
    ScheduleCompleted,
    ScheduleDefined,
    ScheduleEvent,
    SchedulePaused,
    ScheduleRecomputed,
    ScheduleRemoved,
    ScheduleResumed,
    Skipped,
    SkipsChanged,
    Stamp,
    SubjectEvent,
)
from schemas.instants import format_instant
from streams.calendar.occurrences import NEVER
from tests.acceptance.history import History
from tests.acceptance.laws import Everyone, Times, is_closed
from tests.acceptance.life import SECOND, Life, begin_of, rule_of, timing_of
from tests.acceptance.occurring import Book, Emission, Look, Wrong, require

__all__ = ["Book", "Emission", "walk"]

WITHOUT_OCCURRENCES = (
    CommandRefused | CommandUnchanged | RunEvent | BackfillEvent | SubjectEvent | SkipsChanged
)
"""Events after which the same instants are called for as before."""


def walk(history: History, horizon: int) -> Book:
    """Account for every occurrence up to the horizon."""
    book, times = Book(), Times(history.told)
    for number, records in history.ledger.items():
        lives: dict[str, Life | None] = {}
        for key, _, event, stamp in records:
            if isinstance(event, GlobalChanged):
                continue
            place = number, stamp.offset if stamp.offset is not None else -1
            asked = history.asked.get(place)
            walker = _Walker(book, times, lives.get(event.schedule), asked, stamp, key)
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
    if life.exhausted:
        book.wrong.append((schedule, f"fired {life.fires} times and is not completed"))
    if life.paused:
        if life.until is not None and life.until <= horizon:
            book.wrong.append((schedule, f"paused until {format_instant(life.until)}, and still"))
        return
    if life.waits_until is not None and life.waits_until > horizon:
        return
    left = _due(life, horizon, life.times.newest)
    if left:
        shown = ", ".join(format_instant(one) for one in left[:5])
        book.wrong.append((schedule, f"{len(left)} occurrences have no end: {shown}"))


def _due(life: Life, until: int, offset: int) -> list[int]:
    """What was due by then, whatever a calendar did to its jitter, and has no end."""
    return [one for one in life.called(until, offset) if max(life.dues(one, offset)) <= until]


@dataclass(slots=True)
class _Walker:
    """One event of one schedule."""

    book: Book
    times: Times
    life: Life | None
    asked: Asked | None
    stamp: Stamp
    key: bytes

    def after(self, event: ScheduleEvent) -> Life | None:
        """The life after the event, if the event is right."""
        if isinstance(event, WITHOUT_OCCURRENCES):
            return self.life
        if isinstance(event, ScheduleDefined):
            return self._defined(event)
        life = self.life
        if life is None:
            raise Wrong("an event about a schedule that is not there")
        require(event.incarnation == life.incarnation, "another incarnation")
        if isinstance(event, ScheduleRemoved):
            self._ends_here(life)
            return None
        self._lived(event, life)
        if not isinstance(event, SchedulePaused | ScheduleCompleted | Deferred):
            life.next = event.next
        return life

    def _lived(
        self,
        event: ScheduleChanged
        | SchedulePaused
        | ScheduleResumed
        | ScheduleCompleted
        | ScheduleRecomputed
        | Fired
        | Skipped
        | Deferred,
        life: Life,
    ) -> None:
        match event:
            case Fired() | Skipped() | Deferred():
                Look(self.book, life, self.asked, self.stamp, self.key).take(event)
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
                self._recomputed(event, life)

    # ------------------------------------------------------------------ lives

    def _defined(self, event: ScheduleDefined) -> Life:
        require(self.life is None, "defined although it was there")
        definition = event.definition
        life = Life(
            schedule=event.schedule,
            incarnation=event.incarnation,
            origin=self.stamp.decided_at // SECOND * SECOND,
            definition=definition,
            rule=rule_of(event.schedule, definition),
            times=self.times,
            mark=event.begins_at,
            known=self.stamp.globals_offset,
            told=event.begins_at,
            next=event.next,
        )
        require(event.begins_at == begin_of(life, self._from()), "begins at another time")
        return life

    def _changed(self, event: ScheduleChanged, life: Life) -> None:
        old, new = life.definition, event.definition
        revived = life.completed and life.exhausted and old.max_fires != new.max_fires
        if timing_of(old) == timing_of(new) and not revived:
            nothing_comes = life.completed or (life.step > 0 and event.next == NEVER)
            stays = event.begins_at == life.told or nothing_comes
            require(stays, "an edit of the payload moved the mark")
            life.definition = new
            if life.waits_until is not None and event.next_due is not None:
                life.waits_until = event.next_due
            return
        was_once = life.rule.once or life.spent
        self._retimed(event, life)
        if event.next == NEVER and life.completed:
            require(was_once or life.exhausted, "an edit did not revive it")
            life.spent = was_once
        else:
            life.completed = False

    def _retimed(self, event: ScheduleChanged, life: Life) -> None:
        self._ends_here(life)
        before = replace(life)
        life.definition, life.rule = event.definition, rule_of(event.schedule, event.definition)
        begin = max(begin_of(life, max(self._from(), before.told)), before.told)
        if event.begins_at != begin:
            self._is_carried_over(event.begins_at + 1, before, life)
        life.begin(event.begins_at, self.stamp.globals_offset)

    def _is_carried_over(self, pending: int, before: Life, after: Life) -> None:
        """The one that lies behind us and is due later, if the new rule has it as well."""
        offset = self.stamp.globals_offset
        require(pending <= self._from(), "begins at another time")
        require(not before.paused and not before.step, "carried over what was not pending")
        require(before.called(pending - 1, offset) == [], "carried over another one")
        for life in (before, after):
            found = [pending] if life.exhausted else life.instants(pending)[-1:]
            require(found == [pending], "carried over what is no instant")
        late = max(before.dues(pending, offset)) > self._until()
        require(late, "carried over what was due")

    def _resumed(self, event: ScheduleResumed, life: Life) -> None:
        require(life.paused, "resumed although it was not paused")
        if self.asked is not None:
            here = self._from()
        else:
            require(life.until is not None, "resumed by nobody")
            here = life.until or 0
            require(here <= self.stamp.decided_at, "resumed too early")
        begin = life.told if life.rule.once else max(here, life.told)
        if event.begins_at != begin:
            require(not life.step, "resumed from another time")
            begin = max(self._due_later(here, life) - 1, life.told)
        require(event.begins_at == begin, "resumed from another time")
        life.paused, life.until = False, None
        life.begin(event.begins_at, self.stamp.globals_offset)

    def _due_later(self, here: int, life: Life) -> int:
        """With jitter the newest instant may not be due yet, and is still to come."""
        offset = self.stamp.globals_offset
        newest = life.rule.previous(here, life.origin).instant
        while newest > here - life.definition.jitter and not life.is_open(newest, offset):
            newest = life.rule.previous(newest - 1, life.origin).instant
        require(max(life.dues(newest, offset)) > here, "resumed from another time")
        return newest

    def _completed(self, life: Life) -> None:
        if not life.exhausted:
            if not life.paused:
                require(self._left(life, self.stamp.decided_at) == [], "unsettled at completion")
            if not life.rule.once:
                require(self._left(life, NEVER - 1) == [], "completed before its last instant")
        life.completed = True
        life.paused, life.until = False, None

    @staticmethod
    def _left(life: Life, until: int) -> list[int]:
        """What may still come, if all calendars are lifted."""
        definition, nobody = life.definition, Everyone()
        return [
            one
            for one in life.instants(until)
            if not is_closed(definition.exclude, definition.zone, one, nobody)
        ]

    def _recomputed(self, event: ScheduleRecomputed, life: Life) -> None:
        exclude = life.definition.exclude
        require(exclude is not None and bool(exclude.calendars), "no calendar can have moved it")
        require(not life.paused and not life.completed, "computed anew though nothing is to come")
        require(life.waits_until is None, "computed anew while it waits")
        life.told = max(life.told, min(life.next - 1, event.next - 1, self.stamp.decided_at))
        life.recomputed.append(self.stamp.decided_at)
        self.book.ends["computed anew"] += 1

    def _ends_here(self, life: Life) -> None:
        """What was due before the command was sent has its end."""
        if life.paused or life.completed:
            return
        require(life.waits_until is None, "what waits has no end")
        left = _due(life, self._until(), self.stamp.globals_offset)
        require(left == [], "what was due has no end")

    def _until(self) -> int:
        """What was due by then had to have its end."""
        if self.asked is None:
            raise Wrong("done by nobody")
        return min(self.asked.appended_at, self.stamp.decided_at)

    def _from(self) -> int:
        if self.asked is None:
            raise Wrong("done by nobody")
        return max(self.asked.appended_at, self.stamp.decided_at)
