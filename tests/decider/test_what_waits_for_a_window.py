"""What waits for a window starts once, spread over its beginning, and not for ever."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define
from schemas.definition import CatchUp, CatchUpMode, Hours, Window
from schemas.events import Deferred, Fired, Reason, ScheduleEvent, Skipped
from streams.calendar.jitter import delay
from streams.calendar.occurrences import NEVER
from tests.decider.expected import (
    completed,
    fired,
    fires,
    instants,
    skipped,
)
from tests.decider.nights import DAILY, HOURLY, NIGHT, WAITS
from tests.decider.stage import (
    DAY,
    HOUR,
    MINUTE,
    NIGHTLY,
    RING,
    SECOND,
    Breaks,
    Stage,
    at,
    played,
    rule,
)


def test_later_ones_are_skipped_as_overlap_when_it_starts() -> None:
    """POL-097: one start for each schedule; the later occurrences are one record."""
    stage = played(("19:30", Define(HOURLY)))

    events = stage.wait(at("06-02T01:00"))

    assert [(type(one), getattr(one, "reason", None)) for one in events] == [
        (Deferred, Reason.WINDOW),
        (Fired, None),
        (Skipped, Reason.OVERLAP),
        (Fired, None),
        (Fired, None),
    ]
    assert events[1] == fired("20:00", "21:00", deferred=("20:00", 1))
    assert events[2] == skipped(
        *("21:00", "23:00", 3, "06-02T00:00", Reason.OVERLAP),
        evidence="an earlier one waited for its window",
    )
    assert fires(events) == instants("20:00", "06-02T00:00", "06-02T01:00")


def test_the_last_of_them_completes_the_schedule() -> None:
    stage = played(("19:30", Define(replace(HOURLY, end_at=at("23:00")))))

    assert stage.wait(at("06-02T01:00"))[-1] == completed()


def test_a_missed_run_waits_as_one() -> None:
    everything = CatchUp(CatchUpMode.ALL, lookback=None)
    stage = played(("12:30", Define(replace(HOURLY, catch_up=everything))))
    events = stage.ring(at("17:10")) + stage.wait(at("23:30"))

    assert fires(events) == instants("13:00")
    assert [(one.first, one.last) for one in events if isinstance(one, Skipped)] == [
        (at("14:00"), at("23:00"))
    ]


def test_those_that_share_a_window_start_spread_over_its_first_minute() -> None:
    """POL-097: 300 schedules, one start each, not all in the same second."""
    starts = []
    for number in range(300):
        stage = Stage()
        stage.ask(Define(rule("0 20 * * *", window=replace(NIGHT, spread=MINUTE))), at("19:30"))
        assert stage.state is not None
        plan = replace(stage.state.plan, id=f"shop/{number}")
        stage.state = stage.state._replace(plan=plan)
        (event,) = stage.ring(at("20:00"))
        assert isinstance(event, Deferred)
        starts.append(event.until - at("23:30"))

    assert all(0 <= start < MINUTE for start in starts)
    assert len({start // SECOND for start in starts}) > 50


@pytest.mark.parametrize(("length", "spread"), [(30, 10 * MINUTE), (3600, 10 * SECOND)])
def test_the_spread_ends_with_the_opening(length: int, spread: int) -> None:
    short = Window((Hours(23 * 3600, 23 * 3600 + length),), spread=spread)
    stage = played(("19:30", Define(rule("0 20 * * *", window=short))))

    (event,) = stage.ring(at("20:00"))

    assert isinstance(event, Deferred)
    room = min(length * SECOND, spread)
    assert event.until == at("23:00") + delay(NIGHTLY, at("20:00"), room, NEVER)


def test_a_window_that_the_clocks_leap_over_is_none_that_day() -> None:
    """POL-093: New York, the clocks go from 02:00 to 03:00; the limit goes on counting."""
    hours = Window((Hours(2 * 3600, 3 * 3600),), spread=0)
    daily = rule("0 0 * * *", zone="America/New_York", window=hours)
    stage = played(("2026-03-08T04:30", Define(daily)))

    (event,) = stage.ring(at("2026-03-08T05:00"))

    assert isinstance(event, Deferred)
    assert (event.until, event.deferred_at) == (at("2026-03-09T06:00"), at("2026-03-08T05:00"))
    short = replace(daily, window=replace(hours, max_wait=DAY))
    over = played(("2026-03-08T04:30", Define(short))).ring(at("2026-03-08T05:00"))
    assert [one.reason for one in over if isinstance(one, Skipped)] == [Reason.DEFERRAL_EXPIRED]


def test_in_the_window_it_waits_for_its_target_as_long_as_for_the_window() -> None:
    """The lookback is over by then: it counts from the due instant."""
    hour_back = replace(DAILY, catch_up=CatchUp(lookback=HOUR))
    stage = played(("19:30", Define(hour_back)), ("20:00", RING), ("23:00", Breaks("gone")))

    (event,) = stage.ring(at("23:30"))

    assert isinstance(event, Deferred)
    assert (event.reason, event.deferrals) == (Reason.TARGET_UNAVAILABLE, 2)


def test_when_it_closes_meanwhile_the_target_is_not_asked_again() -> None:
    stage = played(*WAITS, ("23:00", Breaks("gone")), ("23:30", RING))
    events: list[ScheduleEvent] = []
    while not [one for one in events if isinstance(one, Deferred) and one.reason == "window"]:
        assert stage.state is not None
        events += stage.ring(stage.state.cursor.due)

    assert stage.state is not None
    assert stage.state.cursor.due == at("06-02T23:30")
