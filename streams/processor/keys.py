"""
Under which key does each record go into our topics?

One key per occurrence, run, attempt, version and command: compaction then removes nothing but a
superseded state of the same thing (DESIGN section 2). The ids themselves are made in
schemas/identity.py.
"""

from __future__ import annotations

from schemas.events import (
    ActivityNoted,
    BackfillEnded,
    BackfillProgressed,
    BackfillStarted,
    Deferred,
    DeploymentDefined,
    Event,
    Fired,
    GlobalChanged,
    ProposalAccepted,
    ProposalDismissed,
    ProposalEvent,
    ProposalMade,
    ProposalWithdrawn,
    RunEnded,
    RunGranted,
    RunNoted,
    RunOffered,
    RunQueued,
    RunRetries,
    RunStarted,
    Skipped,
)
from schemas.identity import occurrence_id, range_id
from schemas.run_events import RunStatus

CURSORS = b"p|"
"""Before a schedule's id: its cursor in horae.state."""
ANSWERS = b"c|"
"""Before a command's id: its answer in horae.state."""
RUNS = b"r|"
"""Before a run's id: what is known of it, in horae.state."""
RUNNERS = b"w|"
"""Before a runner's id: what is known of it, in horae.state."""
SUBJECTS = b"u|"
"""Before a subject: what is known of it as a whole, in horae.state."""


def event_key(event: Event, sequence: int) -> bytes:
    """The key of a ledger record; `sequence` is its number in its partition."""
    match event:
        case Fired() | Deferred():
            origin = event.origin if isinstance(event, Fired) else None
            key = occurrence_id(event.schedule, event.incarnation, event.nominal, origin)
        case Skipped(count=1):
            key = occurrence_id(event.schedule, event.incarnation, event.first, event.origin)
        case Skipped():
            key = range_id(event.schedule, event.incarnation, event.first, event.last)
        case GlobalChanged():
            key = f"#global:{event.name}@{event.offset}"
        case _:
            about = _about(event)
            own = f"{type(event).__name__}:{sequence}"
            key = f"{event.schedule}#{own if about is None else about}"
    return key.encode()


def _about(event: Event) -> str | None:  # noqa: C901, PLR0911 - one match
    """What a newer event replaces an older one of; None: it is never replaced.

    The end of a run is also the last that is said of its being alive. Whatever an end does not
    repeat has a key of its own: when it was queued, when each attempt began and how it ended, each
    offer of it and who had it by which, who asked it to stop, and reports that changed nothing. So
    has each state of a deployment: who stopped it may be asked long after.
    """
    match event:
        case RunEnded() | RunNoted(ignored=None):
            return f"run:{event.run}"
        case RunQueued():
            return f"run:{event.run}/queued"
        case RunStarted() | RunOffered() | RunGranted():
            return f"run:{event.run}/{event.attempt}{_offer(event)}"
        case RunRetries(status=status):
            put_off = status is RunStatus.BUSY or (
                status is RunStatus.UNAVAILABLE and event.result is None
            )
            attempt = f"{event.attempt + 1}/{status}" if put_off else f"{event.attempt}/ended"
            return f"run:{event.run}/{attempt}"
        case BackfillStarted():
            return f"backfill:{event.id}/started"
        case BackfillProgressed() | BackfillEnded():
            return f"backfill:{event.id}"
        case ActivityNoted():
            return "activity"
        case DeploymentDefined():
            return "deployment"
        case ProposalMade() | ProposalAccepted() | ProposalDismissed() | ProposalWithdrawn():
            return _of_proposal(event)
        case _:
            return None


def _of_proposal(event: ProposalEvent) -> str:
    """Which proposal it is about, and what became of it."""
    match event:
        case ProposalMade():
            return f"proposal:{event.proposal.id}/made"
        case ProposalAccepted():
            return f"proposal:{event.proposal}/accepted"
        case ProposalDismissed():
            return f"proposal:{event.proposal}/dismissed"
        case ProposalWithdrawn():
            return f"proposal:{event.proposal}/withdrawn"


def _offer(event: RunStarted | RunOffered | RunGranted) -> str:
    """Which offer of an attempt it is about, and what became of that."""
    match event:
        case RunOffered():
            return f"/offered/{event.issue}"
        case RunGranted():
            return f"/granted/{event.issue}"
        case _:
            return ""


def cursor_key(schedule: str) -> bytes:
    """Of a schedule's cursor in horae.state."""
    return CURSORS + schedule.encode()


def owner_key(partition: int) -> bytes:
    """Of a partition's owner in horae.state."""
    return f"o|{partition}".encode()


def answer_key(once: str) -> bytes:
    """Of the answer to a one-shot command in horae.state."""
    return ANSWERS + once.encode()


def run_key(run: str) -> bytes:
    """Of a run in horae.state."""
    return RUNS + run.encode()


def runner_key(runner: str) -> bytes:
    """Of what is known of a runner, in horae.state."""
    return RUNNERS + runner.encode()


def subject_key(subject: str) -> bytes:
    """Of what is known of a subject as a whole, in horae.state."""
    return SUBJECTS + subject.encode()
