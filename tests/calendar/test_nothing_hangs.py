"""No rule makes a question long: the work is bounded, counted in what is looked at.

How many milliseconds that is, is measured by bench/calendar.py.
"""

import pytest

from streams.calendar import (
    closed_times,
    closed_years,
    counting,
    cron_ticks,
    days,
    interval,
    moved_ticks,
    open_days,
    open_runs,
    open_walls,
    zones,
)
from streams.calendar.occurrences import NEVER
from tests.calendar.nasty import NOW, PLACES, YEAR, rules

COUNTED = (
    (days.Days, "_fill"),
    (zones.ZoneClock, "segment_at"),
    (closed_times.ClosedTimes, "minutes"),
    (closed_times.ClosedTimes, "_fill"),
    (closed_years.ClosedYear, "open_days"),
    (open_days.Slice, "__new__"),
    (open_days.OpenDays, "has"),
    (open_runs.Runs, "instants"),
    (moved_ticks.MovedTicks, "_landed"),
    (counting.Together, "_meeting_on"),
    (counting.Together, "has"),
    (open_walls.OpenWalls, "_fill"),
    (open_walls.OpenWalls, "_year"),
    (cron_ticks.CronTicks, "after"),
    (interval.ElapsedTicks, "after"),
    (interval.SteppedTicks, "_ticks"),
)
MOST_LOOKS = 20_000
"""In one question: fifty years of days, once; a millisecond is a thousand of them, or more."""
YEARS = 5
RULES = 250
QUESTIONS = ("next", "previous", "span")


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many years, days and segments were looked at, and instants made."""
    counted = [0]
    for owner, name in COUNTED:
        real = getattr(owner, name)

        def counting(self: object, *given: object, real: object = real) -> object:
            counted[0] += 1
            return real(self, *given)  # type: ignore[operator]

        monkeypatch.setattr(owner, name, counting)
    return counted


@pytest.mark.case("POL-066")
def test_no_question_looks_at_more_than_some_decades_of_days(looks: list[int]) -> None:
    most = dict.fromkeys(QUESTIONS, (0, ""))
    for number, (rule, origin, told) in enumerate(rules("nasty", RULES)):
        at = PLACES[number % len(PLACES)]
        for question in QUESTIONS:
            looks[0] = 0
            if question == "next":
                tick = rule.next_after(at, origin)
                assert tick.instant > at or tick.instant == NEVER
            elif question == "previous":
                rule.previous(at, origin)
            else:
                rule.span(NOW - YEARS * YEAR, NOW, origin)
            most[question] = max(most[question], (looks[0], told))
    for question, (count, told) in most.items():
        assert count <= MOST_LOOKS, f"{question}: {count} looks for {told}"
    assert most["next"][0] > 1_000, "none of them was nasty"
