"""
What is decided about an occurrence that meets others, or fails?

The settings of a definition beyond when and what: overlap, retries, quiet gate, scopes and their
filters, presets. Durations are integer microseconds. How a person writes one down is
reading_policies.py, what they mean is streams/decider.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum

from schemas.units import HOUR, MINUTE, SECOND


class OverlapMode(StrEnum):
    """What happens to what falls due while an earlier run still goes."""

    SKIP = "skip"
    ALLOW = "allow"
    QUEUE = "queue"
    LATEST = "latest"
    """One waits, the newest."""
    REPLACE = "replace"
    """The earlier run is asked to stop; the new one begins when it has."""


class Across(StrEnum):
    """Among which runs overlap is looked for."""

    SCOPE = "scope"
    """Those of this schedule for the same scope."""
    SUBJECT = "subject"
    """Those of all schedules of the subject."""


class Full(StrEnum):
    """Which one never begins when a queue is full."""

    NEWEST = "newest"
    OLDEST = "oldest"


@dataclass(frozen=True, slots=True)
class Overlap:
    """Whether a run may begin beside another, and what becomes of it if not."""

    mode: OverlapMode = OverlapMode.SKIP
    limit: int | None = None
    """allow: the most runs at once (None: no limit); queue: how many wait (None: 5)."""
    max_wait: int = HOUR
    """How long one waits in a queue before it is dropped, `queue_timeout`."""
    across: Across = Across.SCOPE
    supersedes: bool = False
    """What is due closes what still waits of the subject's schedules that say this too."""
    full: Full = Full.NEWEST
    """Which one a full queue drops, `buffer_full`."""


ALONE = Overlap()
"""The default: no run beside another."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Further attempts inside a run."""

    most: int = 0
    backoff: int = 30 * SECOND
    """Before the first of them; doubles with each."""
    longest: int = HOUR
    """The backoff grows no further than this."""


NO_RETRY = Retry()
"""The default: one attempt."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Act only while the subject is quiet; else look again, and give up at last."""

    quiet: int = 10 * MINUTE
    """So long without a request."""
    fresh: int = 30 * SECOND
    """A sample older than this says nothing."""
    look: int = MINUTE
    max_wait: int = HOUR


class FilterKind(StrEnum):
    """What the values of a filter name."""

    TYPES = "types"
    IDS = "ids"


@dataclass(frozen=True, slots=True)
class Filter:
    """Some components of a target."""

    kind: FilterKind
    values: tuple[str, ...]


def same_filter(one: Filter | None, other: Filter | None) -> bool:
    """Whether two filters take the same: order says nothing, repeats count."""
    if one is None or other is None:
        return one is other
    return one.kind == other.kind and Counter(one.values) == Counter(other.values)


@dataclass(frozen=True, slots=True)
class Scope:
    """One target of a schedule."""

    target: str
    filter: Filter | None = None
    """None: all of it."""


class Manual(StrEnum):
    """Whether a fire by hand asks about overlap and caps."""

    OBEY = "obey"
    IGNORE = "ignore"


class Preset(StrEnum):
    """A table of defaults that a definition was made with."""

    NONE = "none"
    APP = "app"
    INFRA = "infra"
    DEPLOYMENT = "deployment"


@dataclass(frozen=True, slots=True)
class Tracking:
    """Somebody reports about the work that a record asks for."""

    lease: int = HOUR
    """Silence of so long ends the run, `interrupted`."""
