"""
Does each instant end once, in its order and in its time, with jitter, windows and all the rest?

Random histories like those of test_promises.py, of schedules that need more than a rule: calendars
change, freezes come and go, windows open, intervals count from decisions. What a single event may
say is checked against the state before it.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from schemas.codec import decode_as, decode_event, encode, encode_event, pack_cursor, unpack_cursor
from schemas.commands import Command, Define, Pause, Remove, Resume, Trigger
from schemas.definition import (
    Basis,
    CatchUp,
    CatchUpMode,
    Cron,
    Definition,
    Emit,
    Exclude,
    Hours,
    Interval,
    OnExcluded,
    Timing,
    Weekly,
    Window,
)
from schemas.events import Fired, ScheduleCompleted, ScheduleEvent, Skipped
from schemas.globals import Calendar, Freeze
from schemas.schedule import ScheduleRow
from streams.calendar.exclusions import closed_by
from streams.calendar.occurrences import NEVER
from streams.calendar.wall_time import wall_of
from streams.calendar.windows import opening
from streams.calendar.zones import zone_clock, zone_data_number
from streams.decider.evolve import evolve
from streams.decider.state import Schedule
from streams.processor.partitions import plan_of, row_of
from tests.decider.stage import (
    DAY,
    HOUR,
    MINUTE,
    NIGHTLY,
    SECOND,
    Breaks,
    Holds,
    Stage,
    Tells,
    Upgrades,
    at,
)

START = at("12:00")
TODAY = START // DAY

timings: st.SearchStrategy[Timing] = st.one_of(
    st.sampled_from(["*/20 * * * *", "0 * * * *", "30 13 * * *"]).map(Cron),
    st.builds(Interval, micros=st.sampled_from([7 * MINUTE, HOUR])),
    st.builds(
        Interval, micros=st.sampled_from([7 * MINUTE, 5 * HOUR]), basis=st.just(Basis.AFTER_FIRE)
    ),
    st.builds(Weekly, st.sampled_from([127, 31]), st.sampled_from([13 * 3600, 14 * 3600 + 900])),
)
excludes = st.builds(
    Exclude,
    st.sampled_from([(), ("feasts",), ("office",)]),
    st.sampled_from([(), (TODAY + 1,)]),
    st.sampled_from(OnExcluded),
)
windows = st.builds(
    Window,
    st.sampled_from(
        [(Hours(13 * 3600, 15 * 3600),), (Hours(22 * 3600, 3600),), (Hours(0, 86_400, 31),)]
    ),
    st.sampled_from([0, MINUTE, HOUR]),
    st.sampled_from([HOUR, 8 * DAY]),
)
definitions = st.builds(
    Definition,
    timings=timings.map(lambda one: (one,)),
    action=st.just(Emit("jobs")),
    zone=st.sampled_from(["UTC", "UTC", "Asia/Tokyo", "America/New_York"]),
    end_at=st.sampled_from([None, None, None, START + 30 * HOUR]),
    catch_up=st.builds(
        CatchUp,
        mode=st.sampled_from(CatchUpMode),
        lookback=st.sampled_from([None, HOUR, DAY]),
        grace=st.sampled_from([0, MINUTE, HOUR]),
        limit=st.sampled_from([3, 1_000]),
    ),
    exclude=st.none() | excludes,
    window=st.none() | windows,
    jitter=st.sampled_from([0, 0, 10 * MINUTE, DAY]),
    max_fires=st.sampled_from([None, None, 1, 5]),
)
spans = st.one_of(
    st.integers(0, 90).map(lambda minutes: minutes * MINUTE),
    st.sampled_from([1, 40 * SECOND, 6 * HOUR, DAY]),
)
lags = st.sampled_from([0, 0, 20 * SECOND, 5 * MINUTE])
calendars = st.sampled_from(
    [
        Calendar(),
        Calendar(dates=(TODAY, TODAY + 1)),
        Calendar(crons=("* 13 * * *",)),
        Calendar(weekdays=127),
        Calendar(base=("office",)),
        Calendar(removed=True),
    ]
)


class Times(RuleBasedStateMachine):
    """One schedule and all that can happen to it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = START
        self.stage = Stage()
        self.stage.play(Upgrades(zone_data_number()), START)
        self.stage.play(Tells("calendar/feasts", Calendar()), START)
        self.stage.play(Tells("calendar/office", Calendar()), START)
        self.ended = -NEVER
        """The newest instant of this incarnation that has ended."""
        self.replayed: Schedule | None = None

    # ------------------------------------------------------------------ what happens

    @initialize(definition=definitions)
    def begin(self, definition: Definition) -> None:
        self._ask(Define(definition), 0)

    @rule(definition=definitions, lag=lags)
    def define(self, definition: Definition, lag: int) -> None:
        self._ask(Define(definition), lag)

    @rule(lag=lags, data=st.data())
    def edit(self, lag: int, data: st.DataObject) -> None:
        if self.stage.state is None:
            return
        old, other = self.stage.state.plan.definition, data.draw(definitions)
        part = data.draw(
            st.sampled_from(["jitter", "window", "exclude", "max_fires", "zone", "catch_up"])
        )
        self._ask(Define(replace(old, **{part: getattr(other, part)})), lag)

    @rule(lag=lags, command=st.sampled_from([Remove(), Resume(), Trigger(), Pause("why")]))
    def ask(self, lag: int, command: Command) -> None:
        self._ask(command, lag)

    @rule(until=spans)
    def pause(self, until: int) -> None:
        self._ask(Pause("why", self.now + until), 0)

    @rule(span=spans)
    def run_on_time(self, span: int) -> None:
        """Every timer rings when it should, as far as thirty of them go."""
        until = self.now + span
        for _ in range(30):
            state = self.stage.state
            if state is None or self.stage.world.held or state.cursor.due > until:
                break
            self.now = max(self.now, state.cursor.due)
            self.look()
        else:
            return
        self.now = until

    @rule(span=spans)
    def sleep(self, span: int) -> None:
        self.now += span

    @rule()
    def look(self) -> None:
        before = self.stage.state
        held = self.stage.world.held
        is_due = before is not None and before.cursor.due <= self.now and not held
        assert bool(self._decide(lambda: self.stage.look(self.now))) == is_due

    @rule(name=st.sampled_from(["feasts", "office"]), calendar=calendars, looks=st.booleans())
    def change_a_calendar(self, name: str, calendar: Calendar, looks: bool) -> None:
        record = replace(calendar, at=self.now)
        self.stage.play(Tells(f"calendar/{name}", record), self.now)
        if looks and self.stage.state is not None:
            self._decide(lambda: self.stage.recheck(self.now))
            assert self.stage.recheck(self.now) == []

    @rule(span=spans, lifted=st.booleans())
    def freeze(self, span: int, lifted: bool) -> None:
        record = Freeze(("shop",), self.now, self.now + span, "works", lifted)
        self.stage.play(Tells("freeze/works", record), self.now)

    @rule(why=st.sampled_from([None, None, "no leader"]))
    def change_the_target(self, why: str | None) -> None:
        self.stage.play(Breaks(why), self.now)

    @rule(held=st.booleans())
    def hold(self, held: bool) -> None:
        self.stage.play(Holds(held), self.now)

    # ------------------------------------------------------------------ what is promised

    @invariant()
    def what_is_kept_is_what_the_ledger_says(self) -> None:
        assert self.replayed == self.stage.state

    @invariant()
    def the_pending_instant_lies_before_everybody(self) -> None:
        """Later than all that has ended, and not due before it comes."""
        state = self.stage.state
        if state is None or state.plan.pause is not None or state.cursor.nominal == NEVER:
            return
        assert self.ended < state.cursor.nominal <= state.cursor.due
        assert not state.plan.completed

    @invariant()
    def nobody_fires_more_often_than_the_limit(self) -> None:
        """By itself: a completed one may be fired by hand."""
        state = self.stage.state
        limit = None if state is None else state.plan.definition.max_fires
        if state is not None and limit is not None and state.cursor.fires >= limit:
            assert state.plan.completed

    # ------------------------------------------------------------------ how

    def _ask(self, command: Command, lag: int) -> None:
        self._decide(lambda: self.stage.ask(command, self.now, self.now - lag))
        if self.stage.state is None:
            self.ended = -NEVER

    def _decide(self, play: object) -> list[ScheduleEvent]:
        """Let something be decided, and look at each event with the state before it."""
        known = len(self.stage.history)
        events: list[ScheduleEvent] = play()  # type: ignore[operator]
        for event, stamp in self.stage.history[known:]:
            if self.replayed is not None:
                self._check(self.replayed, event)
            recorded = decode_event(encode_event(event, stamp))
            zone_data = self.stage.world.zone_data
            self.replayed = evolve(self.replayed, recorded.event, recorded.stamp, zone_data)  # type: ignore[arg-type]
        self._rest()
        return events

    def _check(self, before: Schedule, event: ScheduleEvent) -> None:
        match event:
            case Fired(origin=None):
                self._end(before, event.nominal, event.nominal)
                self._check_fire(before, event)
            case Skipped():
                self._end(before, event.first, event.last)
                assert event.count >= 1
                assert (event.count == 1) == (event.first == event.last)
            case ScheduleCompleted():
                assert not before.plan.completed
            case _:
                pass

    def _end(self, before: Schedule, first: int, last: int) -> None:
        """What ends is what was pending, and whatever follows it."""
        assert last >= first == before.cursor.nominal > self.ended
        self.ended = last

    def _check_fire(self, before: Schedule, event: Fired) -> None:
        (plan, cursor), world = before, self.stage.world
        definition = plan.definition
        assert plan.pause is None
        assert not plan.completed
        assert event.nominal <= event.due <= self.now
        assert event.due < event.nominal + max(definition.jitter, 1)
        freeze = world.freezes.get("works")
        assert freeze is None or not freeze.begins_at <= event.due < freeze.ends_at
        if definition.end_at is not None:
            assert event.nominal <= definition.end_at
        if definition.window is not None:
            found = opening(definition.window, definition.zone, min(cursor.due, self.now))
            late = opening(definition.window, definition.zone, self.now)
            assert found is not None
            assert late is not None
            assert found.begins <= cursor.due or late.begins <= self.now
        if definition.exclude is not None and not cursor.deferrals:
            closed = closed_by(definition.exclude, world.calendars)
            assert closed.why(wall_of(zone_clock(definition.zone), event.nominal)) is None

    def _rest(self) -> None:
        """Keep the state as a processor does: as a row and a cursor."""
        state = self.stage.state
        if state is not None:
            row = decode_as(encode(row_of(state.plan)), ScheduleRow)
            cursor = unpack_cursor(pack_cursor(state.cursor))
            self.stage.state = Schedule(plan_of(NIGHTLY, row), cursor)


TestTimes = Times.TestCase
