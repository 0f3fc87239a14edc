"""Is an occurrence found again after it moved into the year before or after its own?"""

from bisect import bisect_right
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.definition import Cron, Dst, Exclude, OnExcluded
from schemas.globals import Calendar, YearlyRange
from streams.calendar.exclusions import excluding
from streams.calendar.occurrences import Rule, Span, rule_for
from tests.calendar.closings import inside, landing, month_day

SECOND = 1_000_000
DAY = 86_400 * SECOND
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NAMED: dict[str, Callable[[datetime], bool]] = {
    "0 0 29 2 *": lambda day: (day.month, day.day) == (2, 29),
    "0 0 30 11 *": lambda day: (day.month, day.day) == (11, 30),
    "0 0 5 1,7 *": lambda day: day.month in (1, 7) and day.day == 5,
}
SHUT = (
    YearlyRange(101, 1128),
    YearlyRange(203, 1231),
    YearlyRange(1105, 720),
    YearlyRange(229, 301),
)
MOVES = (OnExcluded.NEXT_BUSINESS_DAY, OnExcluded.PREVIOUS_BUSINESS_DAY)


def micros(wall: datetime) -> int:
    return (wall - EPOCH) // timedelta(microseconds=1)


@cache
def moved(expression: str, shut: YearlyRange, direction: OnExcluded) -> tuple[Rule, list[int]]:
    """The rule, and where each of its days comes, one by one."""
    exclude = Exclude(("shut",), (), direction)
    rule = rule_for((Cron(expression),), "UTC", Dst.SHIFT)
    walls = (EPOCH + timedelta(days=number) for number in range(365 * 2, 365 * 85))
    landed = (
        landing(wall, lambda at: inside(month_day(at.date()), shut), direction)
        for wall in walls
        if NAMED[expression](wall)
    )
    instants = sorted({micros(wall) for wall in landed if wall is not None})
    return excluding(rule, exclude, {"shut": Calendar(yearly=(shut,))}), instants


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(sorted(NAMED)),
    st.sampled_from(SHUT),
    st.sampled_from(MOVES),
    st.dates(date(1990, 1, 1), date(2020, 12, 31)),
    st.integers(-2, 2),
)
def test_what_moved_over_new_year_is_found_from_everywhere(
    expression: str, shut: YearlyRange, direction: OnExcluded, day: date, beside: int
) -> None:
    rule, instants = moved(expression, shut, direction)
    at = (day.toordinal() - date(1970, 1, 1).toordinal()) * DAY + beside
    index = bisect_right(instants, at)
    later = bisect_right(instants, at + 3660 * DAY)

    assert rule.next_after(at).instant == instants[index]
    assert rule.previous(at).instant == instants[index - 1]
    assert rule.span(at, at + 3660 * DAY) == Span(
        instants[index], instants[later - 1], later - index
    )


def test_a_leap_day_moved_back_to_december_is_found_in_january() -> None:
    shut = YearlyRange(101, 1128)
    rule, _ = moved("0 0 29 2 *", shut, OnExcluded.PREVIOUS_BUSINESS_DAY)
    landed = micros(datetime(2023, 12, 31, tzinfo=UTC))

    assert rule.previous(micros(datetime(2024, 1, 2, tzinfo=UTC))).instant == landed
    assert rule.next_after(micros(datetime(2023, 1, 2, tzinfo=UTC))).instant == landed
