"""
What can be asked of the scheduler?

One frozen record for each order that a service or an operator may put into horae.commands, and what
came with it (`Asked`). Commands are named as orders; what became of one is in events.py, the answer
to its sender in replies.py. What is said of runs and by runners is run_commands.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from schemas.definition import CatchUpMode, Definition
from schemas.made_often import made_often
from schemas.policies import OverlapMode, Scope
from schemas.proposals import AcceptProposal, DismissProposal, Propose, WithdrawProposal
from schemas.run_commands import (
    Beat,
    Beating,
    CancelRun,
    ClaimRun,
    DeclineRun,
    DefineApp,
    DefineDeployment,
    ReportRun,
    ReportState,
    ReportStatus,
)

__all__ = [
    "NOT_THERE",
    "AcceptProposal",
    "Asked",
    "Backfill",
    "Beat",
    "Beating",
    "CancelBackfill",
    "CancelRun",
    "ClaimRun",
    "Command",
    "DeclineRun",
    "Define",
    "DefineApp",
    "DefineDeployment",
    "DismissProposal",
    "EditScopes",
    "HoldSubject",
    "Pause",
    "Propose",
    "ReleaseSubject",
    "Remove",
    "RemoveSubject",
    "RemoveTarget",
    "ReportActivity",
    "ReportRun",
    "ReportState",
    "ReportStatus",
    "Resume",
    "ScheduleCommand",
    "ScopeEdit",
    "Skip",
    "SubjectCommand",
    "Trigger",
    "Unacceptable",
    "Unskip",
    "WithdrawProposal",
]

NOT_THERE = -1
"""As an expected version: that there is no such schedule."""


@dataclass(frozen=True, slots=True)
class Define:
    """Create the schedule, or change it to this definition."""

    definition: Definition
    expected_version: int | None = None
    """Refused unless the schedule has exactly this version, or is `NOT_THERE`."""


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove the schedule; what already fired stays fired. A null value under its key says so."""


@dataclass(frozen=True, slots=True)
class Pause:
    """Let no instant of the schedule be an occurrence until it is resumed."""

    reason: str = ""
    until: int | None = None
    """The instant (microseconds of UTC) at which it resumes by itself."""


@dataclass(frozen=True, slots=True)
class Resume:
    """End the pause (`enable` is the same)."""

    reason: str = ""
    catch_up: CatchUpMode | None = None
    """What of the pause still runs, this once; None: as the definition says."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """Fire once, now, whatever the calendar says."""

    reason: str = ""
    force: bool = False
    """Whatever runs already, and whatever the caps."""
    overlap: OverlapMode | None = None
    """Instead of the definition's, for this fire."""


@dataclass(frozen=True, slots=True)
class Skip:
    """Let the next `count` instants, or the one at `instant`, not fire; exactly one of both."""

    count: int | None = None
    instant: int | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Unskip:
    """Let an instant that was to be skipped fire after all."""

    instant: int | None = None
    """None: all of them."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Backfill:
    """Run instants of the past once more: those of [first, last], or the ones that are named."""

    first: int | None = None
    last: int | None = None
    instants: tuple[int, ...] = ()
    newest_first: bool = False
    most: int = 1_000
    """Of more instants than this the newest are taken."""
    overlap: OverlapMode | None = None
    """Instead of the definition's."""
    dry_run: bool = False
    """Only answer how many there are."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class CancelBackfill:
    """Let the rest of a backfill not run."""

    backfill: str
    """The id of the command that began it."""
    reason: str = ""


class ScopeEdit(StrEnum):
    """What to do with the scopes of a schedule."""

    ADD = "add"
    """Add targets, and widen the filters of those that are there."""
    UPDATE = "update"
    """Let exactly these be its targets."""
    REMOVE = "remove"


@dataclass(frozen=True, slots=True)
class EditScopes:
    """Change the targets of a schedule; the next fire reads them."""

    edit: ScopeEdit
    scopes: tuple[Scope, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HoldSubject:
    """Evaluate nothing of this subject."""

    reason: str = ""
    until: int | None = None
    """When the hold ends by itself."""
    actions_only: bool = False
    """Only its sleep and wake."""


@dataclass(frozen=True, slots=True)
class ReleaseSubject:
    """Lift the hold."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class RemoveSubject:
    """Remove each schedule of the subject, and what is known of it."""

    reason: str = ""
    cancel: bool = False
    """Ask what runs to stop; else it goes on."""


@dataclass(frozen=True, slots=True)
class RemoveTarget:
    """A target is gone: take it out of all schedules of the subject."""

    target: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ReportActivity:
    """What a sampler saw of the subject."""

    in_flight: int
    waiting: int
    sampled_at: int
    last_request: int | None = None
    """When the last request came; None: none was ever seen."""
    served: int | None = None
    """How many requests ended since the server began: another number than before is a request."""
    rate: int | None = None
    """Thousandths of a request a minute, as it is now."""
    usual: int | None = None
    """What it usually is at this hour of the week."""


@dataclass(frozen=True, slots=True)
class Unacceptable:
    """A command that could be read but not meant: its sender is told `message` about `field`."""

    kind: str
    field: str
    message: str


ScheduleCommand = (
    Define
    | Remove
    | Pause
    | Resume
    | Trigger
    | Skip
    | Unskip
    | Backfill
    | CancelBackfill
    | EditScopes
)
"""About one schedule."""
SubjectCommand = (
    ReportRun
    | HoldSubject
    | ReleaseSubject
    | RemoveSubject
    | RemoveTarget
    | ReportActivity
    | CancelRun
    | ClaimRun
    | DeclineRun
    | DefineApp
    | DefineDeployment
    | ReportState
    | Propose
    | AcceptProposal
    | DismissProposal
    | WithdrawProposal
)
"""About a subject: its key has no name behind the slash."""
Command = ScheduleCommand | SubjectCommand | Unacceptable


@made_often
@dataclass(frozen=True, slots=True)
class Asked:
    """One command as the log holds it: who asked what of which schedule, and where it stands."""

    schedule: str
    """`subject/name`; for what concerns the subject as a whole, `subject/`."""
    command: Command
    id: str
    """The sender's id for it, or `<partition>.<offset>`: the key of its reply."""
    partition: int
    offset: int
    version: int
    """The partition's base + offset: what a change made by this command is numbered with."""
    appended_at: int
    """The broker's clock when it was appended, microseconds of UTC."""
    actor: str = "service:unknown"
    trace: str | None = None
    once: str | None = None
    """One-shot commands: under which its answer is remembered for 24 hours."""
    digest: bytes = b""
    """A hash of key and value: the same id with another payload is a conflict."""
