"""
Is it an outage, one bad record, or a mistake of ours?

Sorts the database's errors by the class of their SQLSTATE. What is done with each sort is in
writer.py (park) and projector.py (retry, stop).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto

import psycopg

from projections.faults import BadRecord, DatabaseRefuses, ProjectionFault, Transient


class Sort(Enum):
    """What an error asks of us."""

    RETRY = auto()
    PARK = auto()
    STOP = auto()


_BY_CLASS = {
    "08": Sort.RETRY,  # connection
    "40": Sort.RETRY,  # rolled back: deadlock, serialisation
    "53": Sort.RETRY,  # out of disk, memory or connections
    "22": Sort.PARK,  # a value that its type cannot hold
    "23": Sort.PARK,  # a constraint
    "54": Sort.PARK,  # a limit that one record's size or depth breaks
}
_BY_STATE = {
    "25006": Sort.RETRY,  # a standby after a fail-over: reconnecting finds the writable one
    "55P03": Sort.RETRY,  # a lock was not to be had in time
    "57014": Sort.RETRY,  # cancelled by a timeout or a person
    "57P01": Sort.RETRY,
    "57P02": Sort.RETRY,
    "57P03": Sort.RETRY,
    "57P05": Sort.RETRY,
}


def sort_of(error: psycopg.Error) -> Sort:
    """What this error asks of us; without a SQLSTATE it came from the client's side."""
    state = error.sqlstate
    if state:
        return _BY_STATE.get(state) or _BY_CLASS.get(state[:2], Sort.STOP)
    if isinstance(error, psycopg.DataError):
        return Sort.PARK
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
        return Sort.RETRY
    return Sort.STOP


def fault_of(error: psycopg.Error) -> ProjectionFault:
    """The error as a fault of ours."""
    text = f"{error.sqlstate or 'no SQLSTATE'}: {' '.join(str(error).split())}"
    match sort_of(error):
        case Sort.RETRY:
            return Transient(text)
        case Sort.PARK:
            return BadRecord(text, error.sqlstate)
        case Sort.STOP:
            return DatabaseRefuses(text)


@contextmanager
def sorted_faults() -> Iterator[None]:
    """Turn the database's errors inside into faults of ours."""
    try:
        yield
    except psycopg.Error as error:
        raise fault_of(error) from error
