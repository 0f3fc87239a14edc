"""
What is known of a deployment, and of what was proposed for it, after this event?

Copies facts into the notes of its subject, like evolve_subject.py, which asks here. What is decided
from them is deployments.py and proposals.py.
"""

from __future__ import annotations

from dataclasses import replace

from schemas.deployments import DeploymentState
from schemas.events import (
    DeploymentDefined,
    DeploymentStateNoted,
    ProposalAccepted,
    ProposalDismissed,
    ProposalEvent,
    ProposalMade,
    ProposalWithdrawn,
    ScheduleEvent,
    Stamp,
)
from schemas.proposals import ProposalNote, ProposalStatus
from schemas.snapshot import Standing, SubjectNotes

SETTLED_KEPT = 20
"""So many proposals are remembered that are not open any more; the last ones."""


def notes_after(notes: SubjectNotes, event: ScheduleEvent, stamp: Stamp) -> SubjectNotes:
    """The notes of a subject after something about its deployment happened."""
    match event:
        case DeploymentDefined():
            return replace(notes, deployment=event.deployment)
        case DeploymentStateNoted():
            return replace(notes, standing=_standing(notes, event, stamp.decided_at))
        case ProposalMade() | ProposalAccepted() | ProposalDismissed() | ProposalWithdrawn():
            found = _proposals(notes.proposals, event, stamp.decided_at)
            return replace(notes, proposals=found)
        case _:
            return notes


def _standing(notes: SubjectNotes, event: DeploymentStateNoted, now: int) -> Standing:
    before = notes.standing
    stopped_by = None if before is None else before.stopped_by
    if event.state is DeploymentState.STOPPED:
        stopped_by = event.actor
    return Standing(event.state, event.actor, now, stopped_by)


def _proposals(
    known: tuple[ProposalNote, ...], event: ProposalEvent, now: int
) -> tuple[ProposalNote, ...]:
    """Those that were settled, the last one last, and the open one behind them."""
    if isinstance(event, ProposalMade):
        made = event.proposal
        note = ProposalNote(made.id, ProposalStatus.OPEN, made.windows, made.zone, now)
        return (*(one for one in known if one.id != made.id), note)
    status = _status(event)
    settled = [one for one in known if one.status is not ProposalStatus.OPEN]
    still_open = [one for one in known if one.status is ProposalStatus.OPEN]
    settled += [
        one._replace(status=status, since=now) for one in still_open if one.id == event.proposal
    ]
    left = [one for one in still_open if one.id != event.proposal]
    return (*settled[-SETTLED_KEPT:], *left)


def _status(event: ProposalAccepted | ProposalDismissed | ProposalWithdrawn) -> ProposalStatus:
    match event:
        case ProposalAccepted():
            return ProposalStatus.ACCEPTED
        case ProposalDismissed():
            return ProposalStatus.DISMISSED
        case ProposalWithdrawn():
            return ProposalStatus.WITHDRAWN
