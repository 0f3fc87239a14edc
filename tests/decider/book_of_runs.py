"""
Does what was decided about runs hold together?

Reads the events of one subject in their order and checks each against all before it: who may begin,
how many may wait, that an occurrence and a run end once. It knows the rules as a person would say
them, and nothing of how they are decided.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from schemas.definition import Definition
from schemas.events import (
    Fired,
    Outcome,
    RunCancelling,
    RunEnded,
    RunQueued,
    RunRetries,
    RunStarted,
    ScheduleChanged,
    ScheduleDefined,
    ScheduleEvent,
    ScheduleRemoved,
    Skipped,
)
from schemas.policies import Across, Manual, Overlap, OverlapMode
from schemas.run_events import RunStatus

MOST_WAITING = 5
"""In a queue that does not say how many."""


class Asked(NamedTuple):
    """What a fire by hand asks for."""

    overlap: OverlapMode | None = None
    force: bool = False


@dataclass(eq=False)
class Entry:
    """One run."""

    schedule: str
    scope: str
    overlap: OverlapMode | None = None
    waits: bool = False
    began: bool = False
    over: bool = False


class Meeting(NamedTuple):
    """One more came to these others, of which fewer may be left once the cause is over."""

    words: str
    others: list[Entry]
    most: int


@dataclass
class Book:
    """All that happened so far."""

    cap: int = 0
    definitions: dict[str, Definition] = field(default_factory=dict)
    runs: dict[str, Entry] = field(default_factory=dict)
    promised: set[str] = field(default_factory=set)
    """Runs whose fire said that they wait, and which are not in line yet."""
    ends: set[tuple[object, ...]] = field(default_factory=set)
    marks: dict[tuple[str, int], int] = field(default_factory=dict)
    """The last instant that ended, of each incarnation."""
    _meetings: list[Meeting] = field(default_factory=list)
    """What one cause brought together."""

    def enter(self, events: list[ScheduleEvent], by_hand: Asked) -> None:
        """What one cause led to."""
        for event in events:
            self._enter(event, by_hand)
        assert not self.promised, "said to wait, and never in line"
        for words, others, most in self._meetings:
            assert sum(not one.over for one in others) < most, words
        self._meetings = []

    def waiting(self) -> list[Entry]:
        return [one for one in self.runs.values() if one.waits and not one.over]

    def active(self) -> list[Entry]:
        return [one for one in self.runs.values() if one.began and not one.over]

    def idle(self) -> list[Entry]:
        """Those that wait although nobody is in their way and there is room."""
        active = self.active()
        if self.cap and len(active) >= self.cap:
            return []
        return [one for one in self.waiting() if not self._beside(one, self._rule(one), active)]

    def _enter(self, event: ScheduleEvent, by_hand: Asked) -> None:
        match event:
            case ScheduleDefined() | ScheduleChanged():
                self.definitions[event.schedule] = event.definition
            case ScheduleRemoved():
                self.definitions.pop(event.schedule)
            case Fired():
                self._fire(event, by_hand)
            case Skipped():
                self._end(event, event.first, event.last)
            case RunQueued():
                self._queue(event)
            case RunStarted() | RunRetries() | RunCancelling() | RunEnded():
                self._go_on(event)
            case _:
                pass

    # ------------------------------------------------------------------ occurrences

    def _end(self, event: Fired | Skipped, first: int, last: int) -> None:
        """An occurrence, or a row of them, ends; never a second time."""
        identity = event.schedule, event.incarnation
        if event.origin is not None:
            assert (*identity, event.origin) not in self.ends, "ended twice by hand"
            self.ends.add((*identity, event.origin))
            return
        assert first > self.marks.get(identity, -1), "ended twice"
        assert last >= first
        self.marks[identity] = last

    def _fire(self, event: Fired, by_hand: Asked) -> None:
        self._end(event, event.nominal, event.nominal)
        definition = self.definitions[event.schedule]
        if definition.action.tracked is None:
            return
        assert any(one.outcome is not Outcome.SKIPPED for one in event.scopes), "fired for nobody"
        hand = by_hand if event.origin is not None else Asked()
        for scope, run, outcome, reason in event.scopes:
            assert (reason is not None) == (outcome is Outcome.SKIPPED)
            if outcome is Outcome.SKIPPED:
                continue
            assert run not in self.runs, "given out twice"
            entry = self.runs[run] = Entry(event.schedule, scope, hand.overlap)
            if outcome is Outcome.WAITING:
                self.promised.add(run)
            else:
                free = hand.force or (event.origin and definition.manual is Manual.IGNORE)
                self._begin(entry, free=bool(free))

    # ------------------------------------------------------------------ runs

    def _queue(self, event: RunQueued) -> None:
        self.promised.remove(event.run)
        entry = self.runs[event.run]
        assert event.overlap == entry.overlap
        entry.waits = True
        rule = self._rule(entry)
        assert rule.mode not in {OverlapMode.SKIP, OverlapMode.ALLOW}, "in line without a line"
        most = (rule.limit or MOST_WAITING) if rule.mode is OverlapMode.QUEUE else 1
        self._meet("more wait than may", self._beside(entry, rule, self.waiting()), most)

    def _go_on(self, event: RunStarted | RunRetries | RunCancelling | RunEnded) -> None:
        entry = self.runs[event.run]
        assert not entry.over, "something happens after the end"
        match event:
            case RunStarted():
                if not entry.began:
                    self._begin(entry, free=False)
            case RunRetries():
                entry.began, entry.waits = True, False
            case RunCancelling():
                assert entry.began, "asked to stop before it began"
            case RunEnded():
                unbegun = event.status in {RunStatus.DROPPED, RunStatus.CANCELLED}
                assert unbegun or event.started_at is not None
                assert (event.reason is not None) == (event.status is RunStatus.DROPPED)
                entry.over, entry.waits = True, False

    def _begin(self, entry: Entry, *, free: bool) -> None:
        if not free and self.definitions[entry.schedule].action.tracked is not None:
            rule = self._rule(entry)
            most = rule.limit if rule.mode is OverlapMode.ALLOW else 1
            self._meet("more than the rule says", self._beside(entry, rule, self.active()), most)
            self._meet("more than the subject may have", self.active(), self.cap or None)
        entry.began, entry.waits = True, False

    def _rule(self, entry: Entry) -> Overlap:
        rule = self.definitions[entry.schedule].overlap
        if entry.overlap in {None, rule.mode}:
            return rule
        return Overlap(entry.overlap or rule.mode, across=rule.across)

    def _meet(self, words: str, others: list[Entry], most: int | None) -> None:
        if most is not None:
            self._meetings.append(Meeting(words, others, most))

    @staticmethod
    def _beside(entry: Entry, rule: Overlap, others: list[Entry]) -> list[Entry]:
        """Those of the others that the rule counts."""
        others = [one for one in others if one is not entry]
        if rule.across is Across.SUBJECT:
            return others
        return [one for one in others if (one.schedule, one.scope) == (entry.schedule, entry.scope)]
