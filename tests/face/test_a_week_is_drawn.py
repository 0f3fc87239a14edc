"""Does the heat map show when a deployment is busy, idle, or was not seen at all?"""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from horae.cli.heat_map import Scale, Shown, heat_map, scale_of
from schemas.profiles import HourProfile, Profile


def usual(hour: int) -> HourProfile:
    """Busy in office hours, idle at night and on the weekend."""
    rate = 43_000 if hour < 120 and 8 <= hour % 24 < 18 else 0
    return HourProfile(hour, rate, 2 * rate, 950 if rate else 0, 240, 4, 0 if rate else 4)


OFFICE = Profile("chat", "Europe/Berlin", 50, 30, tuple(usual(hour) for hour in range(168)))


def lines(profile: Profile, shown: Shown = Shown.P50) -> list[str]:
    return [line.plain for line in heat_map(profile, shown, coloured=False)]


def with_hours(*hours: HourProfile) -> Profile:
    return OFFICE._replace(hours=hours)


def test_a_week_is_seven_lines_of_24_cells_in_80_columns() -> None:
    head, *days = lines(OFFICE)[:8]

    assert [int(word) for word in head.split()] == list(range(24))
    assert [day[:3] for day in days] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert days[0] == "Mon " + " 0*" * 8 + " 4 " * 10 + " 0*" * 6
    assert days[6] == "Sun " + " 0*" * 24
    assert all(len(line) < 80 for shown in Shown for line in lines(OFFICE, shown))


def test_the_hour_of_a_head_is_above_its_cells() -> None:
    head, monday = lines(OFFICE)[:2]

    assert head.index("18") == monday.index("0*", monday.rindex("4")) == 4 + 3 * 18 + 1


def test_idle_is_not_the_same_as_not_seen_or_seen_without_a_rate() -> None:
    seen = HourProfile(1, None, None, 0, 60, 1, 0)
    idle = HourProfile(2, 0, 0, 0, 60, 1, 1)
    unseen = HourProfile(3, None, None, 0, 0, 0, 0)

    assert lines(with_hours(seen, idle, unseen))[1].startswith("Mon  ·  ?  0* ·  ·")


@pytest.mark.parametrize(
    ("weeks", "idle", "marked"), [(10, 9, True), (10, 8, False), (4, 4, True), (0, 0, False)]
)
def test_an_hour_is_marked_that_was_idle_in_nine_of_ten_weeks(
    weeks: int, idle: int, marked: bool
) -> None:
    hour = HourProfile(0, 0, 0, 0, 60, weeks, idle)

    assert lines(with_hours(hour))[1].startswith("Mon  0*" if marked else "Mon  0 ")


def test_the_shades_reach_up_to_the_largest_number_and_say_so() -> None:
    assert scale_of(OFFICE, Shown.P50).bounds == (500, 2_000, 10_000, 50_000)
    assert scale_of(OFFICE, Shown.P95).bounds == (1_000, 5_000, 20_000, 100_000)
    assert "0: none  1: to 0.5  2: to 2  3: to 10  4: to 50" in lines(OFFICE)[9]
    assert "1: to 10 %  2: to 50 %  3: to 90 %  4: to 100 %" in lines(OFFICE, Shown.ACTIVE)[9]


@pytest.mark.parametrize("most", [0, 1, 999, 10_000, 10_001, 10**9, 10**14])
def test_no_number_is_beyond_its_scale(most: int) -> None:
    scale = scale_of(with_hours(HourProfile(0, most, most, 0, 60, 1, 0)), Shown.P50)

    assert list(scale.bounds) == sorted(set(scale.bounds))
    assert most <= scale.bounds[-1]
    assert scale.shade(most) <= 4


def test_a_bound_belongs_to_the_shade_below_it() -> None:
    scale = Scale((10, 50, 200, 1_000))

    found = [scale.shade(value) for value in (0, 1, 10, 11, 50, 200, 201, 1_000)]
    assert found == [0, 1, 1, 2, 2, 3, 4, 4]


def test_what_a_terminal_shows_in_colours_has_the_same_width_and_marks() -> None:
    drawn = heat_map(OFFICE, Shown.P50, coloured=True)
    out = StringIO()
    where = Console(file=out, force_terminal=True, color_system="truecolor", width=80)
    for line in drawn:
        where.print(line)

    assert [len(line.plain) for line in drawn[1:8]] == [76] * 7
    assert drawn[1].plain == "Mon " + " * " * 8 + "   " * 10 + " * " * 6
    assert len({str(span.style) for span in drawn[1].spans}) == 2
    assert "\x1b[" in out.getvalue()
