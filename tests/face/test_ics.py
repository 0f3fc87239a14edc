"""
Which days does a calendar file name, and what is refused or told of the rest?

Sending them into a calendar is test_calendars_on_broker.py.
"""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from horae.importers.days_off import DaysOff, Years, read_years
from horae.importers.ics import NoCalendar, days_of_file
from tests.face.typed import run

YEARS = Years(2026, 2028)


def calendar(*events: str, kind: str = "VEVENT") -> bytes:
    inner = "".join(
        f"BEGIN:{kind}\nUID:{n}\n{event}\nEND:{kind}\n" for n, event in enumerate(events)
    )
    return f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//t//EN\n{inner}END:VCALENDAR\n".encode()


def read(*events: str) -> DaysOff:
    return days_of_file(calendar(*events), "x.ics", YEARS)


def days(*events: str) -> list[str]:
    found = read(*events)
    assert found.refused == []
    return [str(day) for day in sorted(found.days)]


DAYS = {
    "one day": ("DTSTART;VALUE=DATE:20261225", ["2026-12-25"]),
    "its end is the day after it": (
        "DTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:20261226",
        ["2026-12-25"],
    ),
    "an end that is its beginning": (
        "DTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:20261225",
        ["2026-12-25"],
    ),
    "several days in a row, over New Year": (
        "DTSTART;VALUE=DATE:20261230\nDTEND;VALUE=DATE:20270102",
        ["2026-12-30", "2026-12-31", "2027-01-01"],
    ),
    "a length": (
        "DTSTART;VALUE=DATE:20261225\nDURATION:P2D",
        ["2026-12-25", "2026-12-26"],
    ),
    "outside of the years, but once": ("DTSTART;VALUE=DATE:19991231", ["1999-12-31"]),
    "every year, within the years": (
        "DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY",
        ["2026-12-25", "2027-12-25", "2028-12-25"],
    ),
    "every year since long ago: the first and those of the years": (
        "DTSTART;VALUE=DATE:19900501\nRRULE:FREQ=YEARLY",
        ["1990-05-01", "2026-05-01", "2027-05-01", "2028-05-01"],
    ),
    "every year but one": (
        "DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY\nEXDATE;VALUE=DATE:20271225",
        ["2026-12-25", "2028-12-25"],
    ),
    "several days every year, up to a day": (
        "DTSTART;VALUE=DATE:20261231\nDTEND;VALUE=DATE:20270102\nRRULE:FREQ=YEARLY;UNTIL=20271231",
        ["2026-12-31", "2027-01-01", "2027-12-31", "2028-01-01"],
    ),
    "an end with a time": (
        "DTSTART;VALUE=DATE:20261231\nRRULE:FREQ=YEARLY;UNTIL=20271231T225959Z",
        ["2026-12-31", "2027-12-31"],
    ),
    "the fourth Thursday in November": (
        "DTSTART;VALUE=DATE:20261126\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH",
        ["2026-11-26", "2027-11-25", "2028-11-23"],
    ),
    "every other week, three times": (
        "DTSTART;VALUE=DATE:20260105\nRRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=3",
        ["2026-01-05", "2026-01-19", "2026-02-02"],
    ),
    "the last day of the month": (
        "DTSTART;VALUE=DATE:20260131\nRRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3",
        ["2026-01-31", "2026-02-28", "2026-03-31"],
    ),
    "every third day, three times": (
        "DTSTART;VALUE=DATE:20260130\nRRULE:FREQ=DAILY;INTERVAL=3;COUNT=3",
        ["2026-01-30", "2026-02-02", "2026-02-05"],
    ),
    "every day that is a Friday and a 13th": (
        "DTSTART;VALUE=DATE:20260213\nRRULE:FREQ=DAILY;BYMONTHDAY=13;BYDAY=FR;UNTIL=20261231",
        ["2026-02-13", "2026-03-13", "2026-11-13"],
    ),
    "a day that never comes": (
        "DTSTART;VALUE=DATE:20260101\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        ["2026-01-01"],
    ),
    "further days": (
        "DTSTART;VALUE=DATE:20260501\nRDATE;VALUE=DATE:20260508,20260515",
        ["2026-05-01", "2026-05-08", "2026-05-15"],
    ),
}


@pytest.mark.parametrize(("event", "found"), DAYS.values(), ids=DAYS.keys())
def test_whole_days_are_found(event: str, found: list[str]) -> None:
    assert days(event) == found


def test_a_day_that_was_moved_stands_where_it_was_moved_to() -> None:
    data = calendar("SUMMARY:x").replace(
        b"BEGIN:VEVENT\nUID:0\nSUMMARY:x\nEND:VEVENT\n",
        b"BEGIN:VEVENT\nUID:a\nDTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY\nEND:VEVENT\n"
        b"BEGIN:VEVENT\nUID:a\nRECURRENCE-ID;VALUE=DATE:20271225\n"
        b"DTSTART;VALUE=DATE:20271224\nEND:VEVENT\n",
    )

    found = days_of_file(data, "x.ics", YEARS)

    assert [str(day) for day in sorted(found.days)] == ["2026-12-25", "2027-12-24", "2028-12-25"]


def test_what_goes_on_after_the_years_is_told() -> None:
    every = "DTSTART;VALUE=DATE:20261225\nSUMMARY:Christmas\nRRULE:FREQ=YEARLY"

    assert read(every).remarks == ["it goes on after 2028: Christmas"]
    assert read(f"{every};COUNT=2").remarks == []


def test_a_day_of_two_names_has_both() -> None:
    found = read(
        "DTSTART;VALUE=DATE:20260501\nSUMMARY:Labour Day",
        "DTSTART;VALUE=DATE:20260501\nSUMMARY:Spring\\, at last",
    )

    assert found.days == {date(2026, 5, 1): ["Labour Day", "Spring, at last"]}
    assert found.dates == ((date(2026, 5, 1) - date(1970, 1, 1)).days,)


REFUSED = {
    "a time of day": ("DTSTART:20261225T100000Z", "it has a time of day"),
    "an end at a time of day": (
        "DTSTART;VALUE=DATE:20261225\nDTEND:20261226T100000Z",
        "it ends at a time of day",
    ),
    "no beginning": ("DTEND;VALUE=DATE:20261225", "no DTSTART that can be read"),
    "a beginning that is none": ("DTSTART;VALUE=DATE:202612XX", "no DTSTART that can be read"),
    "half a day": ("DTSTART;VALUE=DATE:20261225\nDURATION:PT12H", "no whole number of days"),
    "an end before it": (
        "DTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:20261220",
        "it is -5 days long",
    ),
    "a century": ("DTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:21261225", "days long"),
    "every hour": ("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=HOURLY", "RRULE: HOURLY"),
    "at some hours": (
        "DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=DAILY;BYHOUR=9",
        "RRULE: it names times of day",
    ),
    "without a step": (
        "DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY;INTERVAL=0",
        "INTERVAL must be at least 1",
    ),
    "by days of the year, every day": (
        "DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=DAILY;BYYEARDAY=1",
        "BYYEARDAY has no meaning for days",
    ),
    "a rule of what is left out": (
        "DTSTART;VALUE=DATE:20261225\nEXRULE:FREQ=YEARLY",
        "EXRULE is not known",
    ),
    "all that come after one": (
        "DTSTART;VALUE=DATE:20261225\nRECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20261224",
        "all that come after it",
    ),
}


@pytest.mark.parametrize(("event", "why"), REFUSED.values(), ids=REFUSED.keys())
def test_an_event_of_no_whole_days_is_refused_by_its_name(event: str, why: str) -> None:
    found = read(f"{event}\nSUMMARY:Meeting", "DTSTART;VALUE=DATE:20260501")

    [(name, reason)] = found.refused
    assert name == "Meeting"
    assert why in reason
    assert list(found.days) == [date(2026, 5, 1)]


def test_what_is_cancelled_and_what_is_no_event_is_told() -> None:
    data = calendar("DTSTART;VALUE=DATE:20261225\nSTATUS:CANCELLED\nSUMMARY:x")
    data += calendar("SUMMARY:y", kind="VTODO")

    found = days_of_file(data, "x.ics", YEARS)

    assert found.days == {}
    assert found.remarks == [
        "left out, it is cancelled: x",
        "passed over: 1 of VTODO, which are no events",
    ]


@pytest.mark.parametrize("data", [b"", b"hello", b"\xff", b"BEGIN:VCALENDAR\nBEGIN:VEVENT\n"])
def test_what_is_no_calendar_is_refused(data: bytes) -> None:
    with pytest.raises(NoCalendar, match=r"no calendar|not UTF-8"):
        days_of_file(data, "x.ics", YEARS)


def test_years_are_one_or_a_range() -> None:
    assert (read_years("2026"), read_years("2026-2030")) == (Years(2026, 2026), Years(2026, 2030))


@pytest.mark.parametrize("text", ["", "26", "2030-2026", "2026-", "0000", "1000-2000", "x"])
def test_years_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"year"):
        read_years(text)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "days.ics"
    path.write_bytes(
        calendar("DTSTART;VALUE=DATE:20261225\nSUMMARY:Christmas", "DTSTART:20260101T0")
    )
    return path


def test_a_rehearsal_shows_all_days_and_what_was_refused(file: Path) -> None:
    code, out, _ = run("import", "ics", str(file), "--calendar", "company", "--dry-run")

    assert code == 1
    assert f"{file}: 1 dates for the calendar company, 1 refused" in out
    assert "  2026-12-25  Christmas\n" in out
    assert "  refused: it has no DTSTART" in out


def test_a_rehearsal_as_json(file: Path) -> None:
    code, out, _ = run(
        *("import", "ics", str(file), "--calendar", "company", "--dry-run", "-o", "json")
    )

    found = json.loads(out)
    assert code == 1
    assert found["dates"] == [{"date": "2026-12-25", "names": ["Christmas"]}]
    assert [list(each) for each in found["refused"]] == [["event", "why"]]


USAGE = {
    "a name that is none": (("--calendar", "a/b"), "--calendar: a name is printable"),
    "years that are none": (("--calendar", "a", "--years", "x"), "--years: 'x' is no year"),
}


@pytest.mark.parametrize(("options", "said"), USAGE.values(), ids=USAGE.keys())
def test_wrong_usage_is_named(file: Path, options: tuple[str, ...], said: str) -> None:
    code, _, err = run("import", "ics", str(file), *options, "--dry-run")

    assert code == 2
    assert said in err


@pytest.mark.parametrize("rule", ["FREQ=WEEKLY;BYDAY=XX", "FREQ=DAILY;COUNT=999999999999"])
def test_a_rule_that_cannot_be_read_refuses_its_event_and_no_other(rule: str) -> None:
    begin = "DTSTART;VALUE=DATE:20261225\nSUMMARY:"
    found = read(f"{begin}broken\nRRULE:{rule}", f"{begin}whole")

    [(name, why)] = found.refused
    assert name == "broken"
    assert why.startswith(f"RRULE {rule}: it cannot be read: ")
    assert list(found.days) == [date(2026, 12, 25)]


@pytest.mark.parametrize("rule", ["FREQ=DAILY", "FREQ=WEEKLY"])
def test_a_file_that_would_take_for_ever_is_refused(rule: str) -> None:
    one = f"DTSTART;VALUE=DATE:00010101\nRRULE:{rule}"

    with pytest.raises(NoCalendar, match="go over more than 1,000,000 days"):
        read(*[one] * 30)
