"""Is every change still there, with who, when and why?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from projections.shown import OccurrenceShown
from schemas.events import (
    CommandRefused,
    CommandUnchanged,
    GlobalChanged,
    ScheduleCompleted,
    SchedulePaused,
    ScheduleRemoved,
    ScheduleResumed,
)
from schemas.globals import Hold
from tests.read_models.ledger import (
    DAY,
    MINUTE,
    NIGHTLY,
    NOON,
    Notebook,
    changed,
    defined,
    fired,
    row,
    stamp,
)
from tests.read_models.tables import Tables, tables_in

NEVER = (1 << 63) - 1


@pytest.fixture
def tables(database: str) -> Iterator[Tables]:
    with tables_in(database) as made:
        yield made


@pytest.fixture
def book() -> Notebook:
    return Notebook()


def only(tables: Tables, schedule: str = NIGHTLY) -> OccurrenceShown:
    (found,) = tables.reads.occurrences(schedule).rows
    return found


def test_a_removed_schedule_is_gone_but_its_versions_are_not(
    tables: Tables, book: Notebook
) -> None:
    tables.take([book.schedule(NIGHTLY, row(5)), book.event(defined(), stamp(1))])
    tables.take(
        [book.schedule(NIGHTLY, None), book.event(ScheduleRemoved(NIGHTLY, 9, 5), stamp(2))]
    )

    assert tables.reads.schedule(NIGHTLY) is None
    assert [(one.version, one.change) for one in tables.reads.versions(NIGHTLY)] == [
        (9, "removed"),
        (5, "defined"),
    ]

    tables.take([book.schedule(NIGHTLY, None), book.schedule(NIGHTLY, row(12))])
    found = tables.reads.schedule(NIGHTLY)
    assert found is not None
    assert found.version == 12


def test_the_history_keeps_every_change_with_who_when_and_why(
    tables: Tables, book: Notebook
) -> None:
    """ANC-05 and ANC-11: created, edited twice, paused and resumed, fired three times."""
    who = {"actor": "user:ada", "command_id": "c"}
    hour = 60 * MINUTE
    at = [NOON - 5 * hour + i * hour for i in range(5)]
    tables.take(
        [
            book.event(defined(), stamp(1, at[0], offset=5, **who)),
            book.event(changed(version=6), stamp(2, at[1], offset=6, **who)),
            book.event(changed(version=7, previous=6), stamp(3, at[2], offset=7, **who)),
            book.event(
                SchedulePaused(NIGHTLY, 7, 5, "stocktaking", at[3], None),
                stamp(4, at[3], offset=8, actor="user:bob"),
            ),
            book.event(
                ScheduleResumed(NIGHTLY, 7, 5, "done", at[4], NOON),
                stamp(5, at[4], offset=9, actor="user:cy"),
            ),
            *(book.event(fired(nominal=NOON + i * DAY), stamp(6 + i)) for i in range(3)),
        ]
    )

    audit = tables.reads.audit().rows

    assert [(one.outcome, one.decided_at, one.actor, one.reason) for one in reversed(audit)] == [
        ("defined", at[0], "user:ada", None),
        ("changed", at[1], "user:ada", None),
        ("changed", at[2], "user:ada", None),
        ("paused", at[3], "user:bob", "stocktaking"),
        ("resumed", at[4], "user:cy", "done"),
    ]
    assert [one.cause_offset for one in reversed(audit)] == [5, 6, 7, 8, 9]
    versions = tables.reads.versions(NIGHTLY)
    assert [(one.version, one.previous_version) for one in versions] == [(7, 6), (6, 5), (5, None)]
    assert [one.rule and one.rule.description for one in versions] == ["version 7", "version 6", ""]
    runs = tables.reads.occurrences(NIGHTLY).rows
    assert [(one.version, one.nominal, one.state) for one in runs] == [
        (7, NOON + i * DAY, "fired") for i in (2, 1, 0)
    ]


def test_refusals_and_what_was_already_so_are_in_the_audit(tables: Tables, book: Notebook) -> None:
    tables.take(
        [
            book.event(CommandRefused(NIGHTLY, "define", "zone", "no such zone"), stamp(1, NOON)),
            book.event(CommandUnchanged(NIGHTLY, "pause", 7, 5, NEVER), stamp(2, NOON + 1)),
            book.event(ScheduleCompleted(NIGHTLY, 7, 5), stamp(3, NOON + 2)),
            book.event(GlobalChanged("hold", 4, "held: move"), stamp(4, NOON + 3)),
            book.event(fired(origin="trigger:c-9.12"), stamp(5, NOON + 4, command_id="c-9")),
        ]
    )

    audit = tables.reads.audit().rows

    assert [
        (one.outcome, one.schedule, one.command, one.field, one.reason) for one in reversed(audit)
    ] == [
        ("refused", NIGHTLY, "define", "zone", "no such zone"),
        ("unchanged", NIGHTLY, "pause", None, None),
        ("completed", NIGHTLY, None, None, None),
        ("global", None, "hold", None, "held: move"),
        ("triggered", NIGHTLY, "trigger", None, None),
    ]
    assert audit[3].next is None, "NEVER is no instant"
    assert only(tables).id == f"{NIGHTLY}~5@trigger:c-9.12"


def test_a_hold_is_shown_until_it_is_lifted(tables: Tables, book: Notebook) -> None:
    held = Hold(held=True, reason="move", actor="user:ada", at=NOON, command_id="c-1")
    tables.take([book.hold(held), book.raw(book.sources.globals, b"settings", b"not read here")])
    (shown,) = tables.reads.holds()
    assert (shown.held, shown.reason, shown.actor, shown.since) == (True, "move", "user:ada", NOON)

    tables.take([book.hold(replace(held, held=False, at=NOON + MINUTE))])
    (shown,) = tables.reads.holds()
    assert (shown.held, shown.since) == (False, NOON + MINUTE)

    tables.take([book.hold(held), book.raw(book.sources.globals, b"hold", None)])
    (shown,) = tables.reads.holds()
    assert (shown.held, shown.reason) == (False, "withdrawn")
