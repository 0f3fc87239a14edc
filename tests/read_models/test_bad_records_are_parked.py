"""Does one bad record cost exactly that record?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from projections.encoding import jsonb
from projections.faults import BadRecord, DatabaseRefuses
from schemas.codec import encode_event
from schemas.events import Event, Outcome, ScopeResult
from schemas.instants import FIRST, LAST
from schemas.rejected import KEPT_BYTES
from tests.read_models.ledger import (
    MINUTE,
    NIGHTLY,
    NOON,
    RULE,
    Notebook,
    defined,
    fired,
    minutes,
    row,
    skipped,
    stamp,
)
from tests.read_models.tables import Tables, tables_in


@pytest.fixture
def tables(database: str) -> Iterator[Tables]:
    with tables_in(database) as made:
        yield made


@pytest.fixture
def book() -> Notebook:
    return Notebook()


def good(book: Notebook, count: int) -> None:
    for nominal in minutes(count):
        book.event(fired(nominal=nominal))


NUL = "a\0b"
BAD_EVENTS: dict[str, tuple[Event, str]] = {
    "PGP-002 an escaped NUL in JSON": (
        fired(scopes=(ScopeResult(NUL, "jr_1", Outcome.STARTED),)),
        "22P05",
    ),
    "a NUL in a text": (skipped(evidence=NUL), "22021"),
    "PGP-009 an instant after year 9999": (fired(nominal=LAST + 1), "22008"),
    "PGP-009 an instant before year 1": (skipped(first=FIRST - 1), "22008"),
    "an id that no index takes": (
        fired("x/" + "".join(chr(0x4E00 + i * 7 % 20_000) for i in range(3_000))),
        "54000",
    ),
}


@pytest.mark.parametrize(("event", "sqlstate"), BAD_EVENTS.values(), ids=BAD_EVENTS.keys())
def test_it_is_found_among_its_neighbours(
    tables: Tables, book: Notebook, event: Event, sqlstate: str
) -> None:
    """PGP-020: number 40 of 100 is parked, 99 are applied. PGP-002, PGP-009."""
    good(book, 40)
    bad = book.event(event)
    for nominal in minutes(59, NOON + 60 * MINUTE):
        book.event(fired(nominal=nominal))

    parked = tables.take(book.records)

    assert [(one.record.offset(), one.sqlstate) for one in parked] == [(40, sqlstate)]
    assert tables.rows("SELECT count(*) FROM occurrences") == [(99,)]
    value = bad.value() or b""
    (kept,) = tables.rows("SELECT log_offset, sqlstate, value, size FROM parked")
    assert kept == (40, sqlstate, value[:KEPT_BYTES], len(value))
    assert tables.rows("SELECT next_offset FROM projection_offsets") == [(100,)]


def test_several_bad_ones_are_each_found(tables: Tables, book: Notebook) -> None:
    good(book, 10)
    for nominal in minutes(3, NOON + 20 * MINUTE):
        book.event(skipped(first=nominal, evidence=NUL))
    book.event(fired(nominal=NOON + 30 * MINUTE))
    book.raw(book.sources.events, b"k", b"junk")
    book.event(skipped(first=LAST + 1))
    book.event(skipped(first=NOON + 99 * MINUTE))

    parked = tables.take(book.records)

    assert sorted(one.record.offset() for one in parked) == [10, 11, 12, 14, 15]
    assert tables.rows("SELECT count(*) FROM occurrences") == [(12,)]


@pytest.mark.parametrize(
    "value",
    [
        b"junk",
        b"",
        b"\xc3\x01" + bytes(8) + b"of a release to come",
        encode_event(fired(), stamp())[:-3],
        encode_event(fired(), stamp()) + b"\0",
    ],
    ids=["no message", "empty", "unknown event type", "cut off", "too long"],
)
def test_what_cannot_be_read_is_parked_with_its_bytes(
    tables: Tables, book: Notebook, value: bytes
) -> None:
    """KAF-054: a projection parks an event type that it does not know, and says so."""
    book.raw(book.sources.events, b"key", value)
    good(book, 2)

    (parked,) = tables.take(book.records)

    assert "Unreadable" in parked.error
    assert tables.rows("SELECT key, value FROM parked") == [(b"key", value)]
    assert tables.rows("SELECT count(*) FROM occurrences") == [(2,)]
    (shown,) = tables.reads.parked()
    assert (shown.log_offset, shown.error) == (0, parked.error)


def test_a_lone_surrogate_is_a_fault_of_its_record(tables: Tables, book: Notebook) -> None:
    """PGP-004: neither the client's encode error nor a 22P02 is taken for an outage."""
    raw = encode_event(skipped(evidence="here"), stamp(7)).replace(b"here", b"\xed\xa0\x80!")
    book.raw(book.sources.events, b"k", raw)
    book.raw(book.sources.schedules, b"\xed\xa0\x80", None)
    good(book, 1)

    parked = tables.take(book.records)

    assert [one.record.offset() for one in parked] == [0, 1]
    with pytest.raises(UnicodeEncodeError):
        "\ud800".encode()


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_numbers_that_are_none_never_reach_the_database(number: float) -> None:
    """PGP-005 and PGP-006."""
    with pytest.raises(BadRecord) as raised:
        jsonb({"seconds": number})

    assert raised.value.sqlstate == "22P02"


def test_a_bad_schedule_does_not_hide_a_good_one(tables: Tables, book: Notebook) -> None:
    book.schedule("shop/bad", row(rule := 7, definition=replace(RULE, description=NUL)))
    book.schedule(NIGHTLY, row(rule))
    book.raw(book.sources.schedules, None, b"no key")
    book.event(defined("shop/bad", rule=replace(RULE, description=NUL)))

    parked = tables.take(book.records)

    assert [one.record.offset() for one in parked] == [0, 2, 3]
    assert [one.schedule for one in tables.reads.schedules().rows] == [NIGHTLY]
    assert tables.reads.audit().rows == (), "nothing of a parked record is applied"


def test_a_fault_of_the_schema_stops_and_parks_nothing(tables: Tables, book: Notebook) -> None:
    tables.connection.execute("ALTER TABLE occurrences DROP COLUMN evidence")
    good(book, 3)

    with pytest.raises(DatabaseRefuses, match="42"):
        tables.take(book.records)

    assert tables.rows("SELECT count(*) FROM parked") == [(0,)]
    assert tables.rows("SELECT count(*) FROM projection_offsets") == [(0,)]
