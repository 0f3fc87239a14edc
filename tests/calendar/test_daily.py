"""Steps of whole days, all at once, beside each of them alone."""

from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.definition import Dst, Exclude, Interval, OnExcluded
from schemas.globals import Calendar, YearlyRange
from schemas.instants import format_instant
from streams.calendar.closed_times import DAY_MICROS, DIRECTIONS, ClosedTimes
from streams.calendar.daily import Daily, instants
from streams.calendar.days import EPOCH_ORDINAL
from streams.calendar.exclusions import excluding
from streams.calendar.occurrences import NO_TICK, rule_for
from streams.calendar.policy import policy_of
from streams.calendar.wall_time import resolve
from streams.calendar.zones import zone_clock
from tests.calendar.asking import stepped
from tests.calendar.closings import inside, month_day

SHUT = (
    (YearlyRange(105, 1228),),
    (YearlyRange(1105, 720),),
    (YearlyRange(301, 305), YearlyRange(1230, 103)),
    (YearlyRange(101, 1231),),
    (),
)
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Australia/Lord_Howe")
days = st.integers(date(2005, 1, 1).toordinal(), date(2030, 12, 31).toordinal()).map(
    lambda ordinal: ordinal - EPOCH_ORDINAL
)
times = st.integers(0, 95).map(lambda quarter: quarter * 900_000_000)


@settings(max_examples=150, deadline=None)
@given(
    st.builds(Daily, days, st.sampled_from([1, 2, 7, 30, 400]), times, st.booleans()),
    days,
    st.integers(0, 800),
    st.sampled_from(SHUT),
    st.sampled_from([0, 96, 126]),
    st.sampled_from(list(OnExcluded)),
)
def test_days_that_move_together_land_where_each_does_alone(
    daily: Daily,
    first: int,
    length: int,
    yearly: tuple[YearlyRange, ...],
    weekdays: int,
    moved: OnExcluded,
) -> None:
    direction = DIRECTIONS[moved]

    def is_open(number: int) -> bool:
        day = date.fromordinal(number + EPOCH_ORDINAL)
        shut = any(inside(month_day(day), each) for each in yearly)
        return not shut and not weekdays >> day.weekday() & 1

    def landing(number: int) -> int | None:
        near = range(367) if direction else range(1)
        return next((number + n * direction for n in near if is_open(number + n * direction)), None)

    named = [
        day
        for day in range(first, first + length + 1)
        if not (day - daily.day) % daily.every and (day > daily.day or not daily.begins)
    ]
    assert list(daily.days(first, first + length)) == named
    landed = daily.landed(first, first + length, ClosedTimes((), weekdays, yearly), direction)
    assert landed == sorted({at for at in map(landing, named) if at is not None})


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from(ZONES),
    days,
    st.integers(1, 500),
    st.integers(1, 3),
    times,
    st.sampled_from(Dst),
)
def test_days_are_resolved_together_as_each_is_alone(
    zone: str, first: int, length: int, every: int, time: int, dst: Dst
) -> None:
    clock, policy = zone_clock(zone), policy_of(dst)
    numbers = range(first, first + length, every)

    assert instants(clock, numbers, time, policy) == [
        tick.instant for day in numbers for tick in resolve(clock, day * DAY_MICROS + time, policy)
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(st.sampled_from(ZONES), st.sampled_from(list(Dst))),
    st.tuples(st.integers(1, 3), days, times),
    st.sampled_from(list(OnExcluded)),
    st.sampled_from(SHUT),
    st.booleans(),
)
def test_a_step_of_days_around_closed_ones_is_counted_as_if_each_were_visited(
    place: tuple[str, Dst],
    grid: tuple[int, int, int],
    moved: OnExcluded,
    yearly: tuple[YearlyRange, ...],
    anchored: bool,
) -> None:
    every, day, time = grid
    after = day * DAY_MICROS + time
    rule = rule_for((Interval(days=every, anchor=after if anchored else None),), *place)
    calendar = Calendar(yearly=yearly, crons=("*/2 3 * * *",))
    rule = excluding(rule, Exclude(("shut",), (), moved), {"shut": calendar})
    up_to = after + 400 * DAY_MICROS
    ticks = stepped(rule, after, up_to, after - DAY_MICROS)

    assert rule.span(after, up_to, after - DAY_MICROS).count == len(ticks)


def test_a_daily_one_whose_minute_is_never_open_does_not_come() -> None:
    at = (date(2026, 6, 1) - date(1970, 1, 1)) // timedelta(microseconds=1)
    for moved in OnExcluded:
        for shut in ("* * * * *", "* * * * * * 2020-2060"):
            rule = rule_for((Interval(days=1, anchor=at),), "Europe/Berlin", Dst.SHIFT)
            calendar = Calendar(crons=(shut,))
            rule = excluding(rule, Exclude(("shut",), (), moved), {"shut": calendar})
            assert rule.next_after(at) is NO_TICK
            assert rule.previous(at) is NO_TICK
    # Three years later a search has ended, a year later it has not.
    rule = rule_for((Interval(days=1, anchor=at),), "Europe/Berlin", Dst.SHIFT)
    calendar = Calendar(crons=("* * * * * * 2026-2027",))
    rule = excluding(rule, Exclude(("shut",), (), OnExcluded.DROP), {"shut": calendar})
    assert format_instant(rule.next_after(at).instant) == "2028-01-01T01:00:00Z"
