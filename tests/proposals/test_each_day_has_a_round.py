"""When do the rounds of a daily job come, whatever happens to one, or to the clock?"""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from horae.proposing.daily import each_day
from schemas.instants import format_instant, parse_instant
from schemas.units import HOUR, SECOND
from streams.clock import SteppedClock


def rounds(
    begin: str,
    end: str,
    *,
    at: int = 6 * 3_600,
    zone: str = "UTC",
    work: Callable[[SteppedClock, int], None] = lambda _clock, _number: None,
    coarse: float = 600.0,
) -> list[str]:
    """When the rounds were between two instants; time passes in steps, to be quick."""
    clock, last = SteppedClock(parse_instant(begin)), parse_instant(end)
    found: list[str] = []

    def note() -> None:
        found.append(format_instant(clock.wall()))
        work(clock, len(found))

    def wait(seconds: float) -> None:
        assert 0 < seconds <= 1
        # Half a second at a time would be half a million steps.
        ahead = clock.wall() // HOUR * HOUR + HOUR - clock.wall()
        clock.pass_by(min(ahead, int(coarse * SECOND)) if seconds == 0.5 else round(seconds * 1e6))

    each_day(
        at, zone, note, clock=clock, stopping=lambda: clock.elapsed > last - parse_instant(begin),
        wait=wait,
    )  # fmt: skip
    return found


def test_it_comes_at_its_time_of_each_day() -> None:
    assert rounds("2026-11-30T07:00:00Z", "2026-12-03T06:30:00Z") == [
        "2026-12-01T06:00:00Z",
        "2026-12-02T06:00:00Z",
        "2026-12-03T06:00:00Z",
    ]


def test_it_follows_the_clocks_of_its_zone() -> None:
    berlin = rounds("2026-10-23T12:00:00Z", "2026-10-26T12:00:00Z", zone="Europe/Berlin")

    assert berlin == ["2026-10-24T04:00:00Z", "2026-10-25T05:00:00Z", "2026-10-26T05:00:00Z"]


def test_a_time_that_clocks_show_twice_or_never_has_one_round() -> None:
    twice = rounds("2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z", at=9_000, zone="Europe/Berlin")
    never = rounds("2027-03-27T12:00:00Z", "2027-03-28T12:00:00Z", at=9_000, zone="Europe/Berlin")

    assert (twice, never) == (["2026-10-25T00:30:00Z"], ["2027-03-28T01:30:00Z"])


def test_a_day_that_fails_is_logged_and_the_next_one_comes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_: SteppedClock, number: int) -> None:
        if number == 1:
            raise ConnectionError("the database is away")

    with caplog.at_level(logging.ERROR):
        found = rounds("2026-11-30T07:00:00Z", "2026-12-02T06:30:00Z", work=fail)

    assert found == ["2026-12-01T06:00:00Z", "2026-12-02T06:00:00Z"]
    assert [record.message for record in caplog.records] == ["this day's round failed"]
    assert "the database is away" in caplog.text


def test_a_round_of_more_than_a_day_leaves_out_what_it_takes() -> None:
    def long(clock: SteppedClock, number: int) -> None:
        if number == 1:
            clock.pass_by(30 * HOUR)

    found = rounds("2026-11-30T07:00:00Z", "2026-12-03T06:30:00Z", work=long)

    assert found == ["2026-12-01T06:00:00Z", "2026-12-03T06:00:00Z"]


def test_a_clock_that_is_set_back_brings_no_day_twice() -> None:
    def back(clock: SteppedClock, number: int) -> None:
        if number == 1:
            clock.step(-2 * HOUR)

    found = rounds("2026-11-30T07:00:00Z", "2026-12-02T08:30:00Z", work=back)

    assert found == ["2026-12-01T06:00:00Z", "2026-12-02T06:00:00Z"]


def test_it_ends_between_rounds_when_it_is_asked_to() -> None:
    assert rounds("2026-11-30T07:00:00Z", "2026-11-30T09:00:00Z") == []
