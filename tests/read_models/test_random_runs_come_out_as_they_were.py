"""Whatever happens to runs, and however it is read: is each row what its events come to?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from tests.read_models.ledger import Notebook, Written
from tests.read_models.random_runs import Told, attempts_of, compacted, ledger, runs_of
from tests.read_models.tables import Tables, tables_in

SEEDS = range(6)
ALL_ROWS = (
    "SELECT to_jsonb(r) - 'sequence' - 'changed_at' FROM runs r ORDER BY run",
    "SELECT to_jsonb(a) - 'sequence' FROM run_attempts a ORDER BY run, attempt",
    "SELECT to_jsonb(r) FROM runners r ORDER BY runner",
)


def written(told: Sequence[Told]) -> list[Written]:
    book = Notebook()
    return [book.event(event, said) for event, said in told]


def take(tables: Tables, records: Sequence[Written], seed: int) -> None:
    """In batches of any size."""
    dice = Random(seed)  # noqa: S311 - cuts are no secret
    cuts = sorted({0, len(records), *(dice.randrange(len(records)) for _ in range(8))})
    for begin, end in pairwise(cuts):
        parked = tables.take(records[begin:end])
        assert {one.sqlstate for one in parked} <= {"22021"}


def rows(tables: Tables) -> list[Any]:
    return [tables.rows(query) for query in ALL_ROWS]


@pytest.mark.parametrize("seed", SEEDS)
def test_each_run_is_what_its_events_come_to(database: str, seed: int) -> None:
    told = ledger(seed)
    with tables_in(database) as tables:
        take(tables, written(told), seed)
        found = tables.reads.runs(limit=100).rows
        attempts = [one for run in found for one in tables.reads.attempts(run.run)]

    expected = runs_of(told)
    assert {run.run for run in found} == expected.keys()
    for run in found:
        assert {name: getattr(run, name) for name in expected[run.run]} == expected[run.run]
    wanted = attempts_of(told)
    assert {(one.run, one.attempt) for one in attempts} == wanted.keys()
    for one in attempts:
        names = wanted[one.run, one.attempt].keys() - {"number"}
        assert {name: getattr(one, name) for name in names} == {
            name: wanted[one.run, one.attempt][name] for name in names
        }


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_what_is_read_again_changes_nothing(database: str, seed: int) -> None:
    records = written(ledger(seed))
    with tables_in(database) as tables:
        take(tables, records, seed)
        before = rows(tables)
        for begin in range(0, len(records), 37):
            tables.take(records[begin : begin + 50])
        after = rows(tables)
    with tables_in(database) as restarted:
        take(restarted, records, seed)
        again = rows(restarted)

    assert before == after == again


@pytest.mark.parametrize("seed", SEEDS[:2])
def test_a_compacted_ledger_has_the_same_runs(database: str, seed: int) -> None:
    told = ledger(seed)
    with tables_in(database) as tables:
        take(tables, written(told), seed)
        whole = rows(tables)
        tables.connection.execute("TRUNCATE runs, run_attempts, runners")
        take(tables, written(compacted(told)), seed + 1)
        rest = rows(tables)

    assert len(compacted(told)) < len(told)
    assert rest == whole
