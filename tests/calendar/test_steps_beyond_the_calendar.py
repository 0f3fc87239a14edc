"""Steps longer than the calendar: they never come, and no question about them fails."""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.definition import Dst, Interval, Once
from schemas.instants import FIRST, LAST, parse_instant
from streams.calendar.occurrences import NEVER, NO_SPAN, NO_TICK, kept_rule

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Pacific/Apia", "Asia/Tokyo")
NOW = parse_instant("2026-06-01T10:00:00Z")
YEAR = 366 * 86_400 * 1_000_000
CENTURY = 100 * YEAR

huge = st.one_of(
    st.just(0),
    st.integers(1, 1 << 62),
    st.integers(0, 62).map(lambda power: 1 << power),
    st.sampled_from([108_000, 120_000, 10**15]),
)
intervals = st.builds(
    Interval,
    months=huge.map(lambda months: months if months >= 1200 else months * 1200),
    days=huge.map(lambda days: days if days >= 36_525 else days * 36_525),
    micros=huge.map(lambda micros: max(micros, CENTURY) // 1000 * 1000 if micros else 0),
    anchor=st.none() | st.integers(FIRST, LAST),
).filter(lambda interval: interval.months or interval.days or interval.micros)
instants = st.integers(FIRST, LAST) | st.sampled_from([FIRST, LAST, NOW, -NEVER, NEVER])


@settings(max_examples=100, deadline=None)
@given(
    intervals,
    st.sampled_from(ZONES),
    st.sampled_from(list(Dst)),
    st.integers(FIRST, LAST),
    instants,
    instants,
)
@example(Interval(months=108_000), "Europe/Berlin", Dst.SHIFT, NOW, NOW, NOW + YEAR)
@example(Interval(days=10**15), "UTC", Dst.SHIFT, NOW, NOW, NOW + YEAR)
@example(Interval(months=1_200, anchor=NOW), "UTC", Dst.SHIFT, NOW, -NEVER, -NEVER)
def test_questions_agree_however_long_the_step(
    interval: Interval, zone: str, dst: Dst, origin: int, one: int, other: int
) -> None:
    rule = kept_rule((interval,), zone, dst)
    after = min(one, other)
    up_to = min(max(one, other), max(after, FIRST) + 2 * CENTURY)
    found: list[Any] = []
    tick = rule.next_after(after, origin)
    while tick is not NO_TICK and tick.instant <= up_to:
        found.append(tick)
        tick = rule.next_after(tick.instant, origin)

    assert list(rule.between(after, up_to, 10**4, origin).ticks) == found
    back, before = [], rule.previous(up_to, origin)
    while before is not NO_TICK and before.instant > after:
        back.append(before)
        before = rule.previous(before.instant - 1, origin)
    assert back[::-1] == found
    span = rule.span(after, up_to, origin)
    if found:
        assert span == (found[0].instant, found[-1].instant, len(found))
    else:
        assert span == NO_SPAN


@pytest.mark.parametrize("zone", ZONES)
def test_a_step_that_never_comes_leaves_the_other_timings_alone(zone: str) -> None:
    rule = kept_rule((Once(NOW), Interval(months=108_000)), zone, Dst.SHIFT)

    assert rule.next_after(NOW - 1, NOW - YEAR).instant == NOW
    assert rule.next_after(NOW, NOW - YEAR) is NO_TICK
    assert rule.previous(NOW + YEAR, NOW - YEAR).instant == NOW
    assert rule.span(NOW - YEAR, NOW + YEAR, NOW - YEAR) == (NOW, NOW, 1)
