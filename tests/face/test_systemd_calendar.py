"""
Is an OnCalendar expression read as systemd reads it, and does it fire when systemd would?

Rows of expressions and what they become. Where systemd is at hand it is asked in
test_systemd_itself.py; whole timers are test_systemd.py.
"""

from __future__ import annotations

import pytest

from horae.importers.on_calendar import SHORTHANDS, CalendarFault, WallTimes, read_calendar
from horae.importers.on_calendar_cron import as_crons
from schemas.definition import Cron, Dst
from schemas.instants import format_instant, parse_instant
from streams.calendar.occurrences import rule_for

NOW = "2026-01-15T10:11:12Z"


def crons(text: str) -> tuple[str, ...]:
    found = read_calendar(text)
    assert isinstance(found, WallTimes)
    return as_crons(found).expressions


def instants(text: str, count: int, zone: str = "UTC", after: str = NOW) -> list[str]:
    rule = rule_for(tuple(Cron(each) for each in crons(text)), zone, Dst.SKIP, "of/timer")
    found = rule.between(parse_instant(after), parse_instant("2099-01-01T00:00:00Z"), count)
    return [format_instant(tick.instant) for tick in found.ticks]


WORDS = {
    "minutely": "* * * * *",
    "hourly": "0 * * * *",
    "daily": "0 0 * * *",
    "weekly": "0 0 * * 1",
    "monthly": "0 0 1 * *",
    "quarterly": "0 0 1 1-10/3 *",
    "semiannually": "0 0 1 1,7 *",
    "semi-annually": "0 0 1 1,7 *",
    "biannually": "0 0 1 1,7 *",
    "bi-annually": "0 0 1 1,7 *",
    "yearly": "0 0 1 1 *",
    "annually": "0 0 1 1 *",
    "anually": "0 0 1 1 *",
    "DAILY": "0 0 * * *",
}
ROWS = {
    "12:00": "0 12 * * *",
    "5:5": "5 5 * * *",
    "05:40:30": "30 40 5 * * *",
    "*:0/15": "0-45/15 * * * *",
    "*:2..4,30..40/5": "2-4,30,35,40 * * * *",
    "8..18/4:00": "0 8-16/4 * * *",
    "9..17/2:30": "30 9-17/2 * * *",
    "*:*:*": "* * * * * *",
    "*:*:0/10": "0-50/10 * * * * *",
    "10:20:30.000": "30 20 10 * * *",
    "Mon": "0 0 * * 1",
    "Mon,": "0 0 * * 1",
    "Monday,tue 08:05": "5 8 * * 1-2",
    "Mon..Fri": "0 0 * * 1-5",
    "Mon-Fri": "0 0 * * 1-5",
    "Sat..Sun 12:00": "0 12 * * 0,6",
    "Mon..Wed,Sat": "0 0 * * 1-3,6",
    "Mon..Sun": "0 0 * * *",
    "*-*": "0 0 * * *",
    "3-5": "0 0 5 3 *",
    "*-*-5..10/2": "0 0 5-9/2 * *",
    "*-1/3-1": "0 0 1 1-10/3 *",
    "2026-12-24 18:00": "0 0 18 24 12 * 2026",
    "26-12-24": "0 0 0 24 12 * 2026",
    "2026..2028-1-1": "0 0 0 1 1 * 2026-2028",
    "2026/40-1-1": "0 0 0 1 1 * 2026,2066",
    "*-*~1": "0 0 L * *",
    "*-02~03": "0 0 L-2 2 *",
    "*-*~1,3": "0 0 L-2,L * *",
    "*-*~07/3": "0 0 L-6,L-3,L * *",
    "*-*~3..8/2": "0 0 L-6,L-4,L-2 * *",
    "Mon *-05~07/1": "0 0 * 5 1L",
    "Mon..Wed *-*-1..7": "0 0 * * 1#1,2#1,3#1",
    "Fri *-*-8..21": "0 0 * * 5#2,5#3",
    "Sat *-*-29..31": "0 0 * * 6#5",
    "Mon *-*-1,15": "0 0 */31,15 * 1",
    "Fri *-*-1": "0 0 */31 * 5",
    "Sun,Fri *-*-13": "0 0 13 * */7,5",
    "Sun *-*~1": "0 0 L * */7",
    "Mon *-*-1..31": "0 0 * * 1",
}


@pytest.mark.parametrize("text", [*WORDS, *ROWS])
def test_an_expression_that_one_cron_says(text: str) -> None:
    assert crons(text) == ((WORDS | ROWS)[text],)


def test_every_shorthand_is_among_the_rows() -> None:
    assert {word.lower() for word in WORDS} == set(SHORTHANDS)


ZONES = {
    "12:00 UTC": "UTC",
    "12:00 utc": "UTC",
    "daily Asia/Tokyo": "Asia/Tokyo",
    "Mon *-*-* 12:00 America/Argentina/Buenos_Aires": "America/Argentina/Buenos_Aires",
    "12:00 CET": "CET",
    "12:00": None,
}


@pytest.mark.parametrize("text", ZONES)
def test_a_zone_may_stand_at_the_end(text: str) -> None:
    found = read_calendar(text)

    assert isinstance(found, WallTimes)
    assert found.zone == ZONES[text]


def test_a_second_of_utc() -> None:
    assert read_calendar("@1780000000") == 1_780_000_000


FIRES = {
    "Fri *-*-13 12:00": ["2026-02-13", "2026-03-13", "2026-11-13", "2027-08-13", "2028-10-13"],
    "Mon..Fri *-*-15": ["2026-04-15", "2026-05-15", "2026-06-15", "2026-07-15", "2026-09-15"],
    "Fri *-*~1": ["2026-07-31", "2027-04-30", "2027-12-31", "2028-03-31", "2028-06-30"],
    "Mon *-2-29": ["2044-02-29", "2072-02-29"],
}


@pytest.mark.parametrize("text", FIRES)
def test_weekday_and_day_of_the_month_must_both_match(text: str) -> None:
    days = [instant[:10] for instant in instants(text, 5)]

    assert days == FIRES[text]
    assert "written out, up to 2099" in str(as_crons(_walls(text)).remark)


def _walls(text: str) -> WallTimes:
    found = read_calendar(text)
    assert isinstance(found, WallTimes)
    return found


def test_clocks_that_change_are_treated_as_there() -> None:
    spring = instants("0/2:30", 3, "Europe/Berlin", "2026-03-28T23:00:00Z")
    autumn = instants("*:30", 4, "Europe/Berlin", "2026-10-24T23:00:00Z")

    assert spring == ["2026-03-28T23:30:00Z", "2026-03-29T02:30:00Z", "2026-03-29T04:30:00Z"]
    assert autumn == [
        *("2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z"),
        *("2026-10-25T02:30:00Z", "2026-10-25T03:30:00Z"),
    ]


FAULTS = {
    "": "it is empty",
    "*": "'*' is no weekday, date, time or zone",
    "12": "'12' is no weekday, date, time or zone",
    "*-*-* 5": "'5' is no weekday, date, time or zone",
    "*-*-*12:00": "is no weekday, date, time or zone",
    "2026-03-01T12:00": "is no weekday, date, time or zone",
    "5:00 Mon": "weekdays stand first",
    "Mon, Tue": "weekdays stand first",
    "Thur": "'Thur' is no weekday",
    "Fri..Mon": "mon comes before fri",
    "Mon-Wed..Fri": "is no weekday",
    "fortnightly": "no weekday, range of weekdays or shorthand",
    "24:00": "hour: '24': 24 is not among 0 to 23",
    "12:60": "minute: '60'",
    "12:00:60": "second: '60'",
    "*-13-1": "month: '13'",
    "*-*-0": "day: '0'",
    "*-*-32": "day: '32'",
    "*-*~29": "day from the end: '29'",
    "1969-1-1": "year: '1969'",
    "2200-1-1": "year: '2200'",
    "*:*/15": "every third one is 0/3",
    "*-*-1,,2": "day: '' is no value",
    "*-*-1..3..5": "day: '1..3..5'",
    "2..1-1": "month: '2..1': 1 comes before 2",
    "*-*-1/0": "a step of 0",
    "*:0/60": "a step of 60 leads nowhere",
    "*-*~1/2": "a step of 2 leads nowhere",
    "*:*:5.": "second: '5.'",
    "*:*:0/0.5": "nothing here is due between two seconds",
    "10:20:30.5": "nothing here is due between two seconds",
    "@1780000000.5": "a number of seconds, no more",
    "@1780000000 UTC": "a number of seconds, no more",
}


@pytest.mark.parametrize("text", FAULTS)
def test_what_systemd_refuses_or_nothing_here_can_say_is_refused(text: str) -> None:
    with pytest.raises(CalendarFault) as caught:
        read_calendar(text)

    assert FAULTS[text] in str(caught.value)


NO_CRON = {
    "2150-1-1": "year: 2150 is after 2099",
    "Wed *-*~1..21": "a schedule has 1 to 64",
    "Mon 2026-2-29": "need 0 crons",
}


@pytest.mark.parametrize("text", NO_CRON)
def test_what_no_cron_can_say_is_refused(text: str) -> None:
    with pytest.raises(CalendarFault) as caught:
        crons(text)

    assert NO_CRON[text] in str(caught.value)


def test_years_after_the_last_one_are_left_out_with_a_remark() -> None:
    found = as_crons(_walls("2090..2150-1-1"))

    assert found == (("0 0 0 1 1 * 2090-2099",), "years after 2099 are left out")
