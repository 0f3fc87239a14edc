"""
How does a command get at the views in Postgres?

Opens those of the database that the settings name; what is read is each command's own affair.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from horae.cli.endings import Ending, Said

if TYPE_CHECKING:
    from projections.queries import Reads

NO_DATABASE = (
    "no database is named: set HORAE_POSTGRES_DSN, or run `horae up` in this folder "
    "(HORAE_DATA names another)"
)


class NoDatabase(Said):
    """Nobody said where the views are."""


@contextmanager
def views() -> Iterator[Reads]:
    """The views of the database that the settings name; a sentence if it is not there."""
    import psycopg

    from horae.cli.config import masked
    from horae.settings import load_settings
    from projections.queries import Reads

    dsn = load_settings().postgres_dsn
    if dsn is None:
        raise NoDatabase(NO_DATABASE, Ending.UNREACHABLE)
    try:
        with Reads(dsn.get_secret_value()) as reads:
            yield reads
    except psycopg.OperationalError as fault:
        [first, *_] = str(fault).splitlines() or [type(fault).__name__]
        where = masked(dsn.get_secret_value())
        raise Said(f"the database at {where} does not answer: {first}", Ending.UNREACHABLE) from (
            fault
        )
