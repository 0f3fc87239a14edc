"""Any timing is told in one paragraph, with its zone and the next change of clocks."""

import random
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.definition import (
    Basis,
    Cron,
    Definition,
    Dialect,
    Dst,
    Emit,
    Exclude,
    Hours,
    Interval,
    Once,
    OnExcluded,
    Timing,
    Weekly,
    Window,
)
from schemas.instants import FIRST, LAST, parse_instant
from streams.calendar.cron import fields_of, read_cron, settled
from streams.calendar.cron_words import _run, ordinal
from streams.calendar.explain import explain, zone_text
from streams.calendar.occurrences import TimingRefused, rule_for
from streams.calendar.zones import zone_names
from tests.calendar.closings import number

NEW_YORK, BERLIN = "America/New_York", "Europe/Berlin"
JANUARY = parse_instant("2026-01-15T00:00:00Z")
SECOND = 1_000_000
HOUR = 3600 * SECOND


def definition(*timings: Timing, zone: str = NEW_YORK, dst: Dst = Dst.SHIFT) -> Definition:
    return Definition(timings, Emit("t"), zone, dst)


def told(
    expression: str, zone: str = "UTC", dst: Dst = Dst.SHIFT, dialect: str = "standard"
) -> str:
    return explain(definition(Cron(expression, Dialect(dialect)), zone=zone, dst=dst), JANUARY)


EXPRESSIONS = {
    "30 2 * * 1-5": "At 02:30 on weekdays, UTC.",
    "30 2 * * *": "At 02:30 every day, UTC.",
    "@hourly": "At minute 0 of every hour every day, UTC.",
    "* * * * *": "Every minute every day, UTC.",
    "*/5 * * * *": "Every 5 minutes every day, UTC.",
    "*/5 8-18 * * 0,6": "Every 5 minutes of hours 8 to 18 on weekends, UTC.",
    "0,30 9,17 * * MON,WED": "At 09:00, 09:30, 17:00 and 17:30 on Mondays and Wednesdays, UTC.",
    "59/15 1 * * *": "At minutes every 15th of the minutes from 59 on of hour 1 every day, UTC.",
    "0 9 L * *": "At 09:00 on the last day of the month, UTC.",
    "0 9 LW * *": "At 09:00 on the last working day of the month, UTC.",
    "0 9 L-3,1 * *": "At 09:00 on the day 3 days before the last and the 1st of the month, UTC.",
    "0 9 15W * *": "At 09:00 on the working day nearest to the 15th of the month, UTC.",
    "0 9 * * 2#2": "At 09:00 on the second Tuesday of the month, UTC.",
    "0 9 * * FRIL": "At 09:00 on the last Friday of the month, UTC.",
    "0 9 1,15 * 5": "At 09:00 on the 1st and the 15th of the month or on Fridays, UTC.",
    "0 9 */2 * 1": (
        "At 09:00 on every 2nd of the days of the month if that is one of Mondays, UTC."
    ),
    "0 9 1-7 3 *": "At 09:00 on the 1st to the 7th of the month in March, UTC.",
    "0 9 1 JAN,6-8 *": "At 09:00 on the 1st of the month in January and June to August, UTC.",
    "15 0 9 * * *": "At 09:00:15 every day, UTC.",
    "*/10 * * * * *": "Every 10 seconds of every minute every day, UTC.",
    "0 0 9 1 1 ? 2030": "At 09:00 on the 1st of the month in January in 2030, UTC.",
    "H H * * *": "At a minute of its own of an hour of its own every day, UTC.",
    "H/15 H(1-5) * * *": (
        "Every 15 minutes from a minute of its own on of an hour of its own from 1 to 5 every day,"
        " UTC."
    ),
}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_is_told(expression: str) -> None:
    assert told(expression) == EXPRESSIONS[expression]


def test_quartz_counts_from_sunday_one() -> None:
    assert told("0 30 2 ? * 2-6", dialect="quartz") == "At 02:30 on weekdays, UTC."
    assert told("0 30 2 ? * L", dialect="quartz") == "At 02:30 on Saturdays, UTC."


CHANGES = {
    ("30 2 * * 0", Dst.SHIFT): "on 8 March the missing 02:30 runs at 03:30",
    ("30 2 * * *", Dst.VIXIE): "on 8 March the missing 02:30 runs at 03:00",
    ("30 2 * * *", Dst.SKIP): "on 8 March the missing 02:30 does not run",
    ("30 1 * * *", Dst.LITERAL): "on 1 November the repeated 01:30 runs twice",
    ("15,45 2 * * *", Dst.SHIFT): (
        "on 8 March the missing 02:15 and others like it run at 03:15 and later"
    ),
    ("*/30 * * * *", Dst.SHIFT): "on 8 March the missing 02:00 and others like it do not run",
    ("30 1 * * *", Dst.SHIFT): "",
    ("30 2 * * 1-5", Dst.SHIFT): "",
    ("30 12 * * *", Dst.SHIFT): "",
}


@pytest.mark.parametrize(("expression", "dst"), CHANGES)
def test_the_next_change_of_clocks_is_told_if_it_matters(expression: str, dst: Dst) -> None:
    words = CHANGES[expression, dst]
    text = told(expression, NEW_YORK, dst)

    assert ", New York time" in text
    assert text.endswith(f"New York time; {words}." if words else "New York time.")


def test_only_thirteen_months_are_looked_at_and_a_far_date_has_its_year() -> None:
    daily = definition(Cron("30 2 * * *"))
    assert "on 14 March 2027 the missing 02:30" in explain(
        daily, parse_instant("2026-04-01T00:00:00Z")
    )
    leap_day = definition(Cron("30 2 29 2 *"))
    assert explain(leap_day, JANUARY).endswith("New York time.")


def test_whole_days_that_do_not_exist() -> None:
    nightly = definition(Weekly(127, 22 * 3600), zone="Pacific/Apia")
    assert "on 30 December the missing 22:00 runs at 22:00 on 31 December" in explain(
        nightly, parse_instant("2011-12-01T00:00:00Z")
    )


TIMINGS: dict[str, tuple[tuple[Timing, ...], str]] = {
    "weekly": ((Weekly(31, 22 * 3600),), "At 22:00 on weekdays, Berlin time."),
    "a weekly that never comes": (
        (Weekly(0, 0),),
        "Never, since no day of the week is named, Berlin time.",
    ),
    "an interval": (
        (Interval(micros=90 * 60 * SECOND),),
        "Every 1 hour and 30 minutes, counted from its creation, Berlin time.",
    ),
    "an hour": (
        (Interval(micros=HOUR, anchor=0),),
        "Every hour, counted from 1 January 1970 at 01:00, Berlin time.",
    ),
    "months": (
        (Interval(months=13, days=1),),
        "Every 1 year, 1 month and 1 day, counted from its creation, Berlin time.",
    ),
    "after each fire": (
        (Interval(micros=6 * HOUR, basis=Basis.AFTER_FIRE),),
        "6 hours after each fire, Berlin time.",
    ),
    "once": ((Once(JANUARY + 1500),), "Once, on 15 January at 01:00:00.0015, Berlin time."),
    "a union": (
        (Cron("0 9 * * *"), Once(JANUARY), Cron("0 9 * * *")),
        "At 09:00 every day and once, on 15 January at 01:00, Berlin time.",
    ),
}


@pytest.mark.parametrize("name", TIMINGS)
def test_a_timing_is_told(name: str) -> None:
    timings, text = TIMINGS[name]
    assert explain(definition(*timings, zone=BERLIN), JANUARY) == text


def test_all_that_decides_about_when_is_told() -> None:
    whole = replace(
        definition(Cron("0 9 * * 1-5"), zone=BERLIN),
        exclude=Exclude(
            ("bank-holidays",), (number(date(2026, 12, 24)),), OnExcluded.NEXT_BUSINESS_DAY
        ),
        window=Window((Hours(84_600, 14_400, 31), Hours(28_800, 86_400))),
        jitter=300 * SECOND,
        start_at=JANUARY,
        end_at=JANUARY + HOUR,
        max_fires=3,
    )
    assert explain(whole, JANUARY) == (
        "At 09:00 on weekdays, Berlin time; except what the calendar 'bank-holidays' excludes and"
        " 24 December 2026, moved to the next open day at the same time; it starts only from 23:30"
        " to 04:00 of the next day on weekdays or from 08:00 to 24:00, and otherwise waits up to"
        " 8 days for the next opening, spread over 1 minute; each up to 5 minutes later, spread by"
        " a hash of its id; not before 15 January at 01:00; for the last time on 15 January at"
        " 02:00; at most 3 fires."
    )


def test_what_cannot_be_read_any_more_says_why() -> None:
    assert "is no zone" in explain(definition(Cron("@daily"), zone="Mars/Base"), JANUARY)
    assert explain(definition(Cron("61 * * * *")), JANUARY).startswith(
        "Never by '61 * * * *', since"
    )


PIECES = (
    *("*", "?", "0", "1", "7", "29", "31", "59", "L", "LW", "1W", "31W", "L-3", "1#1", "5#5", "0L"),
    *("FEB", "2", "SUN", "*/7", "*/2", "1-5", "20-3", "5-5", "4-6/3", "H", "H/15", "H(1-5)", "9/2"),
    *(
        "H(1-5)/2",
        "@daily",
        "1,2",
        "2096",
        "2020-2030",
        "SAT#5",
        "MON-FRI",
        "FRI-MON/2",
        "29,L",
        "5-7/2",
    ),
)
expressions = st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map(" ".join) | st.lists(
    st.sampled_from(("*", "*", "1", "2", *PIECES)), min_size=5, max_size=6
).map(" ".join)
instants = st.integers(FIRST, LAST)
timings = st.one_of(
    st.builds(Cron, expressions, st.sampled_from(list(Dialect))),
    st.builds(
        Interval,
        st.integers(0, 30),
        st.integers(0, 400),
        st.integers(0, 10**13),
        st.none() | instants,
    ),
    st.builds(Once, instants),
    st.builds(Weekly, st.integers(1, 127), st.integers(0, 86_399)),
)


@settings(max_examples=1_500, deadline=None)
@given(
    st.lists(timings, min_size=1, max_size=3),
    st.sampled_from(sorted(zone_names())),
    st.sampled_from(list(Dst)),
    instants | st.integers(JANUARY, 2 * JANUARY),
)
def test_whatever_was_taken_is_told_in_one_paragraph(
    parts: list[Timing], zone: str, dst: Dst, after: int
) -> None:
    try:
        rule_for(tuple(parts), zone, dst, "a/b")
    except TimingRefused:
        return
    text = explain(definition(*parts, zone=zone, dst=dst), after)

    assert zone_text(zone) in text
    assert text.endswith(".")
    assert text.isprintable()
    assert " ".join(text.split()) == text
    assert "None" not in text
    assert len(text) < 4_000


def test_every_zone_has_a_name_of_its_own_place() -> None:
    names = {zone_text(name) for name in zone_names()}
    assert {"New York time", "Berlin time", "UTC", "Australia/West time", "EST5EDT time"} <= names
    assert all(name == "UTC" or name.endswith(" time") for name in names)


def test_the_days_that_are_told_are_those_that_match() -> None:
    chance = random.Random("weekdays")  # noqa: S311 - a seed, no secret
    for _ in range(600):
        quartz = chance.random() < 0.4
        low, high = chance.choices(range(1, 8) if quartz else range(8), k=2)
        item = chance.choice(
            [f"{low}", f"{low}-{high}", f"{low}/{high + 1}", f"{low}-{high}/2", "*/3"]
        )
        dialect = Dialect.QUARTZ if quartz else Dialect.STANDARD
        cron = Cron(f"0 0 0 ? * {item}", dialect)
        found = read_cron(settled(cron, None)).days.fields.weekdays
        assert set(_run(fields_of(cron).weekday, 1 if quartz else 0)) == found, cron


def test_ordinals() -> None:
    assert [ordinal(each) for each in (1, 2, 3, 4, 11, 12, 13, 21, 22, 31)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "31st"]
    )
