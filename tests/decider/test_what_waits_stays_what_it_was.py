"""What waits keeps instant and wall time, whatever zone data and calendars say in the meantime."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.codec import pack_cursor, unpack_cursor
from schemas.commands import Define, Remove
from schemas.definition import Exclude, Weekly
from schemas.events import Deferred, Fired, Skipped
from schemas.globals import Calendar
from schemas.snapshot import MOST_DEFERRALS
from streams.decider.state import Schedule
from tests.decider.expected import fires, instants
from tests.decider.feasts import feasts
from tests.decider.stage import RING, Breaks, Tells, at, played, rule
from tests.decider.upgrading import INSTALLED, ZONE, Upgrade

DAILY = rule("0 9 * * *", zone=ZONE)


def test_it_keeps_its_instant(upgrade: Upgrade) -> None:
    stage = played(INSTALLED, ("07:00", Define(DAILY)), ("07:30", Breaks("gone")), ("08:00", RING))
    upgrade(stage, 0)
    stage.play(Breaks(None), at("08:00:01"))

    assert stage.recheck(at("08:00:01")) == []
    assert fires(stage.ring(at("08:00:01"))) == instants("08:00")


@pytest.mark.parametrize("expression", ["0 9 * * *", "*/15 * * * *"])
def test_it_has_its_turn_once(upgrade: Upgrade, expression: str) -> None:
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


def test_it_is_withdrawn_with_its_own_instant(upgrade: Upgrade) -> None:
    stage = played(INSTALLED, ("07:00", Define(DAILY)), ("07:30", Breaks("gone")), ("08:00", RING))
    upgrade(stage, 0)

    skip, _removed = stage.ask(Remove(), at("08:00:01"))

    assert isinstance(skip, Skipped)
    assert (skip.first, skip.last, skip.count) == (at("08:00"), at("08:00"), 1)


def test_it_keeps_its_wall_time_though_its_day_is_excluded_by_now() -> None:
    """In Honolulu it is still the last of May, whose run takes no other day's place."""
    shop = rule(Weekly(127, 22 * 3600), zone="Pacific/Honolulu", exclude=Exclude(("feasts",)))
    stage = played(
        ("00:00", feasts()), ("06:00", Define(shop)), ("07:59", Breaks("gone")), ("08:00", RING)
    )
    stage.play(feasts("05-31", said="08:00"), at("08:00"))
    stage.play(Breaks(None), at("08:00"))
    (fire,) = stage.ring(at("08:00:05"))
    stage.play(Define(replace(shop, timings=(Weekly(127, 23 * 3600),))), at("08:30"))

    assert isinstance(fire, Fired)
    assert fire.wall == at("05-31T22:00")
    assert stage.cursor_next == at("06-02T09:00")


def works(*crons: str) -> Tells:
    return Tells("calendar/works", Calendar(crons=crons))


@pytest.mark.parametrize("hours", [0, 2])
@pytest.mark.parametrize("works_then", [(), ("1-59 * * * *",), ("* * * * *",)])
def test_it_keeps_its_wall_time_though_instants_before_it_are_let_in_again(
    upgrade: Upgrade, hours: int, works_then: tuple[str, ...]
) -> None:
    """12:45 was excluded and 12:46 waits; whichever of them is excluded by then, it is 12:46."""
    each_minute = rule("* * * * *", zone=ZONE, exclude=Exclude(("works",)))
    stage = played(
        INSTALLED,
        ("00:00", works("45 * * * *")),
        ("11:43:30", Define(each_minute)),
        ("11:44", RING),
        ("11:45:30", Breaks("gone")),
    )
    (put_off,) = stage.ring(at("11:46"))
    stage.play(works(*works_then), at("11:46"))
    upgrade(stage, hours)
    (again,) = stage.ring(at("11:46:01"))
    stage.play(Breaks(None), at("11:46:02"))
    fire = stage.ring(at("11:46:03"))[0]

    assert isinstance(put_off, Deferred)
    assert isinstance(again, Deferred)
    assert isinstance(fire, Fired)
    for one in (put_off, again, fire):
        assert (one.nominal, one.wall, one.second_pass) == (at("11:46"), at("12:46"), 0)


def test_a_process_that_starts_anew_knows_it_still(upgrade: Upgrade) -> None:
    stage = played(INSTALLED, ("07:40", Define(DAILY)), ("07:45", Breaks("gone")), ("08:00", RING))
    state = stage.state
    assert state is not None
    stage.state = Schedule(state.plan, unpack_cursor(pack_cursor(state.cursor)))
    upgrade(stage, 0)
    stage.play(Breaks(None), at("08:00:01"))
    (fire,) = stage.ring(at("08:00:01"))

    assert isinstance(fire, Fired)
    assert (fire.nominal, fire.wall) == (at("08:00"), at("09:00"))
    assert stage.state.cursor.waiting is None


def test_what_a_former_release_put_off_keeps_its_instant(upgrade: Upgrade) -> None:
    """It did not note the wall time, which is that of the installed zone data then."""
    stage = played(INSTALLED, ("07:40", Define(DAILY)), ("07:45", Breaks("gone")), ("08:00", RING))
    state = stage.state
    assert state is not None
    stage.state = Schedule(state.plan, state.cursor._replace(waiting=None))
    upgrade(stage, 0)
    stage.play(Breaks(None), at("08:00:01"))
    (fire,) = stage.ring(at("08:00:01"))

    assert isinstance(fire, Fired)
    assert (fire.nominal, fire.wall) == (at("08:00"), at("08:00"))


def test_however_often_it_is_put_off_its_cursor_can_be_kept() -> None:
    """A gate may look each second for weeks, and a cursor counts to 65,535."""
    daily = rule("0 8 * * *")
    stage = played(("07:40", Define(daily)), ("07:45", Breaks("gone")), ("08:00", RING))
    state = stage.state
    assert state is not None
    many = state.cursor._replace(deferrals=MOST_DEFERRALS)
    stage.state = Schedule(state.plan, many)
    [put_off] = stage.ring(state.cursor.due)

    assert isinstance(put_off, Deferred)
    assert put_off.deferrals == MOST_DEFERRALS
    assert unpack_cursor(pack_cursor(stage.state.cursor)).deferrals == MOST_DEFERRALS
