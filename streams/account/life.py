"""
What became of each instant of one schedule?

Takes its events one by one: each is held against the calendar (checking.py), and gives every
instant up to the new mark its class. What lies between events is book.py, what is left at the end
remaining.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from schemas.events import (
    BackfillEnded,
    BackfillStarted,
    Deferred,
    Fired,
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
    SkipsChanged,
    Stamp,
    SubjectHeld,
)
from streams.account import checking
from streams.account.adopting import adopted
from streams.account.book import Book
from streams.account.classing import Verdict, class_of
from streams.account.expected import called_for, split
from streams.calendar.occurrences import NEVER
from streams.decider.recompute import OTHER_ZONE_DATA
from streams.decider.state import Plan, Schedule

End = Fired | Skipped
Edit = (
    ScheduleChanged | ScheduleRemoved | SchedulePaused | ScheduleResumed | ScheduleCompleted
    | ScheduleRecomputed | SkipsChanged
)  # fmt: skip


@dataclass(slots=True)
class Life(Book):
    """One schedule on its way through the ledger."""

    row: Plan | None = None
    """What the public table says of it, if the ledger begins late."""
    superseded: int = 0
    """Deferrals that the ledger need not have any more, since a later record sums them up."""
    backfills: dict[str, set[int]] = field(default_factory=dict)
    """What the backfills under way have yet to run."""
    missed_at: int | None = None
    """When something was skipped as missed, or a pause ended: all due by then is one stretch."""
    by_hand: str = ""
    """The origin of the last fire by hand."""

    def take(self, event: ScheduleEvent, stamp: Stamp, hold: SubjectHeld | None = None) -> None:
        """Class what the event ends, and let the schedule be what it says."""
        match event:
            case BackfillStarted():
                self.backfills[event.id] = set(event.instants)
            case BackfillEnded():
                self.backfills.pop(event.id, None)
            case ScheduleDefined():
                self._defined(event, stamp)
            case Fired() | Skipped() if event.origin is not None:
                self._by_hand(event, stamp)
            case Fired() | Skipped() | Deferred():
                self._about_instants(event, stamp, hold)
            case (
                ScheduleChanged()
                | ScheduleRemoved()
                | SchedulePaused()
                | ScheduleResumed()
                | ScheduleCompleted()
                | ScheduleRecomputed()
                | SkipsChanged()
            ):
                self._edited(event, stamp)
            case _:
                pass  # refusals, and what happens to runs

    # ------------------------------------------------------------------ commands

    def _defined(self, event: ScheduleDefined, stamp: Stamp) -> None:
        if self.state is not None:
            self.find(stamp.decided_at, stamp, "it was defined although it was there")
        self.passed = -NEVER
        self.evolve(event, stamp)

    def _edited(self, event: Edit, stamp: Stamp) -> None:
        state = self.state
        if state is None:
            self._unknown(event, stamp)
            return
        fault = _edit_fault(event, state)
        if fault is not None:
            self.find(stamp.decided_at, stamp, fault)
        match event:
            case ScheduleResumed() | ScheduleChanged():
                verdict = Verdict.PAUSED if state.plan.pause is not None else Verdict.OUTSIDE
                self.pass_over(verdict, event.begins_at, self.worlds.at(stamp.globals_offset))
            case ScheduleRemoved():
                verdict = Verdict.PAUSED if state.plan.pause is not None else Verdict.OUTSIDE
                until = max(stamp.decided_at, self.mark)
                self.pass_over(verdict, until, self.worlds.at(stamp.globals_offset))
            case _:
                pass
        before, known = self.mark, self.known
        self.evolve(event, stamp)
        if isinstance(event, ScheduleResumed):
            self.missed_at = stamp.decided_at
        if isinstance(event, ScheduleRecomputed):
            self.known = known
            self._recomputed(event, stamp, before)
        elif self.mark == before:  # what was passed over since the mark, was under former worlds
            self.known = known

    def _recomputed(self, event: ScheduleRecomputed, stamp: Stamp, before: int) -> None:
        if event.cause.startswith(OTHER_ZONE_DATA) and event.next < NEVER:
            self.passed = event.next - 1
        else:
            self.gap(before, self.mark, stamp)

    def _unknown(self, event: ScheduleEvent, stamp: Stamp) -> None:
        """An event about a schedule that is not there: the ledger forgot it, or something is wrong.

        An edit brings its definition with it.
        """
        if not self.is_lost:
            self.find(stamp.decided_at, stamp, "an event about a schedule that is not there")
        if isinstance(event, ScheduleChanged):
            defined = ScheduleDefined(
                *(event.schedule, event.version, event.incarnation, event.definition),
                *(event.begins_at, event.next, event.next_due),
            )
            self.evolve(defined, stamp)
        elif self.is_lost and self.row is not None:
            self.state = adopted(self.row, event, stamp, self.worlds.zone_data)
            self.known = stamp.globals_offset
            if self.state is not None and isinstance(event, Fired | Skipped):
                self._class(event, stamp, self.state)

    # ------------------------------------------------------------------ occurrences

    def _about_instants(
        self, event: Fired | Skipped | Deferred, stamp: Stamp, hold: SubjectHeld | None
    ) -> None:
        state = self.state
        if state is None:
            self._unknown(event, stamp)
            return
        self._note_superseded(event, state)
        if stamp.decided_at >= self.span.begin:
            self._account(event, stamp, hold, state)
        known = self.known
        self.evolve(event, stamp)
        if isinstance(event, Deferred):
            self.known = known

    def _account(
        self,
        event: Fired | Skipped | Deferred,
        stamp: Stamp,
        hold: SubjectHeld | None,
        state: Schedule,
    ) -> None:
        worlds = self.worlds_until(stamp)
        moment = checking.Moment(state, worlds, stamp, hold, self.missed_at == stamp.decided_at)
        first = event.first if isinstance(event, Skipped) else event.nominal
        fault = checking.fault_of(event, moment)
        if first > self.mark:
            self.gap(self.mark, first - 1, stamp)
        if fault is not None:
            self.find(first, stamp, fault)
        elif not isinstance(event, Deferred):
            self._class(event, stamp, state)
        if isinstance(event, Skipped) and event.reason is Reason.MISSED and fault is None:
            self.missed_at = stamp.decided_at

    def _class(self, event: End, stamp: Stamp, state: Schedule) -> None:
        found = class_of(event, stamp, state.plan.definition.catch_up.grace)
        if isinstance(event, Skipped) and event.count > 1:
            after, until = self.span.clip(event.first - 1, event.last)
            whole = (after, until) == (event.first - 1, event.last)
            world = self.worlds.at(stamp.globals_offset)
            count = event.count if whole else called_for(state, [world], after, until).number
            self.tally.add(found.verdict, count, found.reason)
            self.tally.add(Verdict.EXCLUDED, split(state, after, until).inside - count)
        elif self.span.covers(event.first if isinstance(event, Skipped) else event.nominal):
            self.tally.add(found.verdict, 1, found.reason)

    def _by_hand(self, event: End, stamp: Stamp) -> None:
        state = self.state
        if state is None:
            self._unknown(event, stamp)
            return
        at = event.nominal if isinstance(event, Fired) else event.first
        fault = self._hand_fault(event, stamp, at)
        if fault is not None:
            self.find(at, stamp, fault)
        elif self.span.covers(at):
            found = class_of(event, stamp, 0)
            self.tally.add(found.verdict, 1, found.reason)
        self.by_hand = event.origin or ""
        if isinstance(event, Fired):
            known = self.known
            self.evolve(event, stamp)
            self.known = known

    def _hand_fault(self, event: End, stamp: Stamp, at: int) -> str | None:
        if event.origin == self.by_hand:
            return f"{event.origin} has two ends"
        origin = event.origin or ""
        if origin.startswith("trigger:"):
            caused = origin.rpartition(".")[2]
            return None if caused == str(stamp.offset) else "it was triggered by another command"
        left = self.backfills.get(origin.partition("+")[2])
        if left is None:
            return None if self.is_lost else f"{origin} belongs to no backfill that is under way"
        if at not in left:
            return f"{origin} had its end already, or was not asked for"
        left.discard(at)
        return None

    def _note_superseded(self, event: Fired | Skipped | Deferred, state: Schedule) -> None:
        summed = event.deferrals - (1 if isinstance(event, Deferred) else 0)
        self.superseded += max(summed - state.cursor.deferrals, 0)


def _edit_fault(event: Edit, state: Schedule) -> str | None:
    if event.incarnation != state.plan.incarnation:
        return f"it is about incarnation {event.incarnation}, not {state.plan.incarnation}"
    match event:
        case ScheduleResumed() if state.plan.pause is None:
            return "it was resumed although it was not paused"
        case ScheduleCompleted() if state.plan.pause is None and state.cursor.nominal != NEVER:
            return f"it was completed although {checking.written(state.cursor.nominal)} was to come"
        case ScheduleChanged() if event.previous_version != state.plan.version:
            return f"it edits version {event.previous_version}, not {state.plan.version}"
        case _:
            return None
