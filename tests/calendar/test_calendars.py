"""Shared calendars: what each excludes, by itself and through those that it is built on."""

import pytest

from schemas.definition import Exclude
from schemas.globals import Calendar
from schemas.instants import parse_instant
from streams.calendar.exclusions import check_calendar, closed_by
from streams.calendar.occurrences import TimingRefused
from tests.calendar.closings import CALENDARS, day


def wall(text: str) -> int:
    return parse_instant(text + "Z")


WHY: dict[str, tuple[tuple[str, ...], str, str | None]] = {
    "a date": (("holidays",), "2026-12-24T09:00:00", "holidays"),
    "a date of the schedule itself": (("holidays",), "2026-05-01T09:00:00", "date"),
    "the calendar that it is built on": (("holidays",), "2026-12-26T09:00:00", "weekends"),
    "nothing": (("holidays",), "2026-12-25T09:00:00", None),
    "a chain that ends where it began": (("weekends",), "2026-12-24T09:00:00", "holidays"),
    "a range over New Year": (("winter",), "2027-01-06T23:59:59", "winter"),
    "its first day": (("winter",), "2026-12-20T00:00:00", "winter"),
    "the day after": (("winter",), "2027-01-07T00:00:00", None),
    "a leap day": (("winter",), "2028-02-29T00:00:00", "winter"),
    "the day after a leap day": (("winter",), "2028-03-01T00:00:00", None),
    "the day of the 29th in a common year": (("winter",), "2027-03-01T00:00:00", None),
    "a whole minute": (("lunch",), "2026-01-05T12:59:59.999999", "lunch"),
    "not the next one": (("lunch",), "2026-01-05T13:01:00", None),
    "a minute of which seconds match": (("lunch",), "2026-01-05T13:00:05", "lunch"),
    "an unknown one": (("nobody", "empty"), "2026-01-05T13:00:05", None),
    "one that is gone": (("gone",), "2026-01-05T13:00:05", None),
}


@pytest.mark.parametrize("name", WHY)
def test_why(name: str) -> None:
    calendars, at, answer = WHY[name]
    exclude = Exclude(calendars, (day("2026-05-01"),))

    assert closed_by(exclude, CALENDARS).why(wall(at)) == answer


REFUSED_CALENDARS = {
    "a cron": (Calendar(crons=("@daily", "61 * * * *")), "crons[1]"),
    "a cron with a hash": (Calendar(crons=("H * * * *",)), "crons[0]"),
    "an unknown base": (Calendar(base=("weekends", "nobody")), "base[1]"),
    "a removed base": (Calendar(base=("gone",)), "base[0]"),
    "itself": (Calendar(base=("new",)), "base[0]"),
    "a cycle": (Calendar(base=("uses",)), "base[0]"),
}


@pytest.mark.parametrize("name", REFUSED_CALENDARS)
def test_a_calendar_that_excludes_less_than_it_says_is_refused(name: str) -> None:
    calendar, field = REFUSED_CALENDARS[name]
    others = CALENDARS | {"uses": Calendar(base=("between",)), "between": Calendar(base=("new",))}
    with pytest.raises(TimingRefused) as refused:
        check_calendar("new", calendar, others)
    assert refused.value.field == field


def test_one_that_builds_on_others_is_taken() -> None:
    check_calendar("new", Calendar(base=("holidays", "weekends"), crons=("@daily",)), CALENDARS)
