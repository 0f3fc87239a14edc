"""Other zone data move what is pending, and bring no wall time back that had its turn."""

from __future__ import annotations

import pytest

from schemas.commands import Define, Pause, Resume
from schemas.definition import Dst, Interval, Timing, Weekly
from schemas.events import Fired, ScheduleRecomputed, Skipped
from streams.calendar.occurrences import NEVER
from streams.decider.state import Schedule
from tests.decider.expected import fires, instants, recomputed
from tests.decider.stage import (
    HOUR,
    RING,
    Holds,
    Upgrades,
    at,
    every,
    once,
    played,
    rule,
)
from tests.decider.upgrading import INSTALLED, ZONE, Upgrade

DAILY = rule("0 9 * * *", zone=ZONE)
NOW_D = "zone data 2026d"


def test_a_wall_time_that_had_its_turn_has_no_second_one(upgrade: Upgrade) -> None:
    """POL-054: 09:00 was at 08:00 UTC; by the new data it is at 09:00 UTC."""
    stage = played(INSTALLED, ("07:00", Define(DAILY)), ("08:00", RING))
    upgrade(stage, 0)

    assert stage.recheck(at("08:30")) == [recomputed(NOW_D, "06-02T09:00")]
    assert fires(stage.wait(at("06-03T09:00"))) == instants("06-02T09:00", "06-03T09:00")


@pytest.mark.parametrize("timing", ["0 9 * * *", Weekly(127, 9 * 3600)])
def test_what_is_pending_moves_to_where_its_wall_time_is(
    upgrade: Upgrade, timing: Timing | str
) -> None:
    """POL-054: every pending instant is computed anew, once."""
    stage = played(INSTALLED, ("07:00", Define(rule(timing, zone=ZONE))), ("08:00", RING))
    upgrade(stage, 2)

    assert stage.recheck(at("12:00")) == [recomputed(NOW_D, "06-02T07:00")]
    assert stage.recheck(at("12:01")) == []


def test_an_earlier_one_is_not_missed(upgrade: Upgrade) -> None:
    """It lies behind us already: late, and within the lookback."""
    stage = played(INSTALLED, ("06:00", Define(DAILY)))
    upgrade(stage, 2)

    stage.recheck(at("07:30"))

    assert [
        (one.nominal, one.late) for one in stage.ring(at("07:30")) if isinstance(one, Fired)
    ] == [(at("07:00"), True)]
    assert stage.cursor_next == at("06-02T07:00")


def test_a_timer_that_rings_before_anybody_looked_computes_anew_first(upgrade: Upgrade) -> None:
    stage = played(INSTALLED, ("06:00", Define(DAILY)))
    upgrade(stage, 0)

    assert stage.ring(at("08:00")) == [recomputed(NOW_D, "09:00")]
    assert fires(stage.wait(at("23:00"))) == instants("09:00")


def test_and_fires_in_the_same_look_if_it_is_due_all_the_same(upgrade: Upgrade) -> None:
    stage = played(INSTALLED, ("06:00", Define(DAILY)))
    upgrade(stage, 2)

    kinds = [type(one) for one in stage.look(at("08:00"))]

    assert kinds == [ScheduleRecomputed, Fired]


def test_several_wall_times_that_had_their_turn_are_all_passed_over(upgrade: Upgrade) -> None:
    """POL-054: every quarter of an hour; at 08:15 the clock is put to what it was at 07:15."""
    stage = played(INSTALLED, ("07:00", Define(rule("*/15 * * * *", zone=ZONE))))
    fired = fires(stage.wait(at("08:15")))
    upgrade(stage, 0)
    stage.recheck(at("08:20"))

    assert fired == instants("07:15", "07:30", "07:45", "08:00", "08:15")
    assert fires(stage.wait(at("09:45"))) == instants("09:30", "09:45")


def test_a_range_that_was_skipped_had_its_turn_too(upgrade: Upgrade) -> None:
    stage = played(INSTALLED, ("07:00", Define(rule("0 * * * *", zone=ZONE))))
    skip = stage.ring(at("10:30"))[0]
    upgrade(stage, 0)
    stage.recheck(at("10:40"))

    assert isinstance(skip, Skipped)
    assert stage.cursor_next == at("12:00")  # wall 12:00; 11:00 was that of 10:00 UTC


@pytest.mark.parametrize(
    "definition",
    [
        rule(every(HOUR, anchor=0), zone=ZONE),
        rule(every(HOUR), zone=ZONE),
        rule(once("08:00"), zone=ZONE),
        rule(Interval(days=1, anchor=at("2026-05-31T08:00")), zone=ZONE),
        rule("0 12 * * *", every(HOUR), zone=ZONE, dst=Dst.LITERAL),
    ],
    ids=[
        *("a grid", "from its creation", "a single instant", "days from an instant"),
        "elapsed time beside wall times",
    ],
)
def test_elapsed_time_stays_what_it_is(upgrade: Upgrade, definition: object) -> None:
    stage = played(INSTALLED, ("07:30", Define(definition)))  # type: ignore[arg-type]
    pending = stage.cursor_next
    upgrade(stage, 0)

    assert stage.recheck(at("07:40")) == []
    assert stage.cursor_next == pending


def test_a_schedule_that_nothing_was_decided_about_has_handled_nothing(upgrade: Upgrade) -> None:
    """Cursors of former releases held the moment of the definition as if it were a wall time."""
    stage = played(INSTALLED, ("08:30", Define(rule("0 9 * * *", zone=ZONE))))
    state = stage.state
    assert state is not None
    stage.state = Schedule(state.plan, state.cursor._replace(wall=state.cursor.mark))
    upgrade(stage, -1)

    assert stage.recheck(at("09:00")) == [recomputed(NOW_D, "10:00")]


def test_a_paused_one_is_left_alone_and_goes_on_by_the_new_data(upgrade: Upgrade) -> None:
    stage = played(INSTALLED, ("07:00", Define(DAILY)), ("07:30", Pause()))
    upgrade(stage, 0)

    assert stage.recheck(at("07:40")) == []
    stage.ask(Resume(), at("07:50"))
    assert stage.cursor_next == at("09:00")


def test_a_resumption_does_not_bring_the_wall_time_back_either(upgrade: Upgrade) -> None:
    """POL-054: known by its local time, whatever happened in between."""
    stage = played(INSTALLED, ("07:00", Define(DAILY)), ("08:00", RING), ("08:10", Pause()))
    upgrade(stage, 0)
    stage.ask(Resume(), at("08:20"))

    assert stage.cursor_next == at("06-02T09:00")


def test_an_edit_settles_by_the_new_data(upgrade: Upgrade) -> None:
    stage = played(INSTALLED, ("07:00", Define(DAILY)))
    upgrade(stage, 0)

    edit = stage.ask(Define(rule("30 9 * * *", zone=ZONE)), at("08:00:10"))

    assert [type(one).__name__ for one in edit] == ["ScheduleRecomputed", "ScheduleChanged"]
    assert stage.cursor_next == at("09:30")


def test_a_hold_holds_this_as_well(upgrade: Upgrade) -> None:
    stage = played(INSTALLED, ("07:00", Define(DAILY)), ("07:10", Holds(held=True)))
    upgrade(stage, 0)

    assert stage.ring(at("08:00")) == []


def test_a_completed_one_has_nothing_to_compute(upgrade: Upgrade) -> None:
    stage = played(
        INSTALLED,
        ("07:00", Define(rule("0 9 * * *", zone=ZONE, end_at=at("08:30")))),
        ("08:00", RING),
    )
    upgrade(stage, 0)

    assert stage.recheck(at("08:10")) == []
    assert stage.cursor_next == NEVER


def test_a_release_without_a_letter_is_named_too(upgrade: Upgrade) -> None:
    stage = played(INSTALLED, ("07:00", Define(DAILY)))
    upgrade(stage, 0)
    stage.play(Upgrades(27 * 32), at("07:10"))

    assert stage.recheck(at("07:20")) == [recomputed("zone data 2027", "09:00")]
