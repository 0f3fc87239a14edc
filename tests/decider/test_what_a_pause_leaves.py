"""What a resumption catches up, it catches up once, whatever the timing and whatever follows."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from schemas.commands import Define, Pause, Resume
from schemas.definition import (
    CatchUp,
    CatchUpMode,
    Hours,
    Interval,
    Weekly,
    Window,
)
from schemas.events import Deferred, Fired, ScheduleResumed, Skipped
from tests.decider.expected import fires, instants, resumed, skipped
from tests.decider.stage import (
    HOUR,
    MINUTE,
    SECOND,
    Stage,
    at,
    every,
    rule,
)

ALL, LATEST, NONE = CatchUpMode.ALL, CatchUpMode.LATEST, CatchUpMode.NONE


def test_the_word_of_a_command_counts_once() -> None:
    """POL-039: all missed run once where the rule is none; later it is none again."""
    stage = Stage()
    stage.ask(Define(rule("0 * * * *", catch_up=CatchUp(NONE))), at("10:30"))
    stage.ask(Pause(), at("10:40"))
    assert fires(stage.ask(Resume("", ALL), at("12:20"))) == instants("11:00", "12:00")

    assert stage.ring(at("15:20")) == [skipped("13:00", "15:00", 3, "16:00")]
    stage.ask(Pause(), at("15:30"))
    assert stage.ask(Resume(), at("18:20")) == [resumed("18:20", "19:00")]


def test_jitter_says_what_was_due_during_the_pause() -> None:
    """Pending at the pause and due in it: it runs; due after the resumption: it comes then."""
    definition = rule(
        "0 * * * *", jitter=30 * MINUTE, catch_up=CatchUp(NONE, on_resume=ALL, lookback=None)
    )
    dues: dict[int, int] = {}
    probe = Stage()
    probe.ask(Define(definition), at("10:30"))
    for _ in range(3):
        assert probe.state is not None
        dues[probe.state.cursor.nominal] = probe.state.cursor.due
        probe.wait(probe.state.cursor.due)
    first, second = at("11:00"), at("12:00")
    assert first < dues[first]
    assert second < dues[second]

    stage = Stage()
    stage.ask(Define(definition), at("10:30"))
    stage.ask(Pause(), dues[first] - SECOND)
    events = stage.ask(Resume(), dues[second] - SECOND)
    assert fires(events) == [first]
    assert [one.due for one in events if isinstance(one, Fired)] == [dues[first]]
    assert fires(stage.wait(dues[second])) == [second]


def test_a_weekly_timing_runs_once_for_each_local_date() -> None:
    definition = rule(
        Weekly(0b1111111, 22 * 3600),
        zone="Europe/Berlin",
        catch_up=CatchUp(NONE, lookback=None, on_resume=ALL),
    )
    stage = Stage()
    stage.ask(Define(definition), at("10:00"))
    stage.ask(Pause(), at("11:00"))
    events = stage.ask(Resume(), at("06-04T21:00"))

    assert fires(events) == instants("20:00", "06-02T20:00", "06-03T20:00", "06-04T20:00")


def test_no_more_than_a_thousand_run_in_one_transaction() -> None:
    every_second = rule(
        every(SECOND, anchor=0),
        catch_up=CatchUp(NONE, lookback=None, on_resume=ALL, limit=10_000),
    )
    stage = Stage()
    stage.ask(Define(every_second), at("10:00"))
    stage.ask(Pause(), at("10:00:00.5"))
    events = stage.ask(Resume(), at("10:30:00.5"))

    assert len(fires(events)) == 1_000
    assert fires(events)[-1] == at("10:30")
    [missed] = [event for event in events if isinstance(event, Skipped)]
    assert (missed.first, missed.count) == (at("10:00:01"), 800)


def test_what_has_to_wait_waits() -> None:
    """Its window is shut: the newest is deferred, and starts when it opens."""
    definition = rule(
        "0 * * * *",
        catch_up=CatchUp(NONE, on_resume=LATEST),
        window=Window((Hours(20 * 3600, 22 * 3600),), spread=0),
    )
    stage = Stage()
    stage.ask(Define(definition), at("10:30"))
    stage.ask(Pause(), at("10:40"))
    events = stage.ask(Resume(), at("12:20"))

    assert [type(event) for event in events] == [ScheduleResumed, Skipped, Deferred]
    assert fires(stage.wait(at("20:00")))[0] == at("12:00")


@given(
    st.sampled_from(["*/7 * * * *", "13 * * * *", every(11 * MINUTE), Weekly(127, 12 * 3600)]),
    st.sampled_from(CatchUpMode),
    st.sampled_from(CatchUpMode),
    st.none() | st.sampled_from(CatchUpMode),
    st.lists(st.integers(1, 900), min_size=2, max_size=6, unique=True).map(sorted),
    st.sampled_from([0, 90 * SECOND, 2 * HOUR]),
)
def test_no_instant_ends_twice_and_the_mark_never_moves_back(
    timing: str | Interval | Weekly,
    mode: CatchUpMode,
    on_resume: CatchUpMode,
    override: CatchUpMode | None,
    minutes: list[int],
    jitter: int,
) -> None:
    """Paused and resumed again and again, on time and late."""
    rule_ = CatchUp(mode, lookback=3 * HOUR, limit=5, on_resume=on_resume)
    stage = Stage()
    stage.ask(Define(rule(timing, catch_up=rule_, jitter=jitter)), at("10:05"))
    marks: list[int] = []
    for turn, minute in enumerate(minutes):
        now = at("10:05") + minute * MINUTE
        stage.ask(Resume("", override) if turn % 2 else Pause(), now)
        assert stage.state is not None
        marks.append(stage.state.cursor.mark)
    stage.ask(Resume(), at("10:05") + 901 * MINUTE)
    stage.ring(at("10:05") + 950 * MINUTE)

    ended: list[tuple[int, int]] = []
    for event, _ in stage.history:
        if isinstance(event, Fired):
            ended.append((event.nominal, event.nominal))
        elif isinstance(event, Skipped):
            ended.append((event.first, event.last))
    assert all(one[1] < other[0] for one, other in pairwise(ended))
    assert marks == sorted(marks)
