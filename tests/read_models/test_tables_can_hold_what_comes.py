"""Can any event become a row or be parked, and can no table hold what must not be in it?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import projections
from projections.folding import Batch
from projections.statements import FOLDER, statement
from schemas.codec import encode_event
from schemas.faults import Unwritable
from tests.read_models.ledger import Notebook
from tests.read_models.tables import Tables, tables_in
from tests.schemas.made import EVENTS, made, stamps


@pytest.fixture
def tables(database: str) -> Iterator[Tables]:
    with tables_in(database) as made_tables:
        yield made_tables


EVENT = st.one_of(*(made(cls) for cls in EVENTS))


@given(told=st.lists(st.tuples(EVENT, stamps), max_size=12))
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_any_event_is_applied_or_parked(tables: Tables, told: list[tuple[Any, Any]]) -> None:
    book = Notebook()
    for event, said in told:
        try:
            encode_event(event, said)
        except Unwritable:
            continue
        book.event(event, said)

    parked = tables.take(book.records)

    assert len(parked) <= len(book.records)
    assert all(one.error for one in parked)


def columns(tables: Tables, *types: str) -> list[Any]:
    return tables.connection.execute(
        "SELECT table_name, column_name FROM information_schema.columns"
        " WHERE table_schema = 'horae_v1' AND data_type = ANY(%s)",
        [list(types)],
    ).fetchall()


def test_no_counter_ends_at_32_bits_and_no_column_can_hold_nan(tables: Tables) -> None:
    """PGP-006 and PGP-012: whole numbers of 64 bits only; a duration is one, too."""
    assert columns(tables, "smallint", "integer") == []
    assert columns(tables, "real", "double precision", "numeric") == []
    assert columns(tables, "bigint") != []


def test_no_table_refers_to_another(tables: Tables) -> None:
    """PGP-028: no foreign keys, since each table is filled alone."""
    assert tables.rows("SELECT conname FROM pg_constraint WHERE contype = 'f'") == []


def test_no_statement_converts_zones() -> None:
    """PGP-015: local times are converted in our code only; SQL knows UTC and nothing else."""
    text = "\n".join(path.read_text() for path in FOLDER.glob("*.sql"))

    assert set(re.findall(r"AT TIME ZONE '([^']+)'", text)) <= {"UTC"}


def test_every_statement_has_a_name_a_sentence_and_a_use() -> None:
    names = re.findall(r"^-- name: (\w+)$", _all_sql(), re.MULTILINE)
    sources = Path(projections.__file__).parent.glob("*.py")
    code = "\n".join(path.read_text() for path in sources)
    tables_of_a_batch = {
        *("removals", "schedules", "schedule_versions", "occurrences", "audit", "holds"),
        *("calendars", "freezes", "runs", "run_attempts", "insights", "subjects", "runners"),
        *("definitions", "states", "activities", "subject_holds", "removed_subjects"),
        *("proposals", "settlements", "traffic_hours"),
    }
    merges = {f"merge_{table}" for table in tables_of_a_batch}
    assert tables_of_a_batch == {table for table, _ in Batch().tables()}

    assert len(names) == len(set(names))
    for name in names:
        assert re.match(r"-- [A-Z][^\n]+", statement(name)), f"{name} says nothing"
        assert name in merges or f'"{name}"' in code, f"nobody uses {name}"


def _all_sql() -> str:
    return "\n".join(path.read_text() for path in sorted(FOLDER.glob("*.sql")))
