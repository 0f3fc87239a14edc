"""
What is a schedule made of?

The parts of a definition as frozen records: when (timings, zone, rule for changes of clocks, days
that are excluded, hours in which to start), what to do about lateness, and the action. Instants are
integer microseconds of UTC, durations integer microseconds. How a person writes one down is
reading.py; whether a rule makes sense at all (an unknown zone, a date that never comes) is asked of
streams/calendar when it is decided.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from schemas.actions import DEFAULT_POOL, Work
from schemas.policies import ALONE, NO_RETRY, Gate, Manual, Overlap, Preset, Retry, Scope, Tracking
from schemas.topics import orders_topic
from schemas.units import DAY, HOUR, MINUTE, SECOND

__all__ = [
    "ALL_DAYS",
    "DAY",
    "HOUR",
    "MINUTE",
    "RUNNER_LEASE",
    "SECOND",
    "Action",
    "Basis",
    "CatchUp",
    "CatchUpMode",
    "Cron",
    "Definition",
    "Dialect",
    "Dst",
    "Emit",
    "Exclude",
    "Hours",
    "Interval",
    "OnExcluded",
    "Once",
    "Timing",
    "Weekly",
    "Window",
    "offering",
]


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


class OnExcluded(StrEnum):
    """What becomes of an occurrence whose day is excluded."""

    DROP = "drop"
    NEXT_BUSINESS_DAY = "next_business_day"
    PREVIOUS_BUSINESS_DAY = "previous_business_day"


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


@dataclass(frozen=True, slots=True)
class Weekly:
    """One wall time on some days of the week, at most once on each local date."""

    days: int
    """A bitmask: Monday 1, Tuesday 2, … Sunday 64; with 0 it is never due."""
    at: int
    """Seconds of the local day, 0 to 86,399."""


Timing = Cron | Interval | Once | Weekly


@dataclass(frozen=True, slots=True)
class Exclude:
    """Days, or wall times, on which nothing is due."""

    calendars: tuple[str, ...] = ()
    """Names of shared calendars (horae.globals)."""
    dates: tuple[int, ...] = ()
    """Local dates as days since 1970-01-01."""
    on_excluded: OnExcluded = OnExcluded.DROP


ALL_DAYS = 127
"""The bitmask of every day of the week."""


@dataclass(frozen=True, slots=True)
class Hours:
    """One opening of a window, in the schedule's zone."""

    opens: int
    """Seconds of the local day, 0 to 86,399."""
    closes: int
    """Seconds of the local day, 0 to 86,400; not after `opens`: over midnight. Never equal."""
    days: int = ALL_DAYS
    """A bitmask like that of Weekly; the day on which it opens counts."""


@dataclass(frozen=True, slots=True)
class Window:
    """The hours in which what is due starts; outside of them it waits for the next opening."""

    hours: tuple[Hours, ...]
    spread: int = MINUTE
    """What waited starts spread by a hash over this long after the opening, microseconds."""
    max_wait: int = 8 * DAY
    """Counted from the due instant, microseconds; then it is skipped, `deferral_expired`."""


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
    on_resume: CatchUpMode = CatchUpMode.NONE
    """What still runs of what was due during a pause."""
    on_lifted: CatchUpMode | None = None
    """What still runs of what was due during a hold; None: as after an outage."""


@dataclass(frozen=True, slots=True)
class Emit:
    """One record into a topic, in the transaction that decides the fire."""

    topic: str
    key: bytes | None = None
    value: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    tracked: Tracking | None = None
    """None: nobody reports about the work; it is over when the record is written."""
    work: Work | None = None
    """What a runner is to do: then the record is an order, and the topic that of its pool."""


Action = Emit

RUNNER_LEASE = 30 * SECOND
"""A runner that has a run says so every ten seconds."""


def offering(work: Work) -> Emit:
    """The emit that offers work to the runners of its pool: its record is made with the order."""
    topic = orders_topic(work.pool or DEFAULT_POOL)
    return Emit(topic, tracked=Tracking(RUNNER_LEASE), work=work)


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
    exclude: Exclude | None = None
    window: Window | None = None
    jitter: int = 0
    """Up to so many microseconds later than its nominal instant an occurrence is due."""
    max_fires: int | None = None
    """After so many fires it is completed; what was skipped does not count. None: no limit."""
    overlap: Overlap = ALONE
    retry: Retry = NO_RETRY
    timeout: int | None = None
    """The longest that one attempt may take, microseconds; None: any time."""
    pause_on_failure: int = 0
    """Pause after so many failures in a row; 0: never."""
    scopes: tuple[Scope, ...] | None = None
    """The targets, in the order in which they were added; None: the subject itself."""
    gate: Gate | None = None
    manual: Manual = Manual.OBEY
    preset: Preset = Preset.NONE
    """Where the defaults of this definition came from; says nothing by itself."""
    start_within: int = HOUR
    """What no runner has begun so long after it was given out is over, `expired`; microseconds."""
    hold_on_failure: bool = False
    """A run that fails holds the actions of its subject until somebody lifts that."""
