"""Is a minute the same whatever came late, twice or in another order, and is no zero invented?"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import decode_as, encode
from schemas.traffic import MinuteKind, Sample, TrafficMinute
from schemas.units import MINUTE, SECOND
from streams.traffic.minutes import MOST_SAMPLES, merged, minute_at, minute_of

NOON = 1_796_040_000_000_000 // MINUTE * MINUTE
LARGEST = (1 << 63) - 1
NUMBERS = st.integers(0, 50) | st.just(LARGEST)
SAMPLES = st.lists(
    st.builds(
        Sample,
        sampled_at=st.integers(NOON, NOON + MINUTE - 1) | st.integers(NOON, NOON + 3),
        in_flight=NUMBERS,
        waiting=NUMBERS,
        finished=st.none() | NUMBERS,
        micros=st.none() | NUMBERS,
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda sample: sample.sampled_at,
)


def seen(second: int, in_flight: int, waiting: int = 0, **more: int) -> Sample:
    return Sample(NOON + second * SECOND, in_flight, waiting, **more)


@given(SAMPLES, st.randoms(use_true_random=False))
def test_order_and_doubles_change_nothing(samples: list[Sample], dice: Random) -> None:
    mixed = samples + dice.sample(samples, len(samples))
    dice.shuffle(mixed)
    whole = minute_of(samples)

    assert minute_of(mixed) == whole
    step: tuple[Sample, ...] = ()
    for sample in mixed:
        step = merged(step, [sample])
    assert minute_of(step) == whole
    cut = dice.randrange(len(mixed) + 1)
    assert minute_of(merged(merged((), mixed[:cut]), mixed[cut:])) == whole


@given(SAMPLES)
def test_a_minute_can_be_written_and_read(samples: list[Sample]) -> None:
    minute = minute_of(samples)

    assert decode_as(encode(minute), TrafficMinute) == minute
    assert minute.minute == NOON


@given(SAMPLES)
def test_a_zero_is_never_invented(samples: list[Sample]) -> None:
    minute = minute_of(samples)

    idle = all((s.in_flight, s.waiting, s.finished) == (0, 0, 0) for s in samples)
    assert (minute.kind is MinuteKind.IDLE) == idle
    assert minute.rate != 0 or idle or minute.in_flight


def test_of_one_instant_what_came_first_stays() -> None:
    first, second = seen(5, 1), replace(seen(5, 9), waiting=3)

    assert merged((), [first, second]) == (first,)
    assert merged((first,), [second]) == (first,)


def test_nothing_new_is_the_same_object() -> None:
    known = (seen(0, 1), seen(15, 2))

    assert merged(known, [seen(15, 7)]) is known
    assert merged(known, known) is known


def test_a_crowd_of_samples_is_cut_where_it_no_longer_says_more() -> None:
    crowd = [Sample(NOON + n, 1, 0) for n in range(2 * MOST_SAMPLES)]
    one_by_one: tuple[Sample, ...] = ()
    for sample in crowd:
        one_by_one = merged(one_by_one, [sample])

    assert one_by_one == merged((), crowd) == tuple(crowd[:MOST_SAMPLES])


RATES = {
    "two at once, half a second each: 240 a minute": (
        [seen(0, 2, finished=8, micros=4_000_000)],
        240_000,
    ),
    "the mean over all looks counts": (
        [seen(0, 3, finished=2, micros=2_000_000), seen(30, 1, finished=2, micros=2_000_000)],
        120_000,
    ),
    "a part of a thousandth is left out": ([seen(0, 1, finished=1, micros=7_000_000)], 8_571),
    "requests between two looks are those that there were": ([seen(0, 0, finished=3)], 3_000),
    "an idle minute has none": ([seen(0, 0, finished=0), seen(15, 0, finished=0)], 0),
    "what is still on its way has no length": ([seen(0, 2, finished=0, micros=0)], None),
    "a number without a time says nothing": ([seen(0, 2, finished=4)], None),
    "those that only wait have no rate": ([seen(0, 0, 2, finished=0)], None),
}


@pytest.mark.parametrize(("samples", "rate"), RATES.values(), ids=RATES.keys())
def test_a_rate_is_told_where_it_can_be(samples: list[Sample], rate: int | None) -> None:
    assert minute_of(samples).rate == rate


@pytest.mark.case("DP-055")
@pytest.mark.parametrize(
    ("sample", "kind"),
    [
        (seen(0, 0), MinuteKind.UNKNOWN),
        (seen(0, 1, finished=1, micros=0), MinuteKind.ACTIVE),
        (seen(0, 1), MinuteKind.ACTIVE),
    ],
    ids=["nothing in flight, latency unknown", "one in flight, latency 0", "latency unknown"],
)
def test_an_unknown_or_missing_latency_gives_no_rate_and_no_idle_minute(
    sample: Sample, kind: MinuteKind
) -> None:
    minute = minute_of([sample])

    assert minute.rate is None
    assert minute.kind is kind


def test_one_look_that_counts_nothing_leaves_the_minute_unknown() -> None:
    assert minute_of([seen(0, 0, finished=0), seen(15, 0)]).kind is MinuteKind.UNKNOWN


def test_minutes_begin_at_whole_ones() -> None:
    assert [minute_at(NOON + n) for n in (0, 1, MINUTE - 1, MINUTE)] == [
        NOON, NOON, NOON, NOON + MINUTE
    ]  # fmt: skip
