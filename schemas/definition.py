"""
What is a schedule made of?

The parts of a definition as frozen records: when (timings, zone, rule for changes of clocks), what
to do about lateness, and the action. Instants are integer microseconds of UTC, durations integer
microseconds. How a person writes one down is reading.py; whether a rule makes sense at all
(an unknown zone, a date that never comes) is asked of streams/calendar when it is decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR


class Dst(StrEnum):
    """What a change of clocks does to wall times; symbols are only ever added."""

    SHIFT = "shift"
    STRICT_ONCE = "strict_once"
    LITERAL = "literal"
    VIXIE = "vixie"
    SKIP = "skip"


class Dialect(StrEnum):
    """How a cron expression is read."""

    STANDARD = "standard"
    QUARTZ = "quartz"


class Basis(StrEnum):
    """What an interval counts from after a fire."""

    GRID = "grid"
    AFTER_FIRE = "after_fire"
    AFTER_END = "after_end"


class CatchUpMode(StrEnum):
    """Which missed occurrences still run."""

    LATEST = "latest"
    NONE = "none"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Cron:
    """Wall times that match a cron expression, kept as it was written."""

    expression: str
    dialect: Dialect = Dialect.STANDARD


@dataclass(frozen=True, slots=True)
class Interval:
    """Every so long: date parts are steps on the calendar, the time part is elapsed time."""

    months: int = 0
    days: int = 0
    micros: int = 0
    anchor: int | None = None
    """An instant of the grid; without one the grid counts from the schedule's creation."""
    basis: Basis = Basis.GRID


@dataclass(frozen=True, slots=True)
class Once:
    """One instant."""

    at: int


Timing = Cron | Interval | Once


@dataclass(frozen=True, slots=True)
class CatchUp:
    """What happens to an occurrence that is looked at late (late = now - due)."""

    mode: CatchUpMode = CatchUpMode.LATEST
    lookback: int | None = DAY
    """The oldest age that still runs, inclusive; None: without limit, 0: nothing late runs."""
    grace: int = MINUTE
    """Up to this age, inclusive, an occurrence is on time."""
    limit: int = 1_000
    """Mode `all`: the newest so many run."""


@dataclass(frozen=True, slots=True)
class Emit:
    """One record into a topic, in the transaction that decides the fire."""

    topic: str
    key: bytes | None = None
    value: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()


Action = Emit


@dataclass(frozen=True, slots=True)
class Definition:
    """A schedule's rule: when, what, how."""

    timings: tuple[Timing, ...]
    action: Action
    zone: str = "UTC"
    dst: Dst = Dst.SHIFT
    start_at: int | None = None
    end_at: int | None = None
    """The last nominal instant that may run, inclusive."""
    catch_up: CatchUp = CatchUp()
    description: str = ""
