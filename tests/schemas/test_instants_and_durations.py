"""Instants and durations are read strictly and written in one way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.durations import format_duration, parse_duration, parse_elapsed
from schemas.instants import FIRST, LAST, check_instant, format_instant, parse_instant

HOUR = 3_600_000_000

INSTANTS = {
    "1970-01-01T00:00:00Z": 0,
    "1970-01-01T00:00:00.000001Z": 1,
    "1970-01-01T00:00:00.5Z": 500_000,
    "1970-01-01t00:00:00z": 0,
    "1970-01-01 01:00:00+01:00": 0,
    "1969-12-31T23:30:00-00:30": 0,
    "1969-12-31T23:59:59.999999Z": -1,
    "2019-06-12T00:00:00.300000000Z": 1_560_297_600_300_000,
    "2026-05-01T09:00:00+01:00": 1_777_622_400_000_000,
    "0001-01-01T00:00:00Z": FIRST,
    "9999-12-31T23:59:59.999999Z": LAST,
}


@pytest.mark.parametrize("text", INSTANTS)
def test_an_instant_is_read(text: str) -> None:
    assert parse_instant(text) == INSTANTS[text]


NO_INSTANTS = {
    "": "is no instant; write one like",
    "2026-01-01": "is no instant",
    "2026-01-01T00:00:00": "has no offset",
    "2026-13-01T00:00:00Z": "month must be in 1..12",
    "2026-02-29T00:00:00Z": "day",
    "2026-01-01T24:00:00Z": "hour must be in 0..23",
    "2026-01-01T00:00:60Z": "second must be in 0..59",
    "2026-01-01T00:00:00+24:00": "at most 23 hours",
    "2026-01-01T00:00:00.0000001Z": "finer than a microsecond",
    "0000-01-01T00:00:00Z": "year 0 is out of range",
    "10000-01-01T00:00:00Z": "outside of the years 1 to 9999",
    "0001-01-01T00:00:00+00:01": "outside of the years",
    "9999-12-31T23:59:59-00:01": "outside of the years",
    "٢٠٢٦-01-01T00:00:00Z": "is no instant",
    "2026-01-01T00:00:00Z\n": "is no instant",
    "1798761600": "it looks like seconds since 1970: 2027-01-01T00:00:00Z",
    "1798761600000": "it looks like milliseconds since 1970: 2027-01-01T00:00:00Z",
    "1798761600000000": "it looks like microseconds since 1970: 2027-01-01T00:00:00Z",
    "17": "is a number; write an instant like",
    "9" * 400: "is a number; write an instant like",
}


@pytest.mark.parametrize("text", NO_INSTANTS, ids=lambda text: ascii(text[:40]))
def test_what_is_no_instant_is_told_why(text: str) -> None:
    with pytest.raises(ValueError, match=r".") as wrong:
        parse_instant(text)

    assert NO_INSTANTS[text] in str(wrong.value)
    assert str(wrong.value).isascii()


@given(st.integers(FIRST, LAST))
def test_an_instant_comes_back_from_its_text(micros: int) -> None:
    text = format_instant(micros)

    assert parse_instant(text) == micros
    assert text.endswith("Z")
    assert len(text) == (20 if micros % 1_000_000 == 0 else 27)


@pytest.mark.parametrize("micros", [FIRST - 1, LAST + 1, 2**63 - 1])
def test_an_instant_that_has_no_text_is_refused(micros: int) -> None:
    with pytest.raises(ValueError, match="outside of the years 1 to 9999"):
        format_instant(micros)
    with pytest.raises(ValueError, match="outside of the years 1 to 9999"):
        check_instant(micros)


DURATIONS = {
    "6h": (0, 0, 6 * HOUR),
    "90m": (0, 0, HOUR * 3 // 2),
    "1h30m": (0, 0, HOUR * 3 // 2),
    "1.5s": (0, 0, 1_500_000),
    "500ms": (0, 0, 500_000),
    "1d": (0, 1, 0),
    "2w": (0, 14, 0),
    " 6h ": (0, 0, 6 * HOUR),
    "PT6H": (0, 0, 6 * HOUR),
    "pt6h": (0, 0, 6 * HOUR),
    "P1D": (0, 1, 0),
    "P1M": (1, 0, 0),
    "PT1M": (0, 0, HOUR // 60),
    "P1W": (0, 7, 0),
    "P1Y2M3DT4H5M6.5S": (14, 3, 4 * HOUR + 5 * HOUR // 60 + 6_500_000),
    "PT0,5S": (0, 0, 500_000),
}


@pytest.mark.parametrize("text", DURATIONS)
def test_a_duration_is_read(text: str) -> None:
    assert parse_duration(text) == DURATIONS[text]


NO_DURATIONS = {
    "": "is no length of time",
    "P": "is no length of time",
    "PT": "is no length of time",
    "P1DT": "is no length of time",
    "h": "is no length of time",
    "1m1h": "is no length of time",
    "6 h": "is no length of time",
    "1.5h": "is no length of time",
    "NaN": "is no length of time",
    "٣h": "is no length of time",
    "5": "has no unit; write for example 5s or PT5S",
    "0s": "longer than nothing",
    "PT0S": "longer than nothing",
    "-5s": "is negative",
    "P-1D": "is negative",
    "-P1D": "is negative",
    "9999999999999h": "longer than 10000 years",
    "P999999Y": "longer than 10000 years",
    "9" * 400 + "h": "is no length of time",
}


@pytest.mark.parametrize("text", NO_DURATIONS, ids=lambda text: ascii(text[:40]))
def test_what_is_no_duration_is_told_why(text: str) -> None:
    with pytest.raises(ValueError, match=r".") as wrong:
        parse_duration(text)

    assert NO_DURATIONS[text] in str(wrong.value)


@given(st.tuples(st.integers(0, 5000), st.integers(0, 5000), st.integers(0, 10**14)).filter(any))
def test_a_duration_comes_back_from_its_text(parts: tuple[int, int, int]) -> None:
    assert parse_duration(format_duration(*parts)) == parts


def test_nothing_is_written_as_no_seconds() -> None:
    assert format_duration() == "PT0S"
    assert format_duration(micros=5_000_000) == "PT5S"


def test_elapsed_time_has_days_of_24_hours_and_no_months() -> None:
    assert parse_elapsed("P1DT1H") == 25 * HOUR
    with pytest.raises(ValueError, match="a month has no fixed length here"):
        parse_elapsed("P1M")
