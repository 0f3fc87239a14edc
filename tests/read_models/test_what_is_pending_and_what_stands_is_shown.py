"""Do the views say which instant is pending and when it is due, and what stands for everyone?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from projections.shown import CalendarShown, FreezeShown, ScheduleShown
from schemas.codec import encode
from schemas.events import Reason, ScheduleRecomputed, ScheduleResumed
from schemas.globals import Calendar, Freeze, GlobalRecord, YearlyRange
from tests.read_models.ledger import (
    DAY,
    MINUTE,
    NIGHTLY,
    NOON,
    Notebook,
    Written,
    deferred,
    defined,
    fired,
    row,
    skipped,
    stamp,
)
from tests.read_models.tables import Tables, tables_in

HOUR = 60 * MINUTE
CHRISTMAS_EVE = 20_811


@pytest.fixture
def tables(database: str) -> Iterator[Tables]:
    with tables_in(database) as made:
        yield made


@pytest.fixture
def book() -> Notebook:
    return Notebook()


def the_schedule(tables: Tables) -> ScheduleShown:
    found = tables.reads.schedule(NIGHTLY)
    assert found is not None
    return found


def said(book: Notebook, key: bytes, record: GlobalRecord) -> Written:
    return book.raw(book.sources.globals, key, encode(record))


def test_the_pending_instant_is_shown_with_when_it_is_due(tables: Tables, book: Notebook) -> None:
    tables.take(
        [
            book.schedule(NIGHTLY, row(5)),
            book.event(replace(defined(), next_due=NOON + MINUTE), stamp(1)),
        ]
    )
    assert (the_schedule(tables).next, the_schedule(tables).next_due) == (NOON, NOON + MINUTE)

    recomputed = ScheduleRecomputed(NIGHTLY, 5, 5, "zone data 2026c", NOON + HOUR, NOON + HOUR + 7)
    tables.take([book.event(recomputed, stamp(2))])
    assert (the_schedule(tables).next, the_schedule(tables).next_due) == (
        NOON + HOUR,
        NOON + HOUR + 7,
    )

    tables.take([book.event(fired(next_due=NOON + DAY + 9), stamp(3))])
    assert (the_schedule(tables).next, the_schedule(tables).next_due) == (
        NOON + DAY,
        NOON + DAY + 9,
    )

    until = NOON + DAY + 8 * HOUR
    waiting = deferred(nominal=NOON + DAY, reason=Reason.WINDOW, until=until)
    tables.take([book.event(waiting, stamp(4))])
    assert (the_schedule(tables).next, the_schedule(tables).next_due) == (NOON + DAY, until)
    assert the_schedule(tables).last_reason == "window"


def test_an_older_event_without_a_due_instant_is_due_at_its_instant(
    tables: Tables, book: Notebook
) -> None:
    resumed = ScheduleResumed(NIGHTLY, 5, 5, "", NOON, NOON + HOUR)
    tables.take([book.schedule(NIGHTLY, row(5)), book.event(defined(), stamp(1))])
    assert the_schedule(tables).next_due == NOON
    assert [one.next_due for one in tables.reads.versions(NIGHTLY)] == [NOON]

    tables.take([book.event(resumed, stamp(2))])
    assert the_schedule(tables).next_due == NOON + HOUR


def test_a_recomputation_is_in_the_audit_with_its_cause(tables: Tables, book: Notebook) -> None:
    cause = "calendar bank-holidays, version 7"
    tables.take([book.event(ScheduleRecomputed(NIGHTLY, 5, 5, cause, NOON, NOON + 1), stamp(2))])

    (found,) = tables.reads.audit().rows

    assert (found.outcome, found.reason, found.schedule) == ("recomputed", cause, NIGHTLY)
    assert (found.next, found.next_due, found.version) == (NOON, NOON + 1, 5)


def test_what_was_skipped_in_a_window_says_so(tables: Tables, book: Notebook) -> None:
    tables.take([book.event(skipped(reason=Reason.WINDOW, next_due=NOON + DAY + 5), stamp(1))])

    (found,) = tables.reads.occurrences(NIGHTLY).rows

    assert (found.state, found.reason, found.next_due) == ("skipped", "window", NOON + DAY + 5)


def test_a_calendar_is_shown_as_a_person_writes_it_until_it_is_gone(
    tables: Tables, book: Notebook
) -> None:
    calendar = Calendar(
        *((CHRISTMAS_EVE,), 96, (YearlyRange(1224, 106),), ("* 12 * * *",), ("base",), "closed"),
        actor="user:ada",
        at=NOON,
        command_id="c-1",
    )
    tables.take([said(book, b"calendar/a", calendar), said(book, b"calendar/b", Calendar(at=NOON))])

    first, second = tables.reads.calendars()

    assert first == CalendarShown(
        name="a",
        removed=False,
        content={
            "dates": ["2026-12-24"],
            "weekdays": "sat-sun",
            "yearly": ["12-24..01-06"],
            "crons": ["* 12 * * *"],
            "base": ["base"],
            "description": "closed",
        },
        description="closed",
        actor="user:ada",
        changed_at=NOON,
        command_id="c-1",
        version=0,
    )
    assert (second.name, second.content) == ("b", {})

    tables.take([said(book, b"calendar/a", Calendar(removed=True, at=NOON + 1))])
    tables.take([said(book, b"calendar/b", Calendar(removed=True)), book.records[1]])
    assert [(one.removed, one.version) for one in tables.reads.calendars()] == [
        (True, 2),
        (True, 3),
    ]


def test_a_freeze_is_shown_until_it_is_lifted(tables: Tables, book: Notebook) -> None:
    freeze = Freeze(
        ("app", "billing*"), NOON, NOON + DAY, "audit", actor="user:ada", at=NOON, command_id="c-2"
    )
    tables.take([said(book, b"freeze/audit", freeze)])

    assert tables.reads.freezes() == [
        FreezeShown(
            name="audit",
            lifted=False,
            subjects=["app", "billing*"],
            begins_at=NOON,
            ends_at=NOON + DAY,
            reason="audit",
            actor="user:ada",
            changed_at=NOON,
            command_id="c-2",
            version=0,
        )
    ]

    tables.take([said(book, b"freeze/audit", replace(freeze, lifted=True))])
    assert [(one.lifted, one.version) for one in tables.reads.freezes()] == [(True, 1)]


def test_what_changes_nothing_for_a_processor_changes_nothing_here(
    tables: Tables, book: Notebook
) -> None:
    good = said(book, b"calendar/a", Calendar(weekdays=1, at=NOON))
    nothing = book.raw(book.sources.globals, b"calendar/a", None)
    unnamed = said(book, b"calendar/", Calendar(at=NOON))
    slash = said(book, b"calendar/a/b", Calendar(at=NOON))
    other = said(book, b"freeze/a", Calendar(at=NOON))
    no_day = said(book, b"calendar/a", Calendar(weekdays=128, at=NOON))

    parked = tables.take([good, nothing, unnamed, slash, other, no_day])

    assert [one.record for one in parked] == [slash, other, no_day]
    assert [(one.name, one.version) for one in tables.reads.calendars()] == [("a", 0)]
    assert tables.reads.freezes() == []
