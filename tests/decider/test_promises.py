"""
Does the decider keep its promises whatever happens?

Random histories of one schedule: commands, also late or dated ahead, a clock that runs, jumps and
goes back, targets that fail, holds. The bookkeeping that checks every event is ends.py.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from schemas.codec import decode_as, decode_event, encode, encode_event, pack_cursor, unpack_cursor
from schemas.commands import Command, Define, Pause, Remove, Resume, Trigger
from schemas.definition import (
    CatchUp,
    CatchUpMode,
    Cron,
    Definition,
    Emit,
    Interval,
    Once,
    Timing,
)
from schemas.schedule import ScheduleRow
from streams.calendar.occurrences import NEVER
from streams.decider.agenda import agenda_of
from streams.decider.evolve import evolve
from streams.decider.state import Schedule, World
from streams.processor.partitions import plan_of, row_of
from tests.decider.ends import Ends
from tests.decider.stage import DAY, HOUR, MINUTE, NIGHTLY, SECOND, Breaks, Holds, Stage, at

START = at("12:00")

timings: st.SearchStrategy[Timing] = st.one_of(
    st.sampled_from(
        ["*/2 * * * *", "*/7 * * * *", "0 * * * *", "30 3 * * *", "*/40 * * * * *"]
    ).map(Cron),
    st.builds(
        Interval,
        micros=st.sampled_from([MINUTE, 7 * MINUTE, HOUR]),
        anchor=st.sampled_from([None, 0]),
    ),
    st.integers(-30, 300).map(lambda minutes: Once(START + minutes * MINUTE)),
)
catch_ups = st.builds(
    CatchUp,
    mode=st.sampled_from(CatchUpMode),
    lookback=st.sampled_from([None, 0, 10 * MINUTE, DAY]),
    grace=st.sampled_from([0, MINUTE, HOUR]),
    limit=st.sampled_from([1, 3, 1_000]),
)
definitions = st.builds(
    Definition,
    timings=st.lists(timings, min_size=1, max_size=3).map(tuple),
    action=st.sampled_from([Emit("jobs")] * 6 + [Emit("jobs", b"k"), Emit("forbidden")]),
    zone=st.sampled_from(["UTC"] * 6 + ["Asia/Tokyo", "Mars/Base"]),
    start_at=st.sampled_from([None, None, None, START + HOUR]),
    end_at=st.sampled_from([None, None, None, START + 3 * HOUR]),
    catch_up=catch_ups,
)
spans = st.one_of(
    st.integers(0, 90).map(lambda seconds: seconds * SECOND),
    st.integers(1, 90).map(lambda minutes: minutes * MINUTE),
    st.sampled_from([1, 6 * HOUR, DAY, 3 * DAY]),
)
lags = st.sampled_from([0, 0, 1, 20 * SECOND, 5 * MINUTE, -2 * SECOND])
"""How long before it is decided a command was appended; by a broker ahead of us: after."""


class Histories(RuleBasedStateMachine):
    """One schedule and all that can happen to it."""

    def __init__(self) -> None:
        super().__init__()
        self.now = START
        self.stage = Stage()
        self.ends = Ends()
        self.replayed: Schedule | None = None
        self.folded = 0

    # ------------------------------------------------------------------ what happens

    @initialize(definition=definitions)
    def begin(self, definition: Definition) -> None:
        self._ask(Define(definition), 0)

    @rule(definition=definitions, lag=lags, expected=st.sampled_from([None] * 6 + [0, 3]))
    def define(self, definition: Definition, lag: int, expected: int | None) -> None:
        self._ask(Define(definition, expected), lag)

    @rule(lag=lags, data=st.data())
    def edit(self, lag: int, data: st.DataObject) -> None:
        if self.stage.state is None:
            return
        old = self.stage.state.plan.definition
        other = data.draw(definitions)
        part = data.draw(st.sampled_from(["timings", "action", "catch_up", "end_at", "zone"]))
        self._ask(Define(replace(old, **{part: getattr(other, part)})), lag)

    @rule(lag=lags)
    def remove(self, lag: int) -> None:
        self._ask(Remove(), lag)

    @rule(lag=lags, until=st.none() | spans)
    def pause(self, lag: int, until: int | None) -> None:
        self._ask(Pause("why", None if until is None else self.now + until), lag)

    @rule(lag=lags)
    def resume(self, lag: int) -> None:
        self._ask(Resume(), lag)

    @rule(lag=lags)
    def trigger(self, lag: int) -> None:
        self._ask(Trigger(), lag)

    @rule(span=spans)
    def run_on_time(self, span: int) -> None:
        """Every timer rings when it should, as far as thirty of them go."""
        until = self.now + span
        for _ in range(30):
            state = self.stage.state
            if state is None or self.stage.world.held or state.cursor.due > until:
                break
            self.now = max(self.now, state.cursor.due)
            self._look()
        else:
            return
        self.now = max(self.now, until)

    @rule(span=spans)
    def sleep(self, span: int) -> None:
        self.now += span

    @rule(span=spans)
    def put_the_clock_back(self, span: int) -> None:
        self.now -= min(span, HOUR)

    @rule()
    def look(self) -> None:
        self._look()

    @rule(
        then=st.none()
        | st.sampled_from([Remove(), Pause("why"), Trigger()])
        | st.builds(Define, definitions),
        lag=lags,
        back=st.booleans(),
    )
    def lose_the_target(self, then: Command | None, lag: int, back: bool) -> None:
        """Just when the next occurrence is due, so that it waits; and ask for something then."""
        self.stage.play(Breaks("gone"), self.now)
        self.stage.play(Holds(held=False), self.now)
        state = self.stage.state
        if state is not None and state.cursor.due != NEVER:
            self.now = max(self.now, state.cursor.due)
            self._look()
        if back:
            self.stage.play(Breaks(None), self.now)
        if then is not None:
            self._ask(then, lag)

    @rule(why=st.sampled_from([None, "no leader"]))
    def change_the_target(self, why: str | None) -> None:
        self.stage.play(Breaks(why), self.now)

    @rule(held=st.booleans())
    def hold(self, held: bool) -> None:
        self.stage.play(Holds(held), self.now)

    # ------------------------------------------------------------------ what is promised

    @invariant()
    def what_is_kept_is_what_the_ledger_says(self) -> None:
        """Folding the recorded bytes gives the state that rows and cursors give."""
        for event, stamp in self.stage.history[self.folded :]:
            recorded = decode_event(encode_event(event, stamp))
            self.replayed = evolve(self.replayed, recorded.event, recorded.stamp)  # type: ignore[arg-type]
        self.folded = len(self.stage.history)

        assert self.replayed == self.stage.state

    @invariant()
    def what_waits_is_known(self) -> None:
        """A deferral is open exactly while the cursor says so."""
        state = self.stage.state
        waiting = None
        if state is not None and state.cursor.deferrals:
            waiting = state.plan.incarnation, state.cursor.nominal

        assert self.ends.waiting == waiting

    @invariant()
    def the_cursor_points_at_the_next_instant(self) -> None:
        """And a schedule without one is completed."""
        state = self.stage.state
        if state is None or state.plan.pause is not None:
            return
        plan, cursor = state
        if plan.completed:
            assert (cursor.nominal, cursor.due) == (NEVER, NEVER)
        else:
            assert (
                cursor.nominal
                == agenda_of(plan, World(), cursor).next_tick(cursor.mark).instant
                != NEVER
            )
            assert cursor.due >= cursor.nominal

    # ------------------------------------------------------------------ how

    def _ask(self, command: Command, lag: int) -> None:
        before = self.stage.state
        appended_at = self.now - lag
        events = self.stage.ask(command, self.now, appended_at)
        held, until = self.stage.world.held, min(appended_at, self.now)
        self.ends.asked(before, events, self.stage.state, held, until)
        self._rest()

    def _look(self) -> None:
        before = self.stage.state
        is_due = before is not None and before.cursor.due <= self.now
        events = self.stage.look(self.now)
        self.ends.looked(before, events, self.stage.world.held)
        assert bool(events) == (is_due and not self.stage.world.held), "a look that leads nowhere"
        self._rest()

    def _rest(self) -> None:
        """Keep the state as a processor does: as a row and a cursor."""
        state = self.stage.state
        if state is not None:
            row = decode_as(encode(row_of(state.plan)), ScheduleRow)
            cursor = unpack_cursor(pack_cursor(state.cursor))
            self.stage.state = Schedule(plan_of(NIGHTLY, row), cursor)


TestHistories = Histories.TestCase
