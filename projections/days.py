"""
Which days of occurrences have a table, and which are no longer kept?

Occurrences are partitioned by the UTC day of their nominal instant. A day's table is made when its
first row comes and dropped as a whole when it is older than the retention; neither makes a reader
wait for longer than a moment.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

import psycopg
from psycopg import sql

from projections.folding import Folded
from projections.statements import statement
from schemas.definition import DAY

_EPOCH = date(1970, 1, 1)
_LAST_DAY = (date.max - _EPOCH).days


class Days:
    """The tables of days in the version that a session writes, by their number since 1970."""

    def __init__(self, connection: psycopg.Connection[Any], retention_days: int | None) -> None:
        self._connection = connection
        self._retention_days = retention_days
        self._known: set[int] = set()
        self._first: int | None = None

    def refresh(self) -> None:
        """Look up which there are, and drop those that are no longer kept."""
        names = self._connection.execute(statement("days")).fetchall()
        days = {_day_of(name) for (name,) in names}
        if self._retention_days is not None:
            self._first = self._first_kept(self._retention_days)
            for day in sorted(day for day in days if day < self._first):
                if not self._drop(day):
                    break  # somebody is reading; the next round will do it
                days.discard(day)
        self._known = days

    def make(self, days: Iterable[int]) -> set[int]:
        """Make the tables that are missing; they are to be known once that is committed."""
        missing = {day for day in days if self._is_kept(day)} - self._known
        for day in sorted(missing):
            attach(self._connection, day)
        return missing

    def know(self, made: Iterable[int]) -> None:
        """These are there now."""
        self._known |= set(made)

    def leave_out_old(self, occurrences: Folded) -> None:
        """Take out the rows of days that are no longer kept."""
        if self._first is None:
            return
        first = self._first * DAY
        old = [key for key in occurrences.rows if isinstance(key, tuple) and key[1] < first]
        for key in old:
            del occurrences.rows[key]

    def _is_kept(self, day: int) -> bool:
        return self._first is None or day >= self._first

    def _first_kept(self, retention_days: int) -> int:
        rows = self._connection.execute(statement("retention_cutoff"), {"days": retention_days})
        return max(_number(cutoff.date()) for (cutoff,) in rows.fetchall())

    def _drop(self, day: int) -> bool:
        try:
            with self._connection.transaction():
                self._connection.execute(statement("lock_briefly"))
                self._connection.execute(sql.SQL("DROP TABLE {}").format(_table(day)))
        except psycopg.errors.LockNotAvailable:
            return False
        return True


def attach(connection: psycopg.Connection[Any], day: int) -> None:
    """Make the table of a day; created apart, since a partition made in place locks readers out."""
    table = _table(day)
    connection.execute(sql.SQL("CREATE TABLE {} (LIKE occurrences INCLUDING ALL)").format(table))
    connection.execute(
        sql.SQL("ALTER TABLE occurrences ATTACH PARTITION {} FOR VALUES FROM ({}) TO ({})").format(
            table, _bound(day), _bound(day + 1)
        )
    )


def _table(day: int) -> sql.Identifier:
    return sql.Identifier(f"occurrences_{_EPOCH + timedelta(days=day):%Y_%m_%d}")


def _bound(day: int) -> sql.Composable:
    if day > _LAST_DAY:
        return sql.SQL("MAXVALUE")
    return sql.Literal(f"{_EPOCH + timedelta(days=day)} 00:00:00+00")


def _day_of(name: str) -> int:
    year, month, day = name.split("_")
    return _number(date(int(year), int(month), int(day)))


def _number(day: date) -> int:
    return (day - _EPOCH).days
