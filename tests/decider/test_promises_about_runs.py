"""
Does a whole subject keep its promises whatever happens?

Random histories of three schedules whose work is reported about: commands, reports that are true,
late or foreign, cancels, holds, caps, a target that refuses, time that passes or jumps. The
bookkeeping that checks every event is book_of_runs.py.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from typing_extensions import override

from schemas.codec import decode_as, decode_event, encode, encode_event
from schemas.commands import (
    CancelRun,
    Command,
    Define,
    HoldSubject,
    Pause,
    ReleaseSubject,
    Remove,
    ReportRun,
    ReportStatus,
    Resume,
    Trigger,
)
from schemas.definition import Basis, CatchUp, CatchUpMode, Cron, Definition, Interval
from schemas.policies import Across, Full, Manual, Overlap, OverlapMode, Retry, Scope, Tracking
from schemas.snapshot import Run, RunPhase, SubjectNotes
from streams.calendar.occurrences import NEVER
from streams.decider.evolve import evolve
from streams.decider.evolve_subject import evolve_subject
from streams.decider.state import Schedule, Target
from streams.decider.subject import Subject
from tests.decider.book_of_runs import Asked, Book
from tests.decider.house import House
from tests.decider.stage import EMIT, HOUR, MINUTE, SECOND, at

START = at("12:00")
NAMES = ("shop/a", "shop/b", "shop/c")
names = st.sampled_from(NAMES)
modes = st.sampled_from([*OverlapMode, OverlapMode.QUEUE])


def _overlap(mode: OverlapMode, limit: int | None, across: Across, flags: int) -> Overlap:
    limited = mode in {OverlapMode.ALLOW, OverlapMode.QUEUE}
    full = Full.OLDEST if flags & 1 else Full.NEWEST
    max_wait = HOUR if flags & 4 else 12 * MINUTE
    return Overlap(mode, limit if limited else None, max_wait, across, bool(flags & 2), full)


overlaps = st.builds(
    _overlap,
    modes,
    st.sampled_from([None, 1, 2]),
    st.sampled_from([Across.SCOPE, Across.SCOPE, Across.SUBJECT]),
    st.integers(0, 7),
)
untracked = st.just(Definition((Cron("*/5 * * * *"),), EMIT))
tracked = st.builds(
    Definition,
    timings=st.sampled_from(
        [
            Cron("*/5 * * * *"),
            Cron("*/5 * * * *"),
            Interval(micros=7 * MINUTE),
            Interval(micros=10 * MINUTE, basis=Basis.AFTER_END),
            Interval(micros=10 * MINUTE, basis=Basis.AFTER_FIRE),
        ]
    ).map(lambda one: (one,)),
    action=st.sampled_from([10 * MINUTE, HOUR]).map(
        lambda lease: replace(EMIT, tracked=Tracking(lease))
    ),
    catch_up=st.sampled_from(
        [CatchUp(), CatchUp(CatchUpMode.NONE), CatchUp(CatchUpMode.ALL, limit=3)]
    ),
    overlap=overlaps,
    retry=st.sampled_from([Retry(), Retry(2, MINUTE, 90 * SECOND)]),
    timeout=st.sampled_from([None, None, 4 * MINUTE]),
    pause_on_failure=st.sampled_from([0, 0, 1, 2]),
    scopes=st.sampled_from([None, None, (Scope("rack-a"), Scope("rack-b"))]),
    manual=st.sampled_from([Manual.OBEY, Manual.OBEY, Manual.IGNORE]),
    max_fires=st.sampled_from([None, None, None, 3]),
)
definitions = st.one_of(*[tracked] * 6, untracked)
spans = st.one_of(
    st.integers(1, 20).map(lambda minutes: minutes * MINUTE),
    st.sampled_from([1, 30 * SECOND, 2 * HOUR]),
)
statuses = st.sampled_from(ReportStatus)
BY_ITSELF = Asked()


class Histories(RuleBasedStateMachine):
    """One subject and all that can happen to it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = START
        self.house = House(now=START)
        self.book = Book()
        self.seen = 0
        self.broken = False
        """A promise was broken: what follows from that says nothing."""

    # ------------------------------------------------------------------ what is asked

    @initialize(first=tracked, second=tracked, most=st.sampled_from([0, 0, 1, 2]))
    def begin(self, first: Definition, second: Definition, most: int) -> None:
        self.change_the_cap(most)
        self._ask(NAMES[0], Define(first))
        self._ask(NAMES[1], Define(second))

    @rule(name=names, definition=definitions)
    def define(self, name: str, definition: Definition) -> None:
        self._ask(name, Define(definition))

    @rule(name=names, overlap=overlaps)
    def change_the_rule(self, name: str, overlap: Overlap) -> None:
        state = self.house.schedules.get(name)
        if state is not None and state.plan.definition.action.tracked is not None:
            self._ask(name, Define(replace(state.plan.definition, overlap=overlap)))

    @rule(name=names, command=st.sampled_from([Remove(), Pause("why"), Resume(), Resume()]))
    def command(self, name: str, command: Command) -> None:
        self._ask(name, command)

    @rule(name=names, overlap=st.none() | modes, force=st.sampled_from([False, False, True]))
    def trigger(self, name: str, overlap: OverlapMode | None, force: bool) -> None:
        state = self.house.schedules.get(name)
        if state is None or state.plan.definition.action.tracked is None:
            overlap = None
        self._ask(name, Trigger(force=force, overlap=overlap), Asked(overlap, force))

    @rule(data=st.data(), status=statuses, attempt=st.sampled_from([None, None, None, 1, 2]))
    def report(self, data: st.DataObject, status: ReportStatus, attempt: int | None) -> None:
        run = self._some_run(data)
        self._ask(None, ReportRun(run, status, attempt))

    @rule(data=st.data())
    def cancel(self, data: st.DataObject) -> None:
        self._ask(None, CancelRun(self._some_run(data), "why"))

    @rule()
    def report_all(self) -> None:
        for run in list(self.house.known.runs):
            self._ask(None, ReportRun(run, ReportStatus.SUCCESS))

    # ------------------------------------------------------------------ what happens around it

    @rule(until=st.none() | spans)
    def hold_the_subject(self, until: int | None) -> None:
        self._ask(None, HoldSubject("why", None if until is None else self.now + until))

    @rule()
    def release_the_subject(self) -> None:
        self._ask(None, ReleaseSubject("why"))

    @rule()
    def hold_everything(self) -> None:
        self.house.tell_hold(self.now)

    @rule()
    def lift_the_hold(self) -> None:
        self.house.lift_hold()
        self._ring_subject()

    @rule(most=st.sampled_from([0, 1, 2]))
    def change_the_cap(self, most: int) -> None:
        self.house.caps(concurrent=most)
        self.book.cap = most
        self._ring_subject()

    @rule(fault=st.sampled_from([None, None, "it is gone"]))
    def change_the_target(self, fault: str | None) -> None:
        targets = {} if fault is None else {"jobs": Target(fault=fault)}
        self.house.world = replace(self.house.world, targets=targets)

    # ------------------------------------------------------------------ time

    @rule(span=spans)
    def run_on_time(self, span: int) -> None:
        self._wait(self.now + span)

    @rule(span=spans)
    def sleep(self, span: int) -> None:
        self.now += span

    # ------------------------------------------------------------------ what is promised

    @invariant()
    def the_book_agrees(self) -> None:
        """Whoever waits or goes on by the events does so by the state."""
        known = self.house.known
        assert len(known.waiting()) == len(self.book.waiting())
        assert len(known.active()) == len(self.book.active())
        assert not known.runs.keys() & known.over.keys()

    @invariant()
    def whoever_may_begin_has_begun(self) -> None:
        """Unless somebody holds it: who waits has others in the way, or no room."""
        if not self.house.world.held and not self.house.known.held:
            assert not self.book.idle(), "it waits for nobody"

    @invariant()
    def whoever_waits_is_looked_at(self) -> None:
        """Each has an instant at which it is looked at, whatever does not happen until then."""
        for run in self.house.known.runs.values():
            if run.phase in {RunPhase.WAITING, RunPhase.RETRYING}:
                assert run.until is not None
            elif self.house.schedules.get(run.schedule) is not None:
                assert run.lease_until is not None

    @invariant()
    def an_interval_waits_for_an_instant_or_for_an_end(self) -> None:
        busy = {run.schedule for run in self.house.known.runs.values()}
        for name, (plan, cursor) in self.house.schedules.items():
            if plan.pause is None and not plan.completed and name not in busy:
                assert cursor.nominal != NEVER, "it waits for nothing"

    @override
    def teardown(self) -> None:
        if self.broken or not self.house.history:
            return
        self._let_all_end()
        self._fold_again()

    # ------------------------------------------------------------------ how

    def _let_all_end(self) -> None:
        """Nothing new comes, and everybody reports: then nobody is left."""
        self.house.lift_hold()
        self.house.world = replace(self.house.world, targets={})
        self._ask(None, ReleaseSubject("the end"))
        self._ring_subject()
        for name in self.house.ids():
            self._ask(name, Pause("the end"))
        for _ in range(200):
            if not self.house.known.runs:
                break
            for run in list(self.house.known.runs):
                self._ask(None, ReportRun(run, ReportStatus.SUCCESS))
            self._wait(self.now + MINUTE)
        assert not self.house.known.runs, "somebody waits for ever"

    def _fold_again(self) -> None:
        """The recorded bytes give the same state, and the state survives its own bytes."""
        schedules: dict[str, Schedule] = {}
        subject = Subject()
        for event, stamp in self.house.history:
            recorded = decode_event(encode_event(event, stamp))
            assert recorded == (event, stamp)
            before = schedules.get(event.schedule)
            subject = evolve_subject(subject, before and before.plan, event, stamp)
            if not event.schedule.endswith("/"):
                after = evolve(before, event, stamp)
                schedules.pop(event.schedule, None)
                if after is not None:
                    schedules[event.schedule] = after
        assert subject == self.house.known
        assert schedules == self.house.schedules
        notes = subject.notes
        assert decode_as(encode(notes), SubjectNotes) == notes
        for run in subject.over.values():
            assert decode_as(encode(run), Run) == run

    def _ask(self, name: str | None, command: Command, by_hand: Asked = BY_ITSELF) -> None:
        self.house.ask(self.now, command, name)
        self._check(by_hand)

    def _wait(self, until: int) -> None:
        while self.house.next_ring() <= until:
            self.now = max(self.now, self.house.next_ring())
            before = len(self.house.history)
            self.house.ring(self.now)
            assert len(self.house.history) > before, "it rang and nothing came of it"
            self._check(BY_ITSELF)
        self.now = max(self.now, until)

    def _ring_subject(self) -> None:
        self.house.ring_subject(self.now)
        self._check(BY_ITSELF)

    def _check(self, by_hand: Asked) -> None:
        events = [event for event, _ in self.house.history[self.seen :]]
        self.seen = len(self.house.history)
        self.broken = True
        self.book.enter(events, by_hand)
        self.broken = False

    def _some_run(self, data: st.DataObject) -> str:
        names: list[str] = sorted([*self.house.known.runs, *self.house.known.over])
        return data.draw(st.sampled_from(names or ["jr_000000000000"]))


TestHistories = Histories.TestCase
