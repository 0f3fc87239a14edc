"""Does a profile say of each local hour of the week what its minutes of 30 days come to?"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from random import Random
from zoneinfo import ZoneInfo

import pytest

from projections.profiles import Hour, Owner, nearest_rank, profile_of
from projections.traffic import ACTIVE, IDLE, NO_RATE, UNKNOWN, UNSEEN
from schemas.profiles import HourProfile, Profile

Minutes = Mapping[int, tuple[int, int]]
"""Kind and rate, by the second of UTC at which a minute begins."""
LocalHour = tuple[date, int]

BERLIN, LORD_HOWE, KOLKATA = "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata"
NIGHTS_OF_CHANGE = [
    ("Europe/Berlin", "2026-10-26T03:17"),
    ("Europe/Berlin", "2026-03-30T22:00"),
    ("Australia/Lord_Howe", "2026-04-07T05:30"),
    ("Australia/Lord_Howe", "2026-10-05T11:11"),
    ("Asia/Kolkata", "2026-11-30T00:00"),
    ("Pacific/Chatham", "2026-09-28T08:00"),
    ("America/New_York", "2026-11-02T01:59"),
    ("UTC", "2026-11-30T12:34"),
]


def second(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def hours_of(minutes: Minutes) -> list[Hour]:
    found: dict[int, Hour] = {}
    for at, (kind, rate) in minutes.items():
        begin = at // 3_600 * 3_600
        hour = found.setdefault(begin, Hour(begin, b"", array("i", [NO_RATE] * 60)))
        kinds = bytearray(hour.kinds or bytes(60))
        kinds[(at - begin) // 60], hour.rates[(at - begin) // 60] = kind, rate
        found[begin] = hour._replace(kinds=bytes(kinds))
    return list(found.values())


def profile(minutes: Minutes, zone: str, now: int) -> Profile:
    return profile_of(hours_of(minutes), Owner("llama", zone, 50), now)


def stretch(since: int, count: int, kind: int = IDLE, rate: int = 0) -> dict[int, tuple[int, int]]:
    return {since + place * 60: (kind, rate) for place in range(count)}


def hour_at(profile: Profile, hour: int) -> HourProfile:
    [found] = [one for one in profile.hours if one.hour == hour]
    return found


def wanted(minutes: Minutes, zone: str, now: int) -> tuple[int, list[HourProfile]]:
    """The same, minute by minute, by calendars instead of numbers."""
    place = ZoneInfo(zone)

    def local(at: int) -> datetime:
        return datetime.fromtimestamp(at, UTC).astimezone(place)

    lengths: dict[LocalHour, int] = {}
    for at in range(now // 60 * 60 - 32 * 86_400, now + 2 * 86_400, 60):
        there = local(at)
        key = there.date(), there.hour
        lengths[key] = lengths.get(key, 0) + 1
    cells: dict[int, dict[LocalHour, list[tuple[int, int]]]] = {}
    for at, seen in minutes.items():
        if now - 30 * 86_400 <= at <= now and seen[0] != UNSEEN:
            there = local(at)
            hour = there.weekday() * 24 + there.hour
            cells.setdefault(hour, {}).setdefault((there.date(), there.hour), []).append(seen)
    days = {day for weeks in cells.values() for day, _ in weeks}
    return len(days), [hour_of(hour, cells[hour], lengths) for hour in sorted(cells)]


def hour_of(
    hour: int,
    weeks: Mapping[LocalHour, list[tuple[int, int]]],
    lengths: Mapping[LocalHour, int],
) -> HourProfile:
    seen = [one for week in weeks.values() for one in week]
    rates = [rate for _, rate in seen if rate != NO_RATE]
    active = sum(kind == ACTIVE for kind, _ in seen)
    observed = [key for key, week in weeks.items() if 2 * len(week) >= lengths[key]]
    idle = [
        key
        for key, week in weeks.items()
        if 2 * sum(kind == IDLE for kind, _ in week) >= lengths[key]
        and all(kind != ACTIVE for kind, _ in week)
    ]
    return HourProfile(
        *(hour, by_rank(rates, 50), by_rank(rates, 95)),
        *(int(active * 1_000 / len(seen) + 0.5), len(seen), len(observed), len(idle)),
    )


def by_rank(rates: Iterable[int], percent: int) -> int | None:
    found = list(rates)
    enough = [one for one in found if sum(o <= one for o in found) * 100 >= percent * len(found)]
    return min(enough, default=None)


def anything(now: int, seed: int) -> dict[int, tuple[int, int]]:
    """Days with and without traffic, holes of all sizes, some of it too old or not yet."""
    dice, found = Random(seed), {}  # noqa: S311 - no secret
    at = now // 60 * 60 - 32 * 86_400
    while at < now + 7_200:
        kind = dice.choice((UNSEEN, UNKNOWN, IDLE, IDLE, IDLE, ACTIVE))
        for _ in range(dice.choice((1, 7, 29, 31, 60, 200, 700))):
            rate = {IDLE: 0, ACTIVE: dice.choice((NO_RATE, dice.randrange(9)))}.get(kind, NO_RATE)
            if kind:
                found[at] = kind, rate
            at += 60
    return found


@pytest.mark.case("DP-056", "DP-058")
@pytest.mark.parametrize(("zone", "until"), NIGHTS_OF_CHANGE)
@pytest.mark.parametrize("seed", [1, 2])
def test_it_is_what_counting_minute_by_minute_comes_to(zone: str, until: str, seed: int) -> None:
    now = second(until) + seed * 17
    minutes = anything(now, seed)
    found = profile(minutes, zone, now)

    assert (found.days, list(found.hours)) == wanted(minutes, zone, now)
    assert (found.subject, found.zone, found.priority) == ("llama", zone, 50)


@pytest.mark.case("DP-056")
def test_thirty_days_have_at_most_168_hours_and_what_is_older_has_no_effect() -> None:
    now = second("2026-11-30T12:00")
    old = now - 30 * 86_400
    minutes = stretch(old, 43_201) | stretch(old - 9_000 * 60, 9_000, ACTIVE, 99_000)
    minutes |= stretch(now + 60, 300, ACTIVE, 99_000)
    found = profile(minutes, "UTC", now)

    assert len(found.hours) == 168
    assert sum(hour.minutes for hour in found.hours) == 43_201
    assert {(hour.active, hour.p95) for hour in found.hours} == {(0, 0)}
    assert found.days == 31


@pytest.mark.case("DP-058")
def test_the_doubled_hour_counts_all_its_minutes_in_one_week() -> None:
    """2026-10-25 in Berlin: from 0:00 to 2:00 UTC it is 2 o'clock."""
    change = second("2026-10-25T00:00")
    found = profile(stretch(change - 3_600, 240), BERLIN, change + 86_400)
    twice, once = (hour_at(found, 6 * 24 + hour) for hour in (2, 1))

    assert (twice.minutes, twice.weeks, twice.idle_weeks) == (120, 1, 1)
    assert (once.minutes, once.weeks, once.idle_weeks) == (60, 1, 1)
    assert hour_at(found, 6 * 24 + 3).minutes == 60


@pytest.mark.case("DP-058")
def test_half_of_a_doubled_hour_is_an_hour() -> None:
    change = second("2026-10-25T00:00")
    short = hour_at(profile(stretch(change, 59), BERLIN, change + 86_400), 146)
    enough = hour_at(profile(stretch(change, 60), BERLIN, change + 86_400), 146)

    assert (short.weeks, enough.weeks) == (0, 1)


@pytest.mark.case("DP-058")
def test_the_missing_hour_adds_no_idle_week() -> None:
    """2026-03-29 in Berlin: 2 o'clock does not come, on the Sunday before it does."""
    change = second("2026-03-29T01:00")
    minutes = stretch(change - 7 * 86_400 - 7_200, 300) | stretch(change - 7_200, 300)
    found = profile(minutes, BERLIN, change + 86_400)
    missing, next_one = (hour_at(found, 6 * 24 + hour) for hour in (2, 3))

    assert (missing.minutes, missing.weeks, missing.idle_weeks) == (60, 1, 1)
    assert (next_one.weeks, next_one.idle_weeks) == (2, 2)


@pytest.mark.case("DP-058")
def test_where_clocks_change_by_half_an_hour_half_of_it_is_less() -> None:
    """2026-10-04 at Lord Howe: 2 o'clock has its second half alone, 15:30 UTC of the day before."""
    change = second("2026-10-03T15:30")
    found = profile(stretch(change, 15), LORD_HOWE, change + 86_400)

    assert hour_at(found, 6 * 24 + 2)[4:] == (15, 1, 1)


def test_an_hour_of_utc_is_two_halves_where_clocks_stand_half_an_hour_ahead() -> None:
    begin = second("2026-11-30T06:00")  # 11:30 in India, a Monday
    found = profile(stretch(begin, 60), KOLKATA, begin + 86_400)

    assert [(hour.hour, hour.minutes) for hour in found.hours] == [(11, 30), (12, 30)]


@pytest.mark.case("DP-055")
@pytest.mark.parametrize("kind", [UNKNOWN, ACTIVE])
def test_an_hour_without_a_rate_is_not_taken_for_idle(kind: int) -> None:
    begin = second("2026-11-30T06:00")
    found = hour_at(profile(stretch(begin, 60, kind, NO_RATE), "UTC", begin + 86_400), 6)

    assert (found.p50, found.p95) == (None, None)
    assert (found.minutes, found.weeks, found.idle_weeks) == (60, 1, 0)


def test_one_active_minute_makes_an_hour_not_idle() -> None:
    begin = second("2026-11-30T06:00")
    minutes = stretch(begin, 60) | stretch(begin + 600, 1, ACTIVE, 3_000)
    found = hour_at(profile(minutes, "UTC", begin + 86_400), 6)

    assert (found.active, found.weeks, found.idle_weeks) == (17, 1, 0)
    assert (found.p50, found.p95) == (0, 0)


def test_nothing_seen_is_no_hour() -> None:
    begin = second("2026-11-30T06:00")
    found = profile(stretch(begin, 60, UNSEEN, NO_RATE), "UTC", begin)
    assert (found.days, found.hours) == (0, ())


@pytest.mark.parametrize("count", [1, 2, 3, 19, 20, 21, 100, 101])
def test_ranks_are_the_nearest_ones(count: int) -> None:
    dice = Random(count)  # noqa: S311 - no secret
    numbers = sorted(dice.randrange(10) for _ in range(count))
    for percent in (50, 95):
        assert nearest_rank(numbers, percent) == by_rank(numbers, percent)


def test_days_are_local_dates() -> None:
    evening = second("2026-11-30T22:30")
    assert profile(stretch(evening, 60), BERLIN, evening + 86_400).days == 2
    assert profile(stretch(evening, 60), "UTC", evening + 86_400).days == 1
