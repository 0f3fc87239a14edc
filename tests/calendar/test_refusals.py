"""What makes no sense is refused at the door, in bounded steps, and the field is named."""

import random

import pytest

from schemas.definition import Cron, Dialect, Dst, Interval, Once, Timing
from streams.calendar import days as days_module
from streams.calendar import zones as zones_module
from streams.calendar.occurrences import NEVER, NO_TICK, TimingRefused, rule_for

SAYS = {
    "60 * * * *": "minute '60': 60 is out of range; allowed are 0-59",
    "* 24 * * *": "hour '24': 24 is out of range; allowed are 0-23",
    "0 0 0 * *": "day of month '0': 0 is out of range; allowed are 1-31",
    "0 0 1 13 *": "month '13': 13 is out of range; allowed are 1-12 or JAN to DEC",
    "0 0 * * 8": "weekday '8': 8 is out of range; allowed are 0-7 or SUN to SAT",
    "0 0 * * FOO": "'FOO' is no name",
    "5-1 * * * *": "minute '5-1': 1 comes before 5; allowed are 0-59",
    "0 59-0/5 * * * *": "minute '59-0/5': 0 comes before 59",
    "30-10 * * * * *": "second '30-10': 10 comes before 30",
    "*/0 * * * *": "a step must be at least 1",
    "1,,2 * * * *": "an item is empty",
    "* ? * * *": "? stands only in the two day fields",
    "0 0 L-31 * *": "at most 30 days back",
    "0 0 32W * *": "32 is out of range",
    "0 0 * * 1#6": "must be 1 to 5",
    "0 0 * * L": "it is no value",
    "0 0 ?,1 * *": "it is no value",
    "0 0 30 2 *": "never comes in UTC",
    "0 0 31W 4,6 *": "never comes",
    "0 0 0 29 2 * 2025": "never comes",
    "* * * * * * * *": "8 fields; allowed are 5, 6 (seconds first) or 7 (year last)",
    "": "0 fields",
    " \t ": "0 fields",
    "CRON_TZ=UTC * * * * *": "the zone is a field of its own",
    "TZ=Europe/Berlin 0 9 * * *": "the zone is a field of its own",
    "@every 5m": "write it as an interval",
    "@nonsense": "is no alias",
    "H * * * *": "H needs a schedule with an id",
    "0 0 * * \u017fun": "other than ASCII",
    "0 0\n* * *": "fields",
    "0\xa00 * * *": "other than ASCII",
    "* * * * *" + " " * 1000: "at most 1000 characters",
    "0 0 * * MON-": "it is no value",
    "-1 * * * *": "it is no value",
    "1.5 * * * *": "it is no value",
    "0 0 1 1 * 1969": "allowed are",
}


@pytest.mark.parametrize("expression", SAYS, ids=lambda text: ascii(text[:30]))
def test_a_cron_expression_is_refused_and_told_why(expression: str) -> None:
    """AJ-008, every expression of it and more."""
    with pytest.raises(TimingRefused) as refused:
        rule_for((Cron(expression),), "UTC", Dst.SHIFT)

    assert refused.value.field == "cron"
    assert SAYS[expression] in refused.value.message
    assert refused.value.message.isascii()


@pytest.mark.parametrize(
    "expression", ["0 22-6 * * *", "0 0 25-5 * *", "0 0 1 OCT-APR *", "0 0 * * FRI-MON"]
)
def test_a_range_of_hours_or_days_may_go_past_the_highest_value(expression: str) -> None:
    assert rule_for((Cron(expression),), "UTC", Dst.SHIFT).next_after(0) is not NO_TICK


QUARTZ = {
    "* * * * *": "5 fields; allowed are 6",
    "0 0 12 * * *": "quartz wants ? in exactly one",
    "0 0 12 ? * ?": "quartz wants ? in exactly one",
    "0 0 12 ? * 0": "0 is out of range; allowed are 1-7 or SUN to SAT",
    "0 0 12 ? * 8": "8 is out of range",
}


@pytest.mark.parametrize("expression", QUARTZ)
def test_quartz_is_stricter(expression: str) -> None:
    with pytest.raises(TimingRefused) as refused:
        rule_for((Cron(expression, Dialect.QUARTZ),), "UTC", Dst.SHIFT)

    assert QUARTZ[expression] in refused.value.message


OTHERS: dict[str, tuple[tuple[Timing, ...], str]] = {
    "nothing": ((), "timings"),
    "too many": ((Cron("@daily"),) * 65, "timings"),
    "an empty interval": ((Interval(),), "interval.every"),
    "a negative one": ((Interval(micros=-5_000_000),), "interval.every"),
    "one backwards by a day": ((Interval(days=-1, micros=10**12),), "interval.every"),
    "one under a second": ((Interval(micros=1_000),), "interval.every"),
    "one of more than a thousand years": ((Interval(months=12_001),), "interval.every"),
    "one of so many days": ((Interval(days=10**15),), "interval.every"),
    "one of so many microseconds": ((Interval(micros=1 << 62),), "interval.every"),
    "the second of two, too long": (
        (Cron("@daily"), Interval(months=108_000)),
        "timings[1].interval.every",
    ),
    "many intervals together": (
        tuple(Interval(micros=(60 + each) * 10**6) for each in range(11)),
        "timings",
    ),
    "an anchor outside of time": ((Interval(days=1, anchor=10**18),), "interval.anchor"),
    "an instant outside of time": ((Once(10**18),), "once.at"),
    "the second of two": ((Cron("@daily"), Cron("61 * * * *")), "timings[1].cron"),
    "H in the second of two": ((Cron("@daily"), Cron("H * * * *")), "timings[1].cron"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_the_field_is_named(name: str) -> None:
    """POL-075 among them."""
    timings, field = OTHERS[name]
    with pytest.raises(TimingRefused) as refused:
        rule_for(timings, "UTC", Dst.SHIFT)

    assert refused.value.field == field
    assert str(refused.value) == f"{field}: {refused.value.message}"


def test_literal_refuses_a_wall_time_that_is_always_skipped() -> None:
    every_spring = Cron("30 2 * 3 0#2")
    with pytest.raises(TimingRefused, match="never comes in America/New_York"):
        rule_for((Cron("0 30 2 8 3 * 2026"),), "America/New_York", Dst.LITERAL)

    assert rule_for((every_spring,), "America/New_York", Dst.SHIFT).next_after(0) is not NO_TICK


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many years of days and how many segments are looked at."""
    counted = [0]

    def counting(owner: type, name: str) -> None:
        real = getattr(owner, name)

        def method(self: object, *args: object) -> object:
            counted[0] += 1
            return real(self, *args)

        monkeypatch.setattr(owner, name, method)

    counting(days_module.Days, "_fill")
    counting(zones_module.ZoneClock, "segment_at")
    return counted


PIECES = (
    *("*", "?", "0", "1", "7", "29", "30", "31", "59", "60", "L", "LW", "1W", "31W", "15W", "L-3"),
    *("L-30", "1#1", "5#5", "0L", "FEB", "2", "SUN", "*/7", "*/2", "1-5", "20-3", "5-5", "4-6/3"),
    *(
        "H",
        "H/15",
        "H(1-5)",
        "R",
        "1~3",
        "@daily",
        "-",
        "/",
        ",",
        "1,2",
        "9999",
        "٣",
        "\0",
        "\ud800",
    ),
    *(
        "0-59",
        "*/90",
        "*,1",
        "#",
        "1/0",
        "2096",
        "2020-2030",
        "1970",
        "2099",
        "SAT#5",
        "7#5",
        "29,30",
    ),
)
ZONES = ("UTC", "America/New_York", "Pacific/Apia", "Antarctica/Troll", "Africa/Casablanca")
MOST_STEPS = 6_000
"""400 years in either direction, each with some segments, and room; a millisecond is hundreds."""


def test_no_text_makes_it_search_without_end(steps: list[int]) -> None:
    chance = random.Random("nasty")  # noqa: S311 - a seed, no secret
    answered = 0
    for _ in range(10_000):
        count = chance.choice([5, 5, 5, 6, 7, chance.randrange(9)])
        expression = chance.choice([" ", "  ", "\t"]).join(
            chance.choice(PIECES) if chance.random() < 0.4 else "*" for _ in range(count)
        )
        after = chance.choice([0, 4 * 10**15, -(6 * 10**16), 2 * 10**17, 3 * 10**17, NEVER, -NEVER])
        dialect = chance.choice([Dialect.STANDARD, Dialect.STANDARD, Dialect.QUARTZ])
        steps[0] = 0
        try:
            rule = rule_for(
                (Cron(expression, dialect),), chance.choice(ZONES), chance.choice(list(Dst)), "a/b"
            )
        except TimingRefused:
            pass
        else:
            answered += 1
            tick = rule.next_after(after)
            assert tick.instant > after or tick.instant == NEVER
            rule.previous(after)
        assert steps[0] <= MOST_STEPS, ascii(expression)
    assert answered > 600
