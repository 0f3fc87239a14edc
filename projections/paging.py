"""
How is a list read in pages that stay stable while rows are added?

A page begins behind the place of the last row of the page before, never after so many rows: what is
added or taken away meanwhile moves nothing. The text that names a place says nothing to its reader.
Which lists there are is queries.py and run_queries.py.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, Self, TypeVar

import psycopg

from projections.shown import Page
from projections.snapshots import Snapshots
from schemas.instants import FIRST, LAST
from schemas.json_text import parse_json

T = TypeVar("T")

MOST_ROWS = 1_000
BIGGEST = (1 << 63) - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class BadPage(ValueError):
    """The text is not one that a page named as its following one."""


class Pages:
    """Lists of one database; may be shared by threads, which then take turns."""

    def __init__(self, dsn: str) -> None:
        self._sessions = Snapshots(dsn)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Leave the database."""
        self._sessions.close()

    def look(self, question: Callable[[psycopg.Connection[Any]], T]) -> T:
        """The answer to a question (traffic_queries.py), asked in one snapshot of the views."""
        return self._sessions.look(question)

    def _page(
        self,
        name: str,
        shown: type[T],
        asked: Mapping[str, Any],
        limit: int,
        place: Callable[[T], Sequence[Any]],
    ) -> Page[T]:
        limit = max(1, min(limit, MOST_ROWS))
        rows = self._sessions.ask(name, shown, {**asked, "limit": limit + 1})
        return page_of(rows, limit, place)


def page_of(rows: Sequence[T], limit: int, place: Callable[[T], Sequence[Any]]) -> Page[T]:
    """So many of the rows; one more than that, if there is, says that there is another page."""
    following = _token(place(rows[limit - 1])) if len(rows) > limit else None
    return Page(tuple(rows[:limit]), following)


def at_time(instant: int) -> datetime:
    """The instant as the database takes it; what it could not hold is the first or last one."""
    return _EPOCH + timedelta(microseconds=max(FIRST, min(instant, LAST)))


def _token(place: Sequence[Any]) -> str:
    return urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def place_of(token: str | None, first: list[Any]) -> list[Any]:
    """The place that a page named; None: `first`, which also says of which kinds its parts are."""
    if token is None:
        return first
    try:
        found = parse_json(urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except ValueError as fault:
        raise BadPage(f"{token!r} is not the name of a page") from fault
    if not isinstance(found, list) or list(map(type, found)) != list(map(type, first)):
        raise BadPage(f"{token!r} is not the name of a page of this list")
    return found
