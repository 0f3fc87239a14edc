"""Days, hours, calendars and freezes mean what a person wrote, and come back as they were."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.definition import (
    DAY,
    MINUTE,
    SECOND,
    Definition,
    Emit,
    Exclude,
    Hours,
    OnExcluded,
    Weekly,
    Window,
)
from schemas.globals import Calendar, Freeze, YearlyRange
from schemas.instants import parse_instant
from schemas.limits import check_definition, check_global
from schemas.reading import definition_json, read_definition
from schemas.reading_times import read_calendar, read_freeze
from schemas.time_limits import MAX_CALENDARS, MAX_DATES, MAX_HOURS, MAX_RANGES
from schemas.times_json import calendar_json, freeze_json
from schemas.wall_times import (
    FIRST_DATE,
    LAST_DATE,
    format_clock,
    format_date,
    format_days,
    parse_clock,
    parse_date,
    parse_days,
)

WORKDAYS, WEEKEND = 0b001_1111, 0b110_0000
CHRISTMAS_EVE = 20_811  # 2026-12-24
NIGHT = Hours(23 * 3600 + 1800, 4 * 3600)


def read(**fields: Any) -> Definition:
    timing = {} if {"weekly", "timings"} & fields.keys() else {"cron": "@daily"}
    return read_definition({**timing, "emit": {"topic": "t"}, **fields})


@pytest.mark.parametrize(
    ("written", "weekly"),
    [
        ({"days": "mon-fri", "at": "22:00"}, Weekly(WORKDAYS, 22 * 3600)),
        ({"days": ["mon", "Tue"], "at": "22:00:30"}, Weekly(3, 22 * 3600 + 30)),
        ({"days": "mon, wed,sun", "at": "0:00"}, Weekly(0b100_0101, 0)),
        ({"days": ["mon-wed", "wed", "sun"], "at": "23:59:59"}, Weekly(0b100_0111, 86_399)),
        ({"days": "fri-mon", "at": "06:00"}, Weekly(0b111_0001, 6 * 3600)),
        ({"days": 31, "at": "06:00"}, Weekly(WORKDAYS, 6 * 3600)),
    ],
)
def test_each_form_of_a_weekly_timing_is_read(written: Any, weekly: Weekly) -> None:
    assert read(weekly=written).timings == (weekly,)
    assert read(timings=[{"cron": "@daily"}, {"weekly": written}]).timings[1] == weekly


@pytest.mark.parametrize(
    ("written", "exclude"),
    [
        (["holidays", "2026-12-24"], Exclude(("holidays",), (CHRISTMAS_EVE,))),
        (["2026-12-24", "b", "1970-01-01", "a"], Exclude(("b", "a"), (CHRISTMAS_EVE, 0))),
        ({"calendars": ["holidays"]}, Exclude(("holidays",))),
        ({"dates": ["2026-12-24"], "on_excluded": "drop"}, Exclude((), (CHRISTMAS_EVE,))),
        (
            {"calendars": [], "dates": ["0001-01-01"], "on_excluded": "previous_business_day"},
            Exclude((), (FIRST_DATE,), OnExcluded.PREVIOUS_BUSINESS_DAY),
        ),
        (None, None),
    ],
)
def test_each_form_of_an_exclusion_is_read(written: Any, exclude: Exclude | None) -> None:
    assert read(exclude=written).exclude == exclude


@pytest.mark.parametrize(
    ("written", "window"),
    [
        ("23:30-04:00", Window((NIGHT,))),
        ("mon-fri 23:30-04:00", Window((Hours(NIGHT.opens, NIGHT.closes, WORKDAYS),))),
        ("sat,sun 00:00-24:00", Window((Hours(0, 86_400, WEEKEND),))),
        ("22:00-00:00", Window((Hours(22 * 3600, 0),))),
        (
            ["23:30-04:00", "sat 10:00-12:00:01"],
            Window((NIGHT, Hours(36_000, 43_201, 1 << 5))),
        ),
        (
            {"hours": "23:30-04:00", "spread": "0s", "max_wait": "P8D"},
            Window((NIGHT,), 0, 8 * DAY),
        ),
        ({"hours": ["23:30-04:00"], "max_wait": "1h"}, Window((NIGHT,), MINUTE, 60 * MINUTE)),
        (None, None),
    ],
)
def test_each_form_of_a_window_is_read(written: Any, window: Window | None) -> None:
    assert read(window=written).window == window


def test_jitter_and_number_of_fires_are_read() -> None:
    definition = read(jitter="1m30s", max_fires=3)

    assert (definition.jitter, definition.max_fires) == (90 * SECOND, 3)
    assert (read(jitter="0s").jitter, read(max_fires=None).max_fires) == (0, None)
    assert (read().exclude, read().window, read().jitter, read().max_fires) == (None, None, 0, None)


def test_the_json_of_days_and_hours_is_what_a_person_would_write() -> None:
    written = {
        "weekly": {"days": "mon-fri,sun", "at": "22:00"},
        "exclude": ["holidays", "2026-12-24"],
        "window": ["mon-fri 23:30-04:00", "00:00-24:00"],
        "jitter": "PT5M",
        "max_fires": 3,
        "emit": {"topic": "t", "value": None},
    }

    assert definition_json(read_definition(written)) == written


def test_a_weekly_without_days_in_an_old_record_is_shown_and_no_error() -> None:
    old = Definition((Weekly(0, 0),), Emit("t"), exclude=Exclude((), (1 << 30,)))

    assert definition_json(old)["weekly"] == {"days": [], "at": "00:00"}
    assert definition_json(old)["exclude"] == [1 << 30]


_holidays = st.builds(
    Calendar,
    dates=st.lists(st.integers(FIRST_DATE, LAST_DATE), max_size=4).map(tuple),
    weekdays=st.integers(0, 127),
    yearly=st.lists(
        st.builds(YearlyRange, st.sampled_from([101, 229, 1224]), st.sampled_from([106, 1231])),
        max_size=3,
    ).map(tuple),
    crons=st.lists(st.sampled_from(["* 12 * * *", "0 0 1 1 *"]), max_size=2).map(tuple),
    base=st.lists(st.sampled_from(["a", "b-2026"]), max_size=2).map(tuple),
    description=st.sampled_from(["", "Betriebsruhe"]),
)


@given(calendar=_holidays)
def test_a_calendar_comes_back_from_its_json(calendar: Calendar) -> None:
    assert read_calendar(calendar_json(calendar)) == calendar


def test_a_calendar_is_read_as_a_person_writes_it() -> None:
    written = {
        "dates": ["2026-12-24"],
        "weekdays": ["sat", "sun"],
        "yearly": ["12-24..01-06", "05-01", "02-29"],
        "crons": ["* 12 * * *"],
        "base": ["bank-holidays"],
        "description": "closed",
    }

    assert read_calendar(written) == Calendar(
        (CHRISTMAS_EVE,),
        WEEKEND,
        (YearlyRange(1224, 106), YearlyRange(501, 501), YearlyRange(229, 229)),
        ("* 12 * * *",),
        ("bank-holidays",),
        "closed",
    )


@pytest.mark.parametrize("reason", ["", "audit"])
def test_a_freeze_comes_back_from_its_json(reason: str) -> None:
    begins, ends = map(parse_instant, ("2026-12-20T00:00:00Z", "2027-01-04T00:00:00.5Z"))
    freeze = Freeze(("app", "billing-*"), begins, ends, reason)

    assert read_freeze(freeze_json(freeze)) == freeze
    check_global(freeze)


def test_as_much_as_is_allowed_is_taken() -> None:
    names = tuple(f"calendar {i}" for i in range(MAX_CALENDARS))
    hours = tuple(Hours(i, i + 1) for i in range(MAX_HOURS))
    dates = tuple(range(MAX_DATES))
    definition = Definition(
        (Weekly(127, 0),), Emit("t"), exclude=Exclude(names, dates), window=Window(hours)
    )
    ranges, crons = (YearlyRange(1224, 106),) * MAX_RANGES, ("* * * * *",) * MAX_RANGES
    calendar = Calendar(dates, 127, ranges, crons, names)

    check_definition(definition)
    check_global(calendar)
    assert read_definition(definition_json(definition)) == definition
    assert read_calendar(calendar_json(calendar)) == calendar


@given(days=st.integers(1, 127), second=st.integers(0, 86_400), day=st.integers(-9, 9))
def test_texts_of_days_and_times_come_back(days: int, second: int, day: int) -> None:
    assert parse_days(format_days(days)) == days
    assert parse_clock(format_clock(second)) == second
    assert parse_date(format_date(day)) == day
    assert parse_date(format_date(LAST_DATE + min(day, 0))) == LAST_DATE + min(day, 0)


@pytest.mark.parametrize("day", [FIRST_DATE - 1, LAST_DATE + 1])
def test_a_day_outside_of_our_years_has_no_text(day: int) -> None:
    with pytest.raises(ValueError, match="years 1 to 9999"):
        format_date(day)
