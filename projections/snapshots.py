"""
How does a reader stay within one version of the views?

Every question is a transaction of its own in one snapshot, which looks up the pointer first. A
version that is swapped in meanwhile is met by the next question, never in the middle of one; one
that was dropped under a question is asked for again. What is asked is queries.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import Any, TypeVar

import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format
from psycopg.rows import class_row
from typing_extensions import override

from projections.encoding import POSTGRES_EPOCH
from projections.faults import NotBuilt
from projections.statements import statement

T = TypeVar("T")
Reading = TypeVar("Reading", bound=psycopg.Connection[Any] | psycopg.Cursor[Any])

_ATTEMPTS = 3
_NO_TABLES = (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName)


class Snapshots:
    """One session for reading, opened when it is needed; threads take turns."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._turn = RLock()
        self._kept: psycopg.Connection[Any] | None = None

    def close(self) -> None:
        """Leave the database."""
        with self._turn:
            if self._kept is not None:
                self._kept.close()
                self._kept = None

    def ask(self, name: str, shown: type[T], asked: Mapping[str, Any]) -> list[T]:
        """The rows of a statement, each as a record of that kind."""

        def rows(connection: psycopg.Connection[Any]) -> list[T]:
            cursor = connection.cursor(binary=True, row_factory=class_row(shown))
            return cursor.execute(statement(name), asked).fetchall()

        return self.look(rows)

    def look(self, question: Callable[[psycopg.Connection[Any]], T]) -> T:
        """The answer to a question that only reads; it may be asked again."""
        for left in reversed(range(_ATTEMPTS)):
            try:
                with self.snapshot() as (connection, _):
                    return question(connection)
            except _NO_TABLES:
                # dropped between the look at the pointer and the question: the pointer has moved
                if not left:
                    raise
            except psycopg.OperationalError:
                self.close()
                if not left:
                    raise
        raise AssertionError  # pragma: no cover - the last attempt returns or raises

    @contextmanager
    def snapshot(self) -> Iterator[tuple[psycopg.Connection[Any], int]]:
        """A transaction in which everything is the serving version's, as of one moment."""
        with self._turn:
            connection = self._connection()
            with connection.transaction():
                try:
                    row = connection.execute(statement("enter")).fetchone()
                except _NO_TABLES as error:
                    raise NotBuilt("the views were never built; start a projector") from error
                if row is None:
                    raise NotBuilt("the views were never built; start a projector")
                yield connection, row[1]

    def _connection(self) -> psycopg.Connection[Any]:
        if self._kept is None or self._kept.closed:
            self._kept = psycopg.connect(
                self._dsn,
                application_name="horae-reads",
                connect_timeout=10,
                prepare_threshold=None,  # plans of a version that was dropped must not linger
                options="-c timezone=UTC -c statement_timeout=30s",
            )
            self._kept.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            self._kept.read_only = True
            micros_of(self._kept)
        return self._kept


def micros_of(of: Reading) -> Reading:
    """Let a session or a cursor read instants as the messages have them, if it reads binary."""
    for kind in ("timestamptz", "timestamp"):
        of.adapters.register_loader(kind, _MicrosLoader)
    return of


class _MicrosLoader(Loader):
    """Instants as the messages have them: microseconds since 1970."""

    format = Format.BINARY

    @override
    def load(self, data: Buffer) -> int:
        return int.from_bytes(data, "big", signed=True) + POSTGRES_EPOCH
