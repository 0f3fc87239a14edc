"""
What is proposed for a deployment, and what became of it?

A proposal says when a deployment could sleep, by what was measured. It becomes schedules only when
somebody accepts it. How candidates are found is streams/proposals; days are 0 (Monday) to 6, times
seconds of the local day, shares thousandths.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class IdleWindow(NamedTuple):
    """One stretch of a week without requests, and when to sleep and wake for it."""

    sleep_day: int
    sleep_at: int
    wake_day: int
    wake_at: int
    """15 minutes before the first active hour."""
    minutes: int
    """How long nothing comes."""
    weeks: int
    """The fewest weeks in which one of its hours was observed."""
    idle_weeks: int
    """The fewest in which one of them was idle."""


class ProposalSource(StrEnum):
    """Who says that it is a good idea."""

    OTHER = "other"
    MODEL = "model"
    RULES = "rules"


class ProposalStatus(StrEnum):
    """What became of a proposal."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"
    WITHDRAWN = "withdrawn"
    """It does not fit what was measured since."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """When a deployment could sleep."""

    id: str
    windows: tuple[IdleWindow, ...]
    zone: str
    source: ProposalSource
    confidence: int
    """Thousandths; by rules 1,000."""
    reason: str = ""
    prompt: str = ""
    """What the model was asked, and what it answered: the evidence."""
    answer: str = ""


class ProposalNote(NamedTuple):
    """What a subject knows of a proposal."""

    id: str
    status: ProposalStatus
    windows: tuple[IdleWindow, ...]
    zone: str
    since: int
    """When it came to this."""


@dataclass(frozen=True, slots=True)
class Propose:
    """Let an admin see this; an open one of other windows is withdrawn for it."""

    proposal: Proposal


@dataclass(frozen=True, slots=True)
class AcceptProposal:
    """Make its schedules, once."""

    proposal: str
    """Its id."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class DismissProposal:
    """Make nothing of it, and do not propose the same again soon."""

    proposal: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class WithdrawProposal:
    """It does not fit the data any more."""

    proposal: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProposalMade:
    """Somebody should look at it."""

    schedule: str
    proposal: Proposal


@dataclass(frozen=True, slots=True)
class ProposalAccepted:
    """Its schedules are made, by whoever accepted it."""

    schedule: str
    proposal: str
    schedules: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProposalDismissed:
    """Nobody wants it."""

    schedule: str
    proposal: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ProposalWithdrawn:
    """It does not fit what was measured since, or another one took its place."""

    schedule: str
    proposal: str
    reason: str = ""
