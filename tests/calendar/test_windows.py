"""When a window is open: over midnight, over changes of clocks, and never silently empty."""

import random
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.definition import Hours, Window
from schemas.instants import format_instant, parse_instant
from streams.calendar.occurrences import NEVER, TimingRefused
from streams.calendar.windows import ALWAYS, check_window, opening
from tests.calendar.asking import DAY, SECOND, places
from tests.calendar.oracle import EPOCH, offset, zone

NEW_YORK, BERLIN, SAO_PAULO = "America/New_York", "Europe/Berlin", "America/Sao_Paulo"
MON_FRI = 31


def clock(text: str) -> int:
    hours, minutes = text.split(":")
    return int(hours) * 3600 + int(minutes) * 60


def hours(text: str, days: int = 127) -> Hours:
    opens, closes = text.split("-")
    return Hours(clock(opens), clock(closes), days)


def shown(window: Window, zone_name: str, at: str) -> str:
    found = opening(window, zone_name, parse_instant(at))
    assert found is not None
    return f"{format_instant(found.begins)[:16]} to {format_instant(found.ends)[:16]}"


ROWS = {
    "POL-090 over midnight it began yesterday": (
        ("23:30-04:00", "UTC", "2026-01-15T00:10:00Z"),
        "2026-01-14T23:30 to 2026-01-15T04:00",
    ),
    "POL-092 a repeated hour is open too": (
        ("01:00-03:00", NEW_YORK, "2025-11-02T00:00:00Z"),
        "2025-11-02T05:00 to 2025-11-02T08:00",
    ),
    "POL-092 asked in the second pass": (
        ("01:00-03:00", NEW_YORK, "2025-11-02T06:30:00Z"),
        "2025-11-02T05:00 to 2025-11-02T08:00",
    ),
    "POL-093 hours that are skipped are no window": (
        ("02:00-03:00", NEW_YORK, "2026-03-08T05:00:00Z"),
        "2026-03-09T06:00 to 2026-03-09T07:00",
    ),
    "POL-093 nor are some of them": (
        ("02:15-02:45", NEW_YORK, "2026-03-08T05:00:00Z"),
        "2026-03-09T06:15 to 2026-03-09T06:45",
    ),
    "an end that is skipped is the jump": (
        ("01:30-02:30", NEW_YORK, "2026-03-08T05:00:00Z"),
        "2026-03-08T06:30 to 2026-03-08T07:00",
    ),
    "a begin that is skipped is the jump": (
        ("02:30-04:00", NEW_YORK, "2026-03-08T05:00:00Z"),
        "2026-03-08T07:00 to 2026-03-08T08:00",
    ),
    "an end that is repeated is its first pass": (
        ("00:30-01:30", NEW_YORK, "2025-11-02T00:00:00Z"),
        "2025-11-02T04:30 to 2025-11-02T05:30",
    ),
    "POL-094 each edge has its own offset in autumn": (
        ("23:30-04:00", BERLIN, "2026-10-24T12:00:00Z"),
        "2026-10-24T21:30 to 2026-10-25T03:00",
    ),
    "POL-094 and in spring": (
        ("23:30-04:00", BERLIN, "2026-03-28T12:00:00Z"),
        "2026-03-28T22:30 to 2026-03-29T02:00",
    ),
    "POL-095 a midnight that does not exist ends it": (
        ("22:00-00:00", SAO_PAULO, "2018-11-03T12:00:00Z"),
        "2018-11-04T01:00 to 2018-11-04T03:00",
    ),
    "POL-095 as 24:00": (
        ("22:00-24:00", SAO_PAULO, "2018-11-03T12:00:00Z"),
        "2018-11-04T01:00 to 2018-11-04T03:00",
    ),
    "a day that does not exist has no opening": (
        ("08:00-10:00", "Pacific/Apia", "2011-12-29T21:00:00Z"),
        "2011-12-30T18:00 to 2011-12-30T20:00",
    ),
    "its end belongs to the one before": (
        ("08:00-10:00", "UTC", "2026-01-15T10:00:00Z"),
        "2026-01-16T08:00 to 2026-01-16T10:00",
    ),
    "its begin belongs to it": (
        ("08:00-10:00", "UTC", "2026-01-15T08:00:00Z"),
        "2026-01-15T08:00 to 2026-01-15T10:00",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_an_opening(name: str) -> None:
    (text, zone_name, at), expected = ROWS[name]

    assert shown(Window((hours(text),)), zone_name, at) == expected


def test_the_weekday_counts_on_which_it_opened() -> None:
    """POL-090: Friday's night ends on Saturday, and Sunday's does not begin."""
    window = Window((hours("23:30-04:00", MON_FRI),))

    assert shown(window, "UTC", "2026-01-17T03:00:00Z") == "2026-01-16T23:30 to 2026-01-17T04:00"
    assert shown(window, "UTC", "2026-01-17T05:00:00Z") == "2026-01-19T23:30 to 2026-01-20T04:00"
    assert shown(window, "UTC", "2026-01-19T00:10:00Z") == "2026-01-19T23:30 to 2026-01-20T04:00"


def test_hours_that_overlap_or_adjoin_are_one_opening() -> None:
    window = Window((hours("08:00-10:00"), hours("10:00-12:00"), hours("11:00-13:00")))
    assert shown(window, BERLIN, "2026-01-15T08:00:00Z") == "2026-01-15T07:00 to 2026-01-15T12:00"
    week = Window((hours("00:00-24:00", MON_FRI), hours("00:00-06:00", 32)))
    assert shown(week, "UTC", "2026-01-15T08:00:00Z") == "2026-01-12T00:00 to 2026-01-17T06:00"


def test_two_openings_grow_together_where_what_is_between_them_is_skipped() -> None:
    window = Window((hours("03:00-24:00"), hours("00:00-02:00")))
    assert shown(window, BERLIN, "2026-03-29T12:00:00Z") == "2026-03-28T02:00 to 2026-03-30T00:00"
    sunday_night = Window(
        (hours("00:00-24:00", 63), hours("00:00-02:00", 64), hours("03:00-24:00", 64))
    )
    found = opening(sunday_night, BERLIN, parse_instant("2026-03-29T12:00:00Z"))
    assert found is not None
    assert found.ends - found.begins == (14 * DAY - 7200) * SECOND
    for at in (found.begins, found.ends - 1):
        assert opening(sunday_night, BERLIN, at) == found


@pytest.mark.parametrize(
    "window",
    [
        Window((hours("00:00-24:00"),)),
        Window((hours("00:00-12:00"), hours("11:00-00:00"))),
        Window((hours("22:00-06:00"), hours("06:00-22:00"))),
        Window((Hours(0, 0),)),
    ],
    ids=["a day", "two halves", "night and day", "an old record with equal times"],
)
def test_what_is_never_shut_says_so(window: Window) -> None:
    """POL-096."""
    for at in ("1970-01-01T00:00:00Z", "2026-10-25T01:30:00Z"):
        assert opening(window, BERLIN, parse_instant(at)) == ALWAYS
    assert ALWAYS.ends == NEVER


REFUSED = {
    "POL-096 equal times": (Window((hours("00:00-00:00"),)), "window.hours[0]"),
    "no hours": (Window(()), "window.hours"),
    "no days": (Window((hours("08:00-09:00"), hours("08:00-09:00", 0))), "window.hours[1].days"),
    "an eighth day": (Window((hours("08:00-09:00", 128),)), "window.hours[0].days"),
    "past midnight": (Window((Hours(0, 86_401),)), "window.hours[0]"),
    "before it": (Window((Hours(-1, 5),)), "window.hours[0]"),
    "opening at 24:00": (Window((Hours(86_400, 5),)), "window.hours[0]"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_hours_that_are_none_are_refused(name: str) -> None:
    window, field = REFUSED[name]
    with pytest.raises(TimingRefused) as refused:
        check_window(window)
    assert refused.value.field == field


def test_a_window_that_never_opens_ends_the_search() -> None:
    """POL-066: an old record without days; nothing is looked at beyond eight weeks."""
    assert opening(Window((hours("08:00-09:00", 0),)), BERLIN, 0) is None
    assert opening(Window(()), BERLIN, 0) is None
    for at in (NEVER, -NEVER, parse_instant("9999-12-31T23:00:00Z")):
        assert opening(Window((hours("08:00-09:00"),)), BERLIN, at) is None
    check_window(Window((hours("08:00-24:00"), hours("23:30-04:00", 1))))


half_hours = st.integers(0, 47).map(lambda half: half * 1800)
windows = st.lists(
    st.builds(Hours, half_hours, half_hours | st.just(86_400), st.integers(1, 127)),
    min_size=1,
    max_size=3,
).map(lambda each: Window(tuple(each)))


def edge(wall: datetime, name: str) -> datetime:
    """The instant of a wall time by Python's rules: the first pass; the jump if it is skipped."""
    where = zone(name)
    first, second = (offset(wall, where, fold) for fold in (0, 1))
    if second > first:
        low, high = wall - second, wall - first
        while high - low > timedelta(seconds=1):
            middle = low + (high - low) // 2
            stands = middle.replace(tzinfo=UTC).astimezone(where).utcoffset()
            low, high = (middle, high) if stands == first else (low, middle)
        return high.replace(microsecond=0)
    return wall - first


def is_open(window: Window, name: str, at: datetime) -> bool:
    """Whether some day's hours hold an instant."""
    for hours_, back in ((each, back) for each in window.hours for back in range(-2, 4)):
        day: date = at.date() - timedelta(days=back)
        if hours_.days >> day.weekday() & 1:
            midnight = datetime.combine(day, time())
            length = (hours_.closes - hours_.opens) % DAY or DAY
            opens = midnight + timedelta(seconds=hours_.opens)
            begins, ends = edge(opens, name), edge(opens + timedelta(seconds=length), name)
            if begins <= at < ends:
                return True
    return False


@settings(max_examples=400, deadline=None)
@given(windows, st.integers(0, 10**6), st.integers(-2 * DAY, 2 * DAY))
def test_it_is_open_when_a_second_opinion_says_so(window: Window, seed: int, beside: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seed, no secret
    name, around = next(places(chance, seed % 7, 600, 3))
    at = around + beside
    found = opening(window, name, at * SECOND)
    now = EPOCH.replace(tzinfo=None) + timedelta(seconds=at)

    assert found is not None
    assert found.begins < found.ends
    assert found.ends > at * SECOND
    assert (found.begins <= at * SECOND) == is_open(window, name, now)
    if found == ALWAYS:
        return
    for inside in (found.begins, found.ends - 1, (found.begins + found.ends) // 2):
        assert opening(window, name, inside) == found
    if found.begins > at * SECOND:
        assert opening(window, name, (found.begins + at * SECOND) // 2) == found
    for second, answer in ((found.begins // SECOND, True), (found.ends // SECOND, False)):
        moment = EPOCH.replace(tzinfo=None) + timedelta(seconds=second)
        assert is_open(window, name, moment) is answer
        assert is_open(window, name, moment - timedelta(seconds=1)) is not answer
