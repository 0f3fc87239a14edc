"""A change of a calendar counts from when it was made: what is pending moves, the past stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define, Pause, Remove, Resume
from schemas.definition import Basis, CatchUp, CatchUpMode, Exclude, Interval
from schemas.events import Fired, ScheduleRecomputed
from schemas.globals import Calendar
from schemas.schedule import Status
from streams.calendar.occurrences import NEVER
from streams.decider import agenda
from streams.decider.state import CalendarChange
from tests.decider.expected import fires, instants, recomputed
from tests.decider.feasts import DEFINED, NO_FEASTS, WORKING, days, feasts
from tests.decider.stage import DAY, RING, Breaks, Stage, Tells, Upgrades, at, once, played, rule


def test_a_new_feast_moves_what_is_pending() -> None:
    stage = played(NO_FEASTS, DEFINED, ("14:00", feasts("06-02", said="14:00")))

    assert stage.recheck(at("14:00:01")) == [recomputed("calendar feasts@1", "06-03T12:00")]
    assert stage.recheck(at("14:00:02")) == []
    assert fires(stage.wait(at("06-04T00:00"))) == instants("06-03T12:00")


def test_a_timer_that_rings_before_anybody_looked_does_not_fire_on_the_feast() -> None:
    stage = played(NO_FEASTS, DEFINED, ("14:00", feasts("06-02", said="14:00")))

    assert stage.ring(at("06-02T12:00")) == [recomputed("calendar feasts@1", "06-03T12:00")]


def test_a_feast_that_is_taken_back_brings_an_earlier_instant() -> None:
    stage = played(
        ("00:00", feasts("06-02", "06-03")), DEFINED, ("06-02T11:00", feasts(said="06-02T11:00"))
    )

    assert stage.recheck(at("06-02T11:00:01")) == [recomputed("calendar feasts@1", "06-02T12:00")]
    assert fires(stage.wait(at("06-03T12:00"))) == instants("06-02T12:00", "06-03T12:00")


def test_what_came_between_the_change_and_the_look_is_late_and_not_lost() -> None:
    stage = played(
        ("00:00", feasts("06-02", "06-03")), DEFINED, ("06-02T11:59", feasts(said="06-02T11:59"))
    )

    stage.recheck(at("06-02T12:30"))
    (event,) = stage.ring(at("06-02T12:30"))

    assert isinstance(event, Fired)
    assert (event.nominal, event.late) == (at("06-02T12:00"), True)


@pytest.mark.parametrize("said", ["06-02T18:00", None])
def test_a_day_that_was_excluded_when_it_came_stays_so(said: str | None) -> None:
    """Also where nobody said when the calendar was changed."""
    stage = played(("00:00", feasts("06-02", "06-03")), DEFINED, ("06-02T18:00", feasts(said=said)))

    assert stage.recheck(at("06-02T18:00:01")) == [recomputed("calendar feasts@1", "06-03T12:00")]
    assert fires(stage.wait(at("06-03T13:00"))) == instants("06-03T12:00")


def test_a_removed_calendar_excludes_nothing_from_then_on() -> None:
    gone = Tells("calendar/feasts", Calendar(removed=True, at=at("13:30")))
    stage = played(("00:00", feasts("06-02")), DEFINED, ("13:30", gone))

    assert stage.recheck(at("13:30:01")) == [recomputed("calendar feasts@1", "06-02T12:00")]


def test_a_calendar_that_another_builds_on_counts() -> None:
    stage = played(
        ("00:00", Tells("calendar/moon", Calendar())),
        ("00:00", feasts(base=("moon",))),
        DEFINED,
        ("13:30", feasts(base=("moon", "feasts", "nobody"))),
        ("14:00", Tells("calendar/moon", Calendar(dates=days("06-02"), at=at("14:00")))),
    )

    assert stage.recheck(at("14:00:01")) == [recomputed("calendar moon@3", "06-03T12:00")]


def test_other_calendars_mean_nothing() -> None:
    stage = played(
        NO_FEASTS, DEFINED, ("14:00", Tells("calendar/moon", Calendar(dates=days("06-02"))))
    )

    assert stage.recheck(at("14:00:01")) == []


def test_what_waits_keeps_its_day() -> None:
    stage = played(
        NO_FEASTS,
        DEFINED,
        ("06-02T11:00", Breaks("gone")),
        ("06-02T12:00", RING),
        ("06-02T12:00", feasts("06-02", said="06-02T12:00")),
        ("06-02T12:00:01", Breaks(None)),
    )

    assert fires(stage.ring(at("06-02T12:00:01"))) == instants("06-02T12:00")


def test_what_is_due_in_the_past_is_not_brought_back_by_a_change() -> None:
    """Down over a feast that is no feast any more: it was one when it came."""
    stage = played(("00:00", feasts("06-02")), ("00:10", Define(WORKING)), ("12:00", RING))
    stage.play(feasts(said="06-03T18:00"), at("06-03T18:00"))

    events = stage.ring(at("06-03T18:10"))

    assert fires(events) == instants("06-03T12:00")
    assert not [one for one in events if isinstance(one, ScheduleRecomputed)]


def test_a_schedule_that_calendars_leave_nothing_waits_for_their_change() -> None:
    never = Tells("calendar/feasts", Calendar(weekdays=127, at=at("14:00")))
    stage = played(NO_FEASTS, DEFINED, ("14:00", never))

    assert stage.recheck(at("14:00:01")) == [recomputed("calendar feasts@1", None)]
    assert stage.state is not None
    assert stage.state.plan.status is Status.ENABLED
    stage.play(feasts(said="06-05T14:00"), at("06-05T14:00"))
    assert stage.recheck(at("06-05T14:00:01")) == [recomputed("calendar feasts@2", "06-06T12:00")]


def test_one_that_has_just_fired_does_too() -> None:
    stage = played(
        NO_FEASTS,
        ("11:00", Define(WORKING)),
        ("11:10", Tells("calendar/feasts", Calendar(dates=days(*_june()), at=at("11:10")))),
        ("11:20", Define(replace(WORKING, end_at=at("06-30T23:00")))),
    )

    (event,) = stage.ring(at("12:00"))

    assert isinstance(event, Fired)
    assert event.next == NEVER
    assert stage.state is not None
    assert stage.state.plan.status is Status.ENABLED


def _june() -> list[str]:
    return [f"06-{day:02}" for day in range(2, 31)]


def test_dates_of_its_own_complete_it() -> None:
    only = replace(rule(once("12:00"), once("06-02T12:00")), exclude=Exclude(dates=days("06-02")))
    stage = played(("11:00", Define(only)), ("12:00", RING))

    assert stage.state is not None
    assert stage.state.plan.status is Status.COMPLETED


def test_a_resumption_looks_at_the_calendar_as_it_is() -> None:
    stage = played(
        NO_FEASTS,
        DEFINED,
        ("14:00", Pause()),
        ("14:10", feasts("06-02")),
        ("14:20", Resume()),
    )

    assert stage.cursor_next == at("06-03T12:00")


def test_one_that_resumes_into_nothing_is_not_completed() -> None:
    stage = played(
        NO_FEASTS,
        DEFINED,
        ("14:00", Pause()),
        ("14:10", Tells("calendar/feasts", Calendar(weekdays=127))),
    )

    assert [type(one).__name__ for one in stage.ask(Resume(), at("14:20"))] == ["ScheduleResumed"]


def test_an_interval_that_counts_from_decisions_passes_over_what_is_excluded() -> None:
    daily = rule(Interval(micros=DAY, basis=Basis.AFTER_FIRE), exclude=Exclude(("feasts",)))
    stage = played(
        NO_FEASTS,
        ("12:00", Define(daily)),
        ("14:00", feasts("06-02", said="14:00")),
    )

    assert stage.recheck(at("14:00:01")) == [recomputed("calendar feasts@1", "06-03T12:00")]
    stage.play(feasts(said="15:00"), at("15:00"))
    assert stage.recheck(at("15:00:01")) == [recomputed("calendar feasts@2", "06-02T12:00")]
    assert fires(stage.ring(at("06-02T12:00:05"))) == instants("06-02T12:00")
    assert stage.cursor_next == at("06-03T12:00:05")


def test_an_edit_settles_by_the_calendar_as_it_is() -> None:
    stage = played(NO_FEASTS, DEFINED, ("14:00", feasts("06-02", said="14:00")))

    events = stage.ask(Remove(), at("06-02T12:00:10"))

    assert [type(one).__name__ for one in events] == ["ScheduleRecomputed", "ScheduleRemoved"]


def test_the_version_of_a_calendar_is_its_place() -> None:
    stage = played(NO_FEASTS, ("00:10", feasts("06-02", said="00:10")))

    assert stage.world.calendar_changes == {"feasts": CalendarChange(1, at("00:10"))}
    assert Stage().world.calendar_changes == {}


SHUT_AT_ELEVEN = Tells("calendar/feasts", Calendar(crons=("* 11-23 * * *",)))
JITTERED = rule("0 * * * *", jitter=DAY, exclude=Exclude(("feasts",)))


@pytest.fixture
def latest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jitter moves everything as far as it goes."""
    monkeypatch.setattr(
        agenda, "delay", lambda _id, at, jitter, following: min(jitter, following - at) - 1
    )


@pytest.mark.usefixtures("latest")
def test_jitter_ends_before_an_instant_that_was_not_there_before() -> None:
    """10:00 was due just before the next one, at midnight; 11:00 is back."""
    stage = played(("00:00", SHUT_AT_ELEVEN), ("09:30", Define(JITTERED)))
    assert stage.state is not None
    assert stage.state.cursor.due == at("06-02T00:00") - 1
    stage.play(feasts(said="10:20"), at("10:20"))

    (event,) = stage.recheck(at("10:20:01"))

    assert (event.next, event.next_due) == (at("10:00"), at("11:00") - 1)  # type: ignore[union-attr]
    assert stage.recheck(at("10:20:02")) == []
    assert fires(stage.wait(at("12:30"))) == instants("10:00", "11:00")


@pytest.mark.usefixtures("latest")
def test_and_is_not_late_for_that() -> None:
    """It would have been due at 11:00 - 1; nobody could know before the calendar changed."""
    never = CatchUp(CatchUpMode.NONE)
    stage = played(("00:00", SHUT_AT_ELEVEN), ("09:30", Define(replace(JITTERED, catch_up=never))))
    stage.play(feasts(said="12:30"), at("12:30"))

    (anew,) = stage.recheck(at("12:30"))
    fire = stage.ring(at("12:30"))[0]

    assert anew.next_due == at("12:30")  # type: ignore[union-attr]
    assert stage.recheck(at("12:30")) == []
    assert isinstance(fire, Fired)
    assert (fire.nominal, fire.due, fire.late) == (at("10:00"), at("12:30"), False)


def test_other_zone_data_bring_no_excluded_day_back_either() -> None:
    stage = played(
        ("00:00", Upgrades(10)), ("00:00", feasts("06-02", "06-03")), ("13:00", Define(WORKING))
    )
    stage.play(Upgrades(11), 0)
    stage.play(feasts(said="06-03T18:00"), 0)

    assert stage.recheck(at("06-03T18:01")) == []
    assert fires(stage.wait(at("06-05T00:00"))) == instants("06-04T12:00")
