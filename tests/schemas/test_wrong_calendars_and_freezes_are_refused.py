"""A calendar, a freeze or a setting that could not be meant is refused by the name of its field."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from schemas.definition import DAY
from schemas.faults import FieldFault
from schemas.globals import Calendar, Freeze, GlobalRecord, GlobalSettings, YearlyRange
from schemas.instants import parse_instant
from schemas.limits import check_global
from schemas.reading_times import read_calendar, read_freeze
from schemas.time_limits import check_name

NOON = parse_instant("2027-01-01T12:00:00Z")
FREEZE = Freeze(("app",), NOON, NOON + DAY)


def below_none(limit: str) -> GlobalSettings:
    changed: Any = {limit: -1}
    return replace(GlobalSettings(("t",), NOON), **changed)


EVERYWHERE: dict[str, tuple[GlobalRecord, str, str]] = {
    "an eighth day": (Calendar(weekdays=128), "weekdays", "from 0 to 127"),
    "no date": (Calendar(dates=(1 << 30,)), "dates[0]", "days since 1970-01-01"),
    "February 30": (Calendar(yearly=(YearlyRange(230, 301),)), "yearly[0].first", "day 02-30"),
    "month 13": (Calendar(yearly=(YearlyRange(101, 1301),)), "yearly[0].last", "no year has"),
    "401 ranges": (Calendar(yearly=(YearlyRange(101, 101),) * 401), "yearly", "400 entries"),
    "401 crons": (Calendar(crons=("* * * * *",) * 401), "crons", "400 entries"),
    "4,001 dates": (Calendar(dates=(0,) * 4_001), "dates", "4,000 entries"),
    "an empty cron": (Calendar(crons=("* * * * *", " ")), "crons[1]", "empty"),
    "a base of no name": (Calendar(base=("a/b",)), "base[0]", "'/'"),
    "21 bases": (Calendar(base=("a",) * 21), "base", "20 entries"),
    "a NUL": (Calendar(description="a\0"), "description", "NUL"),
    "a long actor": (Calendar(actor="a" * 513), "actor", "512 bytes"),
    "a long id": (Calendar(command_id="a" * 513), "command_id", "512 bytes"),
    "a year that is none": (Calendar(at=1 << 62), "at", "years 1 to 9999"),
    **{
        f"a limit below none: {name}": (
            below_none(name),
            *(name, "at least 0"),
        )
        for name in (
            *("max_schedules", "max_concurrent", "default_timeout", "max_retries"),
            *("retry_backoff", "retry_backoff_max", "catch_up_lookback"),
        )
    },
    "nobody frozen": (replace(FREEZE, subjects=()), "subjects", "at least one pattern"),
    "a schedule frozen": (replace(FREEZE, subjects=("app/x",)), "subjects[0]", "before the '/'"),
    "an empty pattern": (replace(FREEZE, subjects=("a", "")), "subjects[1]", "empty"),
    "a pattern of 401 bytes": (
        replace(FREEZE, subjects=("a", "ä" * 200 + "*")),
        "subjects[1]",
        "a pattern has 400 bytes at most",
    ),
    "401 patterns": (replace(FREEZE, subjects=("a",) * 401), "subjects", "400 entries"),
    "a freeze of no length": (replace(FREEZE, ends_at=NOON), "ends_at", "later than begins_at"),
    "a freeze without end": (replace(FREEZE, ends_at=1 << 62), "ends_at", "years 1 to 9999"),
    "a reason of pages": (replace(FREEZE, reason="x" * 5_000), "reason", "4096 bytes"),
}


@pytest.mark.parametrize(("record", "field", "message"), EVERYWHERE.values(), ids=EVERYWHERE.keys())
def test_what_would_hold_for_everyone_is_checked(
    record: GlobalRecord, field: str, message: str
) -> None:
    with pytest.raises(FieldFault) as caught:
        check_global(record)

    assert caught.value.field == field
    assert message in caught.value.message


def test_a_freeze_that_is_lifted_needs_no_length() -> None:
    check_global(replace(FREEZE, lifted=True, ends_at=NOON))


@pytest.mark.parametrize(
    ("data", "field", "message"),
    [
        ({"yearly": ["12-32"]}, "yearly[0]", "no year has a day 12-32"),
        ({"yearly": ["Christmas"]}, "yearly[0]", "12-24..01-06"),
        ({"yearly": [1225]}, "yearly[0]", "not a number"),
        ({"weekdays": 0}, "weekdays", "at least one day"),
        ({"dates": "2026-12-24"}, "dates", "must be a list"),
        ({"crons": [""]}, "crons[0]", "empty"),
        ({"zone": "UTC"}, "zone", "no such field"),
        ({"base": ["\0"]}, "base[0]", "NUL"),
    ],
)
def test_a_calendar_that_is_written_wrong_is_refused(data: Any, field: str, message: str) -> None:
    with pytest.raises(FieldFault) as caught:
        read_calendar(data)

    assert (caught.value.field, message in caught.value.message) == (field, True)


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"subjects": "app"}, "subjects", "must be a list"),
        ({"begins_at": 1_798_761_600_000}, "begins_at", "looks like milliseconds"),
        ({"begins_at": 1_798_761_600_000_000}, "begins_at", "looks like microseconds"),
        ({"ends_at": "10000-01-01T00:00:00Z"}, "ends_at", "years 1 to 9999"),
        ({"ends_at": "2027-01-01T00:00:00Z"}, "ends_at", "later than"),
    ],
)
def test_a_freeze_that_is_written_wrong_is_refused(change: Any, field: str, message: str) -> None:
    right = {
        "subjects": ["*"],
        "begins_at": "2027-01-01T00:00:00Z",
        "ends_at": "2027-01-02T00:00:00Z",
    }

    with pytest.raises(FieldFault) as caught:
        read_freeze({**right, **change})

    assert (caught.value.field, message in caught.value.message) == (field, True)


@pytest.mark.parametrize(
    "name", ["bank-holidays", "Feiertage 2026", "a~b", "2026", "2026-holidays"]
)
def test_names_that_are_allowed_stay(name: str) -> None:
    assert check_name(name, "key") == name
