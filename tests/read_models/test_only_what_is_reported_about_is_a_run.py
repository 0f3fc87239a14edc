"""Does a fire have a run exactly where somebody reports about its work?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from schemas.events import Event
from schemas.run_events import RunStatus
from tests.read_models.ledger import (
    NIGHTLY,
    NOON,
    RULE,
    SECOND,
    Notebook,
    changed,
    defined,
    fired,
    row,
)
from tests.read_models.tables import Tables, tables_in
from tests.read_models.works import COMMAND, TRACKED, Life, only_run, tell

BY_HAND = "trigger:c.9"
LIFE = Life()


@pytest.fixture
def tables(database: str) -> Iterator[Tables]:
    with tables_in(database) as made:
        yield made


def test_an_emit_that_nobody_reports_about_is_no_run(tables: Tables) -> None:
    tell(tables, [defined(), fired(version=5), fired(version=5, origin=BY_HAND)])

    assert tables.reads.runs().rows == ()
    assert len(tables.reads.occurrences(NIGHTLY).rows) == 2


def test_the_version_that_a_fire_names_says_whether_it_is_tracked(database: str) -> None:
    """Also to a projector that was started after the definitions were read."""
    book = Notebook()
    plain, tracked, plain_again = 5, 7, 9
    with tables_in(database) as first:
        edits: list[Event] = [
            defined(rule=RULE, version=plain),
            replace(changed(version=tracked), definition=TRACKED),
            replace(changed(version=plain_again, previous=tracked), definition=RULE),
        ]
        tell(first, edits, book)
    with tables_in(database) as second:
        fires: list[Event] = [
            replace(LIFE, run=f"jr_{version}", version=version, nominal=NOON + version).fired()
            for version in (plain, tracked, tracked + 1, plain_again)
        ]
        tell(second, fires, book)
        found = [(run.run, run.work) for run in reversed(second.reads.runs().rows)]

    assert found == [("jr_7", "emit"), ("jr_8", "emit")]


def test_where_the_ledger_lost_the_definition_the_public_table_has_it(database: str) -> None:
    book = Notebook()
    with tables_in(database) as first:
        first.take([book.schedule(NIGHTLY, row(5, definition=COMMAND))])
    with tables_in(database) as second:
        tell(second, [LIFE.fired()], book)
        run, _ = only_run(second)

    assert (run.work, run.status) == ("command", "offered")


def test_a_run_whose_fire_the_ledger_lost_is_there_from_its_next_event_on(tables: Tables) -> None:
    tell(tables, [LIFE.noted(), LIFE.granted(), LIFE.ended(RunStatus.FAILED)])
    run, (attempt,) = only_run(tables)

    assert (run.status, run.due, run.lateness) == ("failed", None, None)
    assert (run.fired_at, attempt.status) == (NOON + SECOND, "failed")
