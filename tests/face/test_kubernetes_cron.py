"""
Is the schedule of a CronJob read as Kubernetes reads it?

Rows of what is written there and what it becomes here; whole objects are test_kubernetes.py.
"""

from __future__ import annotations

import pytest

from horae.importers.kubernetes_cron import CronFault, Read, read_schedule

CRONS = {
    "five fields": ("30 2 * * 1-5", "30 2 * * 1-5"),
    "blanks of any kind": (" 30\t2  * * * ", "30 2 * * *"),
    "names in any case": ("0 0 1 JAN-mar Mon", "0 0 1 1-3 1"),
    "a question mark is a star in every field": ("? ? ? ? ?", "* * * * *"),
    "a step over the minutes": ("*/5 * * * *", "*/5 * * * *"),
    "from a value on": ("5/10 2/3 * * *", "5-59/10 2-23/3 * * *"),
    "a star with a step restricts a day field": ("0 0 */2 * 1", "0 0 1-31/2 * 1"),
    "also among others": ("0 0 1,*/10 * */2", "0 0 1,1-31/10 * 0-6/2"),
    "a step of one does not": ("0 0 */1 * 1", "0 0 * * 1"),
    "a star anywhere in a list is a star": ("0 0 13,* * 1", "0 0 * * 1"),
    "empty items say nothing": ("1,,2 0 * * *", "1,2 0 * * *"),
    "aliases": ("@hourly", "@hourly"),
}


@pytest.mark.parametrize(("text", "cron"), CRONS.values(), ids=CRONS.keys())
def test_a_schedule_means_the_same_here(text: str, cron: str) -> None:
    assert read_schedule(text) == Read(cron, None, None)


EVERY = {
    "@every 1h30m": 5_400,
    "@every 90s": 90,
    "@every 1.5h": 5_400,
    "@every 100ms": 1,
    "@every 2500ms": 2,
    "@every .5m": 30,
}


@pytest.mark.parametrize("text", EVERY)
def test_every_is_whole_seconds_and_one_at_least(text: str) -> None:
    assert read_schedule(text) == Read(None, EVERY[text] * 1_000_000, None)


ZONES = {
    "TZ=Asia/Tokyo 0 1 * * *": Read("0 1 * * *", None, "Asia/Tokyo"),
    "CRON_TZ=UTC  @daily": Read("@daily", None, "UTC"),
    "TZ=UTC @every 1m": Read(None, 60_000_000, "UTC"),
}


@pytest.mark.parametrize("text", ZONES)
def test_a_zone_may_stand_before_it(text: str) -> None:
    assert read_schedule(text) == ZONES[text]


FAULTS = {
    "no fields": ("", "0 fields"),
    "seconds": ("0 30 2 * * *", "6 fields"),
    "out of range": ("60 * * * *", "minute: '60': 60 is not among 0 to 59"),
    "Sunday is 0 only": ("0 0 * * 7", "day of week: '7': 7 is not among 0 to 6"),
    "a range that goes back": ("0 22-6 * * *", "hour: '22-6': 6 comes before 22"),
    "no step": ("*/0 * * * *", "a step must be at least 1"),
    "a star as the low end": ("*-5 * * * *", "no range begins with *"),
    "an unknown name": ("0 0 * * Monday", "'Monday' is no name"),
    "a name where none belongs": ("mon * * * *", "minute: 'mon'"),
    "the last day, which is not known there": ("0 0 L * *", "'L' is no name"),
    "nothing but commas": (", * * * *", "minute: ',' is empty"),
    "an alias that is none": ("@Daily", "'@Daily' is none of"),
    "a length that is none": ("@every day", "@every 'day'"),
    "a length without a unit": ("@every 5", "@every '5'"),
    "a zone alone": ("TZ=UTC", "nothing follows the zone"),
}


@pytest.mark.parametrize(("text", "why"), FAULTS.values(), ids=FAULTS.keys())
def test_what_kubernetes_refuses_is_refused(text: str, why: str) -> None:
    with pytest.raises(CronFault) as caught:
        read_schedule(text)

    assert why in str(caught.value)
