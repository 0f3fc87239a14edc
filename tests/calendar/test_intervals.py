"""Intervals: a grid that never moves for elapsed time, calendar steps for days and months."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.definition import Cron, Dst, Interval, Once, Timing
from schemas.instants import format_instant, parse_instant
from streams.calendar.occurrences import NO_TICK, Span, rule_for
from tests.calendar.asking import stepped

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
