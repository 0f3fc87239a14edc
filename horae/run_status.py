"""
By which words are runs looked for?

The same on the command line and over HTTP; what each one holds is projections/queries.py.
"""

from __future__ import annotations

from enum import StrEnum


class StatusWord(StrEnum):
    """A state of runs, or how they are to be seen."""

    OPEN = "open"
    SUCCEEDED = "succeeded"
    SKIPPED = "skipped"
    WAITING = "waiting"
    OFFERED = "offered"
    STARTED = "started"
    RETRYING = "retrying"
    CANCELLING = "cancelling"
    SUCCESS = "success"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    REPLACED = "replaced"
    INTERRUPTED = "interrupted"
    DROPPED = "dropped"
    UNAVAILABLE = "unavailable"
    CONTAINER_NOT_RUNNING = "container_not_running"
    DOES_NOT_FIT = "does_not_fit"
    ALREADY_THERE = "already_there"
    BUSY = "busy"
    NOT_STOPPED_BY_SCHEDULE = "not_stopped_by_schedule"
    EXPIRED = "expired"
