"""
What is read from the views about runs, their attempts, and what somebody should know?

One frozen record for each kind of row, as API and command line get it; instants are microseconds of
UTC, lengths of time microseconds. Their siblings are shown.py, how they are asked for is
run_queries.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from schemas.identity import occurrence_id


@dataclass(frozen=True, slots=True)
class RunShown:
    """The work of one occurrence for one scope."""

    run: str
    schedule: str
    subject: str
    scope: str
    version: int
    incarnation: int
    nominal: int
    origin: str
    """Empty: the calendar."""
    kind: str
    """schedule, manual or backfill."""
    changed_at: int
    attempt: int
    """How many attempts were given out."""
    status: str
    """Its phase while it goes on, then how it ended."""
    shown_as: str
    """open, succeeded, failed, skipped, cancelled or other: what nothing was to be done for is a
    skip and no failure."""
    reason: str | None
    detail: str
    until: int | None
    """When something happens to it by itself: it is dropped, offered again, tried again."""
    work: str | None
    """emit, http, command, exec, fresh or deployment."""
    due: int | None
    late: bool | None
    """It ran as a catch-up."""
    fired_at: int
    """When its occurrence was decided; if the ledger no longer has that, when it was first heard
    of."""
    actor: str | None
    """Who caused it."""
    command_id: str | None
    given_out_at: int | None
    """When its newest attempt was given out: offered, or its record written."""
    started_at: int | None
    ended_at: int | None
    runner: str | None
    """Who has it, or had it last."""
    exit_code: int | None
    output_cut: bool
    output_dropped: bool
    """It had an output, which is no longer kept."""
    reference: str | None
    lateness: int | None
    """From when it was due to its beginning."""
    queue_time: int | None
    """From its fire to its beginning."""
    duration: int | None
    """From its beginning to its end."""

    @property
    def scheduled_for(self) -> int | None:
        """The instant of the calendar; a run by hand has none."""
        return None if self.kind == "manual" else self.nominal

    @property
    def occurrence(self) -> str:
        """The id of its occurrence."""
        return occurrence_id(self.schedule, self.incarnation, self.nominal, self.origin or None)

    @property
    def is_over(self) -> bool:
        """Whether nothing about it changes any more."""
        return self.ended_at is not None


@dataclass(frozen=True, slots=True)
class AttemptShown:
    """One attempt of a run."""

    run: str
    attempt: int
    offers: int
    """How often it was offered to runners; 0: it was not for them."""
    given_out_at: int | None
    runner: str | None
    granted_at: int | None
    started_at: int | None
    ended_at: int | None
    status: str
    detail: str
    exit_code: int | None
    output: str | None
    """None: it said nothing of any, or it is no longer kept."""
    output_cut: bool
    output_dropped: bool
    reference: str | None


@dataclass(frozen=True, slots=True)
class OutputShown:
    """The last that a run wrote."""

    run: str
    output: str | None
    """None: no runner said anything of it, or it is no longer kept."""
    output_cut: bool
    output_dropped: bool


@dataclass(frozen=True, slots=True)
class InsightShown:
    """Something that was, or is, so and should not be."""

    subject: str
    kind: str
    about: str
    message: str
    raised_at: int
    resolved_at: int | None
    resolution: str | None
    resolved_by: str | None
    partition: int
    sequence: int


@dataclass(frozen=True, slots=True)
class SubjectShown:
    """What the containers of a subject are made of."""

    subject: str
    app: dict[str, Any] | None
    """None: the subject is gone."""
    changed_at: int
    actor: str


@dataclass(frozen=True, slots=True)
class RunnerShown:
    """Who was granted work, and what last."""

    runner: str
    boot: int
    granted_at: int
    run: str
    schedule: str
    open_runs: int
    """How many it has at the moment."""
