"""Which hours of a week become windows, and is it said of each why or why not?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.profiles import HOURS, Profile
from schemas.proposals import IdleWindow
from streams.proposals.candidates import find_candidate, judge, still_fits
from streams.proposals.naming import proposal_id
from streams.proposals.stretches import HOUR, WEEK, stretches_of
from tests.proposals.weeks import an_hour, profile_of, stretch, week

DAY = 86_400


@pytest.mark.case("DP-044")
@pytest.mark.parametrize(
    ("minutes", "looked", "why_not"),
    {
        "1 h is no candidate": (60, 0, None),
        "1 h 59 is no candidate": (119, 0, None),
        "2 h is one, and dropped": (120, 1, "shorter than 4 h"),
        "3 h 59 is one, and dropped": (239, 1, "shorter than 4 h"),
        "4 h goes on": (240, 1, None),
    }.values(),
    ids=str,
)
def test_a_window_counts_from_two_hours_and_is_worth_it_from_four(
    minutes: int, looked: int, why_not: str | None
) -> None:
    """DP-044: told by the minute, also where profiles have whole hours."""
    found = judge(week(), (stretch(minutes),))

    assert [each.why_not for each in found.looked] == [why_not] * looked
    assert len(found.windows) == (minutes >= 240)
    assert (found.why_not is None) == (minutes >= 240)


@pytest.mark.case("DP-044")
def test_windows_of_one_week_are_judged_each_by_itself() -> None:
    """DP-044: 1 h, 2 h and 4 h of one profile, all idle in each of three weeks."""
    found = find_candidate(week((10, 1), (30, 2), (60, 4)))

    told = [(each.window.minutes, each.why_not) for each in found.looked]
    assert told == [(120, "shorter than 4 h"), (240, None)]
    assert found.why_not is None


@pytest.mark.case("DP-045")
@pytest.mark.parametrize(("idle_weeks", "belongs"), [(10, True), (9, True), (8, False)])
def test_an_hour_is_idle_in_nine_of_ten_weeks(idle_weeks: int, belongs: bool) -> None:
    """DP-045: 90 % and more belongs to a window, 80 % does not."""
    hours = [an_hour(hour, 10, 10 if hour < 4 else 0) for hour in range(HOURS)]
    hours[4] = an_hour(4, 10, idle_weeks)

    [looked] = find_candidate(profile_of(hours)).looked

    assert looked.window.minutes == (300 if belongs else 240)
    assert looked.window.idle_weeks == (idle_weeks if belongs else 10)


@pytest.mark.case("DP-046")
def test_what_was_seen_in_one_week_only_is_dropped() -> None:
    """DP-046: six hours, but of one week."""
    found = find_candidate(week((22, 6), weeks=1))

    assert [each.why_not for each in found.looked] == ["seen in one week only"]
    assert found.windows == ()
    assert found.why_not == "each window is seen in one week only"
    assert find_candidate(week((22, 6), weeks=2)).windows


@pytest.mark.case("DP-047")
def test_it_wakes_a_quarter_of_an_hour_before_the_first_active_hour() -> None:
    """DP-047: idle from Monday 22:00, active at Tuesday 8:00: sleep at 22:00, wake at 7:45."""
    [window] = find_candidate(week((22, 10))).windows

    assert window == IdleWindow(0, 22 * 3_600, 1, 7 * 3_600 + 45 * 60, 600, 3, 3)


@pytest.mark.case("DP-050")
@pytest.mark.parametrize(
    ("weeks", "idle_weeks", "priority", "weak"),
    {
        "two weeks": (2, 2, 50, "a window was seen in fewer than 3 weeks"),
        "three weeks, priority 89": (3, 3, 89, None),
        "three weeks, priority 90": (3, 3, 90, "its priority is 90, and has to be below 90"),
        "nine of ten weeks": (10, 9, 50, "a window was not idle in each of its weeks"),
    }.values(),
    ids=str,
)
def test_rules_alone_propose_what_is_beyond_doubt(
    weeks: int, idle_weeks: int, priority: int, weak: str | None
) -> None:
    """DP-050: idle in each of three weeks, and below priority 90."""
    found = find_candidate(week((22, 6), weeks=weeks, idle_weeks=idle_weeks, priority=priority))

    assert found.windows
    assert found.weak == weak


@pytest.mark.case("DP-051")
def test_a_short_window_beside_a_long_one_leaves_a_doubt() -> None:
    """DP-051: 5 h and 3 h of one deployment: every window has to have 4 h."""
    found = find_candidate(week((22, 5), (50, 3)))

    assert found.weak == "a window is shorter than 4 h"
    assert [window.minutes for window in found.windows] == [300], (
        "a model may be asked all the same"
    )


@pytest.mark.parametrize(("days", "enough"), [(6, False), (7, True)])
def test_seven_local_days_are_needed(days: int, enough: bool) -> None:
    found = find_candidate(week((22, 6), days=days))

    assert bool(found.windows) is enough
    assert enough or found.why_not == "data of 7 local days are needed, there are those of 6"


def test_a_week_without_an_active_hour_has_no_window() -> None:
    found = find_candidate(week((0, HOURS)))

    assert (found.windows, found.looked) == ((), ())
    assert found.why_not == "no hour of the week is active: nothing would wake it"


def test_an_hour_that_nobody_observed_is_not_idle() -> None:
    hours = [an_hour(hour, 3, 3) for hour in range(4)] + [an_hour(5, 3, 3), an_hour(4, 0, 0)]

    assert [one.minutes for one in stretches_of(profile_of(hours)) or ()] == [240, 60]


def test_nothing_at_all_has_no_window() -> None:
    assert (
        find_candidate(profile_of(())).why_not == "no 2 h in a row are idle in 90 % of their weeks"
    )


def test_a_window_goes_over_the_end_of_the_week() -> None:
    [window] = find_candidate(week((6 * 24 + 20, 12))).windows

    assert (window.sleep_day, window.sleep_at) == (6, 20 * 3_600)
    assert (window.wake_day, window.wake_at) == (0, 7 * 3_600 + 45 * 60)
    assert window.minutes == 720


def test_a_window_that_ends_with_the_week_wakes_before_it() -> None:
    [window] = find_candidate(week((6 * 24 + 20, 4))).windows

    assert (window.wake_day, window.wake_at) == (6, 23 * 3_600 + 45 * 60)


def test_what_was_proposed_fits_as_long_as_it_lies_in_what_is_idle() -> None:
    proposed = find_candidate(week((22, 8), zone="Europe/Berlin")).windows

    def fits(*idle: tuple[int, int], zone: str = "Europe/Berlin", days: int = 21) -> bool:
        return still_fits(proposed, "Europe/Berlin", week(*idle, zone=zone, days=days))

    assert fits((22, 8))
    assert fits((21, 10)), "a wider one holds it"
    assert not fits((23, 7)), "it would sleep while requests come"
    assert not fits((22, 7))
    assert not fits((22, 8), zone="UTC"), "its hours are other ones now"
    assert not fits((22, 8), days=6)
    assert not fits()


def test_a_proposal_has_one_name_a_day() -> None:
    windows = find_candidate(week((22, 8))).windows
    more = [window._replace(weeks=9, idle_weeks=9) for window in windows]

    name = proposal_id("llama", "UTC", windows, "2026-11-30")

    assert name == "pp_775a790aa5c49ab6"
    assert name == proposal_id("llama", "UTC", more, "2026-11-30"), "seen longer it is the same"
    others = [
        proposal_id("llama", "UTC", windows, "2026-12-01"),
        proposal_id("llama", "Europe/Berlin", windows, "2026-11-30"),
        proposal_id("mistral", "UTC", windows, "2026-11-30"),
        proposal_id("llama", "UTC", find_candidate(week((22, 9))).windows, "2026-11-30"),
    ]
    assert len({name, *others}) == 5


WEEKS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=HOURS, max_size=HOURS)


def _profile(counts: list[tuple[int, int]]) -> Profile:
    return profile_of(an_hour(h, max(a, b), min(a, b)) for h, (a, b) in enumerate(counts))


@given(WEEKS)
def test_every_window_is_idle_and_as_long_as_it_can_be(counts: list[tuple[int, int]]) -> None:
    """Of any week: windows are idle hours, end where an hour is not, and no idle two are left."""
    profile = _profile(counts)
    idle = {
        hour for hour, (a, b) in enumerate(counts) if max(a, b) and min(a, b) * 10 >= max(a, b) * 9
    }
    taken: set[int] = set()

    for one in stretches_of(profile) or ():
        hours = {(one.begin + at) % WEEK // HOUR for at in range(0, one.minutes, HOUR)}
        assert hours <= idle
        assert not hours & taken
        assert (one.begin - HOUR) % WEEK // HOUR not in idle
        assert (one.begin + one.minutes) % WEEK // HOUR not in idle
        taken |= hours
    assert taken == (set() if len(idle) == HOURS else idle)


@given(WEEKS)
def test_what_is_proposed_fits_the_profile_that_it_is_from(counts: list[tuple[int, int]]) -> None:
    profile = _profile(counts)

    assert still_fits(find_candidate(profile).windows, profile.zone, profile)
