"""
Which tables are read, which are written, and by whom?

Each projection version is a schema `horae_v<N>` of its own, with its own offsets. One row,
`horae.serving`, points at the version that readers read. Not views over it: a reader with an older
snapshot would find a fresh version's tables empty, while the old row of a pointer leads it to the
old tables. Writers are told apart by advisory locks, which die with their session.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event
from typing import Any

import psycopg
from psycopg import sql

from projections.faults import WrongLayout
from projections.sqlstates import sorted_faults
from projections.statements import statement

Connection = psycopg.Connection[Any]

LAYOUT = 4
"""The layout of the tables (sql/layout.sql, sql/traffic_layout.sql); raised with every change."""

_SPACE = 0x486F7265
_SWAP = 0
_STANDBY_SECONDS = 0.25
_DROP_ATTEMPTS = 40


@dataclass(frozen=True, slots=True)
class Version:
    """One projection version."""

    number: int
    layout: int = LAYOUT
    serves: bool = True
    """Whether its rows may only be written while it is the serving one."""

    @property
    def schema(self) -> str:
        """Where its tables are."""
        return f"horae_v{self.number}"

    def use(self, connection: Connection) -> None:
        """Let the session find its tables without their schema's name."""
        connection.execute(sql.SQL("SET search_path TO {}").format(sql.Identifier(self.schema)))


def connect(dsn: str) -> Connection:
    """A session of a writer, on the server that can be written to."""
    with sorted_faults():
        return psycopg.connect(
            dsn,
            autocommit=True,
            target_session_attrs="read-write",
            application_name="horae-projector",
            connect_timeout=10,
            # rows and offsets are lost together in a crash of the database and read again, so
            # no commit needs to wait for the disk
            options="-c timezone=UTC -c synchronous_commit=off -c lock_timeout=10s",
        )


def serving(connection: Connection) -> Version | None:
    """The version that readers read; None if none was ever built here."""
    found = connection.execute(statement("has_pointer")).fetchone()
    if found is None or not found[0]:
        return None
    row = connection.execute(statement("serving")).fetchone()
    return None if row is None else Version(row[0], row[1])


def open_serving(connection: Connection, stopping: Callable[[], bool]) -> Version | None:
    """Become the writer of the serving version; stands by while another one is. None: stopped."""
    with sorted_faults():
        while not stopping():
            version = serving(connection) or _begin(connection)
            if version.layout != LAYOUT:
                raise WrongLayout(
                    f"version {version.number} has layout {version.layout}, this release writes"
                    f" layout {LAYOUT}: run `horae rebuild`"
                )
            if try_lock(connection, version):
                if serving(connection) == version:
                    return version
                unlock(connection, version)
            Event().wait(_STANDBY_SECONDS)
    return None


def _begin(connection: Connection) -> Version:
    """Build the first version and serve it at once: there is nothing better to read."""
    with connection.transaction():
        stop_writers(connection)
        known = serving(connection)
        if known is not None:
            return known
        version = build(connection)
        serve(connection, version)
    return version


def build(connection: Connection) -> Version:
    """Make the tables of a version that is newer than every other."""
    known = serving(connection)
    numbers = [known.number if known else 0, *built(connection)]
    version = Version(max(numbers) + 1)
    with connection.transaction():
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(version.schema)))
        version.use(connection)
        connection.execute(statement("create_tables"))
        connection.execute(statement("create_traffic_tables"))
    return version


def built(connection: Connection) -> list[int]:
    """The versions that have tables."""
    return [number for (number,) in connection.execute(statement("built_versions")).fetchall()]


def serve(connection: Connection, version: Version) -> None:
    """Let readers read this version; others who could do the same have to be stopped."""
    connection.execute(statement("create_pointer"))
    connection.execute(statement("serve"), {"version": version.number, "layout": version.layout})


def try_lock(connection: Connection, version: Version) -> bool:
    """Become the only writer of the version, if nobody is."""
    row = connection.execute(
        statement("try_lock"), {"space": _SPACE, "key": version.number}
    ).fetchone()
    return row is not None and bool(row[0])


def unlock(connection: Connection, version: Version) -> None:
    """Let another one write the version."""
    connection.execute(statement("unlock"), {"space": _SPACE, "key": version.number})


@contextmanager
def writing(connection: Connection, version: Version) -> Iterator[None]:
    """Be the only writer of a fresh version inside, and leave it without a delay."""
    try_lock(connection, version)
    try:
        yield
    finally:
        # with the session lost, so is the lock
        with suppress(psycopg.Error):
            unlock(connection, version)


def keep_serving(connection: Connection, version: Version) -> bool:
    """Whether the version may be written; if so, no other is swapped in before the commit."""
    if not version.serves:
        return True
    connection.execute(statement("keep_serving"), {"space": _SPACE, "key": _SWAP})
    known = serving(connection)
    return known is not None and known.number == version.number


def stop_writers(connection: Connection) -> None:
    """Let nobody write the serving version until the transaction ends; readers go on."""
    connection.execute(statement("stop_writers"), {"space": _SPACE, "key": _SWAP})


def drop(connection: Connection, version: Version) -> bool:
    """Take a version away once its writer has left; says whether it could be."""
    with sorted_faults():
        for _ in range(_DROP_ATTEMPTS):
            if try_lock(connection, version):
                break
            Event().wait(_STANDBY_SECONDS)
        else:
            return False
        _doom(connection, version)
        sweep(connection)
    return True


def sweep(connection: Connection) -> None:
    """Erase what was dropped, and what a rebuild that broke off has left."""
    with sorted_faults():
        known = serving(connection)
        for number in built(connection):
            if (known is None or number > known.number) and try_lock(connection, Version(number)):
                _doom(connection, Version(number))
        for (schema,) in connection.execute(statement("dropped_schemas")).fetchall():
            _erase(connection, schema)


def _doom(connection: Connection, version: Version) -> None:
    """Rename a locked version: a reader of it gets an error, and not the half that is left."""
    try:
        connection.execute(
            sql.SQL("ALTER SCHEMA {} RENAME TO {}").format(
                sql.Identifier(version.schema), sql.Identifier(f"horae_dropped_{version.number}")
            )
        )
    finally:
        unlock(connection, version)


def _erase(connection: Connection, schema: str) -> None:
    days = connection.execute(statement("days_of_schema"), {"schema": schema}).fetchall()
    for (table,) in days:
        # one by one: years of days in one transaction are more locks than there may be
        connection.execute(sql.SQL("DROP TABLE {}").format(sql.Identifier(schema, table)))
    connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(schema)))
