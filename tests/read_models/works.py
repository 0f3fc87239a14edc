"""
What happens to runs, for tests of the views?

Definitions that somebody reports about, and a run whose events can be written in one line each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from projections.shown_runs import AttemptShown, RunShown
from schemas.actions import Program
from schemas.definition import Emit
from schemas.events import Event, Fired, Outcome, RunEvent, ScopeResult
from schemas.policies import Tracking
from schemas.run_events import (
    Result,
    RunCancelling,
    RunEnded,
    RunGranted,
    RunNoted,
    RunOffered,
    RunQueued,
    RunRetries,
    RunStarted,
    RunStatus,
)
from tests.read_models.ledger import MINUTE, NIGHTLY, NOON, RULE, SECOND, Notebook, fired, stamp
from tests.read_models.tables import Tables

TRACKED = replace(RULE, action=Emit("jobs", b"k", b"go", tracked=Tracking(MINUTE)))
COMMAND = replace(
    RULE,
    action=Emit("horae.orders.default", tracked=Tracking(MINUTE), work=Program(("/bin/true",))),
)
FIRST = "jr_AbCdEfGhIjKl"


@dataclass(frozen=True, slots=True)
class Life:
    """A run, to be told of."""

    run: str = FIRST
    schedule: str = NIGHTLY
    scope: str = "shop"
    version: int = 5
    nominal: int = NOON
    origin: str | None = None

    @property
    def named(self) -> tuple[str, int, int, str, str, int, str | None]:
        head = self.schedule, self.version, 5, self.run
        return (*head, self.scope, self.nominal, self.origin)

    def fired(self, outcome: Outcome = Outcome.STARTED, **changes: Any) -> Fired:
        work = (ScopeResult(self.scope, self.run, outcome),)
        said = {"version": self.version, "origin": self.origin, "scopes": work, **changes}
        return fired(self.schedule, self.nominal, **said)

    def queued(self, until: int = NOON + MINUTE, behind: str | None = None) -> RunQueued:
        return RunQueued(*self.named, 1, self.nominal, until, None, behind)

    def started(self, attempt: int = 1) -> RunStarted:
        return RunStarted(*self.named, attempt)

    def offered(self, issue: int, why: str = "nobody took it", attempt: int = 1) -> RunOffered:
        return RunOffered(*self.named, attempt, issue, NOON + MINUTE, why)

    def granted(
        self, runner: str = "r-1", attempt: int = 1, issue: int = 1, boot: int = 7
    ) -> RunGranted:
        return RunGranted(*self.named, attempt, issue, runner, boot)

    def noted(self, attempt: int = 1, until: int = NOON + MINUTE) -> RunNoted:
        return RunNoted(*self.named, attempt, "running", until)

    def ignored(self, status: str, attempt: int = 1) -> RunNoted:
        return RunNoted(*self.named, attempt, status, None, "it is over already")

    def retries(
        self,
        attempt: int,
        status: RunStatus = RunStatus.FAILED,
        again_at: int = NOON + MINUTE,
        result: Result | None = None,
    ) -> RunRetries:
        return RunRetries(*self.named, attempt, status, again_at, status.value, result)

    def cancelling(self, reason: str = "enough", by: str | None = None) -> RunCancelling:
        return RunCancelling(*self.named, 1, reason, by)

    def ended(
        self,
        status: RunStatus = RunStatus.SUCCESS,
        started_at: int | None = NOON,
        attempt: int = 1,
        **changes: Any,
    ) -> RunEnded:
        return replace(RunEnded(*self.named, attempt, status, started_at), **changes)


def whole(life: Life, status: RunStatus = RunStatus.SUCCESS) -> list[Fired | RunEvent]:
    """Fired and ended, and nothing between."""
    return [life.fired(), life.ended(status)]


def tell(tables: Tables, events: Iterable[Event], book: Notebook | None = None) -> None:
    """Each event a batch of its own, a second after the other."""
    book = book or Notebook()
    for event in events:
        number = len(book.records)
        said = stamp(number, NOON + number * SECOND, actor="user:ada")
        assert tables.take([book.event(event, said)]) == []


def only_run(tables: Tables) -> tuple[RunShown, list[AttemptShown]]:
    (found,) = tables.reads.runs().rows
    assert found == tables.reads.run(found.run)
    return found, tables.reads.attempts(found.run)


def book_after(told: list[Event]) -> Notebook:
    book = Notebook()
    for event in told:
        book.event(event)
    return book
