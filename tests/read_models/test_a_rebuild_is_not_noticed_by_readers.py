"""Can the views be built anew while they are read and written, without a row going missing?"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import psycopg
import pytest

from projections.faults import RebuildStopped, WouldLoseRows
from projections.rebuild import Progress, Rebuilt, rebuild
from tests.read_models.conftest import Views, await_that
from tests.read_models.ledger import (
    MINUTE,
    NIGHTLY,
    NOON,
    defined,
    fired,
    minutes,
    row,
)
from tests.read_models.test_a_gap_in_the_log_stops_the_projection import forget


def build(views: Views, *, force: bool = False) -> tuple[Rebuilt, list[Progress]]:
    told: list[Progress] = []
    done = rebuild(views.settings, progress=told.append, force=force, sources=views.ledger.sources)
    return done, told


def schemas(views: Views) -> list[str]:
    with psycopg.connect(views.dsn) as connection:
        found = connection.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'horae%' ORDER BY 1"
        ).fetchall()
    return [name for (name,) in found]


def fill(views: Views, count: int = 200) -> None:
    views.ledger.schedule(NIGHTLY, row(5))
    views.ledger.events(defined(), *(fired(nominal=at) for at in minutes(count)))
    views.ledger.events(*(fired("b/b", nominal=at) for at in minutes(count)), partition=1)


@contextmanager
def watching(views: Views) -> Iterator[list[tuple[int, int]]]:
    """A reader that asks for lists all the time: how many rows there were each time."""
    stop = Event()
    seen: list[tuple[int, int]] = []

    def look() -> None:
        while not stop.is_set():
            rows = len(views.reads.occurrences("b/b", limit=1_000).rows)
            seen.append((len(views.reads.schedules().rows), rows))

    with ThreadPoolExecutor(1) as thread:
        looking = thread.submit(look)
        try:
            yield seen
        finally:
            stop.set()
            looking.result(10)


def test_lists_stay_full_while_the_log_goes_on(views: Views) -> None:
    """PGP-040, PGP-046: the live projector writes one version, the rebuild another."""
    fill(views)
    with views.projecting() as running:
        views.await_caught_up(running)
        with watching(views) as seen:
            for i in range(20):
                views.ledger.events(fired(nominal=NOON + (1_000 + i) * MINUTE))
            done, told = build(views)
            views.ledger.events(fired(nominal=NOON + 2_000 * MINUTE))
            views.await_caught_up(running)
        await_that(lambda: views.telemetry.health().version == 2)

    assert (done.version, done.replaced, done.dropped) == (2, 1, True)
    assert done.counts == done.counts_before
    assert seen
    assert set(seen) == {(1, 200)}, "no reader ever saw less"
    assert [one.done for one in told] == sorted(one.done for one in told)
    assert told[-1].done == told[-1].total > 0
    assert schemas(views) == ["horae", "horae_v2"]
    assert views.rows("SELECT count(*) FROM occurrences") == [(421,)]
    assert views.rows("SELECT DISTINCT version FROM projection_offsets") == [(2,)]


def test_a_reader_with_an_older_snapshot_never_sees_an_empty_list(views: Views) -> None:
    """PGP-041: it reads the old rows or gets an error, and the next question is answered."""
    fill(views)
    views.project()
    with psycopg.connect(views.dsn) as reader:
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        reader.execute("SELECT 1 FROM pg_class LIMIT 1")  # the snapshot is taken here
        done, _ = build(views)
        assert done.version == 2
        old = reader.execute("SELECT version FROM horae.serving").fetchone()
        assert old == (1,), "its pointer is as old as its snapshot"
        with pytest.raises(psycopg.errors.UndefinedTable):
            reader.execute("SELECT count(*) FROM horae_v1.occurrences")
    assert len(views.reads.occurrences("b/b", limit=1_000).rows) == 200


def test_a_reader_in_the_middle_of_a_question_finishes_it(views: Views) -> None:
    """PGP-041: what it holds is dropped after it has left."""
    fill(views)
    views.project()
    with ThreadPoolExecutor(1) as thread, psycopg.connect(views.dsn) as reader:
        rows = reader.execute("SELECT count(*) FROM horae_v1.occurrences").fetchone()
        building = thread.submit(build, views)
        await_that(lambda: views.reads.serving_version() == 2)
        assert reader.execute("SELECT 1").fetchone() == (1,)
        reader.rollback()
        done, _ = building.result(30)
    assert rows == (400,)
    assert done.dropped
    assert schemas(views) == ["horae", "horae_v2"]


def test_a_rebuild_that_would_lose_rows_is_stopped(views: Views) -> None:
    """PGP-045: the log holds less than the views; only force swaps that in."""
    fill(views)
    views.project()
    forget(views, 150)

    with pytest.raises(WouldLoseRows, match=r"occurrences 251 instead of 400"):
        build(views)

    assert views.reads.serving_version() == 1
    assert schemas(views) == ["horae", "horae_v1"], "what was not swapped in is gone"
    assert views.rows("SELECT count(*) FROM occurrences") == [(400,)]

    done, _ = build(views, force=True)
    assert (done.counts["occurrences"], done.counts_before["occurrences"]) == (251, 400)
    assert views.rows("SELECT count(*) FROM occurrences") == [(251,)]


def test_a_rebuild_mends_what_a_gap_has_stopped(views: Views) -> None:
    """KAF-037, KAF-038, KAF-039: the operator rebuilds, and the projector goes on."""
    fill(views, 10)
    views.project()
    with psycopg.connect(views.dsn) as connection:
        connection.execute("UPDATE horae_v1.projection_offsets SET next_offset = next_offset + 99")
        connection.execute("DELETE FROM horae_v1.occurrences")

    done, _ = build(views)
    views.ledger.events(fired(nominal=NOON + 99 * MINUTE))
    views.project()

    assert done.counts["occurrences"] == 20
    assert views.rows("SELECT count(*) FROM occurrences") == [(21,)]


def test_a_rebuild_can_be_stopped_and_leaves_nothing(views: Views) -> None:
    fill(views)
    views.project()

    with pytest.raises(RebuildStopped):
        rebuild(
            views.settings,
            progress=lambda _: None,
            stopping=lambda: True,
            sources=views.ledger.sources,
        )

    assert schemas(views) == ["horae", "horae_v1"]


def test_a_rebuild_touches_nothing_but_its_own_tables(views: Views) -> None:
    """PGP-043: no record is written anywhere, no other table changes."""
    fill(views)
    views.project()
    with psycopg.connect(views.dsn) as connection:
        connection.execute("CREATE TABLE public.others AS SELECT 1 AS one")
    before = views.ledger_ends()

    build(views)

    assert views.ledger_ends() == before
    with psycopg.connect(views.dsn) as connection:
        assert connection.execute("SELECT one FROM public.others").fetchall() == [(1,)]


def test_what_a_broken_rebuild_left_is_swept_by_the_next(views: Views) -> None:
    fill(views, 5)
    views.project()
    with psycopg.connect(views.dsn, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA horae_v7")
        connection.execute("CREATE SCHEMA horae_dropped_0")

    done, _ = build(views)

    assert schemas(views) == ["horae", f"horae_v{done.version}"]


def test_the_first_build_needs_no_projector(views: Views) -> None:
    fill(views, 5)

    done, _ = build(views)

    assert (done.version, done.replaced, done.counts["occurrences"]) == (1, None, 10)
    views.project()
    assert views.rows("SELECT count(*) FROM occurrences") == [(10,)]
