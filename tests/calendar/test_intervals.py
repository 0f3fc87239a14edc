"""Intervals: a grid that never moves for elapsed time, calendar steps for days and months."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.definition import Cron, Dst, Interval, Once, Timing
from schemas.instants import format_instant, parse_instant
from streams.calendar.occurrences import NO_TICK, Rule, Span, kept_rule, rule_for
from streams.calendar.zones import zone_clock

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def following(
    timings: tuple[Timing, ...], zone: str, after: str, count: int, origin: str | None = None
) -> list[str]:
    rule = rule_for(timings, zone, Dst.SHIFT)
    begin = parse_instant(origin) if origin else 0
    stretch = rule.between(parse_instant(after), 1 << 60, count, begin)
    return [format_instant(tick.instant) for tick in stretch.ticks]


NINETY = Interval(micros=90 * MINUTE, anchor=5 * MINUTE + 44 * SECOND)
OTHER = Interval(micros=157 * MINUTE, anchor=22 * MINUTE + 11 * SECOND)
LOS_ANGELES = "America/Los_Angeles"

ROWS: dict[str, tuple[Any, ...]] = {
    "POL-073 a phase counts from the epoch": (
        ((NINETY,), "UTC", "2022-03-23T12:53:02Z", 4),
        ["13:35:44", "15:05:44", "16:35:44", "18:05:44"],
    ),
    "POL-074 two intervals are one union in order": (
        ((NINETY, OTHER), "UTC", "2022-03-23T12:53:02Z", 7),
        ["13:35:44", "15:05:44", "15:26:11", "16:35:44", "18:03:11", "18:05:44", "19:35:44"],
    ),
    "POL-077 every 24 h stays on its grid": (
        ((Interval(micros=DAY),), "UTC", "2026-01-01T00:55:00Z", 2, "2026-01-01T00:00:00Z"),
        ["2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"],
    ),
    "POL-078 every 24 h is no wall time": (
        ((Interval(micros=DAY),), LOS_ANGELES, "2018-11-03T07:00:00Z", 2, "2018-11-03T07:00:00Z"),
        ["2018-11-04T07:00:00Z", "2018-11-05T07:00:00Z"],
    ),
    "POL-078 daily is one": (
        ((Interval(days=1),), LOS_ANGELES, "2018-11-03T07:00:00Z", 2, "2018-11-03T07:00:00Z"),
        ["2018-11-04T07:00:00Z", "2018-11-05T08:00:00Z"],
    ),
    "POL-062 nothing before the first step": (
        ((Interval(micros=HOUR),), "UTC", "2026-01-01T12:00:00.123Z", 1, "2026-01-01T12:00:00Z"),
        ["2026-01-01T13:00:00Z"],
    ),
    "a month from the 31st is the last day, and the 31st again": (
        ((Interval(months=1),), "UTC", "2027-01-31T06:00:00Z", 4, "2027-01-31T06:00:00Z"),
        [
            "2027-02-28T06:00:00Z",
            "2027-03-31T06:00:00Z",
            "2027-04-30T06:00:00Z",
            "2027-05-31T06:00:00Z",
        ],
    ),
    "a year from a leap day": (
        ((Interval(months=12),), "UTC", "2024-02-29T00:00:00Z", 4, "2024-02-29T00:00:00Z"),
        [
            "2025-02-28T00:00:00Z",
            "2026-02-28T00:00:00Z",
            "2027-02-28T00:00:00Z",
            "2028-02-29T00:00:00Z",
        ],
    ),
    "a skipped wall time is made good": (
        ((Interval(days=1),), "Europe/Berlin", "2026-03-28T00:00:00Z", 3, "2026-03-01T01:30:00Z"),
        ["2026-03-28T01:30:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"],
    ),
    "a day that does not exist shares the next one's instant": (
        ((Interval(days=1),), "Pacific/Apia", "2011-12-29T00:00:00Z", 3, "2011-12-01T19:00:00Z"),
        ["2011-12-29T19:00:00Z", "2011-12-30T19:00:00Z", "2011-12-31T19:00:00Z"],
    ),
    "days and hours together": (
        (
            (Interval(days=1, micros=6 * HOUR),),
            "UTC",
            "2026-01-01T00:00:00Z",
            2,
            "2026-01-01T00:00:00Z",
        ),
        ["2026-01-02T06:00:00Z", "2026-01-03T12:00:00Z"],
    ),
    "an anchor in the future reaches back": (
        (
            (Interval(days=2, anchor=parse_instant("2026-06-01T00:00:00Z")),),
            "UTC",
            "2026-01-01T00:00:00Z",
            1,
        ),
        ["2026-01-02T00:00:00Z"],
    ),
    "an interval and a cron": (
        (
            (Interval(micros=2 * HOUR, anchor=55 * MINUTE), Cron("0 * * * *")),
            "UTC",
            "2026-01-01T00:00:00Z",
            4,
        ),
        ["00:55:00", "01:00:00", "02:00:00", "02:55:00"],
    ),
    "one instant": (
        ((Once(parse_instant("2026-05-01T09:00:00+01:00")),), "UTC", "2026-01-01T00:00:00Z", 3),
        ["2026-05-01T08:00:00Z"],
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_following(name: str) -> None:
    question, answer = ROWS[name]
    got = following(*question)

    assert len(got) == len(answer)
    for instant, end in zip(got, answer, strict=True):
        assert instant.removesuffix("Z").endswith(end.removesuffix("Z"))


ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Pacific/Apia",
    "Australia/Lord_Howe",
    "Asia/Gaza",
)
NOW = st.integers(parse_instant("2005-01-01T00:00:00Z"), parse_instant("2035-01-01T00:00:00Z"))


def intervals() -> st.SearchStrategy[Interval]:
    steps = st.tuples(
        st.integers(0, 3),
        st.integers(0, 40),
        st.just(0) | st.integers(1000, 3 * 10**9).map(lambda millis: millis * 1000),
    ).filter(any)
    return st.builds(
        lambda step, anchor: Interval(step[0], step[1], step[2], anchor), steps, st.none() | NOW
    )


@settings(max_examples=400, deadline=None)
@given(
    st.lists(intervals(), min_size=1, max_size=3),
    st.sampled_from(ZONES),
    st.sampled_from(list(Dst)),
    NOW,
    NOW,
    st.integers(1, 60 * DAY),
)
def test_every_question_agrees_with_stepping(
    intervals: list[Interval], zone: str, dst: Dst, origin: int, after: int, length: int
) -> None:
    rule = rule_for(tuple(intervals), zone, dst)
    # At one second a step there would be millions.
    least = min(each.micros + each.days * DAY + each.months * 28 * DAY for each in intervals)
    length = min(length, 300 * least)
    up_to = after + length
    ticks = stepped(rule, after, up_to, origin)

    assert list(rule.between(after, up_to, 10**6, origin).ticks) == ticks
    span = rule.span(after, up_to, origin)
    if ticks:
        assert span == Span(ticks[0].instant, ticks[-1].instant, len(ticks))
    else:
        assert span.count == 0
    back, at = [], rule.previous(up_to, origin)
    while at is not NO_TICK and at.instant > after:
        back.append(at)
        at = rule.previous(at.instant - 1, origin)
    assert back[::-1] == ticks


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
    """More than twelve stand together in old definitions only."""
    timings = tuple(
        Interval(micros=each // step * step * 1000, anchor=each * SECOND if anchored else None)
        for each, step in zip(millis, (1000, 250, 10_000, 1) * 4, strict=False)
    )
    rule = kept_rule(timings, "Europe/Berlin", Dst.SHIFT)
    after = origin - before
    ticks = stepped(rule, after, after + length, origin)

    assert rule.span(after, after + length, origin).count == len(ticks)


def test_unions_over_decades_are_counted_without_a_visit_to_each_day() -> None:
    """Twelve intervals that do not divide each other, beside an expression, and parts of both."""
    timings: tuple[Timing, ...] = (
        Cron("*/5 8-18 * * 1-5"),
        *(Interval(micros=(600 + 7 * each) * SECOND, anchor=each) for each in range(12)),
    )
    rule = rule_for(timings, "Europe/Berlin", Dst.SHIFT)
    edges = [parse_instant(f"{year}-04-07T05:06:07Z") for year in range(2026, 2030)]
    assert rule.span(edges[0], edges[-1]).count == sum(
        rule.span(*pair).count for pair in pairwise(edges)
    )
    day = edges[0] + DAY
    assert rule.span(edges[0], day).count == len(stepped(rule, edges[0], day, 0))


def stepped(rule: Rule, after: int, up_to: int, origin: int) -> list[Any]:
    found = []
    tick = rule.next_after(after, origin)
    while tick.instant <= up_to:
        assert tick.instant > after
        found.append(tick)
        after = tick.instant
        tick = rule.next_after(after, origin)
    return found


@pytest.mark.parametrize("dst", list(Dst))
@pytest.mark.parametrize("zone", ZONES)
def test_a_daily_step_treats_changes_of_clocks_as_a_daily_cron_does(zone: str, dst: Dst) -> None:
    begin, end = parse_instant("2011-01-01T00:00:00Z"), parse_instant("2014-01-01T00:00:00Z")
    for text in (
        "0 0 * * *",
        "30 0 * * *",
        "30 1 * * *",
        "30 2 * * *",
        "15 2 * * *",
        "59 23 * * *",
    ):
        cron = rule_for((Cron(text),), zone, dst)
        daily = Interval(days=1, anchor=cron.next_after(begin).instant)
        steps = rule_for((daily,), zone, dst)

        assert steps.between(begin, end, 5000) == cron.between(begin, end, 5000)
        assert steps.span(begin, end) == cron.span(begin, end)


def test_a_grid_without_anchor_begins_one_step_after_its_origin() -> None:
    rule = rule_for((Interval(micros=HOUR),), "UTC", Dst.SHIFT)

    assert rule.next_after(0, 10 * DAY).instant == 10 * DAY + HOUR
    assert rule.previous(10 * DAY, 10 * DAY) is NO_TICK
    assert rule.span(0, 10 * DAY + 5 * HOUR, 10 * DAY).count == 5


def test_it_ends_with_the_calendar() -> None:
    for interval in (Interval(days=1), Interval(micros=DAY), Interval(months=12_000, micros=1)):
        rule = rule_for((interval,), "Asia/Tokyo", Dst.SHIFT)
        assert rule.next_after(10**18) is NO_TICK
        assert rule.previous(-(10**18)) is NO_TICK
        assert rule.between(parse_instant("9999-12-30T00:00:00Z"), 10**18, 10).truncated is False
