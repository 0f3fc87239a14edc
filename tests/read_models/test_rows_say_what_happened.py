"""Does each row say what the ledger says, whatever the order and however often it is told?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import pytest

from projections.shown import OccurrenceShown
from schemas.codec import encode
from schemas.events import (
    Outcome,
    Reason,
    ScopeResult,
)
from schemas.globals import Calendar, Freeze, Hold
from schemas.instants import FIRST, LAST
from tests.read_models.ledger import (
    DAY,
    MINUTE,
    NIGHTLY,
    NOON,
    RULE,
    SECOND,
    Notebook,
    changed,
    deferred,
    defined,
    fired,
    paused_row,
    row,
    skipped,
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


def test_a_fire_is_shown_with_everything_its_event_says(tables: Tables, book: Notebook) -> None:
    scopes = (
        ScopeResult("rack-1", "jr_one", Outcome.STARTED),
        ScopeResult('rack "2"', "jr_two", Outcome.SKIPPED, Reason.OVERLAP),
    )
    event = fired(
        due=NOON + SECOND, wall=NOON + 3_600 * SECOND, second_pass=1, late=True, scopes=scopes
    )
    said = stamp(41, NOON + 90 * SECOND, offset=17, globals_offset=3, actor="user:ada")
    tables.take([book.event(event, said._replace(command_id="c-1"))])

    found = only(tables)

    assert found == OccurrenceShown(
        schedule=NIGHTLY,
        nominal=NOON,
        incarnation=5,
        origin="",
        last=NOON,
        count=1,
        version=7,
        state="fired",
        reason=None,
        due=NOON + SECOND,
        late=True,
        lateness=89 * SECOND,
        decided_at=NOON + 90 * SECOND,
        wall=NOON + 3_600 * SECOND,
        second_pass=1,
        scopes=[
            {"scope": "rack-1", "run": "jr_one", "outcome": "started", "reason": None},
            {"scope": 'rack "2"', "run": "jr_two", "outcome": "skipped", "reason": "overlap"},
        ],
        next=NOON + DAY,
        next_due=NOON + DAY,
        deferred_at=None,
        deferrals=0,
        until=None,
        evidence=None,
        actor="user:ada",
        command_id="c-1",
        partition=0,
        sequence=41,
        cause_offset=17,
        globals_offset=3,
    )
    assert found.id == f"{NIGHTLY}~5@2026-11-29T12:00:00Z"


def test_every_occurrence_has_one_end_with_reason_cause_and_lateness(
    tables: Tables, book: Notebook
) -> None:
    """ANC-06: missed, skipped for overlap, withdrawn by an edit and late, all in one day."""
    calendar = [NOON + minute * MINUTE for minute in range(8)]
    edit = stamp(4, NOON + 9 * MINUTE, offset=88, actor="user:ada")
    tables.take(
        [
            book.event(
                skipped(first=calendar[0], last=calendar[4], count=5), stamp(1, NOON + 6 * MINUTE)
            ),
            book.event(skipped(first=calendar[5], reason=Reason.OVERLAP), stamp(2, calendar[5])),
            book.event(fired(nominal=calendar[6], late=True), stamp(3, calendar[6] + 90 * SECOND)),
            book.event(skipped(first=calendar[7], reason=Reason.WITHDRAWN), edit),
        ]
    )

    found = tables.reads.occurrences(NIGHTLY).rows

    assert sum(one.count for one in found) == len(calendar)
    assert [(one.state, one.reason, one.count) for one in reversed(found)] == [
        ("skipped", "missed", 5),
        ("skipped", "overlap", 1),
        ("fired", None, 1),
        ("skipped", "withdrawn", 1),
    ]
    assert [one.lateness // SECOND for one in reversed(found)] == [360, 0, 90, 120]
    assert [one.cause_offset for one in reversed(found)] == [None, None, None, 88]
    assert [tables.reads.occurrence_at(NIGHTLY, at) for at in calendar[:5]] == [found[-1]] * 5
    assert tables.reads.occurrence_at(NIGHTLY, calendar[0] - MINUTE) is None


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
@pytest.mark.parametrize("together", [True, False], ids=["one batch", "three batches"])
def test_an_end_stays_whatever_comes_after_it(
    tables: Tables, book: Notebook, order: tuple[int, ...], together: bool
) -> None:
    """PGP-042."""
    told = [
        book.event(deferred(deferrals=1), stamp(1)),
        book.event(deferred(deferrals=2), stamp(2)),
        book.event(fired(deferred_at=NOON, deferrals=2, evidence="back"), stamp(3)),
    ]
    shuffled = [told[i] for i in order]

    for batch in [shuffled] if together else [[one] for one in shuffled]:
        tables.take(batch)

    found = only(tables)
    assert (found.state, found.deferrals, found.evidence) == ("fired", 2, "back")
    assert (found.deferred_at, found.until, found.reason) == (NOON, None, None)


def test_the_newest_deferral_is_shown_until_it_ends(tables: Tables, book: Notebook) -> None:
    wall = NOON + 3_600 * SECOND
    later = deferred(deferrals=2, until=NOON + 5 * MINUTE, wall=wall, second_pass=1)
    tables.take([book.event(later, stamp(9))])
    tables.take([book.event(deferred(deferrals=1), stamp(8))])

    found = only(tables)

    assert (found.state, found.reason, found.deferrals) == ("deferred", "target_unavailable", 2)
    assert (found.until, found.next) == (NOON + 5 * MINUTE, NOON)
    assert (found.wall, found.second_pass) == (wall, 1)
    assert found.next_due == found.until


def test_a_deferral_of_a_former_release_has_no_wall_time(tables: Tables, book: Notebook) -> None:
    tables.take([book.event(deferred(), stamp(9))])

    found = only(tables)

    assert (found.wall, found.second_pass) == (None, None)


def test_the_same_records_again_change_nothing(tables: Tables, book: Notebook) -> None:
    told = [
        book.event(defined(), stamp(1)),
        book.schedule(NIGHTLY, row(5)),
        book.event(fired(), stamp(2)),
        book.event(changed(), stamp(3)),
        book.hold(Hold(True, "move", "user:ada", NOON)),
        book.raw(book.sources.globals, b"calendar/a", encode(Calendar(dates=(7,), at=NOON))),
        book.raw(book.sources.globals, b"freeze/b", encode(Freeze(("*",), NOON, NOON + DAY))),
    ]
    everything = "SELECT * FROM {}"
    names = (
        "schedules",
        "schedule_versions",
        "occurrences",
        "audit",
        "holds",
        "calendars",
        "freezes",
    )
    tables.take(told)
    before = [tables.rows(everything.format(name)) for name in names]

    tables.take(told)
    for one in told:
        tables.take([one])

    assert [tables.rows(everything.format(name)) for name in names] == before


def test_a_schedule_never_goes_back_to_an_older_version(tables: Tables, book: Notebook) -> None:
    """PGP-022, in one batch and over two."""
    tables.take([book.schedule(NIGHTLY, row(7)), book.schedule(NIGHTLY, row(5))])
    tables.take([book.schedule(NIGHTLY, row(6))])

    found = tables.reads.schedule(NIGHTLY)

    assert found is not None
    assert (found.version, found.rule) == (7, RULE)


def test_a_pause_and_its_end_change_the_row_of_one_version(tables: Tables, book: Notebook) -> None:
    tables.take([book.schedule(NIGHTLY, row(7))])
    tables.take([book.schedule(NIGHTLY, paused_row(7))])

    found = tables.reads.schedule(NIGHTLY)

    assert found is not None
    assert (found.status, found.pause_reason, found.pause_actor) == (
        "paused",
        "stocktaking",
        "user:bob",
    )
    assert (found.paused_since, found.paused_until, found.next) == (NOON, None, None)

    tables.take([book.schedule(NIGHTLY, row(7))])
    again = tables.reads.schedule(NIGHTLY)
    assert again is not None
    assert (again.status, again.pause_reason) == ("enabled", None)


def test_an_occurrence_of_an_unknown_schedule_is_kept(tables: Tables, book: Notebook) -> None:
    """PGP-028."""
    assert tables.take([book.event(fired("ghost/job"), stamp(1))]) == []

    assert only(tables, "ghost/job").state == "fired"


def test_counters_hold_more_than_32_bits(tables: Tables, book: Notebook) -> None:
    """PGP-012."""
    big = 1 << 40
    event = skipped(count=big, version=big, incarnation=big, deferrals=big)
    tables.take([book.event(event, stamp(big, globals_offset=big, offset=big))])

    found = only(tables)

    assert {found.count, found.version, found.incarnation, found.sequence, found.deferrals} == {big}


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York", "UTC"])
@pytest.mark.parametrize("nominal", [FIRST, LAST, NOON - 1], ids=["year 1", "year 9999", "cut"])
def test_any_instant_is_the_same_in_every_session(
    tables: Tables, book: Notebook, nominal: int, zone: str
) -> None:
    """PGP-010 and PGP-011: to the microsecond, whatever zone the database would rather have."""
    database = tables.connection.info.dbname
    tables.connection.execute(f"ALTER DATABASE \"{database}\" SET timezone TO '{zone}'".encode())
    event = skipped(first=nominal, last=nominal, next=NEVER, next_due=NEVER)
    tables.take([book.event(event, stamp(1, nominal))])

    found = only(tables)

    assert (found.nominal, found.last, found.decided_at, found.next) == (
        *(nominal, nominal, nominal),
        None,
    )
    assert tables.rows("SHOW timezone") == [("UTC",)]
