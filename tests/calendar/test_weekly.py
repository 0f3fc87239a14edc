"""A weekly timing: its days, its time, once for each local date however clocks change."""

import random
from datetime import UTC, date, datetime, time, timedelta

import pytest

from schemas.definition import Cron, Dst, Interval, Weekly
from schemas.instants import format_instant, parse_instant
from streams.calendar.occurrences import NEVER, NO_TICK, TimingRefused, kept_rule, rule_for
from tests.calendar.asking import DAY, SECOND, Asked, places, policies
from tests.calendar.oracle import instants_of

PARTS = 2
PLACES = 300
DAY_MICROS = DAY * SECOND


def texts(weekly: Weekly, zone: str, after: str, count: int, dst: Dst = Dst.SHIFT) -> list[str]:
    stretch = rule_for((weekly,), zone, dst).between(parse_instant(after), NEVER, count)
    return [format_instant(tick.instant) for tick in stretch.ticks]


def test_a_day_is_that_of_the_schedules_own_zone() -> None:
    """DP-010 and DP-011: the mask begins with Monday."""
    weekend = Weekly(days=32 + 64, at=9 * 3600)
    assert texts(weekend, "Pacific/Auckland", "2026-01-16T19:59:59Z", 3) == [
        "2026-01-16T20:00:00Z",
        "2026-01-17T20:00:00Z",
        "2026-01-23T20:00:00Z",
    ]
    daily = Weekly(days=127, at=7 * 3600)
    assert texts(daily, "Asia/Tokyo", "2026-01-14T12:00:00Z", 1) == ["2026-01-14T22:00:00Z"]
    assert texts(daily, "America/New_York", "2026-01-15T00:00:00Z", 1) == ["2026-01-15T12:00:00Z"]


@pytest.mark.parametrize("dst", list(Dst))
def test_a_repeated_time_comes_once_whatever_the_policy_says(dst: Dst) -> None:
    """DP-013."""
    half_past_two = Weekly(days=127, at=9000)
    autumn = texts(half_past_two, "Europe/Berlin", "2026-10-24T12:00:00Z", 2, dst)
    assert autumn == ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]
    spring = texts(half_past_two, "Europe/Berlin", "2026-03-28T12:00:00Z", 1, dst)
    lost = dst in {Dst.LITERAL, Dst.SKIP}
    after_jump = {Dst.VIXIE: "2026-03-29T01:00:00Z"}.get(dst, "2026-03-29T01:30:00Z")
    assert spring == ["2026-03-30T00:30:00Z" if lost else after_jump]


def test_no_days_are_refused_at_the_door_and_never_due_in_an_old_record() -> None:
    """DP-012."""
    for days in (0, 128, -1):
        with pytest.raises(TimingRefused) as refused:
            rule_for((Weekly(days=days, at=0),), "UTC", Dst.SHIFT)
        assert refused.value.field == "weekly.days"
    old = kept_rule((Weekly(days=0, at=0),), "Europe/Berlin", Dst.SHIFT)
    assert old.next_after(0) is NO_TICK
    assert old.previous(NEVER) is NO_TICK
    assert old.span(0, NEVER).count == 0


@pytest.mark.parametrize("at", [-1, 86_400])
def test_a_time_outside_of_the_day_is_refused(at: int) -> None:
    with pytest.raises(TimingRefused) as refused:
        rule_for((Cron("@daily"), Weekly(days=1, at=at)), "UTC", Dst.SHIFT)
    assert refused.value.field == "timings[1].weekly.at"


def test_it_meets_other_timings_in_a_union() -> None:
    timings = (Weekly(1, 9 * 3600), Cron("0 9 * * *"), Interval(micros=3600 * SECOND, anchor=0))
    rule = rule_for(timings, "Europe/Berlin", Dst.SHIFT)
    hourly = rule_for(timings[2:], "Europe/Berlin", Dst.SHIFT)
    begin, end = parse_instant("2026-01-01T00:30:00Z"), parse_instant("2027-01-01T00:00:00Z")

    assert rule.span(begin, end) == hourly.span(begin, end)


@pytest.mark.parametrize("part", range(PARTS))
def test_around_every_kind_of_change_it_agrees_with_a_slow_second_opinion(part: int) -> None:
    chance = random.Random(f"weekly {part}")  # noqa: S311 - a seed, no secret
    for name, around in places(chance, part, PARTS, PLACES):
        dst, middle = policies(chance), datetime.fromtimestamp(around, UTC)
        # Clocks change in the night nearly always, by the clock on the wall.
        at = chance.choice([chance.randrange(DAY), chance.randrange(12) * 1800, 0, DAY - 1])
        weekly = Weekly(chance.randrange(1, 128), at)
        begin, end = (around - 4 * DAY) * SECOND, (around + 4 * DAY) * SECOND
        ticks = sorted(
            {at for at in expected(weekly, name, dst, middle.date()) if begin < at <= end}
        )
        rule = rule_for((weekly,), name, dst)
        Asked(rule, ticks, begin, end, told=f"{weekly} {name} {dst} {around}").check(chance, 8)
        dates = [tick.wall // DAY_MICROS for tick in rule.between(begin, end, 100).ticks]
        assert len(dates) == len(set(dates))


def expected(weekly: Weekly, name: str, dst: Dst, middle: date) -> list[int]:
    """The first instant of each of its wall times, some days around one."""
    clock = time(weekly.at // 3600, weekly.at // 60 % 60, weekly.at % 60)
    found = []
    for day in (middle + timedelta(days=back) for back in range(-6, 7)):
        if weekly.days >> day.weekday() & 1:
            found += instants_of(datetime.combine(day, clock), name, dst, star=False)[:1]
    return found
