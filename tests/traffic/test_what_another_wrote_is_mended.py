"""Does a minute hold all its samples, whatever another worker writes over it, and however late?"""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from schemas.codec import decode_as, encode
from schemas.identity import partition_of
from schemas.rejected import Rejected
from schemas.topics import REJECTED, SAMPLES, TRAFFIC
from schemas.traffic import Sample
from schemas.units import HOUR, MINUTE, SECOND
from streams.clock import SteppedClock
from streams.faults import Halt
from streams.traffic.arrivals import FORWARDED, Arrived
from streams.traffic.keeping import Keeper, Letter, Means, minute_key
from streams.traffic.known import Name
from streams.traffic.minutes import merged, minute_at, minute_of
from tests.traffic.two_keepers import NOON, SUBJECT, AtOnce, House, MinuteLog, Side

Headers = tuple[tuple[str, bytes], ...]
INSTANTS = st.integers(0, 40).map(lambda n: NOON + n * 5 * SECOND)
LOOKS = st.lists(
    st.builds(Sample, INSTANTS, st.integers(0, 3), st.integers(0, 1)), min_size=8, max_size=40
)
WHAT = st.sampled_from(("take", "take", "take", "give", "freeze", "thaw", "look", "wait"))
STEPS = st.lists(st.tuples(WHAT, st.integers(1, 8)), min_size=6, max_size=30)


def expected(samples: list[Sample]) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for sample in samples:
        found.setdefault(minute_at(sample.sampled_at), set()).add(sample.sampled_at)
    return found


def instants(house: House) -> dict[int, set[int]]:
    return {
        minute: {sample.sampled_at for sample in samples}
        for minute, samples in house.log.last().items()
    }


async def step(house: House, what: str, number: int) -> None:
    match what:
        case "take":
            await house.take(number)
        case "give":
            house.give_to(1 - house.owner)
        case "freeze":
            house.freeze(house.owner)
        case "thaw":
            await house.thaw(number % 2, mends=number > 4)
        case "look" if house.sides[house.owner].runs.is_set():
            await house.sides[house.owner].keeper.look()
        case _:
            house.clock.pass_by(number * MINUTE // 4)


async def settle(house: House) -> None:
    """Both go on, all samples are taken, and whoever has the partition looks once more."""
    for side in (0, 1):
        await house.thaw(side)
    for _ in range(len(house.samples) + 2):
        await house.take(8)
    await house.sides[house.owner].keeper.look()


@given(LOOKS, STEPS)
def test_nothing_is_lost_between_two_workers(
    samples: list[Sample], steps: list[tuple[str, int]]
) -> None:
    async def play() -> House:
        house = House(samples)
        for one in steps:
            await step(house, *one)
        await settle(house)
        return house

    house = asyncio.run(play())

    assert instants(house) == expected(samples)
    first: tuple[Sample, ...] = merged((), samples[:600])
    union = merged((), [one for held in house.log.last().values() for one in held])
    assert union == first, "of one instant what came first stays"


def test_a_minute_that_was_forgotten_is_looked_up_before_it_is_mended() -> None:
    whole = [Sample(NOON + n * SECOND, 1, 0) for n in range(5)]
    later = Sample(NOON + 3 * HOUR, 0, 0)
    house = House([*whole, later])

    async def play() -> None:
        await house.take(5)
        house.clock.pass_by(3 * HOUR)
        await house.take(1)
        stale = minute_of(whole[:2])
        house.log.write(Letter(TRAFFIC, 0, minute_key(Name("chat", NOON)), encode(stale)))
        await house.sides[0].keeper.look()

    asyncio.run(play())

    assert house.log.last()[NOON] == tuple(whole)


def test_a_stale_record_is_mended_by_whoever_comes_next() -> None:
    whole = [Sample(NOON + n * SECOND, 1, 0) for n in range(5)]
    house = House(whole)

    async def play() -> None:
        await house.take(5)
        stale = minute_of(whole[:2])
        house.log.write(Letter(TRAFFIC, 0, minute_key(Name("chat", NOON)), encode(stale)))
        house.give_to(1)
        await house.sides[1].keeper.look()

    asyncio.run(play())

    assert house.log.last()[NOON] == tuple(whole)
    assert len(house.log.records) == 3


def test_nothing_is_written_where_nothing_is_new() -> None:
    house = House([Sample(NOON, 1, 0)] * 4)

    async def play() -> None:
        for _ in range(4):
            await house.take(1)
        house.give_to(1)
        await house.take(1)
        await house.sides[1].keeper.look()

    asyncio.run(play())

    assert len(house.log.records) == 1


def test_one_that_writes_against_us_without_end_is_told() -> None:
    clock = SteppedClock(NOON + MINUTE)

    class Contested(MinuteLog):
        @override
        def write(self, letter: Letter) -> int:
            """Between two records of ours another one, each with a sample of its own."""
            more = minute_of([Sample(NOON + 1 + len(self.records), 1, 0)])
            MinuteLog.write(self, letter._replace(value=encode(more)))
            return MinuteLog.write(self, letter)

    side = Side(Contested(clock))
    side.keeper.own([0])

    with pytest.raises(Halt, match="without end"):
        asyncio.run(side.keeper.take([arrived(encode(Sample(NOON, 1, 0)))]))


def arrived(
    value: bytes | None, key: bytes = SUBJECT, headers: Headers = (), at: int = NOON
) -> Arrived:
    return Arrived(0, 7, at, key, value, headers)


def taken(*records: Arrived, partitions: int = 1) -> Side:
    """What one worker makes of these."""
    side = Side(MinuteLog(SteppedClock(NOON)))
    side.keeper = Keeper(
        Means(side._send, side.log, AtOnce(), side.log.clock, partitions, side.metrics)
    )
    side.keeper.own([0])
    asyncio.run(side.keeper.take(records))
    return side


@pytest.mark.parametrize(
    ("age", "how"),
    [(HOUR, None), (HOUR + 1, "late"), (-MINUTE, None), (-MINUTE - 1, "early")],
    ids=["an hour old", "older", "a minute ahead", "further ahead"],
)
def test_what_comes_too_late_or_too_early_is_left_out_and_counted(
    age: int, how: str | None
) -> None:
    side = taken(arrived(encode(Sample(NOON - age, 1, 0))))

    assert len(side.log.records) == (how is None)
    for reason in ("late", "early"):
        counted = side.metrics.left_out.labels(reason)._value.get()
        assert counted == (reason == how)


def test_what_cannot_be_read_is_kept_beside_and_the_rest_counts() -> None:
    side = taken(arrived(b"no sample"), arrived(None), arrived(encode(Sample(NOON, 1, 0))))

    assert [letter.topic for letter in side.log.others] == [REJECTED, REJECTED]
    kept = decode_as(side.log.others[0].value or b"", Rejected)
    assert (kept.topic, kept.partition, kept.offset, kept.value) == (SAMPLES, 0, 7, b"no sample")
    assert len(side.log.records) == 1


def test_a_sample_of_another_partition_is_passed_on_once() -> None:
    away = next(f"s{n}" for n in range(99) if partition_of(f"s{n}", 2) == 1).encode()
    value = encode(Sample(NOON, 1, 0))
    side = taken(arrived(value, key=away), partitions=2)

    [copy] = side.log.others
    assert (copy.topic, copy.partition, copy.key, copy.value) == (SAMPLES, 1, away, value)
    assert copy.headers == ((FORWARDED, b"0.7"),)

    again = taken(arrived(value, key=away, headers=copy.headers), partitions=2)

    assert [letter.topic for letter in again.log.others] == [REJECTED]


def test_a_partition_of_somebody_else_is_left_alone() -> None:
    side = Side(MinuteLog(SteppedClock(NOON)))

    asyncio.run(side.keeper.take([arrived(encode(Sample(NOON, 1, 0)))]))

    assert side.log.records == []
