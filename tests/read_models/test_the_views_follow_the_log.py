"""Do the views follow the log, through restarts and with one writer at a time?"""

from __future__ import annotations

from concurrent.futures import Future
from time import monotonic

import psycopg
import pytest
from confluent_kafka import Producer

from projections.faults import NotBuilt, WrongLayout
from projections.metrics import Telemetry
from schemas.codec import encode_event
from schemas.globals import Hold
from tests.read_models.conftest import Views, await_that
from tests.read_models.ledger import (
    NIGHTLY,
    NOON,
    Ledger,
    changed,
    defined,
    fired,
    minutes,
    row,
    stamp,
)


def test_all_topics_and_partitions_are_followed(views: Views) -> None:
    """ANC-11: what was there before a restart is there after it."""
    with views.projecting() as running:
        views.ledger.schedule(NIGHTLY, row(5))
        views.ledger.events(defined(), fired())
        views.ledger.events(fired("other/job"), partition=1)
        views.ledger.hold(Hold(held=True, reason="move", actor="user:ada", at=NOON))
        views.await_caught_up(running)
    views.ledger.schedule(NIGHTLY, row(7))
    views.ledger.events(changed(), fired(nominal=NOON + 1))
    views.project()

    with views.reads as reads:
        shown = reads.schedule(NIGHTLY)
        assert shown is not None
        assert shown.version == 7
        assert [one.version for one in reads.versions(NIGHTLY)] == [7, 5]
        assert [one.nominal for one in reads.occurrences(NIGHTLY).rows] == [NOON + 1, NOON]
        assert len(reads.occurrences("other/job").rows) == 1
        assert [one.held for one in reads.holds()] == [True]
        assert [one.outcome for one in reads.audit().rows].count("defined") == 1
        assert all(lag.records == 0 and lag.seconds == 0 for lag in reads.lag())


def test_aborted_records_are_never_shown_and_leave_no_lag(views: Views) -> None:
    producer = Producer(
        {
            "bootstrap.servers": views.ledger.bootstrap,
            "transactional.id": views.ledger.sources.events,
        }
    )
    producer.init_transactions()
    for at, keep in enumerate((True, False, True, False)):
        producer.begin_transaction()
        value = encode_event(fired(nominal=NOON + at), stamp(at))
        producer.produce(views.ledger.sources.events, key=b"k", value=value, partition=0)
        if keep:
            producer.commit_transaction()
        else:
            producer.abort_transaction()

    views.project()

    with views.reads as reads:
        shown = reads.occurrences(NIGHTLY).rows
        assert [one.nominal for one in shown] == [NOON + 2, NOON]
        assert sum(lag.records for lag in reads.lag()) == 0


def test_a_second_projector_stands_by_until_the_first_is_gone(views: Views) -> None:
    second = Telemetry(monotonic)

    def writes(one: Telemetry) -> bool:
        return one.health().state == "following"

    with views.projecting(second) as standing_by:
        await_that(lambda: writes(second))
        with views.projecting() as running:
            views.ledger.events(*(fired(nominal=at) for at in minutes(3)))
            views.await_caught_up(standing_by)
            assert views.telemetry.health().state == "standby"
            assert views.telemetry.health().healthy
            assert not running.done()

    with views.projecting() as first:
        await_that(lambda: writes(views.telemetry))
        third = Telemetry(monotonic)
        with views.projecting(third):
            kill_first(views, first)
            await_that(lambda: writes(third) or writes(views.telemetry))

    assert views.rows("SELECT count(*) FROM occurrences") == [(3,)]


def kill_first(views: Views, running: Future[None]) -> None:
    assert not running.done()
    with psycopg.connect(views.dsn, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks"
            " JOIN pg_stat_activity USING (pid)"
            " WHERE locktype = 'advisory' AND application_name = 'horae-projector'"
        )


def test_tables_of_another_release_are_left_alone(views: Views) -> None:
    views.project()
    with psycopg.connect(views.dsn) as connection:
        connection.execute("UPDATE horae.serving SET layout = 999")

    with pytest.raises(WrongLayout, match="horae rebuild"), views.projecting() as running:
        await_that(running.done)


def test_views_that_were_never_built_are_not_shown_as_empty(database: str) -> None:
    from projections.queries import Reads

    with Reads(database) as reads, pytest.raises(NotBuilt):
        reads.schedules()


def test_old_days_are_dropped_and_never_come_back(views: Views, ledger: Ledger) -> None:
    with psycopg.connect(views.dsn) as connection:
        (today,) = connection.execute(
            "SELECT (extract(epoch FROM date_trunc('day', now(), 'UTC')) * 1000000)::bigint"
        ).fetchone() or (0,)
    day = 86_400_000_000
    ledger.events(*(fired(nominal=today - back * day) for back in range(6)))
    views.project()
    assert views.rows("SELECT count(*) FROM occurrences") == [(6,)]

    views.settings = views.settings.model_copy(update={"occurrence_retention_days": 2})
    with views.projecting():  # nothing is left to read: the days go when it first looks
        await_that(lambda: views.rows("SELECT count(*) FROM occurrences") == [(3,)])

    ledger.events(*(fired(nominal=today - back * day + 1) for back in range(6)))
    views.project()
    assert views.rows("SELECT count(*) FROM occurrences") == [(6,)]
