"""Excluded days have no occurrences, and an exclusion that leaves nothing is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from schemas.commands import Define, Trigger
from schemas.definition import Exclude, OnExcluded
from schemas.events import Fired, Reason
from schemas.globals import Calendar
from streams.calendar.occurrences import NEVER
from tests.decider.expected import (
    changed,
    defined,
    fires,
    instants,
    recomputed,
    refused,
    skipped,
)
from tests.decider.feasts import DATES, DEFINED, NO_FEASTS, NOON, WORKING, days, feasts
from tests.decider.stage import Case, Tells, at, played, rule

DEFINING = {
    "an excluded day is passed over": Case(
        [], ("13:00", Define(DATES)), [defined(DATES, "13:00", "06-04T12:00")]
    ),
    "or its occurrence is moved": Case(
        [],
        (
            "13:00",
            Define(
                replace(
                    rule("0 12 2 6 *"),
                    exclude=Exclude(dates=days("06-02"), on_excluded=OnExcluded.NEXT_BUSINESS_DAY),
                )
            ),
        ),
        [
            defined(
                replace(
                    rule("0 12 2 6 *"),
                    exclude=Exclude(dates=days("06-02"), on_excluded=OnExcluded.NEXT_BUSINESS_DAY),
                ),
                *("13:00", "06-03T12:00"),
            )
        ],
    ),
    "a calendar has to be there first": Case(
        [("00:00", Tells("calendar/office", Calendar()))],
        DEFINED,
        [
            refused(
                *("define", "exclude.calendars"),
                *("there is no calendar 'feasts'; known: office", None),
            )
        ],
    ),
    "and none is known": Case(
        [],
        DEFINED,
        [
            refused(
                *("define", "exclude.calendars"),
                *("there is no calendar 'feasts'; known: none", None),
            )
        ],
    ),
    "an edit may keep the name of one that was removed": Case(
        [NO_FEASTS, DEFINED, ("13:10", Tells("calendar/feasts", Calendar(removed=True)))],
        ("13:20", Define(replace(WORKING, description="x"))),
        [changed(replace(WORKING, description="x"), "13:00", "06-02T12:00")],
    ),
    "but not bring in another one": Case(
        [NO_FEASTS, ("13:00", Define(NOON))],
        ("13:20", Define(replace(NOON, exclude=Exclude(("feasts", "gone"))))),
        [
            refused(
                *("define", "exclude.calendars"),
                *("there is no calendar 'gone'; known: feasts", 0),
            )
        ],
    ),
    "nor one that leads in a circle": Case(
        [("00:00", feasts(base=("feasts",)))],
        DEFINED,
        [
            refused(
                *("define", "exclude.calendars"),
                "calendar 'feasts' excludes nothing as it is:"
                " base[0]: 'feasts' is built on 'feasts'",
                None,
            )
        ],
    ),
    "one that excludes everything is refused (POL-066)": Case(
        [("00:00", Tells("calendar/feasts", Calendar(weekdays=127)))],
        DEFINED,
        [
            refused(
                *("define", "exclude"),
                *("every instant after 2026-06-01T13:00:00Z is excluded", None),
            )
        ],
    ),
    "without any exclusion there would be none either": Case(
        [NO_FEASTS],
        ("13:00", Define(replace(WORKING, end_at=at("12:00")))),
        [refused("define", "end_at", "no instant is left up to 2026-06-01T12:00:00Z", None)],
    ),
    "an edit of what is excluded counts from the edit": Case(
        [("11:00", Define(NOON))],
        ("11:10", Define(DATES)),
        [changed(DATES, "11:10", "12:00")],
    ),
    "what is due then is settled under the old rule": Case(
        [("11:00", Define(NOON))],
        ("16:00", Define(DATES)),
        [
            skipped("12:00", "12:00", 1, "06-02T12:00", Reason.WITHDRAWN),
            changed(DATES, "16:00", "06-04T12:00"),
        ],
    ),
}


@pytest.mark.parametrize("case", DEFINING.values(), ids=DEFINING.keys())
def test_define(case: Case) -> None:
    assert case.outcome() == case.then


def test_excluded_days_are_no_occurrences() -> None:
    stage = played(("11:00", Define(DATES)))

    events = stage.wait(at("06-06T00:00"))

    assert fires(events) == instants("12:00", "06-04T12:00", "06-05T12:00")
    assert all(isinstance(one, Fired) for one in events)


def test_a_run_of_missed_ones_counts_no_excluded_day() -> None:
    stage = played(("11:00", Define(DATES)))

    assert stage.ring(at("06-06T13:00"))[0] == skipped("12:00", "06-05T12:00", 3, "06-06T12:00")


def test_a_fire_by_hand_looks_at_the_calendar_as_it_is_before_it_takes_the_last_one() -> None:
    last = replace(WORKING, max_fires=1)
    stage = played(
        NO_FEASTS, ("13:00", Define(last)), ("06-02T11:59", feasts("06-02", said="06-02T11:59"))
    )

    moved, fired, _ = stage.play(Trigger(), at("06-02T12:00:05"))

    assert moved == recomputed("calendar feasts@1", "06-03T12:00")
    assert isinstance(fired, Fired)
    assert stage.cursor_next == NEVER
