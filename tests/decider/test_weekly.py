"""A weekly timing comes at most once on a local date, also when its zone is edited."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define, Pause, Resume
from schemas.definition import CatchUp, CatchUpMode, Definition, Weekly
from schemas.events import CommandRefused, ScheduleDefined, Stamp
from schemas.schedule import Status
from streams.calendar.occurrences import NEVER
from streams.decider.evolve import evolve
from streams.decider.firing import due
from streams.decider.state import NO_WALL
from tests.decider.expected import fires, instants
from tests.decider.stage import NIGHTLY, OPEN, RING, Stage, Step, at, played, rule

EVENING = Weekly(127, 22 * 3600)
BERLIN = rule(EVENING, zone="Europe/Berlin")
LONDON = replace(BERLIN, zone="Europe/London")
SLEPT: list[Step] = [("12:00", Define(BERLIN)), ("20:00", RING)]
"""22:00 in Berlin is 20:00 in UTC, and 22:00 in London is 21:00."""


def test_another_zone_does_not_bring_the_date_back() -> None:
    """DP-014."""
    stage = played(*SLEPT, ("20:10", Define(LONDON)))

    assert fires(stage.wait(at("06-03T00:00"))) == instants("06-02T21:00")


def test_nor_does_another_time_of_day() -> None:
    """DP-014: there is no second run on that local day."""
    stage = played(*SLEPT, ("20:10", Define(rule(Weekly(127, 23 * 3600), zone="Europe/Berlin"))))

    assert stage.cursor_next == at("06-02T21:00")


def test_nor_a_pause_in_between() -> None:
    """DP-014, with a resumption that looks at the calendar anew."""
    stage = played(*SLEPT, ("20:10", Define(LONDON)), ("20:20", Pause()), ("20:30", Resume("on")))

    assert stage.cursor_next == at("06-02T21:00")


def test_a_date_that_had_no_turn_has_it_in_the_other_zone() -> None:
    stage = played(("12:00", Define(BERLIN)), ("19:50", Define(LONDON)))

    assert stage.cursor_next == at("21:00")


def test_what_an_edit_withdrew_had_no_turn() -> None:
    """At 20:30 that of 20:00 is too late for the edit: it is withdrawn, and London's is to come."""
    stage = played(("12:00", Define(BERLIN)), ("20:30", Define(LONDON)))

    assert fires(stage.wait(at("06-02T00:00"))) == instants("21:00")


def test_a_missed_one_had_its_turn() -> None:
    missed = replace(BERLIN, catch_up=CatchUp(CatchUpMode.NONE))
    stage = played(
        ("12:00", Define(missed)), ("20:30", RING), ("20:40", Define(replace(missed, zone="UTC")))
    )

    assert stage.cursor_next == at("06-02T22:00")


def test_two_times_on_one_day_are_two() -> None:
    """The later one of the day comes in the other zone too, the earlier one does not again."""
    both = rule(Weekly(127, 8 * 3600), EVENING, zone="Europe/Berlin")
    stage = played(("05:00", Define(both)), ("06:00", RING))
    stage.ask(Define(replace(both, zone="Europe/London")), at("06:10"))

    assert fires(stage.wait(at("06-02T10:00"))) == instants("21:00", "06-02T07:00")


def test_a_cron_that_becomes_weekly_has_today_before_it() -> None:
    stage = played(("12:00", Define(rule("0 * * * *"))), ("13:00", RING))
    stage.ask(Define(BERLIN), at("13:10"))

    assert stage.state is not None
    assert stage.state.cursor.wall == NO_WALL
    assert stage.cursor_next == at("20:00")


def test_no_day_is_refused() -> None:
    """DP-012."""
    (refusal,) = Stage().ask(Define(rule(Weekly(0, 0))), at("10:00"))

    assert isinstance(refusal, CommandRefused)
    assert refusal.field == "weekly.days"


@pytest.mark.parametrize("definition", [rule(Weekly(0, 0)), rule(Weekly(0, 0), zone="Asia/Tokyo")])
def test_an_old_record_without_a_day_is_never_due(definition: Definition) -> None:
    """DP-012: it shows no next instant, and is no error."""
    event = ScheduleDefined(NIGHTLY, 0, 0, definition, at("10:00"), NEVER)
    state = evolve(None, event, Stamp(at("10:00"), 0, 0, -1, 0, "user:ann"))

    assert state is not None
    assert (state.plan.status, state.cursor.nominal) == (Status.ENABLED, NEVER)
    assert due(state, OPEN, at("2036-06-01T10:00")) == ()
