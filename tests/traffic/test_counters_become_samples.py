"""What is a server's counter worth between two looks, when it begins anew, or nobody looked?"""

from __future__ import annotations

import pytest

from schemas.traffic import Sample
from schemas.units import HOUR, MINUTE, SECOND
from streams.scrape import Counts
from streams.traffic.counting import LONGEST_SILENCE, Counting

NOON = 1_796_040_000_000_000
LOOK = 15 * SECOND


def counted(finished: int | None, seconds: float | None = None, in_flight: int = 0) -> Counts:
    return Counts(in_flight, 0, seconds, finished)


def looks(counting: Counting, *pages: Counts, apart: int = LOOK) -> list[Sample]:
    return [counting.look(NOON + n * apart, page) for n, page in enumerate(pages)]


def deltas(samples: list[Sample]) -> list[tuple[int | None, int | None]]:
    return [(sample.finished, sample.micros) for sample in samples]


def test_a_sample_says_what_ended_since_the_one_before() -> None:
    found = looks(Counting(), counted(100, 50.0), counted(103, 51.5), counted(103, 51.5))

    assert deltas(found) == [(None, None), (3, 1_500_000), (0, 0)]


def test_a_counter_that_is_smaller_began_anew() -> None:
    found = looks(Counting(), counted(100, 50.0), counted(4, 2.0), counted(5, 2.5))

    assert deltas(found)[1:] == [(4, 2_000_000), (1, 500_000)]


def test_what_is_not_on_the_page_is_not_known() -> None:
    found = looks(Counting(), counted(1), counted(2), counted(None), counted(9), counted(9))

    assert deltas(found) == [(None, None), (1, None), (None, None), (None, None), (0, None)]


def test_a_first_look_goes_on_from_what_the_views_know() -> None:
    [first] = looks(Counting.after(97, NOON - LOOK), counted(100, 50.0))

    assert (first.finished, first.micros) == (3, None)


@pytest.mark.parametrize("known", [(None, NOON), (97, None), (None, None)])
def test_without_a_look_before_nothing_is_counted(known: tuple[int | None, int | None]) -> None:
    [first] = looks(Counting.after(*known), counted(100, 50.0))

    assert first.finished is None


def test_what_ended_while_nobody_looked_belongs_to_no_minute() -> None:
    away = Counting.after(97, NOON - HOUR)

    assert deltas(looks(away, counted(100))) == [(None, None)]
    assert deltas(looks(away, counted(100), counted(107), apart=LONGEST_SILENCE + 1))[1:] == [
        (None, None)
    ]


def test_that_nothing_ended_is_known_however_long_nobody_looked() -> None:
    assert deltas(looks(Counting.after(97, NOON - HOUR), counted(97))) == [(0, None)]


def test_the_last_request_is_the_last_look_that_showed_one() -> None:
    counting = Counting()
    looks(counting, counted(5), counted(5, in_flight=1), counted(6), counted(6))

    assert counting.last_request == NOON + 2 * LOOK
    assert Counting().last_request is None


def test_the_rate_is_that_of_the_last_minutes() -> None:
    counting = Counting()
    looks(counting, counted(0), counted(10), counted(20), counted(30))
    assert counting.rate() is None, "less than a minute is no rate"

    looks(counting, *[counted(40 + 10 * n) for n in range(5)])
    assert counting.rate() is not None

    steady = Counting()
    looks(steady, *[counted(5 * n) for n in range(100)])
    assert steady.rate() == 20_000
    steady.look(NOON + 100 * LOOK, counted(None))
    assert steady.rate() is None


def test_a_server_that_was_quiet_for_minutes_has_a_rate_of_nothing() -> None:
    counting = Counting()
    looks(counting, *[counted(5)] * 10)

    assert counting.rate() == 0
    assert 10 * LOOK > MINUTE
