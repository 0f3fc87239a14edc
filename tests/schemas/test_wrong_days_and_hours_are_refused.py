"""What no day, no hour and no calendar is gets refused by its name, with what is allowed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from schemas.definition import (
    DAY,
    HOUR,
    Basis,
    Cron,
    Definition,
    Emit,
    Exclude,
    Hours,
    Interval,
    Weekly,
    Window,
)
from schemas.faults import FieldFault
from schemas.limits import check_definition
from schemas.reading import read_definition

AT = {"at": "22:00"}
AFTER_FIRE = {"every": "6h", "basis": "after_fire"}
AFTER_END = {"every": "6h", "basis": "after_end"}
TRACKED = {"topic": "t", "tracked": True}

WRITTEN: dict[str, tuple[dict[str, Any], str, str]] = {
    "no days (DP-012)": ({"weekly": {"days": [], **AT}}, "weekly.days", "at least one day"),
    "an empty mask (DP-012)": ({"weekly": {"days": 0, **AT}}, "weekly.days", "at least one day"),
    "days that are missing": ({"weekly": AT}, "weekly.days", "is missing"),
    "an empty text of days": ({"weekly": {"days": "", **AT}}, "weekly.days", "mon, tue"),
    "an eighth day": ({"weekly": {"days": 128, **AT}}, "weekly.days", "from 1 to 127"),
    "a negative mask": ({"weekly": {"days": -1, **AT}}, "weekly.days", "from 1 to 127"),
    "a true mask": ({"weekly": {"days": True, **AT}}, "weekly.days", "not a truth value"),
    "a word for days": ({"weekly": {"days": "daily", **AT}}, "weekly.days", "or mon-fri"),
    "an open range of days": ({"weekly": {"days": "mon-", **AT}}, "weekly.days", "mon-fri"),
    "a number of a day": ({"weekly": {"days": [1], **AT}}, "weekly.days[0]", "not a number"),
    "a wrong day of several": ({"weekly": {"days": ["mon", "x"], **AT}}, "weekly.days[1]", "'x'"),
    "a time that is missing": ({"weekly": {"days": 1}}, "weekly.at", "is missing"),
    "a minute 60": ({"weekly": {"days": 1, "at": "10:60"}}, "weekly.at", "24:00"),
    "an hour 25": ({"weekly": {"days": 1, "at": "25:00"}}, "weekly.at", "24:00"),
    "the end of the day": ({"weekly": {"days": 1, "at": "24:00"}}, "weekly.at", "23:59:59"),
    "a fraction": ({"weekly": {"days": 1, "at": "10:00:00.5"}}, "weekly.at", "like 22:00"),
    "half a fire": ({"max_fires": 1.5}, "max_fires", "must be a whole number, not 1.5"),
    "a time as a number": ({"weekly": {"days": 1, "at": 600}}, "weekly.at", "not a number"),
    "a time of the afternoon": ({"weekly": {"days": 1, "at": "6pm"}}, "weekly.at", "like 22:00"),
    "weekly in a list": (
        {"timings": [{"weekly": {"days": 0, **AT}}]},
        "timings[0].weekly.days",
        "",
    ),
    "weekly beside cron": ({"cron": "@daily", "weekly": AT}, "weekly", "not together with cron"),
    "nothing to exclude": ({"exclude": []}, "exclude", "at least one"),
    "an object of nothing": ({"exclude": {"on_excluded": "drop"}}, "exclude", "at least one"),
    "one name to exclude": ({"exclude": "holidays"}, "exclude", "must be a list"),
    "an unknown on_excluded": (
        {"exclude": {"dates": ["2026-12-24"], "on_excluded": "move"}},
        "exclude.on_excluded",
        "one of drop, next_business_day, previous_business_day, not 'move'",
    ),
    "a day that is not": ({"exclude": ["2026-02-30"]}, "exclude[0]", "no date"),
    "a month that is not": ({"exclude": {"dates": ["2026-13-01"]}}, "exclude.dates[0]", "no date"),
    "year 10000": ({"exclude": ["a", "10000-01-01"]}, "exclude[1]", "years 1 to 9999"),
    "year 0": ({"exclude": {"dates": ["0000-01-01"]}}, "exclude.dates[0]", "no date"),
    "an instant for a date": ({"exclude": ["2026-12-24T00:00:00Z"]}, "exclude[0]", "without time"),
    "a short date": ({"exclude": ["2026-1-1"]}, "exclude[0]", "like 2026-12-24"),
    "milliseconds for a date": ({"exclude": [1_798_761_600_000]}, "exclude[0]", "not a number"),
    "a number in dates": ({"exclude": {"dates": [20_811]}}, "exclude.dates[0]", "not a number"),
    "a name with a slash": ({"exclude": ["a/b"]}, "exclude[0]", "without '/'"),
    "a name with a NUL": ({"exclude": ["a\0"]}, "exclude[0]", "NUL"),
    "a name of half a character": ({"exclude": ["\ud800"]}, "exclude[0]", "surrogate"),
    "a name without text": ({"exclude": ["a", ""]}, "exclude[1]", "printable"),
    "a name with a line's end": ({"exclude": ["a\nb"]}, "exclude[0]", "printable"),
    "a name with a space at its end": ({"exclude": ["a "]}, "exclude[0]", "space"),
    "a name that is too long": ({"exclude": ["ä" * 101]}, "exclude[0]", "200 bytes"),
    "a date as a name": (
        {"exclude": {"calendars": ["2026-12-24"]}},
        "exclude.calendars[0]",
        "look like a date",
    ),
    "21 calendars": ({"exclude": ["a"] * 21}, "exclude.calendars", "20 entries at most, not 21"),
    "4,001 dates": ({"exclude": ["2026-12-24"] * 4_001}, "exclude.dates", "4,000 entries at most"),
    "equal edges (POL-096)": ({"window": "00:00-00:00"}, "window", "is 00:00-24:00"),
    "equal edges of several (POL-096)": (
        {"window": ["23:30-04:00", "mon 10:00-10:00:00"]},
        "window[1]",
        "at one time",
    ),
    "one edge": ({"window": "23:30"}, "window", "like 23:30-04:00"),
    "three edges": ({"window": "01:00-02:00-03:00"}, "window", "no wall time"),
    "an opening at the day's end": ({"window": "24:00-02:00"}, "window", "00:00 to 23:59:59"),
    "a window of days": ({"window": "mon-fri"}, "window", "no wall time"),
    "a window on no day": ({"window": "xyz 10:00-11:00"}, "window", "names no days"),
    "a window as a number": ({"window": 5}, "window", "not a number"),
    "no window in a list": ({"window": []}, "window.hours", "at least one opening"),
    "no hours": ({"window": {"spread": "1m"}}, "window.hours", "is missing"),
    "51 hours": ({"window": ["01:00-02:00"] * 51}, "window.hours", "50 entries at most"),
    "a spread of days": (
        {"window": {"hours": "01:00-02:00", "spread": "25h"}},
        "window.spread",
        "0 to 24 h",
    ),
    "a spread as a number": (
        {"window": {"hours": "01:00-02:00", "spread": 60}},
        "window.spread",
        "not a number",
    ),
    "no wait": (
        {"window": {"hours": "01:00-02:00", "max_wait": "0s"}},
        "window.max_wait",
        "longer than nothing",
    ),
    "a wait of months": (
        {"window": {"hours": "01:00-02:00", "max_wait": "57d"}},
        "window.max_wait",
        "0 to 1344 h",
    ),
    "a negative jitter": ({"jitter": "-5m"}, "jitter", "negative"),
    "a jitter of days": ({"jitter": "24h1s"}, "jitter", "0 to 24 h"),
    "a jitter of a month": ({"jitter": "P1M"}, "jitter", "month"),
    "a jitter as a number": ({"jitter": 300}, "jitter", "not a number"),
    "no jitter by null": ({"jitter": None}, "jitter", "not null"),
    "no fires": ({"max_fires": 0}, "max_fires", "from 1 to"),
    "negative fires": ({"max_fires": -1}, "max_fires", "from 1 to"),
    "more fires than are counted": ({"max_fires": 1 << 32}, "max_fires", "1,000,000,000"),
    "true fires": ({"max_fires": True}, "max_fires", "not a truth value"),
    "after_end of nothing that ends": (
        {"interval": {"every": "6h", "basis": "after_end"}},
        "interval.basis",
        "needs emit.tracked",
    ),
    "after_end with an anchor": (
        {"interval": {**AFTER_END, "anchor": "epoch"}, "emit": TRACKED},
        "interval.anchor",
        "counts from each end",
    ),
    "after_end beside another": (
        {"timings": [{"cron": "@daily"}, {"interval": AFTER_END}], "emit": TRACKED},
        "timings[1].interval.basis",
        "after_end stands alone",
    ),
    "after_fire with an anchor": (
        {"interval": {**AFTER_FIRE, "anchor": "epoch"}},
        "interval.anchor",
        "not with after_fire",
    ),
    "after_fire beside another": (
        {"timings": [{"cron": "@daily"}, {"interval": AFTER_FIRE}]},
        "timings[1].interval.basis",
        "stands alone",
    ),
}


def definition_data(fields: dict[str, Any]) -> dict[str, Any]:
    timing = {} if {"weekly", "timings", "interval"} & fields.keys() else {"cron": "@daily"}
    return {"emit": {"topic": "t"}, **timing, **fields}


@pytest.mark.parametrize(("fields", "field", "message"), WRITTEN.values(), ids=WRITTEN.keys())
def test_what_is_written_wrong_is_named(fields: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(FieldFault) as caught:
        read_definition(definition_data(fields))

    assert caught.value.field == field
    assert message in caught.value.message


PLAIN = Definition((Cron("@daily"),), Emit("t"))
LAID_OUT: dict[str, tuple[Definition, str, str]] = {
    "no days (DP-012)": (
        replace(PLAIN, timings=(Weekly(0, 0),)),
        "timings[0].weekly.days",
        "at least one day",
    ),
    "a day of 25 hours": (
        replace(PLAIN, timings=(Cron("@daily"), Weekly(1, 90_000))),
        "timings[1].weekly.at",
        "23:59:59",
    ),
    "an empty exclusion": (replace(PLAIN, exclude=Exclude()), "exclude", "at least one"),
    "milliseconds for days": (
        replace(PLAIN, exclude=Exclude((), (0, 1_798_761_600))),
        "exclude.dates[1]",
        "days since 1970-01-01",
    ),
    "a slash": (replace(PLAIN, exclude=Exclude(("a", "b/"))), "exclude.calendars[1]", "'/'"),
    "no hours": (replace(PLAIN, window=Window(())), "window.hours", "at least one"),
    "equal edges (POL-096)": (
        replace(PLAIN, window=Window((Hours(0, 86_400), Hours(9, 9)))),
        "window.hours[1]",
        "at one time",
    ),
    "an edge after the day": (
        replace(PLAIN, window=Window((Hours(0, 86_401),))),
        "window.hours[0]",
        "24:00",
    ),
    "no days of hours": (
        replace(PLAIN, window=Window((Hours(0, 1, 0),))),
        "window.hours[0].days",
        "at least one day",
    ),
    "a negative spread": (
        replace(PLAIN, window=Window((Hours(0, 1),), -1)),
        "window.spread",
        "from 0",
    ),
    "no wait": (replace(PLAIN, window=Window((Hours(0, 1),), 0, 0)), "window.max_wait", "longer"),
    "a negative jitter": (replace(PLAIN, jitter=-1), "jitter", "from 0 to 24 h"),
    "a long jitter": (replace(PLAIN, jitter=DAY + 1), "jitter", "from 0 to 24 h"),
    "no fires": (replace(PLAIN, max_fires=0), "max_fires", "from 1"),
    "after_end of nothing that ends": (
        replace(PLAIN, timings=(Interval(micros=HOUR, basis=Basis.AFTER_END),)),
        "timings[0].interval.basis",
        "needs emit.tracked",
    ),
    "after_fire with an anchor": (
        replace(PLAIN, timings=(Interval(micros=HOUR, anchor=0, basis=Basis.AFTER_FIRE),)),
        "timings[0].interval.anchor",
        "not with after_fire",
    ),
    "after_fire in a union": (
        replace(PLAIN, timings=(Interval(1, basis=Basis.AFTER_FIRE), Cron("@daily"))),
        "timings[0].interval.basis",
        "stands alone",
    ),
}


@pytest.mark.parametrize(("definition", "field", "message"), LAID_OUT.values(), ids=LAID_OUT.keys())
def test_what_came_as_avro_is_held_to_the_same(
    definition: Definition, field: str, message: str
) -> None:
    with pytest.raises(FieldFault) as caught:
        check_definition(definition)

    assert caught.value.field == field
    assert message in caught.value.message
