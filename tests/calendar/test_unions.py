"""Several timings together are counted as if each of their instants were visited."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.definition import Cron, Dst, Exclude, Interval, Once, OnExcluded, Timing
from schemas.globals import Calendar
from schemas.instants import parse_instant
from streams.calendar.exclusions import excluding
from streams.calendar.occurrences import kept_rule, rule_for
from streams.calendar.zones import zone_clock
from tests.calendar.asking import stepped

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Australia/Lord_Howe")
NOW = st.integers(parse_instant("2005-01-01T00:00:00Z"), parse_instant("2035-01-01T00:00:00Z"))
CRONS = ("* * * * *", "*/7 1-5 * * *", "0 * * * *", "15 2,3 * * 6,0", "30 1-3 * * *", "0 0 1 * *")


def part_of_a_union() -> st.SearchStrategy[Timing]:
    long = st.integers(300, 10**6).map(lambda seconds: seconds * SECOND)
    return st.one_of(
        st.sampled_from(CRONS).map(Cron),
        st.builds(
            lambda every, anchor: Interval(micros=every, anchor=anchor), long, st.none() | NOW
        ),
        st.builds(
            lambda every, anchor: Interval(micros=every, anchor=anchor * MINUTE),
            st.sampled_from([10 * MINUTE, HOUR, 7 * MINUTE, 450 * SECOND + SECOND // 2]),
            st.integers(0, 10**7),
        ),
        st.builds(lambda days, at: Interval(days=days, anchor=at), st.integers(1, 3), NOW),
        NOW.map(Once),
    )


@settings(max_examples=300, deadline=None)
@given(
    st.lists(part_of_a_union(), min_size=2, max_size=5),
    st.sampled_from(ZONES),
    st.sampled_from(list(Dst)),
    st.integers(0, 10**6),
    st.integers(1, 3 * DAY),
)
def test_a_union_is_counted_as_if_each_instant_were_visited(
    timings: list[Timing], zone: str, dst: Dst, place: int, length: int
) -> None:
    rule = rule_for(tuple(timings), zone, dst)
    # Most interesting are the days around a change of clocks.
    clock = zone_clock(zone)
    near = max(clock.segment_at(1_300_000_000 + place * 400).low, 1_000_000_000)
    after = (near - 100_000) * SECOND + place
    ticks = stepped(rule, after, after + length, after - HOUR)

    assert rule.span(after, after + length, after - HOUR).count == len(ticks)


def test_two_timings_a_second_apart_for_ten_years_are_counted_quickly() -> None:
    timings = (Cron("* * * * * *"), Cron("* 0-59 * * * *"), Interval(micros=7 * SECOND, anchor=0))
    rule = rule_for(timings, "Europe/Berlin", Dst.STRICT_ONCE)
    alone = rule_for(timings[:1], "Europe/Berlin", Dst.STRICT_ONCE)
    begin, end = parse_instant("2026-03-28T00:00:00Z"), parse_instant("2036-03-28T00:00:00Z")

    # What the repeated hours lack of cron seconds, the interval fills in part.
    assert 0 < rule.span(begin, end).count - alone.span(begin, end).count <= 10 * 515


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(30_000, 200_000), min_size=2, max_size=16),
    st.booleans(),
    NOW,
    st.integers(0, HOUR),
    st.integers(1, 2 * HOUR),
)
def test_many_intervals_are_counted_as_if_each_instant_were_visited(
    millis: list[int], anchored: bool, origin: int, before: int, length: int
) -> None:
    """More than ten stand together in old definitions only."""
    timings = tuple(
        Interval(micros=each // step * step * 1000, anchor=each * SECOND if anchored else None)
        for each, step in zip(millis, (1000, 250, 10_000, 1) * 4, strict=False)
    )
    rule = kept_rule(timings, "Europe/Berlin", Dst.SHIFT)
    after = origin - before
    ticks = stepped(rule, after, after + length, origin)

    assert rule.span(after, after + length, origin).count == len(ticks)


def test_unions_over_decades_are_counted_without_a_visit_to_each_day() -> None:
    """Ten intervals that do not divide each other, beside an expression, and parts of both."""
    timings: tuple[Timing, ...] = (
        Cron("*/5 8-18 * * 1-5"),
        *(Interval(micros=(600 + 7 * each) * SECOND, anchor=each) for each in range(10)),
    )
    rule = rule_for(timings, "Europe/Berlin", Dst.SHIFT)
    edges = [parse_instant(f"{year}-04-07T05:06:07Z") for year in range(2026, 2030)]
    assert rule.span(edges[0], edges[-1]).count == sum(
        rule.span(*pair).count for pair in pairwise(edges)
    )
    day = edges[0] + DAY
    assert rule.span(edges[0], day).count == len(stepped(rule, edges[0], day, 0))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([2, 3, 5, 7, 11, 13, 60, 61, 3_600, 86_401]), min_size=5, unique=True),
    st.sampled_from([None, 0, 250_000, DAY - SECOND]),
    st.sampled_from(["*/2 * * * *", "* 0-6 * * *", "* * * * 6"]),
    st.booleans(),
    NOW,
    st.integers(1, 4 * HOUR),
)
def test_intervals_that_often_meet_are_counted_where_they_are_open(
    seconds: list[int], anchor: int | None, shut: str, beside: bool, after: int, length: int
) -> None:
    """Whole days of them as well: what is counted in parts comes to the same."""
    timings: tuple[Timing, ...] = tuple(Interval(micros=n * SECOND, anchor=anchor) for n in seconds)
    timings += (Cron("*/3 * * * * *"),) if beside else ()
    exclude = Exclude(("shut",), (), OnExcluded.DROP)
    rule = rule_for(timings, "America/New_York", Dst.SHIFT)
    rule = excluding(rule, exclude, {"shut": Calendar(crons=(shut,))})
    origin = after - DAY + 333
    ticks = stepped(rule, after, after + length, origin)
    days = [after + hours * HOUR for hours in range(0, 73, 3)]

    assert rule.span(after, after + length, origin).count == len(ticks)
    assert rule.span(days[0], days[-1], origin).count == sum(
        rule.span(*pair, origin).count for pair in pairwise(days)
    )
