"""
What happened?

The ledger's records, in the past tense and never renamed. A body says what was decided; the `Stamp`
says when, why and under which global settings, which is enough to decide it again. Each occurrence
ends in exactly one of `Fired` or `Skipped` (fire_events.py). The key of each record is in
identity.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from schemas.definition import Definition
from schemas.fire_events import Deferred, Fired, ScopeResult, Skipped
from schemas.proposals import (
    ProposalAccepted,
    ProposalDismissed,
    ProposalMade,
    ProposalWithdrawn,
)
from schemas.reasons import Outcome, Reason
from schemas.request_events import BackfillEnded, BackfillProgressed, BackfillStarted, SkipsChanged
from schemas.run_events import (
    RunCancelling,
    RunEnded,
    RunGranted,
    RunNoted,
    RunOffered,
    RunQueued,
    RunRetries,
    RunStarted,
)
from schemas.subject_events import (
    ActivityNoted,
    AppDefined,
    DeploymentDefined,
    DeploymentStateNoted,
    InsightRaised,
    InsightResolved,
    SubjectHeld,
    SubjectReleased,
    SubjectRemoved,
)

__all__ = [
    "ActivityNoted",
    "AppDefined",
    "BackfillEnded",
    "BackfillEvent",
    "BackfillProgressed",
    "BackfillStarted",
    "CommandRefused",
    "CommandUnchanged",
    "Deferred",
    "DeploymentDefined",
    "DeploymentStateNoted",
    "Event",
    "Fired",
    "GlobalChanged",
    "InsightRaised",
    "InsightResolved",
    "Outcome",
    "ProposalAccepted",
    "ProposalDismissed",
    "ProposalEvent",
    "ProposalMade",
    "ProposalWithdrawn",
    "Reason",
    "RunCancelling",
    "RunEnded",
    "RunEvent",
    "RunGranted",
    "RunNoted",
    "RunOffered",
    "RunQueued",
    "RunRetries",
    "RunStarted",
    "ScheduleChanged",
    "ScheduleCompleted",
    "ScheduleDefined",
    "ScheduleEvent",
    "SchedulePaused",
    "ScheduleRecomputed",
    "ScheduleRemoved",
    "ScheduleResumed",
    "ScopeResult",
    "Skipped",
    "SkipsChanged",
    "Stamp",
    "SubjectEvent",
    "SubjectHeld",
    "SubjectReleased",
    "SubjectRemoved",
]


class Stamp(NamedTuple):
    """When and why something was decided."""

    decided_at: int
    """The batch's wall clock, microseconds of UTC."""
    partition: int
    """The partition of the inbox that decided it."""
    offset: int | None
    """The command that caused it; None: a timer."""
    globals_offset: int
    """The last record of horae.globals that was in force, -1 before the first."""
    sequence: int
    """Counts the partition's events without a gap."""
    actor: str
    command_id: str | None = None
    trace: str | None = None


@dataclass(frozen=True, slots=True)
class ScheduleDefined:
    """A schedule came to be."""

    schedule: str
    version: int
    incarnation: int
    definition: Definition
    begins_at: int
    """Only instants later than this are its occurrences."""
    next: int
    """Its first nominal instant; NEVER if there is none."""
    next_due: int | None = None
    """When `next` is looked at; None, as in older records: at that instant itself."""


@dataclass(frozen=True, slots=True)
class ScheduleChanged:
    """A schedule got another definition; what was due before was settled under the old one."""

    schedule: str
    version: int
    incarnation: int
    previous_version: int
    definition: Definition
    begins_at: int
    """The old mark if the timing stayed the same, else the moment of the edit."""
    next: int
    next_due: int | None = None
    """When `next` is looked at; None, as in older records: at that instant itself."""


@dataclass(frozen=True, slots=True)
class ScheduleRemoved:
    """A schedule is gone."""

    schedule: str
    version: int
    incarnation: int


@dataclass(frozen=True, slots=True)
class SchedulePaused:
    """From here on its instants are no occurrences."""

    schedule: str
    version: int
    incarnation: int
    reason: str
    since: int
    until: int | None


@dataclass(frozen=True, slots=True)
class ScheduleResumed:
    """Its instants after `begins_at` are occurrences again."""

    schedule: str
    version: int
    incarnation: int
    reason: str
    begins_at: int
    next: int
    next_due: int | None = None
    """When `next` is looked at; None, as in older records: at that instant itself."""


@dataclass(frozen=True, slots=True)
class ScheduleCompleted:
    """It has no instant left and will never fire again by itself."""

    schedule: str
    version: int
    incarnation: int


@dataclass(frozen=True, slots=True)
class ScheduleRecomputed:
    """Its pending instant was computed anew: other zone data, or a calendar changed."""

    schedule: str
    version: int
    incarnation: int
    cause: str
    """In words: the release of the zone data, or the calendar and its version."""
    next: int
    """Its pending nominal instant; NEVER if there is none."""
    next_due: int


@dataclass(frozen=True, slots=True)
class CommandUnchanged:
    """A command asked for what already was."""

    schedule: str
    command: str
    version: int
    incarnation: int
    next: int


@dataclass(frozen=True, slots=True)
class CommandRefused:
    """A command changed nothing, because of `message` about `field`."""

    schedule: str
    command: str
    field: str
    message: str
    version: int | None = None
    """The schedule's version at that moment, if it has one."""


@dataclass(frozen=True, slots=True)
class GlobalChanged:
    """A record of horae.globals came into force; written by the owner of inbox partition 0."""

    name: str
    offset: int
    summary: str


RunEvent = (
    RunQueued
    | RunStarted
    | RunOffered
    | RunGranted
    | RunRetries
    | RunCancelling
    | RunNoted
    | RunEnded
)
"""About one run of a schedule."""
ProposalEvent = ProposalMade | ProposalAccepted | ProposalDismissed | ProposalWithdrawn
SubjectEvent = (
    SubjectHeld
    | SubjectReleased
    | SubjectRemoved
    | ActivityNoted
    | AppDefined
    | DeploymentDefined
    | DeploymentStateNoted
    | ProposalEvent
    | InsightRaised
    | InsightResolved
)
"""About a subject as a whole; its `schedule` is the subject and a slash."""
BackfillEvent = BackfillStarted | BackfillProgressed | BackfillEnded
ScheduleEvent = (
    ScheduleDefined
    | ScheduleChanged
    | ScheduleRemoved
    | SchedulePaused
    | ScheduleResumed
    | ScheduleCompleted
    | ScheduleRecomputed
    | Fired
    | Skipped
    | Deferred
    | CommandUnchanged
    | CommandRefused
    | SkipsChanged
    | BackfillEvent
    | RunEvent
    | SubjectEvent
)
Event = ScheduleEvent | GlobalChanged
