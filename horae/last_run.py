"""
How did a schedule do when it last fired, by the log alone?

For where no view is to be had: the runs of its last fire in the ledger, or the fire itself where
nobody reports about the work, and what became of them. All earlier ones are in the views.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from schemas.codec import Recorded
from schemas.events import Fired, Stamp
from schemas.identity import subject_of
from schemas.run_events import (
    OfRun,
    Result,
    RunCancelling,
    RunEnded,
    RunGranted,
    RunNoted,
    RunOffered,
    RunQueued,
    RunRetries,
    RunStarted,
)
from schemas.snapshot import RunPhase


class Ledger(Protocol):
    """Who knows what happened."""

    def events(self, subject: str) -> Iterable[Recorded]:
        """The events of the subject's partition, oldest first."""


@dataclass(slots=True)
class LastRun:
    """The work of the last fire for one target."""

    run: str
    scope: str
    status: str
    since: int
    """When it came into that state."""
    detail: str = ""
    result: Result | None = None


@dataclass(slots=True)
class LastFire:
    """The last fire of a schedule."""

    event: Fired
    stamp: Stamp
    runs: dict[str, LastRun] = field(default_factory=dict)

    def take(self, event: OfRun, stamp: Stamp) -> None:
        """Something happened to a run; only those of this fire are looked at."""
        run = self.runs.get(event.run)
        if run is None or isinstance(event, RunNoted):
            return
        run.status, run.since, run.detail = _state(event), stamp.decided_at, ""
        if isinstance(event, RunRetries | RunEnded):
            run.detail, run.result = event.detail, event.result


def find_last_fire(ledger: Ledger, schedule: str) -> LastFire | None:
    """The last fire in the ledger and what became of its runs; None: there is none."""
    last: LastFire | None = None
    for event, stamp in ledger.events(subject_of(schedule)):
        if isinstance(event, Fired) and event.schedule == schedule:
            last = LastFire(event, stamp)
            for scope, run, outcome, reason in event.scopes:
                detail = "" if reason is None else reason.value
                last.runs[run] = LastRun(run, scope, outcome.value, stamp.decided_at, detail)
        elif last is not None and isinstance(event, OfRun):
            last.take(event, stamp)
    return last


_PHASES: Mapping[type, str] = {
    RunQueued: RunPhase.WAITING.value,
    RunStarted: "given out",
    RunOffered: RunPhase.OFFERED.value,
    RunGranted: RunPhase.STARTED.value,
    RunRetries: RunPhase.RETRYING.value,
    RunCancelling: RunPhase.CANCELLING.value,
}


def _state(event: OfRun) -> str:
    return event.status.value if isinstance(event, RunEnded) else _PHASES[type(event)]
