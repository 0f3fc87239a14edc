"""
What became of an occurrence?

It fired, it was skipped, or it was put off; the first two are its end. What happens later to the
work that a fire gave out is run_events.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from schemas.reasons import Outcome, Reason


class ScopeResult(NamedTuple):
    """What a fire meant for one scope."""

    scope: str
    run: str
    outcome: Outcome
    reason: Reason | None = None


class Fired(NamedTuple):
    """An occurrence ended in its work being given out.

    A named tuple, unlike its siblings: it is made for every fire, and a frozen dataclass of this
    size costs 2 microseconds where a tuple costs a fifth of that.
    """

    schedule: str
    version: int
    incarnation: int
    nominal: int
    due: int
    wall: int
    """The local wall time that asked for it, as microseconds since 1970 of a clock without zone."""
    second_pass: int
    """1 in the second pass of a repeated hour, else 0."""
    origin: str | None
    """None: the calendar; else `trigger:<command id>.<offset>`."""
    late: bool
    """It was looked at after the grace and ran as a catch-up."""
    scopes: tuple[ScopeResult, ...]
    next: int
    """The nominal instant that is looked at next; NEVER if there is none."""
    next_due: int
    deferred_at: int | None = None
    deferrals: int = 0
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    """An occurrence, or an unbroken run of them, ended without its work."""

    schedule: str
    version: int
    incarnation: int
    first: int
    last: int
    count: int
    reason: Reason
    wall: int
    second_pass: int
    next: int
    next_due: int
    origin: str | None = None
    deferred_at: int | None = None
    deferrals: int = 0
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class Deferred:
    """An occurrence is looked at again later; its end is still to come."""

    schedule: str
    version: int
    incarnation: int
    nominal: int
    due: int
    reason: Reason
    until: int
    deferred_at: int
    """When it was deferred for the first time."""
    deferrals: int
    evidence: str | None = None
    wall: int | None = None
    """The wall time that the instant stands for; None: it was not noted in former releases."""
    second_pass: int = 0
