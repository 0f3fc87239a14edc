"""
Do runs begin, wait and end as their policies say?

Walks the ledger of one partition with the definitions in force, and keeps by itself which runs are
open: nothing of the decider is asked. What each event has to look like is replay's affair; here is
what must hold whatever was decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from schemas.actions import Act
from schemas.definition import Definition
from schemas.events import (
    BackfillEnded,
    BackfillStarted,
    Event,
    Fired,
    Outcome,
    RunCancelling,
    RunEnded,
    RunQueued,
    RunRetries,
    RunStarted,
    ScheduleChanged,
    ScheduleDefined,
    Skipped,
)
from schemas.identity import subject_of
from schemas.policies import Across, OverlapMode
from schemas.run_events import OfRun
from streams.processor.recorded import Kept, cause_of
from tests.acceptance.history import History

QUEUED_WITHOUT_A_LIMIT = 5


@dataclass(slots=True)
class Open:
    """A run that is not over."""

    schedule: str
    scope: str
    by_hand: bool
    waits: bool


class Begun(NamedTuple):
    """A run that began."""

    run: str
    definition: Definition
    event: Event
    going: tuple[str, ...]
    """Those that went on at that moment."""


@dataclass(slots=True)
class Ledger:
    """What is known of one partition on the way through its events."""

    cap: int
    """The most runs of a subject at once; 0: no limit."""
    definitions: dict[str, Definition] = field(default_factory=dict)
    open: dict[str, Open] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    ends: dict[tuple[str, int], int] = field(default_factory=dict)
    """By schedule and incarnation, the newest instant that has its end."""
    by_hand: set[tuple[str, int, str]] = field(default_factory=set)
    """Occurrences beside the calendar that have their end."""
    backfills: dict[str, int] = field(default_factory=dict)
    """Those under way, and how many instants each has left."""
    begun: Counter[tuple[str, int]] = field(default_factory=Counter)
    """Runs and attempts for which a record has to be emitted; an order is not one."""
    began: list[Begun] = field(default_factory=list)
    """Runs that began with this decision; what they replace may end behind them."""
    queued: list[RunQueued] = field(default_factory=list)
    """Runs that wait since this decision."""
    wrong: list[str] = field(default_factory=list)

    def require(self, condition: bool, otherwise: str, event: Event) -> None:
        """Note it unless it is so."""
        if not condition:
            self.wrong.append(f"{otherwise}: {event}")

    # ------------------------------------------------------------------ events

    def take(self, event: Event) -> None:
        """Go on by one event."""
        match event:
            case ScheduleDefined() | ScheduleChanged():
                self.definitions[event.schedule] = event.definition
            case Fired():
                self._ends(event, event.nominal, event.nominal)
                self._fired(event)
            case Skipped():
                self._ends(event, event.first, event.last)
            case BackfillStarted():
                self.backfills[event.id] = len(event.instants)
            case BackfillEnded():
                left = self.backfills.pop(event.id, 0)
                self.require(event.cancelled or left == 0, f"{left} instants are left", event)
            case OfRun():
                self._of_run(event)
            case _:
                pass

    def _ends(self, event: Fired | Skipped, first: int, last: int) -> None:
        if event.origin is not None:
            name = event.schedule, event.incarnation, event.origin
            self.require(name not in self.by_hand, "it ended twice", event)
            self.by_hand.add(name)
            backfill = event.origin.partition("+")[2]
            if backfill in self.backfills:
                self.backfills[backfill] -= 1
            return
        life = event.schedule, event.incarnation
        before = self.ends.get(life)
        self.require(before is None or before < first <= last, "an end went back", event)
        self.ends[life] = last

    def _fired(self, event: Fired) -> None:
        definition = self.definitions[event.schedule]
        by_hand = event.origin is not None
        for scope, run, outcome, _ in event.scopes:
            if outcome is not Outcome.STARTED:
                continue
            self.begun[run, 1] += definition.action.work is None
            if definition.action.tracked is not None:
                self.began.append(Begun(run, definition, event, self._going()))
                self._opens(run, Open(event.schedule, scope, by_hand, waits=False), event)

    def _of_run(self, event: OfRun) -> None:
        run = self.open.get(event.run)
        match event:
            case RunQueued():
                self.queued.append(event)
                by_hand = event.origin is not None
                self._opens(event.run, Open(event.schedule, event.scope, by_hand, True), event)
            case RunStarted():
                action = self.definitions[event.schedule].action
                attempt = 1 if action.tracked is None else event.attempt
                self.begun[event.run, attempt] += action.work is None
                self.require(run is not None, "a run begins that does not wait", event)
                self._takes_its_place(run, event)
            case RunEnded():
                self.require(run is not None, "a run ends that is not open", event)
                self.open.pop(event.run, None)
                self.over.add(event.run)
            case RunRetries() | RunCancelling():
                if isinstance(event, RunRetries):  # also one whose target does not take it now
                    self._takes_its_place(run, event)
                self.require(run is not None, "it is said of a run that is not open", event)
            case _:
                pass

    def _takes_its_place(self, run: Open | None, event: RunStarted | RunRetries) -> None:
        if run is not None and run.waits:
            definition = self.definitions[event.schedule]
            self.began.append(Begun(event.run, definition, event, self._going()))
            run.waits = False

    def _opens(self, id_: str, run: Open, event: Event) -> None:
        self.require(id_ not in self.open and id_ not in self.over, "a run begins twice", event)
        self.open[id_] = run

    # ------------------------------------------------------------------ policies

    def _going(self) -> tuple[str, ...]:
        return tuple(id_ for id_, one in self.open.items() if not one.waits)

    def beside(self, id_: str, going: Iterable[str], across: Across) -> int:
        """How many of those that go on, and are not over by now, a run meets."""
        others = (self.open[one] for one in going if one != id_ and one in self.open)
        return sum(_meet(one, self.open[id_], across) for one in others)

    def decided(self) -> None:
        """A decision is over: what holds after each of them?"""
        for begun in self.began:
            if begun.run in self.open:
                self._may_begin(begun)
        self._queues_are_bounded()
        self.began, self.queued = [], []

    def _may_begin(self, begun: Begun) -> None:
        """Nothing of the calendar begins beside more than its rule allows."""
        id_, definition, event, going = begun
        if self.open[id_].by_hand:
            return  # by force, by a rule of its own, or by a definition that ignores the rest
        overlap, most = definition.overlap, 0
        if definition.action.tracked is None:
            return  # since its last edit nobody reports about such work
        if self.cap:
            beside = self.beside(id_, going, Across.SUBJECT)
            self.require(beside < self.cap, f"it begins beside {beside} of its subject", event)
        if overlap.mode is OverlapMode.ALLOW:
            if overlap.limit is None:
                return
            most = overlap.limit - 1
        beside = self.beside(id_, going, overlap.across)
        self.require(beside <= most, f"it begins beside {beside} others", event)

    def _queues_are_bounded(self) -> None:
        """No more of them wait than may."""
        for event in self.queued:
            run = self.open.get(event.run)
            overlap = self.definitions[event.schedule].overlap
            limits = {
                OverlapMode.QUEUE: overlap.limit or QUEUED_WITHOUT_A_LIMIT,
                OverlapMode.LATEST: 1,
            }
            most = limits.get(overlap.mode)
            if run is None or run.by_hand or most is None:
                continue
            waiting = sum(
                one.waits and not one.by_hand and one.schedule == run.schedule
                and one.scope == run.scope
                for one in self.open.values()
            )  # fmt: skip
            self.require(waiting <= most, f"{waiting} wait", event)

    def nobody_is_forgotten(self, held: set[str]) -> Iterator[str]:
        """At the end nobody waits for a run that is over."""
        for id_, run in self.open.items():
            may = subject_of(run.schedule) not in held
            may = may and not _may_be_held(self.definitions[run.schedule])
            if run.waits and may and not self.beside(id_, self._going(), Across.SUBJECT):
                yield f"{id_} of {run.schedule} waits for nobody"


def _may_be_held(definition: Definition) -> bool:
    """Whether a hold over the actions of its subject may be over it."""
    return definition.gate is not None or isinstance(definition.action.work, Act)


def _meet(one: Open, other: Open, across: Across) -> bool:
    if across is Across.SUBJECT:
        return subject_of(one.schedule) == subject_of(other.schedule)
    return (one.schedule, one.scope) == (other.schedule, other.scope)


def walked(records: list[Kept], cap: int) -> Ledger:
    """A partition's events, one decision after the other."""
    ledger = Ledger(cap)
    for _, group in groupby(records, cause_of):
        for one in group:
            ledger.take(one.event)
        ledger.decided()
    return ledger


def runs_keep_their_rules(history: History, held: set[str], cap: int) -> Iterator[str]:
    """Each of them begins, waits and ends as it may; each beginning wrote one record."""
    begun: Counter[tuple[str, int]] = Counter()
    for records in history.ledger.values():
        ledger = walked(records, cap)
        begun += ledger.begun
        yield from ledger.wrong
        yield from ledger.nobody_is_forgotten(held)
    emitted = Counter(
        (str((one.headers.get("horae-run") or b"").decode()), attempt_of(one.headers))
        for one in history.emitted
    )
    if emitted != +begun:
        yield f"emitted and not begun: {emitted - begun}; begun and not emitted: {begun - emitted}"


def attempt_of(headers: object) -> int:
    """The attempt that a record asks for."""
    assert isinstance(headers, dict)
    return int(headers.get("horae-attempt") or b"1")
