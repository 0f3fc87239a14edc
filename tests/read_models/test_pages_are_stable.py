"""Do lists come in pages that neither repeat nor miss a row while rows are added?"""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

import pytest

from projections import traffic_queries
from projections.queries import AuditFilter, BadPage, OccurrenceFilter, ScheduleFilter
from projections.shown import Page
from schemas.definition import Emit
from schemas.events import CommandRefused, Reason, SchedulePaused
from tests.read_models.ledger import (
    DAY,
    MINUTE,
    NIGHTLY,
    NOON,
    RULE,
    Notebook,
    defined,
    fired,
    minutes,
    paused_row,
    row,
    skipped,
    stamp,
)
from tests.read_models.tables import Tables, tables_in

T = TypeVar("T")


@pytest.fixture
def tables(database: str) -> Iterator[Tables]:
    with tables_in(database) as made:
        yield made


def turned(read: Callable[[str | None], Page[T]], between: Callable[[], None]) -> list[T]:
    """All rows of all pages; something happens between two pages."""
    rows: list[T] = []
    after = None
    while True:
        page = read(after)
        rows += page.rows
        if page.following is None:
            return rows
        after = page.following
        between()


def test_schedules_come_in_the_order_of_their_ids(tables: Tables) -> None:
    book = Notebook()
    names = [f"{subject}/job-{i}" for subject in ("a", "b", "ä") for i in range(5)]
    tables.take([book.schedule(name, row()) for name in names])

    def between() -> None:
        tables.take([book.schedule("a/aaa", row(10 + len(book.records)))])

    found = turned(lambda after: tables.reads.schedules(after=after, limit=4), between)

    assert [one.schedule for one in found] == sorted(names, key=str.encode)


def test_schedules_are_filtered(tables: Tables) -> None:
    book = Notebook()
    tables.take(
        [
            book.schedule("shop/nightly", row()),
            book.schedule("shop/100%_sure", paused_row()),
            book.schedule("bank/nightly", row()),
        ]
    )

    def ids(which: ScheduleFilter) -> list[str]:
        return [one.schedule for one in tables.reads.schedules(which).rows]

    assert ids(ScheduleFilter(subject="shop")) == ["shop/100%_sure", "shop/nightly"]
    assert ids(ScheduleFilter(status="paused")) == ["shop/100%_sure"]
    assert ids(ScheduleFilter(containing="night")) == ["bank/nightly", "shop/nightly"]
    assert ids(ScheduleFilter(containing="%_s")) == ["shop/100%_sure"]
    assert ids(ScheduleFilter(subject="shop", status="enabled")) == ["shop/nightly"]
    assert tables.reads.schedule("shop/none") is None


def test_a_schedule_is_shown_with_its_last_occurrence_and_its_next_instant(tables: Tables) -> None:
    book = Notebook()
    tables.take([book.schedule(NIGHTLY, row()), book.event(defined(), stamp(1, NOON - DAY))])
    fresh = tables.reads.schedule(NIGHTLY)
    assert fresh is not None
    assert (fresh.last_nominal, fresh.next) == (None, NOON)

    tables.take([book.event(fired(), stamp(2)), book.event(fired(nominal=NOON + DAY), stamp(3))])
    found = tables.reads.schedule(NIGHTLY)
    assert found is not None
    assert (found.last_nominal, found.last_state, found.next) == (
        NOON + DAY,
        "fired",
        NOON + 2 * DAY,
    )
    assert found.definition["timings"] == [
        {"kind": "cron", "expression": "0 12 * * *", "dialect": "standard"}
    ]
    assert found.definition["action"]["value"] == "go"

    paused = SchedulePaused(NIGHTLY, 7, 5, "stocktaking", NOON, None)
    tables.take([book.schedule(NIGHTLY, paused_row()), book.event(paused, stamp(4))])
    assert getattr(tables.reads.schedule(NIGHTLY), "next", 0) is None


def test_bytes_that_are_no_text_are_shown_as_base64(tables: Tables) -> None:
    book = Notebook()
    rule = replace(RULE, action=Emit("jobs", b"\xff\0", b"a\0b", (("h", b"v"), ("none", None))))
    tables.take([book.schedule(NIGHTLY, row(definition=rule))])

    found = tables.reads.schedule(NIGHTLY)

    assert found is not None
    assert found.definition["action"] == {
        "kind": "emit",
        "topic": "jobs",
        "key": {"base64": "/wA="},
        "value": {"base64": "YQBi"},
        "headers": [["h", "v"], ["none", None]],
        "tracked": None,
        "work": None,
    }
    assert found.rule == rule


def test_occurrences_come_newest_first(tables: Tables) -> None:
    book = Notebook()
    nominals = [NOON + i * 7 * 60 * MINUTE for i in range(23)]
    tables.take([book.event(fired(nominal=at)) for at in nominals])
    tables.take([book.event(fired(nominal=nominals[4], origin=f"trigger:{i}")) for i in range(3)])

    def between() -> None:
        tables.take([book.event(fired(nominal=NOON + 99 * DAY + len(book.records)))])

    found = turned(lambda after: tables.reads.occurrences(NIGHTLY, after=after, limit=5), between)

    assert [one.nominal for one in found] == sorted([*nominals, *[nominals[4]] * 3], reverse=True)
    assert len({one.id for one in found}) == 26


def test_occurrences_are_filtered(tables: Tables) -> None:
    book = Notebook()
    tables.take([book.event(fired(nominal=at)) for at in minutes(3)])
    tables.take([book.event(skipped(first=NOON + 5 * MINUTE, reason=Reason.OVERLAP))])

    def nominals(which: OccurrenceFilter) -> list[int]:
        return [one.nominal for one in tables.reads.occurrences(NIGHTLY, which).rows]

    assert nominals(OccurrenceFilter(state="skipped")) == [NOON + 5 * MINUTE]
    assert nominals(OccurrenceFilter(reason="overlap")) == [NOON + 5 * MINUTE]
    assert nominals(OccurrenceFilter(since=NOON + MINUTE, before=NOON + 2 * MINUTE)) == [
        NOON + MINUTE
    ]


def test_the_audit_comes_newest_first_and_filtered(tables: Tables) -> None:
    book = Notebook()
    for i in range(12):
        who = "user:ada" if i % 2 else "user:bob"
        event = CommandRefused(f"s/{i % 3}", "define", "zone", f"no {i}")
        tables.take([book.event(event, stamp(i, NOON + i // 2, actor=who))])

    found = turned(lambda after: tables.reads.audit(after=after, limit=5), lambda: None)

    assert [one.reason for one in found] == [f"no {i}" for i in reversed(range(12))]
    mine = tables.reads.audit(AuditFilter(schedule="s/1", actor="user:ada")).rows
    assert [one.reason for one in mine] == ["no 7", "no 1"]
    since = tables.reads.audit(AuditFilter(since=NOON + 5, outcome="refused")).rows
    assert [one.reason for one in since] == ["no 11", "no 10"]


def named(*place: object) -> str:
    return urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


@pytest.mark.parametrize("text", ["\0", "a\ud800", "\udfff"])
def test_a_page_behind_a_text_that_no_row_can_have_is_refused(tables: Tables, text: str) -> None:
    with pytest.raises(BadPage):
        tables.reads.look(lambda views: traffic_queries.proposals(views, after=named(1, text, "")))


def test_a_page_whose_name_is_nested_without_end_is_refused(tables: Tables) -> None:
    endless = urlsafe_b64encode(b"[" * 100_000).decode().rstrip("=")
    with pytest.raises(BadPage):
        tables.reads.occurrences(NIGHTLY, after=endless)


@pytest.mark.parametrize(
    "token", ["", "x", "AAAA", "WzFd", "eyJhIjoxfQ", "WyJ4IiwgbnVsbCwgdHJ1ZV0"]
)
def test_a_page_that_nobody_named_is_refused(tables: Tables, token: str) -> None:
    with pytest.raises(BadPage):
        tables.reads.occurrences(NIGHTLY, after=token)
