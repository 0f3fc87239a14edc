"""
Is this end of an occurrence, or its deferral, the one that was called for?

The rules for each kind of event, asked with what the ledger told of the schedule before it: which
instant comes next, when it is due, whether it is late, frozen or outside of its window. The walk
through the ledger is calling.py.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from schemas.commands import Asked
from schemas.definition import CatchUpMode, Emit
from schemas.events import Deferred, Fired, Reason, Skipped, Stamp
from tests.acceptance.laws import is_frozen, is_open
from tests.acceptance.life import Life


class Wrong(Exception):
    """An event that the definitions do not call for, or one that is missing."""


def require(condition: bool, otherwise: str) -> None:
    """Raise Wrong unless it is so."""
    if not condition:
        raise Wrong(otherwise)


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
    """How many occurrences ended in which way; also how many were deferred, moved or excluded."""


@dataclass(slots=True)
class Look:
    """One event about occurrences of one schedule."""

    book: Book
    life: Life
    asked: Asked | None
    stamp: Stamp
    key: bytes

    def take(self, event: Fired | Skipped | Deferred) -> None:
        """Check it, and let the life go on after it."""
        life = self.life
        if isinstance(event, Fired):
            self._emits(event)
            if event.origin is not None:
                self._triggered(event)
                return
        require(not life.paused, "an end while paused")
        require(not life.completed, "an end after completion")
        require(not life.exhausted, "an end after the last fire")
        match event:
            case Fired():
                self._fired(event)
            case Skipped():
                self._skipped(event)
            case Deferred():
                self._deferred(event)

    # ------------------------------------------------------------------ what comes next

    def _is_next(self, nominal: int) -> None:
        """Everything before it was excluded at some time, and it is not, or waited already."""
        life, offset = self.life, self.stamp.globals_offset
        found = life.instants(nominal)
        require(found[-1:] == [nominal], "no instant of the rule")
        for one in found[:-1]:
            require(life.excused(one, offset), "not the next instant")
        waits = life.waits_until is not None
        require(waits or life.is_open(nominal, offset), "an excluded instant")
        self.book.ends["excluded"] += len(found) - 1

    def _is_due(self, nominal: int, due: int) -> None:
        dues = self.life.dues(nominal, self.stamp.globals_offset)
        require(due in dues, f"due at another time than {dues}")
        self.book.ends["moved"] += due > nominal

    def _may_start(self, due: int) -> None:
        """Neither in a freeze nor outside of its window."""
        life, now = self.life, self.stamp.decided_at
        rings = due if life.waits_until is None else life.waits_until
        everyone = life.times.at(self.stamp.globals_offset)
        for at in (due, rings):
            require(not is_frozen(everyone, life.schedule, at), "started in a freeze")
        window = life.definition.window
        if window is not None:
            require(is_open(window, life.definition.zone, self._moment(rings)), "window is shut")
        require(rings <= now, "started too early")

    def _moment(self, rings: int) -> int:
        """When it was to start, if that was not long ago."""
        now = self.stamp.decided_at
        return rings if now - rings <= self.life.definition.catch_up.grace else now

    # ------------------------------------------------------------------ each kind

    def _fired(self, event: Fired) -> None:
        life, now = self.life, self.stamp.decided_at
        self._is_next(event.nominal)
        self._is_due(event.nominal, event.due)
        self._may_start(event.due)
        if event.deferred_at is None:
            self._is_as_late_as_it_says(event)
        if life.waits_until is not None and life.definition.window is not None:
            life.waited_at = now
        self.book.ends["late" if event.late else "on time"] += 1
        life.fires += 1
        life.settle(event.nominal, now, self.stamp.globals_offset)

    def _is_as_late_as_it_says(self, event: Fired) -> None:
        life, now = self.life, self.stamp.decided_at
        age = now - event.due
        late = age > life.definition.catch_up.grace
        require(event.late == (late or life.missed_at == now), "late is not what it is said to be")
        if late:
            rule = life.definition.catch_up
            require(rule.mode is not CatchUpMode.NONE, "fired late against its catch-up")
            in_time = rule.lookback is None or age <= rule.lookback
            require(in_time, "fired beyond the lookback")

    def _skipped(self, event: Skipped) -> None:
        life, offset = self.life, self.stamp.globals_offset
        before = [one for one in life.instants(event.last) if one < event.first]
        for one in before:
            require(life.excused(one, offset), "an instant was left out")
        waits = life.waits_until is not None
        found = [
            one
            for one in life.instants(event.last)
            if one >= event.first and (life.is_open(one, offset) or (waits and one == event.first))
        ]
        told = event.first, event.last, event.count
        require(bool(found), "nothing to skip")
        require((found[0], found[-1], len(found)) == told, "other instants were skipped")
        self._has_a_reason(event)
        self.book.ends[event.reason.value] += event.count
        life.settle(event.last, self.stamp.decided_at, offset)

    def _has_a_reason(self, event: Skipped) -> None:
        life, now = self.life, self.stamp.decided_at
        dues = life.dues(event.first, self.stamp.globals_offset)
        match event.reason:
            case Reason.MISSED:
                late = now - min(dues) > life.definition.catch_up.grace
                require(late, "missed although it was not late")
                life.missed_at = now
            case Reason.WITHDRAWN:
                require(self.asked is not None, "withdrawn by nobody")
            case Reason.FREEZE:
                rings = dues if life.waits_until is None else {*dues, life.waits_until}
                everyone = life.times.at(self.stamp.globals_offset)
                frozen = any(is_frozen(everyone, life.schedule, one) for one in rings)
                require(frozen and event.count == 1, "skipped for a freeze that is none")
            case Reason.OVERLAP:
                require(life.waited_at == now, "nothing has waited before it")
            case Reason.DEFERRAL_EXPIRED:
                require(life.definition.window is not None, "it had nothing to wait for")
            case _:
                require(event.reason is Reason.TARGET_UNAVAILABLE, "skipped for no such reason")

    def _deferred(self, event: Deferred) -> None:
        life, window = self.life, self.life.definition.window
        self._is_next(event.nominal)
        self._is_due(event.nominal, event.due)
        if event.reason is Reason.WINDOW:
            require(window is not None, "it has no window")
            assert window is not None
            zone = life.definition.zone
            rings = event.due if life.waits_until is None else life.waits_until
            require(not is_open(window, zone, self._moment(rings)), "the window is open")
            require(is_open(window, zone, event.until), "deferred to where the window is shut")
            require(event.until - event.due <= window.max_wait, "deferred for too long")
            self.book.ends["waited for its window"] += 1
        life.waits_until = event.until
        if event.deferred_at is not None:  # it was due by then, whatever calendar comes
            life.recomputed.append(event.deferred_at)

    # ------------------------------------------------------------------ by hand

    def _triggered(self, event: Fired) -> None:
        life, now = self.life, self.stamp.decided_at
        if self.asked is None:
            raise Wrong("triggered by nobody")
        origin = f"trigger:{self.asked.id}.{self.asked.offset}"
        require(event.origin == origin, "triggered by somebody else")
        require(event.nominal == now, "triggered at another time")
        everyone = life.times.at(self.stamp.globals_offset)
        require(not is_frozen(everyone, life.schedule, now), "triggered in a freeze")
        self.book.ends["triggered"] += 1
        if life.step and not life.completed and (life.paused or not self._is_pending()):
            life.begin(max(life.told, now), self.stamp.globals_offset)  # a clock may go back
        life.fires += 1

    def _is_pending(self) -> bool:
        """Whether the instant of an interval that counts from decisions is due or waits."""
        life, now = self.life, self.stamp.decided_at
        found = life.instants(now)
        if life.waits_until is not None:
            return True
        return any(min(life.dues(one, self.stamp.globals_offset)) <= now for one in found)

    def _emits(self, event: Fired) -> None:
        require(self.key not in self.book.emissions, "fired twice")
        self.book.emissions[self.key] = Emission(
            event.schedule, self.life.definition.action, event, self.stamp.decided_at
        )
