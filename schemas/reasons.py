"""
What did a fire mean for a scope, and why did something not begin, or not yet?

Outcomes, and the reasons of skips, deferrals and runs that never began. Symbols are only ever
added.
"""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why an occurrence was skipped or deferred; `other` keeps old readers alive."""

    OTHER = "other"
    MISSED = "missed"
    OVERLAP = "overlap"
    CAPACITY = "capacity"
    REQUESTED = "requested"
    DEFERRAL_EXPIRED = "deferral_expired"
    QUEUE_TIMEOUT = "queue_timeout"
    DOES_NOT_FIT = "does_not_fit"
    NOT_STOPPED_BY_SCHEDULE = "not_stopped_by_schedule"
    ALREADY_THERE = "already_there"
    NO_SCOPE = "no_scope"
    BUFFER_FULL = "buffer_full"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    FREEZE = "freeze"
    INVALID = "invalid"
    EXPIRED = "expired"
    TARGET_UNAVAILABLE = "target_unavailable"
    WINDOW = "window"
    BUSY = "busy"
    """Its subject is not quiet."""


class Outcome(StrEnum):
    """What a fire meant for one scope."""

    OTHER = "other"
    STARTED = "started"
    WAITING = "waiting"
    SKIPPED = "skipped"
