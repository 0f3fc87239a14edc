"""
What holds for everyone?

Absolute values in the one partition of horae.globals, each under a fixed key, folded by every
processor in its order: a hold over everything, the limits published from the environment, an
operator's word that the clock is right, shared calendars and freezes.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hold:
    """While `held`, nothing is evaluated anywhere. Key `hold`."""

    held: bool
    reason: str
    actor: str
    at: int
    command_id: str | None = None


@dataclass(frozen=True, slots=True)
class GlobalSettings:
    """Limits for decisions, from the environment of partition 0's owner. Key `settings`."""

    emit_topics: tuple[str, ...]
    """Patterns of topics that an emit may write to (`*` stands for any run of characters)."""
    at: int
    partitions: int = 0
    """How many the inbox had when this was first published; 0: that was not noted yet."""
    max_schedules: int = 0
    """The most schedules of one subject; 0: no limit."""
    max_concurrent: int = 0
    """The most runs of one subject at once; 0: no limit."""
    default_timeout: int = 0
    """How long an attempt of a runner may take whose schedule does not say, microseconds; 0: as
    long as it likes."""
    max_retries: int = 0
    """The most further attempts inside a run, whatever its schedule says; 0: no limit."""
    retry_backoff: int = 0
    """The least wait before a further attempt, microseconds."""
    retry_backoff_max: int = 0
    """The longest wait before a further attempt, microseconds; 0: as the schedule says."""
    catch_up_lookback: int = 0
    """The oldest age at which anything late still runs, microseconds; 0: as the schedule says."""


@dataclass(frozen=True, slots=True)
class ClockAccepted:
    """An operator accepts the difference between our clocks and the broker's. Key `clock`."""

    actor: str
    reason: str
    at: int
    """By the operator's clock; processors fire on until a new difference shows itself."""
    command_id: str | None = None


@dataclass(frozen=True, slots=True)
class YearlyRange:
    """Days of every year, both inclusive; it may wrap over New Year."""

    first: int
    """Month * 100 + day: 1224 is December 24."""
    last: int


@dataclass(frozen=True, slots=True)
class Calendar:
    """Days and wall times that schedules may exclude. Key `calendar/<name>`.

    It has no zone: it is asked with local dates and wall times of a schedule. Its version is the
    offset of its record.
    """

    dates: tuple[int, ...] = ()
    """Local dates as days since 1970-01-01."""
    weekdays: int = 0
    """A bitmask of whole days: Monday 1, Tuesday 2, … Sunday 64."""
    yearly: tuple[YearlyRange, ...] = ()
    crons: tuple[str, ...] = ()
    """Standard dialect: the wall times that match, to the minute."""
    base: tuple[str, ...] = ()
    """Further calendars whose exclusions count too; an unknown one or a cycle excludes nothing."""
    description: str = ""
    removed: bool = False
    """The calendar is gone."""
    actor: str = ""
    at: int = 0
    command_id: str | None = None


@dataclass(frozen=True, slots=True)
class Freeze:
    """What is due inside [begins_at, ends_at) is skipped, `freeze`. Key `freeze/<name>`."""

    subjects: tuple[str, ...]
    """Patterns; `*` stands for any run of characters."""
    begins_at: int
    ends_at: int
    reason: str = ""
    lifted: bool = False
    """The freeze is over, whatever its end."""
    actor: str = ""
    at: int = 0
    command_id: str | None = None


GlobalRecord = Hold | GlobalSettings | ClockAccepted | Calendar | Freeze

KEYS: dict[type[GlobalRecord], str] = {
    Hold: "hold",
    GlobalSettings: "settings",
    ClockAccepted: "clock",
    Calendar: "calendar/",
    Freeze: "freeze/",
}
"""The key of each kind; one that ends in a slash is followed by the record's name."""


def name_under(kind: type[GlobalRecord], key: str) -> str | None:
    """The name of a record of this kind under this key, empty if there is one of its kind only.

    None: the key does not belong to the kind.
    """
    prefix = KEYS[kind]
    if not prefix.endswith("/"):
        return "" if key == prefix else None
    return key.removeprefix(prefix) or None if key.startswith(prefix) else None
