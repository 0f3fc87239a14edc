"""Other zone data move what is pending, and bring no wall time back that had its turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from schemas.commands import Define, Pause, Remove, Resume
from schemas.definition import Dst, Interval, Timing, Weekly
from schemas.events import Fired, ScheduleRecomputed, Skipped
from streams.calendar import occurrences
from streams.calendar.occurrences import NEVER
from streams.calendar.zones import Segment
from streams.decider import agenda
from streams.decider.evolve import compiled
from streams.decider.state import Schedule
from tests.decider.expected import fires, instants, recomputed
from tests.decider.stage import (
    HOUR,
    NIGHTLY,
    RING,
    Breaks,
    Holds,
    Stage,
    Upgrades,
    at,
    every,
    once,
    played,
    rule,
)

ZONE = "Europe/Berlin"
BEFORE, AFTER = (2026 - 2000) * 32 + 3, (2026 - 2000) * 32 + 4
DAILY = rule("0 9 * * *", zone=ZONE)
NOW_D = "zone data 2026d"

Upgrade = Callable[[Stage, int], None]


class OneOffset:
    """The clock of a zone that never changes."""

    def __init__(self, hours: int) -> None:
        self.offset = hours * 3600

    def segment_at(self, _second: int) -> Segment:
        return Segment(-(1 << 50), 1 << 50, self.offset, self.offset, -(1 << 50))


@pytest.fixture
def upgrade(monkeypatch: pytest.MonkeyPatch) -> Upgrade:
    """The zone is an hour ahead of UTC; then other data are installed, which say otherwise."""

    def install(hours: int) -> None:
        occurrences._rule.cache_clear()
        occurrences._rules.clear()
        for module in (occurrences, agenda):
            monkeypatch.setattr(module, "zone_clock", lambda _: OneOffset(hours))

    def upgraded(stage: Stage, hours: int) -> None:
        install(hours)
        stage.play(Upgrades(AFTER), 0)
        state = stage.state
        assert state is not None
        plan = replace(state.plan, rule=compiled(state.plan.definition, NIGHTLY))
        stage.state = Schedule(plan, state.cursor)

    install(1)
    return upgraded


@pytest.fixture(autouse=True)
def _forget_rules() -> Iterator[None]:
    yield
    occurrences._rule.cache_clear()
    occurrences._rules.clear()


INSTALLED = ("00:00", Upgrades(BEFORE))


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


def test_what_waits_keeps_its_instant(upgrade: Upgrade) -> None:
    stage = played(INSTALLED, ("07:00", Define(DAILY)), ("07:30", Breaks("gone")), ("08:00", RING))
    upgrade(stage, 0)
    stage.play(Breaks(None), at("08:00:01"))

    assert stage.recheck(at("08:00:01")) == []
    assert fires(stage.ring(at("08:00:01"))) == instants("08:00")


@pytest.mark.parametrize("expression", ["0 9 * * *", "*/15 * * * *"])
def test_what_waits_has_its_turn_once(upgrade: Upgrade, expression: str) -> None:
    """POL-054: the 09:00 that waited is the 09:00 that the new data have an hour later."""
    stage = played(INSTALLED, ("07:40", Define(rule(expression, zone=ZONE))), ("07:45", RING))
    stage.play(Breaks("gone"), at("08:00"))
    stage.ring(at("08:00"))
    upgrade(stage, 0)
    stage.play(Breaks(None), at("08:00:01"))
    stage.recheck(at("08:00:01"))
    (fire,) = stage.ring(at("08:00:01"))

    assert isinstance(fire, Fired)
    assert (fire.nominal, fire.wall) == (at("08:00"), at("09:00"))
    expected = "06-02T09:00" if expression.startswith("0") else "09:15"
    assert stage.cursor_next == at(expected)


def test_what_waits_is_withdrawn_with_its_own_instant(upgrade: Upgrade) -> None:
    stage = played(INSTALLED, ("07:00", Define(DAILY)), ("07:30", Breaks("gone")), ("08:00", RING))
    upgrade(stage, 0)

    skip, _removed = stage.ask(Remove(), at("08:00:01"))

    assert isinstance(skip, Skipped)
    assert (skip.first, skip.last, skip.count) == (at("08:00"), at("08:00"), 1)


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
