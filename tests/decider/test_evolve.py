"""The fold copies facts: it is total, checks nothing, and knows what holds for everyone."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given

from schemas.codec import pack_cursor, unpack_cursor
from schemas.commands import Define, Pause, Remove, Resume
from schemas.definition import CatchUp
from schemas.events import Fired, Reason, ScheduleDefined, ScheduleEvent, Skipped, Stamp
from schemas.globals import ClockAccepted, GlobalRecord, GlobalSettings, Hold
from schemas.schedule import Status
from schemas.snapshot import Cursor, WallTime
from streams.decider.evolve import evolve
from streams.decider.state import NO_WALL, Schedule, World
from streams.decider.worldview import fold, summary
from tests.decider.expected import paused, removed, resumed, skipped
from tests.decider.stage import DAY, RING, Breaks, Stage, at, once, played, rule
from tests.schemas.made import made

HOURLY = rule("0 * * * *")
STAMP = Stamp(at("12:00"), 0, 1, -1, 5, "user:ann")


def state_of(stage: Stage) -> Schedule:
    assert stage.state is not None
    return stage.state


@pytest.mark.parametrize("event", list(get_args(ScheduleEvent)), ids=lambda one: one.__name__)
def test_any_event_can_be_folded_into_any_state(event: type) -> None:
    @given(made(event), made(Stamp))
    def folded(one: ScheduleEvent, stamp: Stamp) -> None:
        for state in (None, played(("10:30", Define(HOURLY))).state):
            after = evolve(state, one, stamp)
            assert after is None or isinstance(after, Schedule)

    folded()


def test_an_event_about_a_schedule_that_is_not_there_makes_none() -> None:
    for event in (paused("10:00"), resumed("10:00", "11:00"), removed()):
        assert evolve(None, event, STAMP) is None


def test_a_plan_says_who_made_it_when_and_who_changed_it_last() -> None:
    stage = played(("10:30", Define(HOURLY)), ("10:40", Pause("works")))
    plan = state_of(stage).plan

    assert (plan.id, plan.subject, plan.version, plan.incarnation) == ("shop/nightly", "shop", 0, 0)
    assert (plan.created_at, plan.changed_at, plan.actor) == (at("10:30"), at("10:40"), "user:ann")
    assert (plan.status, plan.origin) == (Status.PAUSED, at("10:30"))
    assert plan.pause is not None
    assert (plan.pause.reason, plan.pause.actor, plan.pause.since) == (
        *("works", "user:ann"),
        at("10:40"),
    )


@pytest.mark.parametrize(
    ("stage", "status"),
    [
        (played(("10:30", Define(HOURLY))), Status.ENABLED),
        (
            played(("10:30", Define(HOURLY)), ("10:40", Pause()), ("10:50", Resume())),
            Status.ENABLED,
        ),
        (played(("10:30", Define(rule(once("11:00")))), ("11:00", RING)), Status.COMPLETED),
    ],
)
def test_a_schedule_shows_whether_it_is_looked_at(stage: Stage, status: Status) -> None:
    assert state_of(stage).plan.status is status


def test_a_fire_moves_the_cursor_and_nothing_else() -> None:
    stage = played(("10:30", Define(HOURLY)))
    stage.world = replace(stage.world, zone_data=835)
    before = state_of(stage)
    stage.ring(at("11:00"))

    assert state_of(stage).plan is before.plan
    assert state_of(stage).cursor == Cursor(
        *(at("11:00"), at("11:00"), at("12:00"), at("12:00")), 0, 1, 0, 835, 0
    )


def test_a_deferral_moves_the_look_and_keeps_the_instant() -> None:
    stage = played(("10:30", Define(HOURLY)), ("10:40", Breaks("gone")), ("11:00", RING))
    expected = Cursor(*(at("10:30"), NO_WALL, at("11:00"), at("11:00:01")), at("11:00"), 0, 1, 0, 0)

    assert state_of(stage).cursor == expected._replace(waiting=WallTime(at("11:00"), 0))


def test_a_removed_schedule_is_none() -> None:
    assert played(("10:30", Define(HOURLY)), ("10:40", Remove())).state is None


# ---------------------------------------------------------------------- zones that went away


@pytest.fixture
def unreadable() -> Stage:
    """AJ-065 and POL-105: the installed data do not know the zone of a stored schedule."""
    stage = played(("10:30", Define(HOURLY)))
    lost = replace(HOURLY, zone="Mars/Base")
    event = ScheduleDefined("shop/nightly", 0, 0, lost, at("10:30"), at("11:00"))
    stage.state = evolve(None, event, STAMP._replace(decided_at=at("10:30")))
    return stage


def test_a_schedule_in_a_lost_zone_does_not_run(unreadable: Stage) -> None:
    """AJ-065: and is not taken for one in UTC."""
    assert unreadable.ring(at("11:00")) == []
    assert unreadable.cursor_next == at("11:00")


def test_it_can_be_paused_but_not_resumed(unreadable: Stage) -> None:
    events = unreadable.ask(Pause(), at("11:30"))

    assert events == [
        skipped(
            *("11:00", "11:00", 1, None, Reason.WITHDRAWN),
            evidence="its timing cannot be read any more",
        ),
        paused("11:30"),
    ]
    (answer,) = unreadable.ask(Resume(), at("11:40"))
    assert getattr(answer, "field", "") == "timings"


def test_it_runs_again_with_a_zone_that_is_known(unreadable: Stage) -> None:
    unreadable.ask(Define(replace(HOURLY, description="mended")), at("10:50"))

    assert [type(event) for event in unreadable.ring(at("11:00"))] == [Fired]


def test_it_can_be_removed(unreadable: Stage) -> None:
    events = unreadable.ask(Remove(), at("11:30"))

    assert [type(event) for event in events][:1] == [Skipped]
    assert unreadable.state is None


# ---------------------------------------------------------------------- what holds for everyone


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (Hold(True, "works", "user:eve", 1), "everything is held: works"),
        (Hold(False, "", "user:eve", 1), "the hold is lifted: no reason given"),
        (GlobalSettings(("a", "b*"), 1), "emit may write to a, b*"),
        (GlobalSettings((), 1), "emit may write to nothing"),
        (
            ClockAccepted("user:eve", "moved", at("12:00")),
            "the clock is accepted as of 2026-06-01T12:00:00Z: moved",
        ),
    ],
)
def test_a_global_record_is_summed_up(record: GlobalRecord, told: str) -> None:
    assert summary(record) == told


def test_the_world_is_the_last_record_of_each_kind() -> None:
    world = World()
    hold, limits = Hold(True, "works", "user:eve", 1), GlobalSettings(("a",), 2)
    clock = ClockAccepted("user:eve", "", 3)
    assert not world.held
    records: list[GlobalRecord] = [hold, limits, clock]
    for offset, record in enumerate(records):
        world = fold(world, record, offset)

    assert (world.hold, world.settings, world.clock, world.globals_offset) == (
        *(hold, limits, clock),
        2,
    )
    assert world.held
    assert not fold(world, replace(hold, held=False), 3).held


def test_a_one_time_without_any_limit_fits_into_a_cursor() -> None:
    unlimited = rule(once("2001-01-01T00:00"), catch_up=CatchUp(lookback=None))
    stage = played(("10:30", Define(unlimited)))

    cursor = state_of(stage).cursor

    assert cursor.mark < at("2001-01-01T00:00") - 100 * 365 * DAY
    assert unpack_cursor(pack_cursor(cursor)) == cursor
