"""
What became of an instant, in one word?

The classes of the account, what is counted in them, and what is found that nothing explains. How an
event is held against the calendar is checking.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from schemas.definition import SECOND
from schemas.events import Fired, Reason, Skipped, Stamp
from streams.account.worlds import KEPT


class Verdict(StrEnum):
    """The classes, in the order in which they are shown."""

    ON_TIME = "on time"
    LATE = "late"
    """It had waited, or was decided after its grace without being a catch-up."""
    CATCH_UP = "catch-up"
    BY_HAND = "by hand"
    """Beside the calendar: a trigger, or an instant that a backfill ran once more."""
    SKIPPED = "skipped"
    MISSED = "missed"
    DEFERRED = "deferred"
    HELD = "held"
    PAUSED = "paused"
    EXCLUDED = "excluded"
    OUTSIDE = "outside bounds"
    """Of start_at and end_at, after the last fire, or when its definition was being replaced."""
    PENDING = "pending"
    UNTOLD = "not told"
    """Decided under other zone data than are installed, or what explained it is forgotten."""
    UNEXPLAINED = "unexplained"


class Class(NamedTuple):
    """A verdict, and the reason of what was skipped or by hand."""

    verdict: Verdict
    reason: str = ""


class Finding(NamedTuple):
    """What nothing explains, or only what is forgotten does (`excuse`)."""

    schedule: str
    """Empty: it is about a partition."""
    at: int
    """The instant it is about, or when it was decided."""
    why: str
    number: int = 1
    partition: int = -1
    sequence: int = -1
    excuse: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """What is accounted for: the instants in [begin, end), as things stand `now`."""

    begin: int
    end: int
    now: int
    slack: int = 10 * SECOND
    """Whatever was due no longer ago than this may still be decided."""
    kept: int = KEPT
    """So long nothing is compacted: younger gaps in the ledger are losses."""

    def clip(self, after: int, until: int) -> tuple[int, int]:
        """(after, until] without what is not accounted for."""
        return max(after, self.begin - 1), min(until, self.end - 1)

    def covers(self, instant: int) -> bool:
        """Whether an instant is accounted for."""
        return self.begin <= instant < self.end


@dataclass(slots=True)
class Tally:
    """What is counted of one schedule."""

    schedule: str
    counts: Counter[Class] = field(default_factory=Counter)

    def add(self, verdict: Verdict, count: int = 1, reason: str = "") -> None:
        """So many more of them."""
        if count > 0:
            self.counts[Class(verdict, reason)] += count

    def of(self, verdict: Verdict) -> int:
        """How many there are in a class, whatever the reason."""
        return sum(count for one, count in self.counts.items() if one.verdict is verdict)


def summed(tallies: Iterable[Tally], name: str = "total") -> Tally:
    """All of them together."""
    total = Tally(name)
    for tally in tallies:
        total.counts += tally.counts
    return total


def class_of(event: Fired | Skipped, stamp: Stamp, grace: int) -> Class:
    """What an end means."""
    if event.origin is not None:
        kind = "trigger" if event.origin.startswith("trigger:") else "backfill"
        is_skip = isinstance(event, Skipped)
        return Class(Verdict.BY_HAND, f"{kind}, {event.reason}" if is_skip else kind)  # type: ignore[union-attr]
    if isinstance(event, Skipped):
        if event.reason is Reason.MISSED:
            return Class(Verdict.MISSED)
        return Class(Verdict.SKIPPED, event.reason.value)
    if event.late:
        return Class(Verdict.CATCH_UP)
    in_time = stamp.decided_at - event.due <= grace
    return Class(Verdict.ON_TIME if in_time else Verdict.LATE)
