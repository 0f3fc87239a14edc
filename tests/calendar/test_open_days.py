"""Years, days and instants that are open, beside a look at each minute and each instant."""

from collections.abc import Callable
from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.definition import Cron, Dst, Exclude, Interval, OnExcluded, Timing
from schemas.globals import YearlyRange
from streams.calendar.closed_times import DAY_MICROS, MINUTE_MICROS, ClosedTimes
from streams.calendar.cron import read_cron
from streams.calendar.days import EPOCH_ORDINAL, first_day
from streams.calendar.exclusions import closed_by, excluding
from streams.calendar.interval import ElapsedTicks
from streams.calendar.occurrences import rule_for
from streams.calendar.open_days import Layout, OpenDays
from streams.calendar.open_ticks import OpenElapsed
from streams.calendar.steps import Steps
from streams.calendar.wall_time import wall_of
from streams.calendar.zones import zone_clock
from tests.calendar.asking import stepped
from tests.calendar.closings import CALENDARS, inside, month_day

MICROS = 1_000_000
CRONS: dict[str, Callable[[date, int], bool]] = {
    "*/2 * * * *": lambda _, minute: minute % 2 == 0,
    "0-58 * * * *": lambda _, minute: minute % 60 < 59,
    "* 0-22 * * *": lambda _, minute: minute < 23 * 60,
    "* * 29 2 *": lambda day, _: (day.month, day.day) == (2, 29),
    "* * L * *": lambda day, _: (day + timedelta(days=1)).day == 1,
    "* * * 3-9 *": lambda day, _: 3 <= day.month <= 9,
    "* * * * * * 2026-2027": lambda day, _: 2026 <= day.year <= 2027,
}
ranges = st.builds(
    lambda first, last: YearlyRange(month_day(first), month_day(last)),
    st.dates(date(2024, 1, 1), date(2024, 12, 31)),
    st.dates(date(2024, 1, 1), date(2024, 12, 31)),
)
closings = st.tuples(
    st.lists(st.dates(date(2023, 12, 20), date(2028, 3, 5)), max_size=4),
    st.integers(0, 127),
    st.lists(ranges, max_size=2),
    st.lists(st.sampled_from(sorted(CRONS)), max_size=3, unique=True),
)
Closing = tuple[list[date], int, list[YearlyRange], list[str]]
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia")
starts = st.integers(1_672_531_200, 1_830_297_600).map(lambda second: second * MICROS)
steps = st.one_of(
    st.integers(1, 90_000).map(lambda seconds: seconds * MICROS),
    st.sampled_from([60, 90, 3_600, 7_200, 86_399]).map(lambda seconds: seconds * MICROS),
    st.integers(10**6, 10**9),
)


def closed_times(closing: Closing) -> ClosedTimes:
    dates, weekdays, yearly, crons = closing
    numbers = [each.toordinal() - EPOCH_ORDINAL for each in dates]
    return ClosedTimes(numbers, weekdays, yearly, [read_cron(Cron(text)) for text in crons])


def is_closed(closing: Closing, day: date, minute: int) -> bool:
    dates, weekdays, yearly, crons = closing
    return (
        day in dates
        or bool(weekdays >> day.weekday() & 1)
        or any(inside(month_day(day), each) for each in yearly)
        or any(CRONS[text](day, minute) for text in crons)
    )


@settings(max_examples=60, deadline=None)
@given(closings, st.integers(2023, 2028), st.integers(0, 1439), st.sampled_from([1, -1]))
def test_a_year_is_closed_as_its_days_are(
    closing: Closing, year: int, minute: int, step: int
) -> None:
    times, first = closed_times(closing), first_day(year)
    days = [
        date(year, 1, 1) + timedelta(days=index) for index in range(first_day(year + 1) - first)
    ]
    minutes = (minute, 0, 719, 1439)
    found = times.year(year)

    assert [[each >> at & 1 for at in minutes] for each in found.days] == [
        [is_closed(closing, day, at) for at in minutes] for day in days
    ]
    opened = [index for index, day in enumerate(days) if not is_closed(closing, day, minute)]
    assert found.open_at(minute) == sum(1 << index for index in opened)
    listed = [day - first for day, _ in times.open_days(first + 20, first + 90, 1 << minute)]
    assert listed == [index for index in opened if 20 <= index <= 90]
    back = [day - first for day, _ in times.open_days_back(first + 90, first + 20, 1 << minute)]
    assert back == listed[::-1]
    far = (
        index
        for index in range(1, 367)
        if not is_closed(closing, days[100] + timedelta(days=index * step), minute)
    )
    nearest = next(far, None)
    expected = None if nearest is None else first + 100 + nearest * step
    assert times.open_day(first + 100, minute, step) == expected


@settings(max_examples=150, deadline=None)
@given(closings, st.sampled_from(ZONES), steps, starts, st.integers(0, 40 * DAY_MICROS))
def test_steps_are_counted_where_their_minute_is_open(
    closing: Closing, zone: str, step: int, after: int, length: int
) -> None:
    times, clock = closed_times(closing), zone_clock(zone)
    up_to = after + min(length, 3_000 * step)
    base = after - 12_345_678
    each = range(after + 1 + (base - after - 1) % step, up_to + 1, step)
    opened = [instant for instant in each if not times.at(wall_of(clock, instant))]

    assert Layout(OpenDays(times, clock), after, up_to).measure(Steps(base, step)) == len(opened)
    if step < DAY_MICROS:
        ticks = OpenElapsed(ElapsedTicks(Interval(micros=step, anchor=base)), times, clock)
        assert ticks.open_of(each) == opened
        assert ticks.count(after, up_to, 0) == len(opened)
        found = ticks.after(after, 0).instant
        assert found == opened[0] if opened else found > up_to
        last = ticks.until(up_to, 0).instant
        assert last == opened[-1] if opened else last <= after or last > up_to


def test_one_open_minute_in_a_year_is_found_by_long_steps() -> None:
    """Whatever else is closed; the day before and the year around it are passed over."""
    shut = ClosedTimes(
        yearly=[YearlyRange(102, 1231)],
        crons=[read_cron(Cron("* 0-22 * * *")), read_cron(Cron("0-58 * * * *"))],
    )
    for minutes in (60, 59, 67, 720):
        interval = Interval(micros=minutes * MINUTE_MICROS, anchor=0)
        ticks = OpenElapsed(ElapsedTicks(interval), shut, zone_clock("UTC"))
        found = ticks.after(0, 0).instant
        on_time = [
            first_day(year) * DAY_MICROS + 1439 * MINUTE_MICROS
            for year in range(1970, 2020)
            if (first_day(year) * 1440 + 1439) % minutes == 0
        ]
        assert found == on_time[0] if on_time else found > 50 * 365 * DAY_MICROS


timings = st.one_of(
    st.sampled_from(["0 * * * *", "30 2 * * *", "15 4 1,15 * *", "0 0 29 2 *"]).map(Cron),
    st.builds(
        lambda hours, anchor: Interval(micros=hours * 60 * MINUTE_MICROS, anchor=anchor),
        st.sampled_from([1, 5, 24, 25, 49]),
        starts.map(lambda at: at - at % (30 * 60 * MICROS)),
    ),
    st.builds(
        lambda days, anchor: Interval(days=days, anchor=anchor),
        st.integers(1, 3),
        starts.map(lambda at: at - at % (30 * 60 * MICROS)),
    ),
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(timings, min_size=2, max_size=4),
    st.sampled_from(ZONES),
    st.sampled_from(list(Dst)),
    st.sampled_from([None, *OnExcluded]),
    starts,
    st.integers(1, 60 * DAY_MICROS),
)
def test_what_seldom_comes_counts_once_beside_all_others(
    union: list[Timing],
    zone: str,
    dst: Dst,
    moved: OnExcluded | None,
    after: int,
    length: int,
) -> None:
    rule = rule_for(tuple(union), zone, dst)
    if moved is not None:
        exclude = Exclude(("weekends", "winter", "lunch"), (), moved)
        rule = excluding(rule, exclude, CALENDARS)
        assert closed_by(exclude, CALENDARS).parts
    ticks = stepped(rule, after, after + length, 0)

    assert rule.span(after, after + length, 0).count == len(ticks)
