"""Is what is away for a moment waited for, and nothing lost or parked meanwhile?"""

from __future__ import annotations

import json
from contextlib import closing
from http.client import HTTPConnection

import psycopg
import pytest
from psycopg import errors

from projections.metrics import serve
from projections.sqlstates import Sort, sort_of
from tests.read_models.conftest import Views, await_that
from tests.read_models.ledger import NOON, fired, minutes, skipped

STATES = {
    "08006": Sort.RETRY,
    "57P01": Sort.RETRY,
    "57P03": Sort.RETRY,
    "40001": Sort.RETRY,
    "40P01": Sort.RETRY,
    "53100": Sort.RETRY,
    "53300": Sort.RETRY,
    "25006": Sort.RETRY,
    "55P03": Sort.RETRY,
    "22P05": Sort.PARK,
    "22P02": Sort.PARK,
    "22008": Sort.PARK,
    "22003": Sort.PARK,
    "23502": Sort.PARK,
    "23505": Sort.PARK,
    "54000": Sort.PARK,
    "54001": Sort.PARK,
    "42P01": Sort.STOP,
    "42703": Sort.STOP,
    "25P02": Sort.STOP,
    "28P01": Sort.STOP,
    "XX000": Sort.STOP,
}


@pytest.mark.parametrize(("state", "sort"), STATES.items(), ids=STATES.keys())
def test_the_class_of_an_error_says_what_to_do(state: str, sort: Sort) -> None:
    """PGP-002, PGP-004, PGP-009, PGP-020, PGP-027: each SQLSTATE they name is here."""
    assert sort_of(errors.lookup(state)("said so")) is sort


@pytest.mark.parametrize(
    ("error", "sort"),
    [
        (psycopg.OperationalError("server closed the connection"), Sort.RETRY),
        (psycopg.InterfaceError("the connection is closed"), Sort.RETRY),
        (psycopg.DataError("text fields cannot contain NUL"), Sort.PARK),
        (psycopg.ProgrammingError("a mistake of ours"), Sort.STOP),
    ],
    ids=["lost", "closed", "data", "ours"],
)
def test_an_error_of_the_client_is_sorted_by_its_kind(error: psycopg.Error, sort: Sort) -> None:
    assert sort_of(error) is sort


def end_sessions(views: Views, *, readonly: bool | None = None) -> None:
    """Cut every projector's connection, as a fail-over does; the server may then be a standby."""
    with psycopg.connect(views.dsn, autocommit=True) as connection:
        name = connection.info.dbname
        if readonly is not None:
            connection.execute(
                f'ALTER DATABASE "{name}" SET default_transaction_read_only = {readonly}'.encode()
            )
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name = 'horae-projector'"
        )


def ask(port: int, path: str) -> tuple[int, str]:
    with closing(HTTPConnection("127.0.0.1", port, timeout=10)) as connection:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def measured(views: Views, name: str) -> float | None:
    here = {"topic": views.ledger.sources.events, "partition": "0"}
    return views.telemetry.registry.get_sample_value(name, here)


def test_a_lost_connection_costs_nothing_and_doubles_nothing(views: Views) -> None:
    """PGP-026: offsets are read again from the database, rows are set and never added to."""
    nominals = minutes(300)
    with views.projecting() as running:
        for start in range(0, 300, 60):
            views.ledger.events(*(fired(nominal=at) for at in nominals[start : start + 60]))
            end_sessions(views)
        views.await_caught_up(running)

    assert views.rows("SELECT count(*), sum(count) FROM occurrences") == [(300, 300)]
    assert views.rows("SELECT count(*) FROM parked") == [(0,)]


def test_a_standby_is_waited_out_and_nothing_is_parked(views: Views) -> None:
    """PGP-027: a read-only server is an outage; the projector asks for a writable one."""
    with views.projecting() as running:
        views.ledger.events(fired())
        views.await_caught_up(running)
        end_sessions(views, readonly=True)
        views.ledger.events(fired(nominal=NOON + 1))
        await_that(lambda: "read-only" in (views.telemetry.health().last_error or ""))
        assert not running.done()

        with psycopg.connect(views.dsn, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute(
                f'ALTER DATABASE "{connection.info.dbname}"'
                " RESET default_transaction_read_only".encode()
            )
        views.await_caught_up(running)

    assert views.rows("SELECT count(*) FROM occurrences") == [(2,)]
    assert views.rows("SELECT count(*) FROM parked") == [(0,)]


def test_an_outage_and_then_a_bad_record_are_each_treated_as_what_they_are(views: Views) -> None:
    """PGP-023: retried and parked, and both can be seen from outside."""
    server = serve(views.telemetry, "127.0.0.1", 0)
    try:
        assert ask(server.server_port, "/healthz")[0] == 503
        assert ask(server.server_port, "/else")[0] == 404
        with views.projecting() as running:
            await_that(lambda: views.telemetry.health().healthy)
            end_sessions(views)
            await_that(lambda: views.telemetry.health().last_error is not None)
            assert "Transient" in str(views.telemetry.health().last_error)

            views.ledger.raw(b"junk")
            views.ledger.events(skipped(evidence="a\0b"), fired(nominal=NOON + 1))
            views.await_caught_up(running)
            await_that(lambda: views.telemetry.health().parked == 2)

            await_that(lambda: ask(server.server_port, "/healthz")[0] == 200)
            await_that(lambda: measured(views, "horae_projection_lag_records") == 0)
            health = json.loads(ask(server.server_port, "/healthz")[1])
            metrics = ask(server.server_port, "/metrics")[1]
    finally:
        server.shutdown()
        server.server_close()

    assert (health["state"], health["lag_records"], health["parked"]) == ("following", 0, 2)
    assert "parked" in health["last_error"]
    topic = views.ledger.sources.events
    assert measured(views, "horae_projection_lag_seconds") == 0
    sample = views.telemetry.registry.get_sample_value
    bad = {"topic": topic, "sqlstate": "22021"}
    assert sample("horae_projection_parked_total", bad) == 1
    assert 'horae_projection_faults_total{kind="Transient"}' in metrics
    assert views.rows("SELECT count(*) FROM occurrences") == [(1,)]
