"""
What do the events of a batch say of each run, and of each of its attempts?

A run's row comes from many events: its fire, its offers, grants, retries and its end. Those of one
batch are put together here, in the order of the ledger; what they leave open stays as the table
has it (sql/runs.sql). Which event says what is runs.py, how a draft becomes a row run_rows.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from projections.encoding import FILE_END, FILE_HEADER
from projections.run_rows import attempt_row, run_row
from schemas.run_events import Result, RunStatus


@dataclass(slots=True, kw_only=True)
class RunDraft:
    """What a batch says of a run; None: nothing."""

    run: str
    schedule: str
    scope: str
    version: int
    incarnation: int
    nominal: int
    origin: str | None
    partition: int
    sequence: int
    changed_at: int
    fired_at: int
    """When it was fired, or when it was first heard of."""
    attempt: int = 0
    """The newest attempt that was given out."""
    status: str | None = None
    """Its phase, or how it ended; None: as it was."""
    reason: str | None = None
    detail: str = ""
    until: int | None = None
    work: str | None = None
    due: int | None = None
    late: bool | None = None
    actor: str | None = None
    command_id: str | None = None
    given_out_at: int | None = None
    started_at: int | None = None
    ended_at: int | None = None
    runner: str | None = None
    result: Result | None = None

    def becomes(
        self, status: str, *, reason: str | None = None, detail: str = "", until: int | None = None
    ) -> None:
        """It is in another state from here on."""
        self.status, self.reason, self.detail, self.until = status, reason, detail, until


@dataclass(slots=True, kw_only=True)
class AttemptDraft:
    """What a batch says of an attempt."""

    run: str
    attempt: int
    sequence: int
    certain: bool = True
    """False: it may never have been given out."""
    offers: int = 0
    given_out_at: int | None = None
    runner: str | None = None
    boot: int | None = None
    granted_at: int | None = None
    started_at: int | None = None
    ended_at: int | None = None
    status: str = ""
    detail: str = ""
    result: Result | None = None

    def end(self, at: int, status: RunStatus, detail: str, result: Result | None) -> None:
        """It is over; times are the runner's own if it gave both."""
        if self.ended_at is not None:
            return
        self.ended_at, self.status, self.detail, self.result = at, status.value, detail, result
        if result is not None and result.started_at is not None and result.ended_at is not None:
            self.started_at, self.ended_at = result.started_at, result.ended_at


@dataclass(slots=True)
class RunDrafts:
    """The runs of a batch."""

    drafts: dict[str, RunDraft] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.drafts)

    def file(self) -> bytes:
        """All of them as one binary COPY."""
        return b"".join((FILE_HEADER, *map(run_row, self.drafts.values()), FILE_END))

    def ended(self) -> set[str]:
        """The schedules of those that ended."""
        return {one.schedule for one in self.drafts.values() if one.ended_at is not None}


@dataclass(slots=True)
class AttemptDrafts:
    """The attempts of a batch."""

    drafts: dict[tuple[str, int], AttemptDraft] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.drafts)

    def file(self) -> bytes:
        """All of them as one binary COPY."""
        return b"".join((FILE_HEADER, *map(attempt_row, self.drafts.values()), FILE_END))
