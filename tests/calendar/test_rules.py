"""Rules are shared, remember answers without growing, and answer the same whoever asked before."""

import random
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.definition import Cron, Dialect, Dst, Interval, Once
from schemas.instants import format_instant, parse_instant
from streams.calendar.jitter import delay
from streams.calendar.occurrences import NEVER, NO_SPAN, NO_TICK, Rule, Tick, rule_for
from streams.calendar.preview import answer
from streams.calendar.zones import zone_clock, zone_names
from tests.calendar.oracle import examples

REPOSITORY = Path(__file__).resolve().parents[2]
NEW_YORK = "America/New_York"
SECOND = 1_000_000
HOUR = 3600 * SECOND


def rule(text: str, zone: str = "UTC", dst: Dst = Dst.SHIFT, dialect: str = "standard") -> Rule:
    return rule_for((Cron(text, Dialect(dialect)),), zone, dst)


def texts(text: str, zone: str, dst: Dst, after: str, up_to: str) -> list[str]:
    stretch = rule(text, zone, dst).between(parse_instant(after), parse_instant(up_to), 1000)
    return [format_instant(tick.instant) for tick in stretch.ticks]


def test_equal_timings_share_one_rule() -> None:
    assert rule("0 9 * * *") is rule("0 9 * * *")
    assert rule("0 9 * * *") is not rule("0 9 * * *", NEW_YORK)
    assert rule("0 9 * * *") is rule_for((Cron("0 9 * * *"),), "UTC", Dst.SHIFT, "any/id")


def test_an_answer_is_remembered_and_memory_stays_bounded() -> None:
    minutely = rule("* * * * *")
    first = minutely.next_after(0)
    assert minutely.next_after(0) is first
    for second in range(10_000):
        minutely.next_after(second * SECOND)
    assert len(minutely._memo) <= 128
    assert minutely.next_after(0) == first


def test_where_it_counts_from_is_part_of_the_question() -> None:
    hourly = rule_for((Interval(micros=HOUR),), "UTC", Dst.SHIFT)

    assert hourly.next_after(HOUR, 0).instant == 2 * HOUR
    assert hourly.next_after(HOUR, SECOND).instant == HOUR + SECOND


def test_a_tick_says_which_wall_time_asked_for_it() -> None:
    shifted = rule("30 2 * * *", NEW_YORK).next_after(parse_instant("2026-03-08T05:00:00Z"))
    assert shifted == Tick(
        parse_instant("2026-03-08T07:30:00Z"), parse_instant("2026-03-08T02:30:00Z"), 0
    )

    merged = rule("30 2,3 * * *", NEW_YORK).next_after(parse_instant("2026-03-08T05:00:00Z"))
    assert merged.wall == parse_instant("2026-03-08T03:30:00Z")

    hourly = rule("30 * * * *", NEW_YORK)
    passes = hourly.between(
        parse_instant("2025-11-02T05:00:00Z"), parse_instant("2025-11-02T07:00:00Z"), 9
    ).ticks
    assert [(tick.wall, tick.second_pass) for tick in passes] == [
        (parse_instant("2025-11-02T01:30:00Z"), 0),
        (parse_instant("2025-11-02T01:30:00Z"), 1),
    ]
    once = rule_for((Once(7),), NEW_YORK, Dst.SHIFT)
    assert once.next_after(0) == Tick(7, 7, 0)
    assert once.once
    assert not hourly.once


DST = {
    "shift": (["07:30"], ["05:30"], ["06:00", "07:00"], ["05:00", "06:00"]),
    "strict_once": (["07:30"], ["05:30"], ["06:00", "07:00"], ["05:00"]),
    "literal": ([], ["05:30", "06:30"], ["06:00", "07:00"], ["05:00", "06:00"]),
    "vixie": (["07:00"], ["05:30"], ["06:00", "07:00"], ["05:00", "06:00"]),
    "skip": ([], ["05:30"], ["06:00", "07:00"], ["05:00"]),
}


@pytest.mark.parametrize("name", DST)
def test_what_a_change_of_clocks_does(name: str) -> None:
    """A fixed time in the gap and in the fold, and an hourly star in both."""
    dst, (gap, fold, hourly_gap, hourly_fold) = Dst(name), DST[name]
    spring = ("2026-03-08T05:30:00Z", "2026-03-08T07:59:00Z")
    autumn = ("2025-11-02T04:30:00Z", "2025-11-02T06:59:00Z")

    def clock(found: list[str]) -> list[str]:
        return [text[11:16] for text in found]

    assert clock(texts("30 2 * * *", NEW_YORK, dst, *spring)) == gap
    assert clock(texts("30 1 * * *", NEW_YORK, dst, *autumn)) == fold
    assert clock(texts("0 * * * *", NEW_YORK, dst, *spring)) == hourly_gap
    assert clock(texts("0 * * * *", NEW_YORK, dst, *autumn)) == hourly_fold


def test_a_seconds_field_does_not_make_a_schedule_follow_real_time() -> None:
    """Each second of an hour that is repeated counts once, and the count needs no visit to each."""
    seconds = rule("* 0-59 0-23 * * *", NEW_YORK)
    day = parse_instant("2025-11-02T04:00:00Z") - SECOND
    assert seconds.span(day, day + 25 * HOUR).count == 86_400
    spring = parse_instant("2026-03-08T05:00:00Z") - SECOND
    assert seconds.span(spring, spring + 23 * HOUR).count == 23 * 3600

    def years(text: str) -> int:
        return rule(text, NEW_YORK).span(0, parse_instant("2030-01-01T00:00:00Z")).count

    assert years("* * * * * *") == parse_instant("2030-01-01T00:00:00Z") // SECOND


def test_between_is_cut_off_where_it_says() -> None:
    hourly = rule("0 * * * *")
    stretch = hourly.between(0, 5 * HOUR, 3)
    assert ([tick.instant for tick in stretch.ticks], stretch.truncated) == (
        [HOUR, 2 * HOUR, 3 * HOUR],
        True,
    )
    assert not hourly.between(0, 5 * HOUR, 5).truncated
    assert hourly.between(5 * HOUR, 5 * HOUR, 5).ticks == ()
    assert hourly.span(5 * HOUR, 5 * HOUR) == NO_SPAN


def test_a_year_ends_it() -> None:
    last = rule("0 0 12 1 1 * 2030")
    assert last.next_after(parse_instant("2030-01-01T12:00:00Z")) is NO_TICK
    assert last.previous(parse_instant("2030-01-01T11:59:59Z")) is NO_TICK
    assert last.previous(NEVER).instant == parse_instant("2030-01-01T12:00:00Z")
    assert last.span(0, NEVER).count == 1


def test_quartz_counts_weekdays_from_one() -> None:
    after = parse_instant("2026-03-01T00:00:00Z")
    monday = rule("0 0 9 ? * 2", dialect="quartz")
    assert monday.next_after(after) == rule("0 9 * * MON").next_after(after)
    for quartz, standard in {"2-6": "1-5", "6L": "FRIL", "2#1": "MON#1", "L": "SAT"}.items():
        ours = rule(f"0 0 9 ? * {quartz}", dialect="quartz")
        assert ours.between(after, NEVER, 20) == rule(f"0 9 * * {standard}").between(
            after, NEVER, 20
        )


def hashed(text: str, schedule: str) -> Rule:
    return rule_for((Cron(text),), "UTC", Dst.SHIFT, schedule)


def test_a_hash_spreads_schedules_and_never_moves() -> None:
    daily = [hashed("H H * * *", f"app/{n}").next_after(0).instant for n in range(200)]
    assert len(set(daily)) > 150
    assert all(0 < instant <= 24 * HOUR for instant in daily)
    assert hashed("H H * * *", "app/7") is hashed("H H * * *", "app/7")
    # Written down, since a restart must not move a schedule.
    first = hashed("H H(1-5) H * *", "app/7").next_after(0)
    assert format_instant(first.instant) == "1970-01-08T04:14:00Z"
    quarter = hashed("H/15 * * * *", "app/7").between(0, HOUR, 9).ticks
    assert {b.instant - a.instant for a, b in pairwise(quarter)} == {15 * 60 * SECOND}
    assert len(quarter) == 4


def test_jitter_keeps_order_and_is_the_same_everywhere() -> None:
    """POL-071: a jitter longer than the gap is cut to it."""
    for n in range(1000):
        nominal = n * 60 * SECOND
        moved = delay("a/b", nominal, 90 * SECOND, nominal + 60 * SECOND)
        assert 0 <= moved < 60 * SECOND
        assert moved == delay("a/b", nominal, 90 * SECOND, nominal + 60 * SECOND)
    assert delay("a/b", 0, 0, 60 * SECOND) == 0
    assert delay("a/b", 0, 60 * SECOND, NEVER) < 60 * SECOND
    assert len({delay(f"a/{n}", 0, HOUR, NEVER) for n in range(100)}) > 95


def test_no_host_setting_moves_an_answer() -> None:
    """DST-087, POL-055: not the host's zone, not its zone folder, not the hash seed."""
    program = (
        "from streams.calendar.preview import answer;"
        "print(answer({'expr': 'H 2 * * *', 'zone': 'Europe/London', 'schedule': 'a/b',"
        " 'after': '2026-03-28T12:00:00Z', 'n': 3}))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=REPOSITORY,
            env={"TZ": zone, "PYTHONTZPATH": "/nowhere", "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for zone, seed in (("Australia/Sydney", "1"), ("America/Chicago", "2"))
    }
    assert len(told) == 1
    assert b"2026-03-29T01:" in told.pop()


PREVIEWS: dict[str, tuple[dict[str, object], str]] = {
    "no expression": ({"after": "2026-01-01T00:00:00Z"}, "expr: is missing"),
    "no instant": ({"expr": "@daily"}, "after: is missing"),
    "an instant without offset": (
        {"expr": "@daily", "after": "2026-01-01T00:00:00"},
        "after: '2026-01-01T00:00:00' has no offset",
    ),
    "a number": ({"expr": 5, "after": "2026-01-01T00:00:00Z"}, "expr: must be a text"),
    "a wrong policy": (
        {"expr": "@daily", "after": "2026-01-01T00:00:00Z", "dst": "x"},
        "dst: 'x'; allowed are shift",
    ),
    "too many": (
        {"expr": "@daily", "after": "2026-01-01T00:00:00Z", "n": 10**6},
        "n: must be a number from 0 to 10000",
    ),
    "no zone": ({"expr": "@daily", "after": "2026-01-01T00:00:00Z", "zone": "x"}, "zone: 'x'"),
    "no cron": ({"expr": "x", "after": "2026-01-01T00:00:00Z"}, "expr: 'x': 1 fields"),
}


@pytest.mark.parametrize("name", PREVIEWS)
def test_a_preview_tells_what_is_wrong(name: str) -> None:
    line, error = PREVIEWS[name]

    assert str(answer(line)["error"]).startswith(error)


zones = st.sampled_from(sorted(zone_names()))
seconds = st.integers(0, 2**31)


@settings(max_examples=300, deadline=None)
@given(zones, seconds, st.integers(0, 2**32), st.sampled_from(list(Dst)), st.data())
def test_the_answer_does_not_depend_on_where_one_asks_from(
    zone: str, begin: int, seed: int, dst: Dst, data: st.DataObject
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seed, no secret
    asked = rule(next(examples(chance)).text, zone, dst)
    # Half of the questions are about a change of clocks, where there is one.
    if data.draw(st.booleans()):
        begin = max(zone_clock(zone).segment_at(begin).low, 0)
    at = (begin + data.draw(st.integers(-90_000, 90_000))) * SECOND
    tick = asked.next_after(at)
    assert tick.instant > at
    between = data.draw(st.integers(at, tick.instant - 1))
    assert asked.next_after(between) == tick
    assert asked.previous(tick.instant) == tick
    assert asked.previous(data.draw(st.integers(tick.instant, tick.instant + SECOND - 1))) == tick
    assert asked.previous(tick.instant - 1).instant <= at
    later = asked.next_after(tick.instant)
    assert later.instant > tick.instant
    assert asked.span(at, later.instant) == (tick.instant, later.instant, 2)
